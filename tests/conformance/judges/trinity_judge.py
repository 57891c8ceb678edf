"""Would this release of Trinity-RFT accept this file? Usage: trinity_judge.py RELEASE VERL (see protocol.py).

A case is `{"id", "file", "nodes": 1, "gpus": 8}`; the cluster is only consulted where the file does not state its own.
Stages: `load` (structured merge: unknown keys and wrong types), `reads` (each key is read by something; with `starts`
alone, as a critic's worker is), `check` (every validator), `build` (the trainer's veRL config) and
`worker` (what veRL's workers build under it), both from 0.6.0 with
veRL 0.8, and `names` (what is looked up when the run starts, made with its arguments).
A case with `mathematics`, a list of seeds, asks what the functions make of random periods (trinity_mathematics.py).
What else comes back is `{"loaded": config, "checked": [config of each stage]}`.
"""

import functools
import importlib
import sys
from pathlib import Path

import import_stubs
import trinity_mathematics
import trinity_names
import trinity_reads
import trinity_rows
import trinity_sandbox
import trinity_trainer
import verl_reads
from protocol import apart, plain, serve

PRELOADED = (
    "trinity.common.config",
    "trinity.common.config_validator",
    "trinity.common.verl_config",
    "trinity.algorithm",
    "trinity.utils.monitor",
    "trinity.buffer.selector",
    "trinity.trainer.verl.verl_config",
    "trinity.trainer.verl.config",
    "transformers",
    "ray.util.state",
)
PRELOADED_OF_VERL = (
    "verl.utils.config",
    "verl.workers.config",
    "verl.workers.engine_workers",
    "verl.workers.engine",
    "hydra.utils",
    "torch.testing._internal.distributed.fake_pg",
)
"""What building the trainer's config and its workers imports: once here, not once a case."""
GPU_PACKAGES = ("vllm", "sglang", "flash_attn", "agentscope", "data_juicer", "tinker")
CLAIMED_VERSIONS = {"vllm": "0.11.0", "sglang": "0.4.9", "flash_attn": "2.8.0"}
"""Some modules compare the version of what they import."""


def preload(*names):
    """Import what the cases need, as far as this release has it."""
    for name in (*PRELOADED, *names):
        try:
            importlib.import_module(name)
        except Exception as error:  # noqa: BLE001 - a case that needs the module meets the error itself
            sys.stderr.write(f"not preloaded: {name}: {type(error).__name__}: {error}\n")
    trinity_sandbox.preload()
    verl_reads.read_names("trinity")


def judge_one(case, progress, *, verl, builds_verl):
    """What the loader and the validators made of the file; raises what Trinity raises."""
    progress.stage = "load"
    file = Path(case["file"]).resolve()
    trinity_sandbox.enter(file.read_text(), case.get("nodes", 1), case.get("gpus", 8), progress)
    from trinity.common.config import load_config

    loaded = load_config(str(file))
    if "responses" in case:
        return trinity_rows.read(loaded, case, progress)
    if case.get("starts"):
        progress.stage = "reads"
        trinity_reads.check(file)
    answer = {"loaded": plain(loaded), "checked": []}
    for stage in list(loaded) if getattr(loaded, "stages", None) else [loaded]:
        progress.stage = "check"
        stage = stage.check_and_update() or stage
        if builds_verl and trinity_trainer.trains_with_verl(stage):
            progress.stage = "build"
            built = trinity_trainer.build(stage)
            if "mathematics" in case:
                return trinity_mathematics.measure(stage, built, case["mathematics"], progress)
            progress.stage = "worker"
            # a process has one process group, and every stage wants its own
            critic = bool(case.get("starts"))
            apart(functools.partial(trinity_trainer.start_workers, stage, built, verl, critic=critic), progress)
        progress.stage = "names"
        trinity_names.look_up(stage, progress)
        answer["checked"].append(plain(stage))
    return answer


def main():
    release, verl = (tuple(int(part) for part in text.split(".")) for text in sys.argv[1:3])
    import_stubs.install(
        GPU_PACKAGES,
        CLAIMED_VERSIONS,
        refused=("vllm.config",),
    )
    # Below these, check_and_update itself fills and checks the trainer's veRL config.
    builds_verl = release >= (0, 6, 0) and verl >= (0, 8, 0)
    serve(
        functools.partial(judge_one, verl=verl, builds_verl=builds_verl),
        functools.partial(preload, *(PRELOADED_OF_VERL if builds_verl else ())),
    )


if __name__ == "__main__":
    main()
