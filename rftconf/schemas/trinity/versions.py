"""Trinity-RFT's releases differ by these edits. The edits of a release lead from it up to the next one.

A stage may override whole sections, so every edit exists once for the file and once for `stages[]`.
"""

from __future__ import annotations

from rftconf.schemas.changes_of_releases import Changes
from rftconf.schemas.edits import Edit, Merge, Move, Removed, removed_keys
from rftconf.schemas.trinity.engine_lengths import EngineLengths
from rftconf.schemas.trinity.intervals import Intervals
from rftconf.schemas.value_edits import Pin, Revalue

_ACTOR, _REF, _CRITIC = (
    f"trainer.trainer_config.{role}" for role in ("actor_rollout_ref.actor", "actor_rollout_ref.ref", "critic")
)
_CORRECTION = "trainer.trainer_config.algorithm.rollout_correction"
_PARALLEL = (
    *("tensor_model_parallel_size", "pipeline_model_parallel_size", "virtual_pipeline_model_parallel_size"),
    *("expert_model_parallel_size", "expert_tensor_parallel_size", "context_parallel_size", "sequence_parallel"),
)
_ACTORS_OWN = {
    **{name: name for name in ("grad_clip", "use_dynamic_bsz", "fix_actor_microbatch_loss_scale")},
    "ulysses_sequence_parallel_size": "ulysses_sequence_parallel_size",
    "ppo_max_token_len_per_gpu": "max_token_len_per_gpu",
    "strategy": "trainer_strategy",
}
"""Keys of the actor's that win over the trainer's up to 0.5.2, with the trainer's name for each."""
_TASKSETS = (
    "buffer.explorer_input.taskset",
    "buffer.explorer_input.tasksets[]",
    "buffer.explorer_input.eval_tasksets[]",
)


def _from_0_3_3(top: str) -> tuple[Edit, ...]:
    optimizer, strategy = f"{top}algorithm.optimizer", f"{top}trainer.trainer_strategy"
    return (
        Move(f"{optimizer}.warmup_style", f"{optimizer}.lr_scheduler_type", stays=True),
        Move(f"{optimizer}.lr_decay_style", f"{optimizer}.lr_scheduler_type", only_if=(strategy, "megatron")),
        Removed(
            f"{optimizer}.lr_decay_steps", "the schedule always ends with the run from 0.4.1 on (Megatron only before)"
        ),
        Removed(f"{optimizer}.lr_warmup_init", "warm-up always starts at 0 from 0.4.1 on (Megatron only before)"),
        Removed(f"{optimizer}.min_lr", "min_lr_ratio says it as a share of lr (it was Megatron's only)"),
        Move(f"{top}explorer.api_port", f"{top}explorer.proxy_port"),
        EngineLengths(top),
    )


def _from_0_4_1(top: str) -> tuple[Edit, ...]:
    return (
        *(
            Move(f"{top}{taskset}.task_selector", f"{top}{taskset}.data_selector", tree=True, stays=True)
            for taskset in _TASKSETS
        ),
        Move(f"{top}buffer.explorer_output.task_selector", f"{top}buffer.explorer_output.data_selector", tree=True),
        Removed(f"{top}buffer.pad_token_id", "the tokenizer's padding token is used", harmless=True),
        *(
            Revalue(f"{top}cluster.{name}", {None: 0}, "0 now asks the Ray cluster")
            for name in ("node_num", "gpu_per_node")
        ),
        Revalue(
            f"{top}synchronizer.sync_style",
            {"dynamic_by_explorer": "explorer_driven", "dynamic_by_trainer": "trainer_driven"},
            "renamed",
        ),
        *removed_keys(
            "veRL 0.7.1, which 0.5.2 runs on, rejects by divergence and one threshold",
            *(f"{top}{_CORRECTION}.{name}" for name in ("rollout_rs_threshold_lower", "rollout_token_veto_threshold")),
        ),
    )


def _from_0_5_2(top: str) -> tuple[Edit, ...]:
    roles = (_ACTOR, _REF, _CRITIC)
    return (
        *(
            Merge(tuple(f"{top}{role}.megatron.{name}" for role in roles), f"{top}trainer.megatron.{name}")
            for name in _PARALLEL
        ),
        *(
            Merge(
                (
                    *(f"{top}{role}.fsdp_config.{name}" for role in (_ACTOR, _REF)),
                    f"{top}{_CRITIC}.model.fsdp_config.{name}",
                ),
                f"{top}trainer.{name}",
            )
            for name in ("param_offload", "optimizer_offload", "offload_policy")
        ),
        Merge(tuple(f"{top}{role}.megatron.grad_offload" for role in roles), f"{top}trainer.grad_offload"),
        Merge(
            (
                f"{top}trainer.trainer_config.actor_rollout_ref.model.use_remove_padding",
                f"{top}{_CRITIC}.model.use_remove_padding",
            ),
            f"{top}trainer.use_remove_padding",
        ),
        *(
            Move(f"{top}trainer.trainer_config.trainer.{name}", f"{top}trainer.{name}", stays=True)
            for name in ("balance_batch", "critic_warmup")
        ),
        # up to 0.5.2 synchronize_config fills what the actor does not set itself (set_if_none), 0.6.0 asks the trainer alone
        *(
            Move(f"{top}{_ACTOR}.{own}", f"{top}trainer.{name}", stays=True, both=True)
            for own, name in _ACTORS_OWN.items()
        ),
        Move(f"{top}{_CORRECTION}.bypass_mode", f"{top}algorithm.bypass_old_logprobs", stays=True),
        Revalue(f"{top}trainer.max_checkpoints_to_keep", {None: 0}, "0 now keeps all"),
    )


EDITS: dict[str, tuple[Edit, ...]] = {
    "0.3.3": (*_from_0_3_3(""), *_from_0_3_3("stages[].")),
    "0.4.1": (*_from_0_4_1(""), *_from_0_4_1("stages[].")),
    "0.5.2": (
        *_from_0_5_2(""),
        *_from_0_5_2("stages[]."),
        Intervals(),
        Pin(
            ("algorithm.algorithm_type", lambda name: name == "dpo"),
            "trainer.trainer_config.actor_rollout_ref.rollout.log_prob_micro_batch_size_per_gpu",
            1,
            "nothing scores answers in dpo, and the trainer of 0.6.0 wants a micro-batch for it all the same",
            overrules=False,
            also=("trainer.use_dynamic_bsz", False),
        ),
    ),
}


def _aliases(top: str) -> tuple[Edit, ...]:
    optimizer = f"{top}algorithm.optimizer"
    return (
        Move(f"{optimizer}.warmup_style", f"{optimizer}.lr_scheduler_type", stays=True, both=True),
        *(
            Move(f"{top}{taskset}.task_selector", f"{top}{taskset}.data_selector", tree=True, stays=True, both=True)
            for taskset in _TASKSETS
        ),
        Revalue(
            f"{top}synchronizer.sync_style",
            {"dynamic_by_explorer": "explorer_driven", "dynamic_by_trainer": "trainer_driven"},
            "the old spelling is still accepted",
            {},
        ),
    )


ALIASES: tuple[Edit, ...] = (*_aliases(""), *_aliases("stages[]."))
"""Names and spellings that the newest release still obeys beside the ones the mappers know."""


def edits(release: str, trainer: str) -> tuple[Edit, ...]:
    """The edits that lead from `release` to the next one."""
    del trainer
    return EDITS[release]


CHANGES = Changes(edits, aliases=ALIASES)
