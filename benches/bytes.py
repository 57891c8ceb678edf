"""What a byte of an honest file costs, from 1 KB to 10 MB: `python -m benches.bytes`.

A config and a launch script with more and more said about them in comments, before `check` and `plan`, each a command
of its own. The cost of a byte is what a file takes more than the smallest one, by its bytes; flat means that it is the
same for large files as for small ones.
"""

from __future__ import annotations

import argparse
import datetime as dt
import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path

SIZES = (1_000, 10_000, 100_000, 1_000_000, 10_000_000)
RUNS = 3
COMMENT = "# what is said here is for people, and nothing in it counts: the learning rate was found by trying\n"
FILES = {
    "a.yaml": "algorithm: {adv_estimator: grpo}\nactor_rollout_ref: {rollout: {name: vllm}}\n",
    "a.sh": "python3 -m verl.trainer.main_ppo algorithm.adv_estimator=grpo actor_rollout_ref.rollout.name=vllm\n",
}


def seconds(verb: str, path: Path) -> tuple[float, float]:
    """Processor seconds and peak megabytes of the command, imports and all; the least of a few runs."""
    pairs = []
    quiet = subprocess.DEVNULL
    # An installed package is compiled; without its .pyc files every run would compile it anew, four times the cost of a start.
    environment = {name: text for name, text in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
    for _ in range(RUNS):
        command = [sys.executable, "-m", "rftconf", verb, str(path)]
        child = subprocess.Popen(command, stdout=quiet, stderr=quiet, env=environment)
        _, status, used = os.wait4(child.pid, 0)
        child.returncode = os.waitstatus_to_exitcode(status)
        pairs.append((used.ru_utime + used.ru_stime, used.ru_maxrss / 1024))
    return min(pairs)


def rows() -> list[dict[str, float | str]]:
    """Every file at every size before both verbs; the first size of each is what the others are compared with."""
    costs: list[dict[str, float | str]] = []
    with tempfile.TemporaryDirectory() as folder:
        for name, config in FILES.items():
            for verb in ("check", "plan"):
                least = 0.0
                for size in SIZES:
                    path = Path(folder, name)
                    path.write_text(COMMENT * max(0, (size - len(config)) // len(COMMENT)) + config)
                    took, peak = seconds(verb, path)
                    least = least or took
                    row = {"file": name, "verb": verb, "bytes": size, "seconds": round(took, 3)}
                    costs.append(
                        {**row, "megabytes": round(peak), "nanoseconds_per_byte": round((took - least) / size * 1e9)}
                    )
                    print(costs[-1], flush=True)
    return costs


def ratios(costs: list[dict[str, float | str]]) -> dict[str, float]:
    """By file and verb, what a byte of the largest size costs, as a ratio to one of a tenth of it."""
    cost = {(f"{row['verb']} {row['file']}", row["bytes"]): float(row["nanoseconds_per_byte"]) for row in costs}
    names = dict.fromkeys(name for name, _ in cost)
    return {name: round(cost[name, SIZES[-1]] / max(1.0, cost[name, SIZES[-2]]), 2) for name in names}


def main() -> int:
    """The command line."""
    parser = argparse.ArgumentParser(prog="bytes", description=__doc__)
    parser.add_argument("-o", type=Path, help="where the figures go, as JSON")
    args = parser.parse_args()
    costs = rows()
    print(flat := ratios(costs))
    if args.o:
        today = dt.datetime.now(dt.timezone.utc).date().isoformat()
        args.o.write_text(json.dumps({"date": today, "ratios": flat, "rows": costs}, indent=1) + "\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
