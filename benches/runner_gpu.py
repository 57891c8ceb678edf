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


def steps_of(name: str, folder: Path, args: argparse.Namespace, lengths: Sequence[list[int]]) -> list[Step]:
    """All steps of one part, of which each is told how long the answers of the engine's are."""
    part = Part(name, folder, args.longest, args)
    try:
        return [part.step(lengths[index] if lengths else []) for index in range(args.steps)]
    finally:
        part.close()


def tokens_per_second(steps: Sequence[Step], phase: str) -> float:
    """The median over the steps that count."""
    return statistics.median([float(step["tokens"] / step[phase]) for step in steps[WARM:]])


def speeds(engine: Sequence[Step], training: Sequence[Step], runner: Sequence[Step]) -> dict[str, Any]:
    """Of the runner and bare, and what the goal is for: the one over the other."""
    figures = dict[str, Any]()
    for phase, bare in (("rollout", engine), ("update", training)):
        own, alone = tokens_per_second(runner, phase), tokens_per_second(bare, phase)
        ratio = round(own / alone, 3)
        figures[phase] = {"runner": round(own), "bare": round(alone), "ratio": ratio, "holds": ratio >= GOAL}
    return figures


def pools_of(folder: Path, gpu: str) -> Sequence[Any]:
    """What `rftconf budget --gpu` accounts for, pool by pool."""
    from rftconf.budget.facts.gpus import gpu_named
    from rftconf.budget.facts.implementations import RUNNER
    from rftconf.budget.price import price
    from rftconf.budget.roles.setup import BudgetRequest, setup_of

    return price(setup_of(plan_of(folder), BudgetRequest(trainer=RUNNER.name)), gpu_named(gpu)).pools


def measured(folder: Path, args: argparse.Namespace) -> dict[str, Any]:
    """One part after the other."""
    engine = steps_of("engine", folder, args, [])
    lengths = [step["lengths"] for step in engine]
    training = steps_of("training", folder, args, lengths)
    runner = steps_of("runner", folder, args, [])
    *_, last = steps_of("peaks", folder, args, [])
    return {
        "tokens_per_second": speeds(engine, training, runner),
        "phases": beside(last["peaks"], pools_of(folder, args.gpu)),
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
    args = parser.parse_args()
    if args.steps <= WARM:
        parser.error(f"--steps: more than {WARM}")
    if not args.gpu and not args.dry_run:
        parser.error("--gpu: which one this is, as rftconf budget names it, e.g. h100-80g")
    import torch

    has_gpu = torch.cuda.is_available()
    if not has_gpu and not args.dry_run:
        raise SystemExit("no GPU here: nothing to measure (--dry-run takes the steps on the CPU)")
    args.gpu = args.gpu or "h100-80g"
    args.longest, args.trl, args.threads = (16 if args.dry_run else 512), None, 0
    with tempfile.TemporaryDirectory() as name:
        write_task(Path(name), args.longest, dry=args.dry_run)
        figures = measured(Path(name), args)
    device = torch.cuda.get_device_name() if has_gpu else "none"
    text = json.dumps({"device": device, "dry_run": args.dry_run, "account_of": args.gpu, **figures}, indent=1)
    print(text)
    if args.output:
        args.output.write_text(text + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
