"""Would this release of veRL accept these overrides? Usage: verl_judge.py RELEASE, cases on stdin (protocol.py).

A case is `{"id", "overrides": [...], "program": optional, "cwd": optional, "until": optional}`. Stages, in the order a
real run meets them: `compose` (Hydra), `reads` (each key that is written is read by something; only with `starts`), `validate` (the task runner
and the trainer's own checks), `dataclass` (what the workers convert their sections to), `worker` (the workers' own
arithmetic, models, optimizers and schedules, under a process group that only pretends), `names` (registries asked at step 1).
The config that comes back is the composed one, interpolations resolved, before any path is replaced.
A case with `mathematics`, a list of seeds, asks what veRL's functions make of random periods (verl_mathematics.py);
one with `responses` (and `path`, for modules of its own) asks for rows and rewards instead (verl_rows.py).
"""

import copy
import functools
import importlib
import os
import sys
from pathlib import Path

import hydra_memory
import import_stubs
import verl_compose
import verl_dataclasses
import verl_mathematics
import verl_names
import verl_offline
import verl_reads
import verl_rows
import verl_sft
import verl_trainer
import verl_workers
from protocol import serve
from tiny_model import write_tiny_model
from verl_paths import with_local_paths

PRELOADED = (
    "verl",
    "verl.trainer.main_ppo",
    "verl.trainer.main_ppo_v0",
    "verl.trainer.ppo.ray_trainer",
    "verl.trainer.ppo.v1",
    "verl.workers.fsdp_workers",
    "verl.workers.megatron_workers",
    "verl.workers.engine_workers",
    "verl.workers.config",
    "verl.workers.engine",
    "verl.workers.reward_manager",
    "transformers.models.auto.processing_auto",
    "transformers.models.qwen2.modeling_qwen2",
)
SHIPPED = ("ppo_trainer", "ppo_megatron_trainer")
"""The configs that nearly every case starts from, where this release has them."""
GPU_PACKAGES = ("vllm", "sglang", "flash_attn", "transformer_engine", "mbridge", "apex", "liger_kernel")
OLD_MEGATRON = ("megatron.optimizer",)
"""What 0.2.0 imports of Megatron-LM 0.4, which is on no index."""
CLAIMED_VERSIONS = {"vllm": "0.9.1", "sglang": "0.4.9", "flash_attn": "2.8.0"}
"""Some modules compare the version of what they import."""


def preload(model_folder):
    """Import what the cases need, as far as this release has it."""
    for name in PRELOADED:
        try:
            importlib.import_module(name)
        except Exception as error:  # noqa: BLE001 - a case that needs the module meets the error itself
            sys.stderr.write(f"not preloaded: {name}: {type(error).__name__}: {error}\n")
    importlib.import_module("transformers").AutoTokenizer.from_pretrained(write_tiny_model(model_folder))
    hydra_memory.remember()
    verl_reads.read_names()
    verl_compose.warm_up()
    folder = Path(importlib.import_module("verl").__file__).parent / "trainer" / "config"
    for name in SHIPPED:
        if (folder / f"{name}.yaml").exists():
            hydra_memory.learn(str(folder), name)


def judge_one(case, progress, *, release, model_folder):
    """The resolved config; raises what veRL raises."""
    if case.get("cwd"):
        os.chdir(case["cwd"])
    if case.get("program") in verl_offline.PROGRAMS:
        return verl_offline.judge(case, progress, model_folder=model_folder)
    if case.get("program", "verl.trainer.main_ppo") != "verl.trainer.main_ppo":
        return verl_sft.judge(case, progress, model_folder=model_folder)
    composed = verl_compose.compose(case["overrides"], progress)
    if "responses" in case:
        return verl_rows.read(composed.config, case, release, model_folder, progress)
    resolved = verl_compose.resolve(composed.config, progress)

    local = with_local_paths(composed.config, model_folder, progress)
    if "mathematics" in case:
        return verl_mathematics.measure(local, case["mathematics"], progress)

    def fresh():
        return copy.deepcopy(local)

    if case.get("starts"):
        progress.stage = "reads"
        verl_reads.check(case["overrides"])
    progress.stage = "validate"
    verl_trainer.validate(fresh(), composed, release)
    progress.stage = "dataclass"
    verl_dataclasses.convert_sections(fresh(), release, progress)
    if case.get("until") == "dataclass":
        return resolved
    progress.stage = "worker"
    verl_workers.start(fresh(), release, progress)
    progress.stage = "names"
    if case.get("starts"):
        verl_reads.check_engine(local.actor_rollout_ref.rollout, release, progress)
    verl_names.look_up(fresh(), release, progress)
    return resolved


def main():
    release = tuple(int(part) for part in sys.argv[1].split("."))
    model_folder = os.environ["RFTCONF_TINY_MODEL"]
    import_stubs.install(
        GPU_PACKAGES,
        CLAIMED_VERSIONS,
        refused=("vllm.config.lora", "vllm.config"),
    )
    if release < (0, 3, 0):
        import_stubs.replace(OLD_MEGATRON)
    judge = functools.partial(judge_one, release=release, model_folder=model_folder)
    serve(judge, functools.partial(preload, model_folder))


if __name__ == "__main__":
    main()
