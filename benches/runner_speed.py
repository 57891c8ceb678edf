"""The runner's period beside the bare sum of its parts and beside TRL's GRPOTrainer, on the demo, in one run.

`.runner/bin/python -m benches.runner_speed --trl FOLDER [-o FILE]`, where FOLDER is `pip install --no-deps --target FOLDER
trl==1.16.0` (PEFT and accelerate are in the runner's environment). All take the same model, prompts, 8 groups of 16, the
longest answer of each `--answer-tokens`, one update a period and as many threads as there are processors, at a learning rate
of 0, so that answers stay as long as they are. A machine's own speed changes within minutes by more than what is looked for;
so all parts are alive at once and take turns, a step each, and those whose turn it is not are stopped. Ratios are of one
round, and only they travel; the machine's load is beside them.
"""

from __future__ import annotations

import argparse
import contextlib
import json
import os
import select
import signal
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import psutil
from rftconf_runner.threads import KEEPS

ROOT = Path(__file__).resolve().parents[1]
ENVIRONMENT = {
    "RAY_USAGE_STATS_ENABLED": "0",
    "GOMP_SPINCOUNT": "300000",  # OpenMP's own, for all: nothing else is to run; the runner is careful otherwise
    **KEEPS,  # for all, too: what the runner sets for its processes
    "RAY_worker_niceness": "0",  # added to what the process has; Ray adds 15 otherwise
    "HF_HUB_OFFLINE": "1",
    "TOKENIZERS_PARALLELISM": "false",
}
WARM = 3
"""Steps that are not counted: the first ones compile, allocate and fill caches."""
BLOCKS = (("engine", "training"), ("trl",), ("runner",))
"""Who takes turns; an update is of the answers that were just drawn."""
BARE = {"engine": ("rollout", "sync"), "training": ("update", "gather")}

MOST_SECONDS = 600.0
"""For one step, the first with all that has to start."""
SETTLE_SECONDS = 0.3
"""Between a part's being woken and its turn: what slept in it for so long has timers that are due."""
LEAST_ROUNDS = 4

Round = dict[str, dict[str, float]]
"""Seconds of each part in one round."""


class Part:
    """A process that does one step at a time, and is stopped between, with all that it started."""

    def __init__(self, name: str, demo: Path, longest: int, args: argparse.Namespace) -> None:
        paths = [ROOT, ROOT / "runners", *([args.trl] if name == "trl" else [])]
        threads = {} if name == "runner" else {"OMP_NUM_THREADS": str(args.threads or os.cpu_count())}
        self.name, self.log = name, demo / f"{name}.log"
        self.family = list[psutil.Process]()
        with self.log.open("w") as log:
            self.process = subprocess.Popen(
                [sys.executable, "-m", "benches.runner_parts", name, str(demo), str(args.steps), str(longest)],
                env={**os.environ, **ENVIRONMENT, **threads, "PYTHONPATH": os.pathsep.join(map(str, paths))},
                cwd=ROOT, text=True, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=log,
            )  # fmt: skip

    def step(self, lengths: list[int]) -> dict[str, Any]:
        """Seconds of this part's next step, which is told how long the engine's last answers were."""
        self._all("resume")
        time.sleep(SETTLE_SECONDS)
        assert self.process.stdin
        assert self.process.stdout
        with contextlib.suppress(BrokenPipeError):
            print(json.dumps(lengths), file=self.process.stdin, flush=True)
        ready, _, _ = select.select([self.process.stdout], [], [], MOST_SECONDS)
        answer = self.process.stdout.readline() if ready else ""
        if not answer:
            raise SystemExit(f"{self.name}: {self.log.read_text()[-3000:]}")
        self._all("suspend")
        figures: dict[str, Any] = json.loads(answer)
        return figures

    def close(self) -> None:
        """End it, and what it started."""
        self._all("kill")
        psutil.wait_procs(self.family, timeout=10)

    def _all(self, what: str) -> None:
        """To every process of this part; those that were there before are remembered where it is gone itself."""
        with contextlib.suppress(psutil.NoSuchProcess):
            own = psutil.Process(self.process.pid)
            self.family = [own, *own.children(recursive=True)]
        for process in self.family:
            with contextlib.suppress(psutil.NoSuchProcess):
                getattr(process, what)()


@contextlib.contextmanager
def living(names: Sequence[str], demo: Path, longest: int, args: argparse.Namespace) -> Iterator[dict[str, Part]]:
    """All parts at once; none is left behind."""
    parts = dict[str, Part]()
    try:
        for name in names:
            parts[name] = Part(name, demo, longest, args)
        yield parts
    finally:
        for part in parts.values():
            part.close()


def same_work(figures: Round) -> None:
    """The bare engine and the runner are asked for the same answers by the same weights, and so must have drawn as many
    tokens. Raises SystemExit."""
    bare, own = (figures[part]["tokens"] for part in ("engine", "runner"))
    if bare != own:
        raise SystemExit(f"the bare engine drew {bare:.0f} tokens and the runner {own:.0f}: no equal work")


def over_bare(figures: Round) -> float:
    """What the runner's period takes beyond the parts that it is made of, as a share of them."""
    return figures["runner"]["step"] / sum(figures[part][name] for part, names in BARE.items() for name in names) - 1


def of_trl(figures: Round) -> float:
    """The runner's steps per second over TRL's."""
    return figures["trl"]["step"] / figures["runner"]["step"]


def spread(values: Sequence[float], digits: int) -> dict[str, Any]:
    """The median of rounds and, since single ones vary, the quartiles and each."""
    low, middle, high = (round(value, digits) for value in statistics.quantiles(values, n=4))
    return {"median": middle, "quartiles": [low, high], "rounds": [round(value, digits) for value in values]}


def summary(rounds: Sequence[Round]) -> dict[str, Any]:
    """Medians over all rounds, and the ratios that matter, each of one round."""
    seconds = {
        part: {name: round(statistics.median(figures[part][name] for figures in rounds), 4) for name in rounds[0][part]}
        for part in rounds[0]
    }
    report: dict[str, Any] = {
        "seconds": seconds,
        "overhead_over_bare": spread([over_bare(figures) for figures in rounds], 3),
        "sync_share_of_step": spread([figures["runner"]["sync"] / figures["runner"]["step"] for figures in rounds], 3),
    }
    if "trl" in seconds:
        report["steps_per_second_over_trl"] = spread([of_trl(figures) for figures in rounds], 2)
    return report


def compared(demo: Path, longest: int, args: argparse.Namespace) -> dict[str, Any]:
    """All parts in turn, with answers of at most so many tokens."""
    blocks = [block for block in BLOCKS if block != ("trl",) or args.trl]
    before = os.getloadavg()[0]
    with living([name for block in blocks for name in block], demo, longest, args) as parts:
        rounds, lengths = list[Round](), list[int]()
        for number in range(args.steps):
            first, round_parts = number % len(blocks), {}  # so that none always follows the same
            for name in (name for block in (*blocks[first:], *blocks[:first]) for name in block):
                round_parts[name] = parts[name].step(lengths)
                lengths = round_parts[name].pop("lengths", lengths)
            same_work(round_parts)
            rounds.append(round_parts)
    load = [round(load_average, 1) for load_average in (before, os.getloadavg()[0])]
    return {"answer_tokens": longest, "rounds": args.steps - WARM, **summary(rounds[WARM:]), "load": load}


def main() -> None:
    """Print the figures as JSON."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--trl", type=Path, help="the folder that holds trl; left out without it")
    parser.add_argument(
        "--threads", type=int, default=0, help="of the bare parts and of TRL; 0: one for each processor"
    )
    parser.add_argument("--steps", type=int, default=33, help=f"of each part; the first {WARM} do not count")
    parser.add_argument(
        "--answer-tokens", type=int, nargs="+", default=[16, 128, 240], help="the longest answer; 16 is the demo's own"
    )
    parser.add_argument("-o", "--output", type=Path)
    args = parser.parse_args()
    if args.steps < WARM + LEAST_ROUNDS:
        parser.error(f"--steps: {WARM + LEAST_ROUNDS} or more")
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))  # so that nothing is left behind
    with tempfile.TemporaryDirectory() as folder:
        from rftconf_runner.demo import make

        make(Path(folder))
        report = [compared(Path(folder), longest, args) for longest in args.answer_tokens]
    text = json.dumps({"cores": os.cpu_count(), "threads": args.threads or os.cpu_count(), "lengths": report}, indent=2)
    print(text)
    if args.output:
        args.output.write_text(text + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
