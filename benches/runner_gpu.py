"""The runner on this machine's GPU: tokens per second beside bare vLLM and bare FSDP2, and each phase's peak beside the account.

`python -m benches.runner_gpu --gpu NAME [-o FILE]`, after the runner's CUDA extra is installed: the demo's task with a random model of
0.4 B parameters, answers of up to 512 tokens, bf16. Each part runs by itself, since the parts would not fit on a GPU together;
figures are medians of the steps that count. `--dry-run` takes every step on any machine, in bf16 too, with the demo's own model: its figures
say nothing of a GPU, and no peak is measured without one.
"""

from __future__ import annotations

import argparse
import json
import statistics
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from benches.phase_peaks import beside
from benches.runner_parts import plan_of
from benches.runner_speed import WARM, Part

GOAL = 0.95
SIZES = {
    "hidden_size": 1024,
    "intermediate_size": 3072,
    "num_attention_heads": 16,
    "num_key_value_heads": 8,
    "head_dim": 128,
    "max_position_embeddings": 4096,
}
LAYERS = 28
Step = dict[str, Any]


def overrides(prompts: int, tokens: int) -> list[str]:
    """What the demo's launch script says otherwise here."""
    return [
        f"data.train_batch_size={prompts}",
        f"data.max_response_length={tokens}",
        f"actor_rollout_ref.actor.ppo_mini_batch_size={prompts}",
        "actor_rollout_ref.actor.ppo_micro_batch_size_per_gpu=32",
        "actor_rollout_ref.model.enable_gradient_checkpointing=True",
        "actor_rollout_ref.actor.fsdp_config.dtype=bfloat16",
        "actor_rollout_ref.rollout.dtype=bfloat16",
        "actor_rollout_ref.rollout.gpu_memory_utilization=0.5",
    ]


def write_task(folder: Path, tokens: int, *, dry: bool) -> None:
    """The demo in bf16, at sizes that keep a GPU busy unless it is a dry run."""
    from rftconf_runner.demo import make

    make(folder) if dry else make(folder, 0, LAYERS, **SIZES)
    script = folder / "run_grpo.sh"
    text = script.read_text(encoding="utf-8").rstrip("\n")
    script.write_text(" \\\n    ".join([text, *overrides(4 if dry else 32, tokens)]) + "\n", encoding="utf-8")


def steps_of(name: str, folder: Path, asked: argparse.Namespace, lengths: Sequence[list[int]]) -> list[Step]:
    """All steps of one part, of which each is told how long the answers of the engine's are."""
    part = Part(name, folder, asked.longest, asked)
    try:
        return [part.step(lengths[at] if lengths else []) for at in range(asked.steps)]
    finally:
        part.close()


def tokens_per_second(steps: Sequence[Step], phase: str) -> float:
    """The median over the steps that count."""
    return statistics.median([float(one["tokens"] / one[phase]) for one in steps[WARM:]])


def speeds(engine: Sequence[Step], training: Sequence[Step], runner: Sequence[Step]) -> dict[str, Any]:
    """Of the runner and bare, and what the goal is for: the one over the other."""
    found = dict[str, Any]()
    for phase, bare in (("rollout", engine), ("update", training)):
        own, alone = tokens_per_second(runner, phase), tokens_per_second(bare, phase)
        ratio = round(own / alone, 3)
        found[phase] = {"runner": round(own), "bare": round(alone), "ratio": ratio, "holds": ratio >= GOAL}
    return found


def pools_of(folder: Path, gpu: str) -> Sequence[Any]:
    """What `rftconf budget --gpu` accounts for, pool by pool."""
    from rftconf.budget.facts.gpus import gpu_named
    from rftconf.budget.facts.implementations import RUNNER
    from rftconf.budget.price import price
    from rftconf.budget.roles.setup import Asked, setup_of

    return price(setup_of(plan_of(folder), Asked(trainer=RUNNER.name)), gpu_named(gpu)).pools


def measured(folder: Path, asked: argparse.Namespace) -> dict[str, Any]:
    """One part after the other."""
    engine = steps_of("engine", folder, asked, [])
    lengths = [one["lengths"] for one in engine]
    training = steps_of("training", folder, asked, lengths)
    runner = steps_of("runner", folder, asked, [])
    *_, last = steps_of("peaks", folder, asked, [])
    return {
        "tokens_per_second": speeds(engine, training, runner),
        "phases": beside(last["peaks"], pools_of(folder, asked.gpu)),
    }


def main() -> None:
    """Print the figures as JSON."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument(
        "--dry-run", action="store_true", help="every step with tiny sizes, on the CPU where there is no GPU"
    )
    parser.add_argument(
        "--gpu", default="", help="which one this is, as rftconf budget names it; a dry run takes h100-80g"
    )
    parser.add_argument("--steps", type=int, default=13, help=f"of each part; the first {WARM} do not count")
    parser.add_argument("-o", "--output", type=Path)
    asked = parser.parse_args()
    if asked.steps <= WARM:
        parser.error(f"--steps: more than {WARM}")
    if not asked.gpu and not asked.dry_run:
        parser.error("--gpu: which one this is, as rftconf budget names it, e.g. h100-80g")
    import torch

    there = torch.cuda.is_available()
    if not there and not asked.dry_run:
        raise SystemExit("no GPU here: nothing to measure (--dry-run takes the steps on the CPU)")
    asked.gpu = asked.gpu or "h100-80g"
    asked.longest, asked.trl, asked.threads = (16 if asked.dry_run else 512), None, 0
    with tempfile.TemporaryDirectory() as name:
        write_task(Path(name), asked.longest, dry=asked.dry_run)
        found = measured(Path(name), asked)
    device = torch.cuda.get_device_name() if there else "none"
    text = json.dumps({"device": device, "dry_run": asked.dry_run, "account_of": asked.gpu, **found}, indent=1)
    print(text)
    if asked.output:
        asked.output.write_text(text + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
