"""Measures what the driver of a run spends on a period of many answers and ranks, and what lies in Ray's store: `make bench-runner-scale`.

The driver is the runner's own (`driver.Run.period`). Engines, ranks and the reward's process are stand-ins on this machine: an engine's answers
are random tokens, a rank reads its share and returns a number for each token, a reward is the parity of an answer's length. They are called as the
real ones are, so that all references, pickles and blocks are those of a run; none of them has a model.
"""

from __future__ import annotations

import argparse
import gc
import json
import statistics
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from datetime import datetime, timezone
from pathlib import Path
from types import SimpleNamespace
from typing import Any
from unittest.mock import patch

import ray
from rftconf_runner import driver, grading
from rftconf_runner.data import Prompt
from rftconf_runner.demo import make
from rftconf_runner.faults import Faults
from rftconf_runner.job import KlPenalty
from rftconf_runner.places import Places
from rftconf_runner.record import Record
from rftconf_runner.watch import Watch

from benches.runner_parts import job_for
from benches.scale_actors import VOCABULARY, Engine, Rank, Scorer

STORE_BYTES = 4 << 30
GOAL_SECONDS, GOAL_SHARE = 1.0, 1.2
"""Seconds of a processor that a period may cost the driver's process, and the bytes in the store over those of the data."""
RESPONSES = 8


class Data:
    """Prompts of 64 tokens."""

    def __init__(self, count: int) -> None:
        self.prompts = [
            Prompt(i, tuple((i * 7 + j) % VOCABULARY for j in range(64)), "gsm8k", str(i)) for i in range(count)
        ]

    def take(self, start: int, count: int) -> list[Prompt]:
        """Take the prompts from a number on."""
        return [self.prompts[(start + index) % len(self.prompts)] for index in range(count)]


@contextmanager
def waits() -> Iterator[list[float]]:
    """Add up the seconds in which the driver waits for others: in `ray.get` until the objects are there, not while it reads them."""
    seconds, get = [0.0], ray.get

    def waiting(refs: Any, **how: Any) -> Any:
        began = time.perf_counter()
        listed = refs if isinstance(refs, list) else [refs]
        if listed:
            ray.wait(listed, num_returns=len(listed), fetch_local=False)
        seconds[0] += time.perf_counter() - began
        return get(refs, **how)

    ray.get = waiting
    try:
        yield seconds
    finally:
        ray.get = get


def store_bytes() -> int:
    """Return the bytes of all objects that Ray's store has had on this node."""
    from ray._private.internal_api import node_stats

    (node,) = ray.nodes()
    return int(node_stats(node["NodeManagerAddress"], node["NodeManagerPort"]).store_stats.cumulative_created_bytes)


def _periods(
    answers: int, ranks: int, engines: int, tokens: int, count: int, folder: Path
) -> Iterator[dict[str, float]]:
    """Run periods of the real driver, and yield what each cost."""
    make(folder)
    job = replace(
        job_for(folder, count, tokens * 3 // 2), prompts=answers // RESPONSES, responses=RESPONSES, update=answers // 2, passes=1,
        ranks=ranks, every=1 << 30, kl_loss=KlPenalty("k3", 0.001), sleeps=False,
    )  # fmt: skip
    ranks_there = [ray.remote(num_cpus=0)(Rank).remote() for _ in range(ranks)]
    engines_there = [[ray.remote(num_cpus=0)(Engine).remote(n, tokens, RESPONSES)] for n in range(engines)]
    places = Places(ranks_there, [], engines_there, ray.remote(num_cpus=0)(Scorer).remote())
    record = Record(folder, 0, Watch("quiet"), (), Faults())
    record.watch.periods = count
    state = SimpleNamespace(drawn=0, waiting=(), kl_coef=0.0, period=0)
    keeper: Any = SimpleNamespace(state=state, learns=lambda: None, ends=lambda *_: None)
    data: Any = Data(job.prompts)
    run = driver.Run(job, None, data, places, keeper, record, SimpleNamespace())  # type: ignore[arg-type]
    for period in range(1, count + 1):
        before = store_bytes()
        with waits() as waited:
            began, busy = time.perf_counter(), time.process_time()
            run.period(period)
            seconds = time.perf_counter() - began
            processor = time.process_time() - busy
        whole = json.loads((folder / "metrics.jsonl").read_text(encoding="utf-8").splitlines()[-1])["tokens"]
        # what is data: a token, its log-prob, and the old and the reference's log-prob of each; prompts once for each group
        size = whole * (4 + 4 + 4 * (1 + int(not job.old_in_update))) + job.prompts * 64 * 4
        yield {
            "driver_seconds": seconds - waited[0], "driver_processor_seconds": processor, "period_seconds": seconds,
            "data_bytes": size, "store_bytes": store_bytes() - before,
        }  # fmt: skip
        gc.collect()


def periods(*arguments: Any) -> Iterator[dict[str, float]]:
    """Run them where no weights are handed over, and no answers are read as text."""
    with patch.object(grading, "TOKENS_HERE", 0), patch.object(driver, "hand_over", lambda *_: []):
        yield from _periods(*arguments)


def main() -> None:
    """Print the figures as JSON."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--answers", type=int, default=102_400)
    parser.add_argument("--ranks", type=int, default=64)
    parser.add_argument("--engines", type=int, default=8)
    parser.add_argument("--tokens", type=int, default=256, help="of an answer on average")
    parser.add_argument("--periods", type=int, default=6, help="of which the first does not count")
    parser.add_argument("-o", "--output", type=Path)
    args = parser.parse_args()
    ray.init(num_cpus=2, include_dashboard=False, log_to_driver=False, object_store_memory=STORE_BYTES)
    with tempfile.TemporaryDirectory() as name:
        measured = list(periods(args.answers, args.ranks, args.engines, args.tokens, args.periods, Path(name)))[1:]
    ray.shutdown()
    seconds = statistics.median(period["driver_processor_seconds"] for period in measured)
    share = max(period["store_bytes"] / period["data_bytes"] for period in measured)
    figures = {
        "date": datetime.now(timezone.utc).date().isoformat(), "answers": args.answers, "ranks": args.ranks, "engines": args.engines,
        "tokens": args.tokens, "driver_processor_seconds": round(seconds, 3), "store_share": round(share, 3),
        "holds": seconds <= GOAL_SECONDS and share <= GOAL_SHARE,
        "periods": [{key: round(value, 3) for key, value in period.items()} for period in measured],
    }  # fmt: skip
    text = json.dumps(figures, indent=1)
    print(text)
    if args.output:
        args.output.write_text(text + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
