"""Mutated configs before the laws: `python -m tests.fuzz.fuzz_laws fixes --cases 1000 --seed 0`.

The number and the seed of a case make it again: `--first 17 --cases 1`. What breaks is written as it comes. With
`--state FILE` a run that was stopped goes on with the case behind the last one that was kept, and the figures add up.
"""

from __future__ import annotations

import argparse
import gc
import json
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from dataclasses import asdict
from pathlib import Path

from tests.fuzz.fix_law import judge_fixes
from tests.fuzz.mutations import Case, cases, starts, unchanged
from tests.fuzz.output_law import judge_one_output, judge_outputs
from tests.fuzz.tally import Broken, Tally, kinds

SETTLED, KEPT_EVERY = 40, 20
"""Cases until every table is loaded, and cases between two writings of the tally."""
LAWS: dict[str, Callable[[Case, Tally], None]] = {
    "fixes": judge_fixes,
    "outputs": judge_outputs,
    "one-output": judge_one_output,
}
"""`outputs` judges every conversion of a case, `one-output` one of each, so that more cases are drawn in the same time."""


def inputs(count: int, seed: int, first: int = 0, *, corpus: bool = False) -> Iterable[Case]:
    """So many mutated configs, or with `corpus` every config as it is."""
    return map(unchanged, starts()[first:]) if corpus else cases(count, seed, first=first)


def judged(law: str, new_cases: Iterable[Case], tally: Tally) -> Iterator[Broken]:
    """All of them before one law: what breaks, and what is refused though its source was right, as it comes."""
    for case in new_cases:
        count_before, refused = len(tally.broken), len(tally.refused)
        LAWS[law](case, tally)
        tally.ends["cases"] += 1
        yield from (*tally.broken[count_before:], *tally.refused[refused:])


def settle_memory() -> None:
    """Tables stay for the whole run: nobody looks through them again for what can be freed, which takes a tenth of the time."""
    gc.collect()
    gc.freeze()
    gc.set_threshold(50_000, 20, 50)


def kept(state: Path | None, law: str, seed: int) -> tuple[Tally, int]:
    """What an earlier run of this law and seed counted, and the number of the next case."""
    data = json.loads(state.read_text()) if state is not None and state.exists() else {}
    if not data:
        return Tally(), 0
    if (data["law"], data["seed"]) != (law, seed):
        raise SystemExit(f"{state} is of {data['law']} with seed {data['seed']}")
    broken, refused = ([Broken(**entry) for entry in data[name]] for name in ("broken", "refused"))
    return Tally(Counter(data["ends"]), broken, refused), data["next"]


def keep(state: Path, law: str, seed: int, following: int, tally: Tally) -> None:
    """Write what was counted so far; a run that ends while it writes leaves the last one whole."""
    data = {"law": law, "seed": seed, "next": following, "ends": tally.ends, "broken_in_all": len(tally.broken),
            "refused_by_kind": kinds(tally.refused), "broken": [asdict(breach) for breach in tally.broken],
            "refused": [asdict(breach) for breach in tally.refused]}  # fmt: skip
    beside = state.with_suffix(".part")
    beside.write_text(json.dumps(data, indent=1) + "\n")
    beside.replace(state)


def main() -> int:
    """The command line; 1 where anything broke."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("law", choices=LAWS)
    parser.add_argument("--cases", type=int, default=1000)
    parser.add_argument("--first", type=int, default=0)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--seconds", type=float, default=float("inf"), help="stop after so many")
    parser.add_argument("--corpus", action="store_true", help="every config as it is")
    parser.add_argument("--state", type=Path, help="where the tally is kept, and goes on from")
    parser.add_argument("-o", type=Path, help="where every break goes, a JSON line each")
    args = parser.parse_args()
    tally, first = kept(args.state, args.law, args.seed)
    first, began = max(first, args.first), time.monotonic()
    new_cases = inputs(args.first + args.cases - first, args.seed, first, corpus=args.corpus)
    timely = (case for case in new_cases if time.monotonic() - began < args.seconds)
    with (args.o or Path("/dev/null")).open("a") as file:
        following = first
        for number, case in enumerate(timely, first):
            for breach in judged(args.law, [case], tally):
                file.write(json.dumps(asdict(breach)) + "\n")
                file.flush()
            if number == first + SETTLED:
                settle_memory()
            if args.state and number % KEPT_EVERY == KEPT_EVERY - 1:
                keep(args.state, args.law, args.seed, number + 1, tally)
            following = number + 1
    if args.state:
        keep(args.state, args.law, args.seed, following, tally)
    for breaches in (tally.broken, tally.refused):
        for kind, count in kinds(breaches).most_common():
            example = next(breach for breach in breaches if f"{breach.law}: {breach.kind}" == kind)
            sys.stdout.write(f"{count:6} {kind}  [{example.case}: {example.detail[:160]}]\n")
    sys.stdout.write(
        f"{json.dumps(tally.ends)}; {len(tally.broken)} broken, {len(tally.refused)} refused; {time.monotonic() - began:.0f} s\n"
    )
    return int(bool(tally.broken))


if __name__ == "__main__":
    sys.exit(main())
