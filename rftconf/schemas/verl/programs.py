"""Releases of veRL differ by these edits in the configs of its other programs: SFT, evaluation, generation."""

from __future__ import annotations

from rftconf.schemas.edits import Edit, Move, removed_keys

_NSYS = "global_profiler"
_RAY = (
    Move("ray_init.num_cpus", "ray_kwargs.ray_init.num_cpus"),
    Move("ray_init.timeline_json_file", "ray_kwargs.timeline_json_file"),
)

EDITS: dict[str, dict[str, tuple[Edit, ...]]] = {
    "verl_sft": {
        "0.6.1": (),
        "0.7.1": (*removed_keys("the profiler has a block of its own", _NSYS, tree=True, harmless=True),),
        "0.8.0": removed_keys(
            "options of Megatron's checkpoint bridge", "checkpoint.mbridge_config", tree=True, harmless=True
        ),
        "0.9.0": removed_keys("gradients are not offloaded since 0.9.1", "engine.grad_offload"),
    },
    "verl_fsdp_sft": {
        "0.2.0": (),
        "0.3.0": (),
        "0.4.1": (Move("trainer.resume_path", "trainer.resume_from_path"),),
        "0.5.0": (Move("optim.warmup_steps_ratio", "optim.lr_warmup_steps_ratio"),),
    },
    "verl_eval": {"0.5.0": _RAY, **dict.fromkeys(("0.2.0", "0.3.0", "0.4.1", "0.6.1", "0.7.1", "0.8.0", "0.9.0"), ())},
    "verl_generation": {
        "0.2.0": (),
        "0.3.0": (),
        "0.4.1": removed_keys(
            "an experiment of the engines, never part of a release after 0.4", "rollout.use_fire_sampling"
        ),
        "0.5.0": _RAY,
    },
}
"""Program to release to the edits that lead to the next one."""


def edits(program: str, release: str) -> tuple[Edit, ...]:
    """The edits that lead from `release` of a program's config to the next one."""
    return EDITS[program][release]
