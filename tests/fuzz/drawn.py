"""The command line of a generator that draws so many odd things by a seed and tells what breaks."""

from __future__ import annotations

import argparse
import json
import sys
from collections import Counter
from collections.abc import Callable, Iterator


def run(description: str | None, what: str, judged: Callable[[int, int, Counter[str]], Iterator[str]]) -> int:
    """Draw as many as `--<what>` says; 1 where anything broke. `judged` takes their number, the seed and a count by kind."""
    parser = argparse.ArgumentParser(description=description, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument(f"--{what}", dest="count", type=int, default=1000)
    parser.add_argument("--seed", type=int, default=0)
    args = parser.parse_args()
    ends: Counter[str] = Counter()
    broken = 0
    for breach in judged(args.count, args.seed, ends):
        sys.stdout.write(f"{breach}\n")
        broken += 1
    sys.stdout.write(f"{json.dumps(ends)}; {broken} broken\n")
    return int(broken > 0)
