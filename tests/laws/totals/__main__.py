"""The law of totals over many cases, with progress on the way, and the figure for benches/results at the end.

    nice -n 15 python -m tests.laws.totals --cases 1000000 --jobs 1 --save

Stopped and started again, it goes on where it was: finished blocks are in the progress file, with the seed they belong to.
"""

from __future__ import annotations

import argparse
import datetime
import gc
import json
import platform
import sys
import time
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path
from typing import Any

from tests.laws.totals.many import CASES, Tally, as_json, block

ROOT = Path(__file__).parents[3]


class Progress:
    """Finished blocks in a file. Raises SystemExit when the file belongs to another seed."""

    def __init__(self, path: Path, seed: str) -> None:
        self.path, self.seed, self.tally = path, seed, Tally()
        self.done: set[int] = set()
        self.seconds = 0.0
        if path.exists():
            saved = json.loads(path.read_text(encoding="utf-8"))
            if saved["seed"] != seed:
                raise SystemExit(f"{path} belongs to seed {saved['seed']}: remove it, or pass --seed {saved['seed']}")
            self.done, self.seconds = set(saved["done"]), saved["seconds"]
            self.tally.cases.update(saved["cases"])
            self.tally.refused.update(saved["refused"])
            self.tally.said.update(saved["said"])
            self.tally.breaches += saved["breaches"]

    def add(self, number: int, tally: Tally, seconds: float) -> None:
        """One more block; the file is whole at any moment."""
        self.done.add(number)
        self.tally.join(tally)
        self.seconds += seconds
        saved = {
            "seed": self.seed,
            "done": sorted(self.done),
            "seconds": self.seconds,
            "cases": self.tally.cases,
            "refused": self.tally.refused,
            "said": self.tally.said,
            "breaches": self.tally.breaches,
        }
        beside = self.path.with_suffix(".part")
        beside.write_text(json.dumps(saved), encoding="utf-8")
        beside.replace(self.path)


def _work(job: tuple[str, int]) -> tuple[int, Tally, float]:
    """One block in this process."""
    seed, number = job
    started = time.process_time()
    tally = block(seed, number)
    gc.freeze()
    return number, tally, time.process_time() - started


def _finished(jobs: int, seed: str, numbers: list[int]) -> Iterator[tuple[int, Tally, float]]:
    work = [(seed, number) for number in numbers]
    if jobs == 1:
        yield from map(_work, work)
        return
    with ProcessPoolExecutor(jobs) as pool:
        yield from pool.map(_work, work)


def main(args: list[str]) -> int:
    """Returns 1 when there is a counterexample."""
    parser = argparse.ArgumentParser(prog="python -m tests.laws.totals")
    parser.add_argument("--cases", type=int, default=10_000)
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--seed", default="totals")
    parser.add_argument("--progress", type=Path, default=ROOT / ".totals.json")
    parser.add_argument("--revision", default="", help="what was run, for the figure")
    parser.add_argument("--save", action="store_true", help="write benches/results/totals-<date>.json")
    new_arguments = parser.parse_args(args)
    blocks = -(-new_arguments.cases // CASES)
    progress = Progress(new_arguments.progress, new_arguments.seed)
    remaining = [number for number in range(blocks) if number not in progress.done]
    for number, tally, seconds in _finished(new_arguments.jobs, new_arguments.seed, remaining):
        progress.add(number, tally, seconds)
        total = sum(progress.tally.cases.values())
        rate = total / progress.seconds
        print(
            f"{total} cases, {len(progress.tally.breaches)} counterexamples, {rate:.0f} a CPU second",
            file=sys.stderr,
            flush=True,
        )
    figure = _figure(new_arguments, progress)
    text = json.dumps(figure, indent=2) + "\n"
    if new_arguments.save:
        (ROOT / "benches" / "results" / f"totals-{figure['date']}.json").write_text(text, encoding="utf-8")
    sys.stdout.write(text)
    return 1 if progress.tally.breaches else 0


def _figure(args: argparse.Namespace, progress: Progress) -> dict[str, Any]:
    return {
        "date": datetime.datetime.now(tz=datetime.timezone.utc).date().isoformat(),
        "command": f"python -m tests.laws.totals --cases {args.cases} --jobs {args.jobs} --seed {args.seed}",
        "revision": args.revision,
        "python": platform.python_version(),
        "cpu_seconds": round(progress.seconds),
        "cases_per_cpu_second": round(sum(progress.tally.cases.values()) / progress.seconds),
        **as_json(progress.tally),
    }


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
