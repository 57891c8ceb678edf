"""Real peaks of one FSDP2 training step on this machine's GPU, beside the account: `make bench-gpu`.

A grid of models made from sizes with random weights: with and without checkpointing, full and chunked logits, fp32 and bf16
parameters. Peaks are PyTorch's `max_memory_allocated` and `max_memory_reserved` of the second of two steps; rows with the
date go to benches/results/. `--dry-run` takes every step on the CPU with tiny sizes and measures nothing.
"""

from __future__ import annotations

import argparse
import gc
import json
import os
from collections.abc import Iterator
from dataclasses import dataclass, replace
from datetime import datetime, timezone
from itertools import product
from pathlib import Path
from typing import Any

from rftconf.budget.facts.architecture import Architecture, Attention, Dense, Layers
from rftconf.budget.facts.implementations import GENERIC, TORCH_FP32, Head
from rftconf.budget.terms.fsdp_phases import update
from rftconf.budget.terms.term import GIB, total
from rftconf.budget.terms.training_job import Training

RESULTS = Path(__file__).with_name("results")
SIZES = {
    "0.2B": (32768, 1024, 8, 4096),
    "0.6B": (151936, 1024, 28, 3072),
    "1.5B": (151936, 1536, 28, 8960),
}
TINY = {"tiny": (320, 128, 2, 256)}
WITHOUT_COPY = Head(
    "full logits, cross-entropy in fp32 of a copy that no name keeps",
    full=12.0,
    hole=2.0,
    why="log-softmax 4, two gradients 8; the fp32 copy is gone before they come; 14 measured in 22 runs on an H100",
)
"""The head of the model below; where a name keeps the fp32 copy until backward is over, the head is `TORCH_FP32`."""
CHUNKED = Head(
    "logits by chunks of tokens", chunk=TORCH_FP32.full + TORCH_FP32.hole, token_chunk=1024, why="1024 tokens at a time"
)


@dataclass(frozen=True, slots=True)
class Case:
    """One run; `bf16` parameters mean that gradients and Adam are bf16 too."""

    size: str
    tokens: int
    checkpointing: bool
    chunked: bool
    bf16: bool

    def job(self, arch: Architecture) -> Training:
        """The same run for the account."""
        code = replace(GENERIC[-1], head=CHUNKED if self.chunked else WITHOUT_COPY)
        job = Training(arch, code, 1, self.tokens, checkpointing=self.checkpointing, backend="fsdp")
        return replace(job, master_bytes=2, adam_bytes=4, reduce_bytes=2) if self.bf16 else job


def architecture(sizes: tuple[int, int, int, int]) -> Architecture:
    """A dense decoder of vocabulary, hidden size, depth and feed-forward width."""
    vocabulary, hidden, depth, width = sizes
    mixer = Attention(hidden // 64, hidden // 64, 64)
    return Architecture("toy", hidden, vocabulary, (Layers(depth, mixer, Dense(width)),))


def cases(sizes: dict[str, Any], tokens: tuple[int, ...]) -> Iterator[Case]:
    """The grid."""
    for size, count, *switches in product(sizes, tokens, (True, False), (True, False), (True, False)):
        yield Case(size, count, *switches)


def measured(case: Case, arch: Architecture, device: str) -> dict[str, int]:
    """Peaks [bytes] of the second step; empty on a CPU."""
    import torch
    from torch.distributed.device_mesh import init_device_mesh
    from torch.distributed.fsdp import MixedPrecisionPolicy, fully_shard

    from tests.budget.with_torch.toy import Decoder, loss_of

    policy = MixedPrecisionPolicy(
        param_dtype=torch.bfloat16, reduce_dtype=torch.bfloat16 if case.bf16 else torch.float32
    )
    mesh = init_device_mesh(device, (1,))
    with torch.device(device):  # random weights are drawn in no time there
        model = Decoder(arch, checkpointing=case.checkpointing).to(torch.bfloat16 if case.bf16 else torch.float32)
    for layer in model.layers:
        fully_shard(layer, mesh=mesh, mp_policy=policy)
    fully_shard(model, mesh=mesh, mp_policy=policy)
    adam = torch.optim.AdamW(model.parameters(), lr=1e-6, foreach=True)
    ids = torch.randint(0, arch.vocabulary, (1, case.tokens), device=device)
    for step in range(2):
        if step == 1 and device == "cuda":
            torch.cuda.reset_peak_memory_stats()
        for _ in range(2):
            loss_of(model, ids, chunk=1024 if case.chunked else 0).backward()
        adam.step()
        adam.zero_grad()
    if device != "cuda":
        return {}
    return {"allocated": torch.cuda.max_memory_allocated(), "reserved": torch.cuda.max_memory_reserved()}


def free_memory() -> None:
    """Free what the case before took: FSDP's modules refer to each other, so that only the collector finds them."""
    import torch

    gc.collect()
    torch.cuda.empty_cache()


def main() -> None:
    """Measure the grid and write it."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--dry-run", action="store_true", help="take every step on the CPU, measure nothing")
    dry = parser.parse_args().dry_run
    os.environ.setdefault("PYTORCH_CUDA_ALLOC_CONF", "expandable_segments:True")
    import torch
    import torch.distributed as dist

    if not dry and not torch.cuda.is_available():
        raise SystemExit("no GPU here: nothing to measure (--dry-run takes the steps on the CPU)")
    device = "cpu" if dry else "cuda"
    store = dist.HashStore()
    dist.init_process_group("gloo" if dry else "nccl", store=store, rank=0, world_size=1)
    sizes, rows = (TINY, (64,)) if dry else (SIZES, (4096, 16384)), []
    for case in cases(*sizes):
        arch = architecture(sizes[0][case.size])
        moment, terms = update(case.job(arch))
        free_memory()
        try:
            peaks = measured(case, arch, device)
        except torch.OutOfMemoryError:
            peaks = {}
        total_bytes = total(terms)
        rows.append(
            {**{name: getattr(case, name) for name in case.__slots__}, "said": total_bytes, "moment": moment, **peaks}
        )
        real = peaks.get("reserved", 0)
        beside = f" {real / GIB:8.3f} GiB reserved, {100 * (total_bytes / real - 1):+.1f} %" if real else ""
        print(f"{case}: {total_bytes / GIB:8.3f} GiB said,{beside or ' not measured'}", flush=True)
        if not dry:
            write_results(rows)
    dist.destroy_process_group()


def write_results(rows: list[dict[str, Any]]) -> None:
    """Write the rows that are measured so far, so that a run which is cut off leaves them."""
    import torch

    today = datetime.now(timezone.utc).date().isoformat()
    data = {"date": today, "gpu": torch.cuda.get_device_name(), "torch": torch.__version__, "rows": rows}
    (RESULTS / f"gpu-{today}.json").write_text(json.dumps(data, indent=1) + "\n")


if __name__ == "__main__":
    main()
