"""The runner's learner on this machine's GPU, without an engine and without Ray: `make bench-learner-gpu`.

One rank, a model of Qwen2.5-1.5B's sizes with random weights, prompts of 256 tokens and answers of 256 to 1024: tokens per second of an
update beside a bare FSDP2 step on the same sequences, and the peak of each phase beside what `rftconf budget` says. Each part is a
process of its own. `--dry-run` takes every step on the CPU with a tiny model and measures nothing.
"""

from __future__ import annotations

import argparse
import gc
import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from datetime import datetime, timezone
from functools import partial
from pathlib import Path
from typing import Any

from benches.learner_task import Answers, answers, job_of, plan_of, write_task

RESULTS = Path(__file__).with_name("results")
GOAL = 0.95
WARM, STEPS = 2, 4
CARDS = {"H100": "h100-80g", "H200": "h200-141g"}
ROWS = "attention of rows"
PARTS = ("packed", "bare", "padded", ROWS)
Phases = dict[str, Callable[[Answers], object]]


def rank_of(job: Any) -> Any:
    """The policy's one rank in this process."""
    import torch
    from rftconf_runner.policy import Policy
    from rftconf_runner.sharded import device
    from rftconf_runner.ulysses import Sequences
    from torch.distributed.device_mesh import init_device_mesh

    backend = "cpu:gloo,cuda:nccl" if device() == "cuda" else "gloo"
    torch.distributed.init_process_group(backend, store=torch.distributed.HashStore(), rank=0, world_size=1)
    rank = object.__new__(Policy)
    rank.rank, rank.mesh, rank.spread = 0, init_device_mesh(device(), (1,)), Sequences(0, 1, 1)
    rank.begin(job, None)
    return rank


class Meter:
    """Seconds and peaks of what is called, after the device has done it."""

    def __init__(self) -> None:
        import torch

        self.torch, self.there = torch, torch.cuda.is_available()
        self.before = self._used()

    def seconds(self, call: Callable[[], object]) -> float:
        """Return the seconds of one call."""
        began = time.perf_counter()
        call()
        if self.there:
            self.torch.cuda.synchronize()
        return time.perf_counter() - began

    def peaks(self, call: Callable[[], object]) -> dict[str, int]:
        """Bytes of one call, from a cache that is empty: what PyTorch gave out and took, and what the whole card has less."""
        if not self.there:
            call()
            return {}
        self.torch.cuda.empty_cache()
        self.torch.cuda.reset_peak_memory_stats()
        try:
            call()
        except self.torch.OutOfMemoryError:
            return {}
        self.torch.cuda.synchronize()
        memory = self.torch.cuda
        return {
            "allocated": memory.max_memory_allocated(),
            "reserved": memory.max_memory_reserved(),
            "used": self._used() - self.before,
        }

    def profile(self, call: Callable[[], object], rows: int = 25) -> str:
        """Return a table of the kernels that one call spends its time in."""
        from torch.profiler import ProfilerActivity, profile

        kinds = [ProfilerActivity.CPU, *([ProfilerActivity.CUDA] if self.there else [])]
        with profile(activities=kinds) as profiler:
            self.seconds(call)
        order = "self_cuda_time_total" if self.there else "self_cpu_time_total"
        return str(profiler.key_averages().table(sort_by=order, row_limit=rows, max_name_column_width=80))

    def _used(self) -> int:
        """Return the bytes in use on the whole card, which can be asked before this process has a context."""
        if not self.there:
            return 0
        listed = subprocess.run(
            ["nvidia-smi", "--query-gpu=memory.used", "--format=csv,noheader,nounits"],
            capture_output=True, text=True, check=True,
        )  # fmt: skip
        return int(listed.stdout.split()[0]) << 20


def bare(folder: Path) -> tuple[Any, Phases]:
    """The plain step."""
    from benches.bare_update import Training

    job = job_of(folder, "bare")
    own = Training(job)
    return job, {"update": own.update}


def runner(folder: Path, part: str) -> tuple[Any, Phases]:
    """The runner's phases that need no engine."""
    from rftconf_runner.lessons import Lesson, Sample

    job = job_of(folder, part)
    rank = rank_of(job)

    def samples(data: Answers) -> list[Sample]:
        return [Sample(tuple(prompt), tuple(answer), 0, index) for index, (prompt, answer) in enumerate(data)]

    def update(data: Answers) -> None:
        rank.update(
            [Lesson(sample, (0.5 - sample.number % 2,) * len(sample.answer), ()) for sample in samples(data)], 1
        )

    return job, {
        "update": update,
        "old log-probs": lambda data: rank.old_log_probs(samples(data)),
        "weights": lambda _: rank.weights(),
        "weights in buckets": lambda _: bucketed(rank),
    }


def bucketed(rank: Any) -> None:
    """All buckets that the rank would hand over on the device, and the digests on the way, without an engine that copies them."""
    import torch
    from rftconf_runner.expected_digests import Expectation
    from rftconf_runner.sharded import device
    from rftconf_runner.weight_stream import Sender
    from rftconf_runner.weights import Layout, Piece

    shapes = rank.learner.shapes(torch.bfloat16)
    expectation = Expectation(shapes, Layout({name: Piece(tuple(tensor.shape)) for name, tensor in shapes}, {}))
    sender = Sender(expectation.noting(rank.learner.streamed(torch.bfloat16)), device())
    while sender.next():
        pass
    expectation.digests()


def measured(folder: Path, part: str, *, dry: bool, profiles: Path | None) -> dict[str, Any]:
    """One part, in this process: peaks of answers that are all as long as may be, seconds of answers as they come."""
    if part == ROWS:
        from benches import row_attention

        return {} if dry else {"rows": row_attention.rows()}
    meter = Meter()
    job, phases = bare(folder) if part == "bare" else runner(folder, part)
    mixed, longest = (answers(job, dry=dry, longest_all=which) for which in (False, True))
    for _ in range(WARM):
        phases["update"](mixed)
    taken = {
        name: [meter.seconds(partial(call, mixed)) for _ in range(1 if dry else STEPS)] for name, call in phases.items()
    }
    peaks = {name: meter.peaks(partial(call, longest)) for name, call in phases.items()}
    if profiles:
        text = meter.profile(partial(phases["update"], mixed))
        (profiles / f"profile-{part}.txt").write_text(text, encoding="utf-8")
    return {
        "tokens": sum(len(prompt) + len(answer) for prompt, answer in mixed),
        "seconds": {name: statistics.median(values) for name, values in taken.items()},
        "each": {name: [round(value, 4) for value in values] for name, values in taken.items()},
        "peaks": peaks,
    }


def accounted(folder: Path, gpu: str) -> dict[str, dict[str, int]]:
    """Return the account of the trainer in each phase, without the engine that sleeps beside it."""
    from rftconf.budget.facts.gpus import gpu_named
    from rftconf.budget.facts.implementations import RUNNER
    from rftconf.budget.price import price
    from rftconf.budget.roles.setup import BudgetRequest, setup_of

    pools = price(setup_of(plan_of(folder), BudgetRequest(trainer=RUNNER.name)), gpu_named(gpu)).pools
    bytes_by_phase: dict[str, dict[str, int]] = {}
    for phase in (phase for pool in pools for phase in pool.phases):
        own = [term for term in phase.terms if term.owner == "actor" or term.part == "context"]
        bytes_by_phase[phase.name] = {f"{term.part}: {term.name}": int(term.size) for term in own}
    return bytes_by_phase


def beside(part: dict[str, Any], account: dict[str, dict[str, int]]) -> dict[str, Any]:
    """Each phase's peak, the account's bytes of it, and how far that is off as a share of the peak."""
    names = {"update": "actor update", "old log-probs": "old log-probs"}
    gaps = {}
    for name, peak in part["peaks"].items():
        bytes_said = sum(account.get(names.get(name, ""), {}).values())
        error = round(bytes_said / peak["used"] - 1, 4) if peak and bytes_said else None
        gaps[name] = {**peak, "said": bytes_said or None, "error": error}
    return gaps


def in_its_process(folder: Path, part: str, args: argparse.Namespace) -> dict[str, Any]:
    """One part in a process of its own; what a library prints is left."""
    command = [sys.executable, "-m", "benches.learner_gpu", "--part", part, "--folder", str(folder)]
    command += ["--dry-run"] if args.dry_run else []
    command += ["--profiles", str(args.profiles)] if args.profiles else []
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    print(part, done.stderr[-2000:] if done.returncode else done.stdout, file=sys.stderr, flush=True)
    if done.returncode:
        return {"failed": done.stderr[-3000:]}
    figures: dict[str, Any] = json.loads(done.stdout.splitlines()[-1])
    return figures


def speeds(parts: dict[str, dict[str, Any]]) -> dict[str, Any]:
    """Tokens of whole sequences per second of an update, of each part and as a share of the bare step's."""
    rates = {name: item["tokens"] / item["seconds"]["update"] for name, item in parts.items() if "seconds" in item}
    ratios = {name: rate / rates["bare"] for name, rate in rates.items()} if "bare" in rates else {}
    return {
        name: {"tokens_per_second": round(rate), "of_bare": round(ratios[name], 3), "holds": ratios[name] >= GOAL}
        for name, rate in rates.items()
        if name in ratios
    }


def main(arguments: Sequence[str] | None = None) -> None:
    """Print the figures as JSON, and keep them where something was measured."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--dry-run", action="store_true", help="every step on the CPU with a tiny model")
    parser.add_argument("--part", choices=PARTS, help=argparse.SUPPRESS)
    parser.add_argument("--folder", type=Path, help=argparse.SUPPRESS)
    parser.add_argument("--profiles", type=Path, help="a folder for which kernels an update spends its time in")
    parser.add_argument("-o", "--output", type=Path)
    args = parser.parse_args(arguments)
    os.environ.setdefault("PYTORCH_CUDA_ALLOC_CONF", "expandable_segments:True")
    import torch

    if args.part:
        print(json.dumps(measured(args.folder, args.part, dry=args.dry_run, profiles=args.profiles)))
        return
    if not args.dry_run and not torch.cuda.is_available():
        raise SystemExit("no GPU here: nothing to measure (--dry-run takes the steps on the CPU)")
    device = "none" if args.dry_run else torch.cuda.get_device_name()
    gpu = next((name for card, name in CARDS.items() if card in device), "h100-80g")
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        write_task(folder, dry=args.dry_run)
        gc.collect()
        torch.cuda.empty_cache()
        parts = {part: in_its_process(folder, part, args) for part in PARTS}
        account = accounted(folder, gpu)
    report = {
        "date": datetime.now(timezone.utc).date().isoformat(),
        "device": device,
        "torch": torch.__version__,
        "account_of": gpu,
        "speeds": speeds(parts),
        "phases": {name: beside(item, account) for name, item in parts.items() if "peaks" in item},
        "parts": parts,
        "account": account,
    }
    text = json.dumps(report, indent=1)
    print(text)
    if args.output:
        args.output.write_text(text + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
