"""Weights from a trainer to another process on this machine's GPU, as the runner hands them over: `make bench-hand-over-gpu`.

The trainer's one rank has a model of Qwen2.5-1.5B's sizes under FSDP2. A second process opens its buffer by a handle of CUDA, copies every
bucket into tensors of its own and digests them on the device, as an engine does without what vLLM itself does with them. Beside it is what the runner did
before: all weights in one buffer in the host's memory, and SHA-256 over every tensor there. `--dry-run` takes every step on the CPU with a tiny model.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import statistics
import tempfile
import time
from collections.abc import Callable, Sequence
from datetime import datetime, timezone
from pathlib import Path
from typing import Any

from benches.learner_gpu import Meter, rank_of
from benches.learner_task import job_of, write_task

STEPS = 5
"""Repetitions of each measurement; the first one does not count."""
CHUNK_NUMBERS = 1 << 15


def received_all(link: Any) -> None:
    """The second process: take the weights as often as a buffer comes, and reply with digests and times."""
    import torch
    from rftconf_runner.weight_digest import digests
    from rftconf_runner.weight_stream import opened, received, wait_for

    def ask() -> Any:
        link.send(None)
        return link.recv()

    while shared := link.recv():
        buffer = opened(shared)
        began = time.perf_counter()
        weights = dict(received(ask, buffer))
        copied = time.perf_counter() - began
        own = digests((name, [tensor]) for name, tensor in weights.items())
        wait_for(buffer)
        times = {"copied": copied, "digested": time.perf_counter() - began - copied}
        link.send((own, {"bytes": sum(tensor.nbytes for tensor in weights.values()), **times}))
        del buffer, weights
        if torch.cuda.is_available():
            torch.cuda.empty_cache()


def handed_over(rank: Any, link: Any, layout: Any) -> dict[str, Any]:
    """One sync by buckets: seconds, and how many tensors' digests differ."""
    from rftconf_runner.weights import differing

    began = time.perf_counter()
    link.send(rank.offer(layout))
    buckets = 0
    while (message := link.recv()) is None:
        link.send(rank.bucket())
        buckets += 1
    actual, figures = message
    target_digests = rank.reckoned()
    seconds = time.perf_counter() - began
    return {"seconds": seconds, "buckets": buckets - 1, "differing": len(differing(target_digests, actual)), **figures}


def hashed_on_the_host(weights: Sequence[tuple[str, Any]]) -> None:
    """SHA-256 of every tensor in the host's memory, one thread, as the runner did before in up to four."""
    import torch

    for _, tensor in weights:
        running = hashlib.sha256()
        for numbers in tensor.detach().cpu().flatten().split(CHUNK_NUMBERS):
            running.update((numbers + 0.0).view(torch.uint8).numpy())


def hashed_in_threads(weights: Sequence[tuple[str, Any]]) -> None:
    """The same in four threads, a tensor each."""
    from concurrent.futures import ThreadPoolExecutor

    with ThreadPoolExecutor(4) as pool:
        list(pool.map(lambda item: hashed_on_the_host([item]), weights))


def measured(folder: Path) -> dict[str, Any]:
    """Figures of both ways, of the same weights."""
    import torch
    import torch.multiprocessing as processes
    from rftconf_runner.weight_digest import digest, digests
    from rftconf_runner.weight_stream import BUCKET_BYTES
    from rftconf_runner.weights import Layout, Piece

    job = job_of(folder, "padded")
    rank, meter = rank_of(job), Meter()
    shapes = rank.learner.shapes(torch.bfloat16)
    layout = Layout({name: Piece(tuple(tensor.shape)) for name, tensor in shapes}, {})
    context = processes.get_context("spawn")
    link, far = context.Pipe()
    other = context.Process(target=received_all, args=(far,), daemon=True)
    other.start()
    syncs = [handed_over(rank, link, layout) for _ in range(STEPS)][1:]
    peaks = meter.peaks(lambda: handed_over(rank, link, layout))
    link.send(None)
    other.join()
    own = [(name, tensor.clone()) for name, tensor in rank.learner.streamed(torch.bfloat16)]
    same = all(digest(tensor) == digest(tensor.cpu()) for _, tensor in own[:16])

    def seconds(call: Callable[[], object], steps: int = STEPS) -> float:
        return round(statistics.median([meter.seconds(call) for _ in range(steps)][1:]), 4)

    return {
        "bucket_bytes": BUCKET_BYTES,
        "tensors": len(own),
        "handed over in buckets": {
            name: round(statistics.median([sync[name] for sync in syncs]), 4) for name in syncs[0]
        },
        "peak of the trainer meanwhile": peaks,
        "all in one buffer of the host": seconds(rank.weights),
        "digests on the device": seconds(lambda: digests((name, [tensor]) for name, tensor in own)),
        "SHA-256 on the host, a copy included": seconds(lambda: hashed_on_the_host(own), 3),
        "SHA-256 in four threads": seconds(lambda: hashed_in_threads(own), 3),
        "16 digests equal on the device and on the host": same,
    }


def main() -> None:
    """Print the figures as JSON, and keep them where something was measured."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--dry-run", action="store_true", help="every step on the CPU with a tiny model")
    parser.add_argument("-o", "--output", type=Path)
    args = parser.parse_args()
    import torch

    if not args.dry_run and not torch.cuda.is_available():
        raise SystemExit("no GPU here: nothing to measure (--dry-run takes the steps on the CPU)")
    with tempfile.TemporaryDirectory() as name:
        write_task(Path(name), dry=args.dry_run)
        figures = measured(Path(name))
    device = "none" if args.dry_run else torch.cuda.get_device_name()
    date = datetime.now(timezone.utc).date().isoformat()
    text = json.dumps({"date": date, "device": device, "torch": torch.__version__, **figures}, indent=1)
    print(text)
    if args.output:
        args.output.write_text(text + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
