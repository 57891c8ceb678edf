"""How far the memory account is from measured peaks, beside other people's formulas: `python -m benches.budget_accuracy`.

benches/data/memory_measured.csv holds published peaks (max_memory_reserved) of prime-rl's trainer: FSDP2, fp32 master
weights, bf16 compute, fp32 reduction, two micro-batches. Each row is judged by the implementation of its own date.
"""

from __future__ import annotations

import csv
import sys
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path

from rftconf.budget.facts.gpus import gpu_named
from rftconf.budget.facts.implementations import SFT_HEAD, implementation
from rftconf.budget.facts.models import resolve
from rftconf.budget.phases import DOUBT
from rftconf.budget.terms.fsdp_phases import update
from rftconf.budget.terms.term import GIB, Term, total
from rftconf.budget.terms.training_job import Adapter, Training

MEASURED = Path(__file__).with_name("data") / "memory_measured.csv"


@dataclass(frozen=True, slots=True)
class Row:
    """One measured run; `peak` in GiB is None where it ran out of memory or failed."""

    label: str
    kind: str
    job: Training
    dense: bool
    usable: int
    peak: float | None


@dataclass(frozen=True, slots=True)
class Judged:
    """A row beside the account: both in GiB, and half the width of the interval."""

    row: Row
    moment: str
    terms: tuple[Term, ...]

    @property
    def account_gib(self) -> float:
        """What the account says [GiB]; where the GPU is too small for the slack, the allocator gives that back."""
        whole, slack = total(self.terms), total(t for t in self.terms if t.part == "slack")
        return min(whole, max(whole - slack, self.row.usable)) / GIB

    @property
    def doubt(self) -> float:
        """Half the interval [GiB]."""
        return sum(t.size * DOUBT[t.part] for t in self.terms) / GIB

    @property
    def error(self) -> float:
        """Relative error; 0 for a row without a peak."""
        return self.account_gib / self.row.peak - 1 if self.row.peak else 0.0


def job_of(record: dict[str, str]) -> Training:
    """The training job of one record of the file."""
    code = implementation("prime-rl", record["date"])
    if record["kind"] == "sft":
        code = replace(code, head=SFT_HEAD)
    rank = int(record["lora_rank"] or 0)
    return Training(
        resolve(record["model"]).architecture,
        code,
        gpus=int(record["gpus"]),
        tokens=int(record["tokens_per_microbatch"]),
        micro_batches=int(record["micro_batches"]),
        offload_activations=code.offload_activations or record["activation_checkpointing"] == "Offload",
        offload_optimizer=code.offload_optimizer,
        adapter=Adapter(rank, code.adapters) if rank else None,
    )


def rows(file: Path = MEASURED) -> Iterator[Row]:
    """The measured rows of a file with the columns of `MEASURED`."""
    with file.open(encoding="utf-8") as lines:
        for r in csv.DictReader(lines):
            job = job_of(r)
            words = (r["kind"], r["model"].split("/")[-1][:14], f"r{r['lora_rank']}" if r["lora_rank"] else "full")
            label = " ".join(
                (*words, f"{r['gpus']}×", r["tokens_per_microbatch"], r["date"], r["gpu"].split(" ", 1)[-1][:9])
            )
            peak = float(r["peak_reserved_gib"]) if r["ok"] == "True" else None
            dense = job.architecture.experts == 0 and job.adapter is None
            yield Row(label, r["kind"], job, dense, gpu_named(r["gpu"]).usable, peak)


def judged(file: Path = MEASURED) -> list[Judged]:
    """Every row beside the account."""
    judged_rows = []
    for row in rows(file):
        moment, terms = update(row.job)
        judged_rows.append(Judged(row, moment, tuple(terms)))
    return judged_rows


def accelerate(job: Training) -> float:
    """accelerate estimate-memory: four times the model, on one GPU."""
    return 4 * 4 * job.architecture.parameters / GIB


def zero3(job: Training) -> float:
    """DeepSpeed's estimator for ZeRO-3: 18 B per parameter over all GPUs and the largest layer in fp32."""
    arch = job.architecture
    return (18 * arch.parameters / job.gpus + 4 * arch.largest.parameters(arch.hidden)) / GIB


def cookbook(job: Training) -> float:
    """EleutherAI's cookbook: 16 B per parameter over all GPUs, checkpoints, 5 GB for the rest."""
    arch = job.architecture
    return (16 * arch.parameters / job.gpus + 2 * arch.hidden * arch.depth * job.tokens + 5e9) / GIB


def megatron(job: Training) -> float:
    """Megatron's report without sequence parallelism: 6 + 12 / DP, activations sbh × 34 per layer, logits, 5 % on top."""
    arch = job.architecture
    states = (6 + 12 / job.gpus) * arch.parameters
    activations = job.tokens * arch.hidden * arch.depth * 34 + 4 * job.tokens * arch.vocabulary
    return 1.05 * (states + activations) / GIB


PEERS = (accelerate, zero3, cookbook, megatron)


def main() -> int:
    """Print the table; exit 1 when the promised accuracy does not hold."""
    judged_rows = judged(Path(sys.argv[1]) if len(sys.argv) > 1 else MEASURED)
    names = "".join(f"{peer.__name__:>12}" for peer in PEERS)
    print(f"{'row':<58}{'measured':>9}{'rftconf':>9}{'error':>8}{'  interval':<14}{names}")
    for row_judged in judged_rows:
        row = row_judged.row
        peers = "".join(f"{peer(row.job):>12.1f}" for peer in PEERS)
        estimate, peak = f"{row_judged.account_gib:>9.2f}", f"{row.peak:>9.2f}" if row.peak else f"{'failed':>9}"
        error = f"{100 * row_judged.error:>+7.1f}%" if row.peak else f"{'':>8}"
        print(f"{row.label:<58}{peak}{estimate}{error}  ±{row_judged.doubt:<11.2f}{peers}")
    real = [row_judged for row_judged in judged_rows if row_judged.row.peak]
    errors = [abs(judged.error) for judged in real]
    dense = max(abs(judged.error) for judged in real if judged.row.dense and judged.row.kind == "rl") if real else 0.0
    mean, worst = sum(errors) / len(errors), max(errors)
    print(
        f"\nmean {100 * mean:.2f} %, worst {100 * worst:.2f} %, dense full-parameter RL rows at most {100 * dense:.2f} %"
    )
    for peer in PEERS:
        off = [abs(peer(judged.row.job) / judged.row.peak - 1) for judged in real if judged.row.peak]
        print(f"{peer.__name__:<12} mean {100 * sum(off) / len(off):.0f} %, worst {100 * max(off):.0f} %")
    missed = [
        judged.row.label
        for judged in real
        if judged.error < -0.02 and judged.account_gib + judged.doubt < (judged.row.peak or 0)
    ]
    print(f"rows under-predicted by more than 2 % outside of the interval: {len(missed)}")
    return 0 if mean <= 0.06 and worst <= 0.12 and dense <= 0.03 and not missed else 1


if __name__ == "__main__":
    sys.exit(main())
