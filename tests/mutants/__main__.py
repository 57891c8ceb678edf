"""How many broken mappings our judges notice: `python -m tests.mutants --count 300 --seed 0` (`make mutants`).

Breaks are drawn evenly over their kinds. What nobody notices is listed. `--state FILE` keeps each answer, so that a run
that was ended goes on. `--again FILE` asks about the breaks of an earlier result, as far as their code is still there: a
draw changes with every statement that comes or goes.
"""

from __future__ import annotations

import argparse
import gc
import json
import multiprocessing
import random
import re
import sys
import time
from collections import Counter, defaultdict
from collections.abc import Callable
from pathlib import Path
from typing import Any

from tests.mutants import noticing, relevance
from tests.mutants.breaking import ROOT, Break, all_breaks
from tests.mutants.equal import EQUAL

LONGEST_S = 600
TOO_LONG, DIED = "time", "process"
"""A break that keeps a judge busy for so long, or ends its process, is noticed too."""
FORK = multiprocessing.get_context("fork")


def drawn(count: int, seed: int) -> list[Break]:
    """So many breaks, as many of each kind as there are."""
    by_kind: dict[str, list[Break]] = defaultdict(list)
    for mutation in all_breaks():
        by_kind[mutation.kind].append(mutation)
    order = random.Random(seed)
    for alike in by_kind.values():
        order.shuffle(alike)
    turns = [alike[turn] for turn in range(count) for alike in by_kind.values() if turn < len(alike)]
    return turns[:count]


PLACE = re.compile(r":(\d+) ")


def named(names: list[str]) -> list[Break]:
    """The breaks of these names. Code moves: of those that are called alike, the nearest to the line is meant."""
    alike: dict[str, list[Break]] = defaultdict(list)
    for mutation in all_breaks():
        alike[PLACE.sub(" ", str(mutation), count=1)].append(mutation)
    breaks = []
    for name in names:
        mutations, place = alike[PLACE.sub(" ", name, count=1)], PLACE.search(name)
        if mutations and place is not None:
            breaks.append(min(mutations, key=lambda mutation: abs(mutation.line - int(place[1]))))
            mutations.remove(breaks[-1])
    return breaks


def in_a_fork(work: Callable[[], Any]) -> Any:
    """Run `work` in a process of its own and give its result; where it gives nothing, the reason as text."""
    mine, theirs = FORK.Pipe(duplex=False)

    def run() -> None:
        theirs.send(work())

    process = FORK.Process(target=run)
    process.start()
    theirs.close()
    try:
        return mine.recv() if mine.poll(LONGEST_S) else TOO_LONG
    except EOFError:
        return DIED
    finally:
        process.kill()
        process.join()


class Asking:
    """Asks the judges about breaks, a process each, and keeps every answer in a file where one is named."""

    def __init__(self, state: Path | None) -> None:
        noticing.warm()
        gc.freeze()
        self.near = relevance.Relevance(in_a_fork(relevance.lines_run))
        self.state = state
        self.judges: dict[str, str] = {}
        self.rounds: Counter[str] = Counter()
        """How many rounds of judges each break went through unnoticed."""
        for line in state.read_text(encoding="utf-8").splitlines() if state and state.exists() else ():
            self.take(**json.loads(line))

    def take(self, name: str, judge: str, turn: int) -> None:
        """An answer."""
        self.judges[name] = judge
        self.rounds[name] = turn + 1

    def ask(self, mutation: Break, text: str, turn: int) -> str:
        """The judge of a round that notices a text in place of the module of a break."""
        module = ".".join(mutation.file.relative_to(ROOT).with_suffix("").parts).removesuffix(".__init__")
        near, own = self.near, relevance.framework_of(mutation)
        question = noticing.Question(
            module, text, own, near.cases_of(mutation), near.tests_of(mutation), near.flips_of(mutation)
        )
        return str(in_a_fork(lambda: noticing.noticed(question, noticing.ROUNDS[turn])))

    def ask_once(self, mutation: Break, turn: int) -> None:
        """Ask a round about a break, unless that was answered before."""
        name = str(mutation)
        if self.judges.get(name) or self.rounds[name] > turn:
            return
        began = time.monotonic()
        judge = self.ask(mutation, mutation.source(), turn)
        self.take(name, judge, turn)
        print(f"{judge or str(turn):<16}{time.monotonic() - began:4.0f} s  {name}", flush=True)
        if self.state is not None:
            with self.state.open("a", encoding="utf-8") as file:
                file.write(json.dumps({"name": name, "judge": judge, "turn": turn}) + "\n")

    def check_unbroken(self, rounds: int) -> None:
        """Exit where a judge of these rounds fails with nothing broken."""
        whole = all_breaks()[0]
        for turn in range(rounds):
            if judge := self.ask(whole, whole.file.read_text(encoding="utf-8"), turn):
                sys.exit(f"{judge} fail with nothing broken: mend that first")


def figures(breaks: list[Break], judges: dict[str, str], seed: int) -> dict[str, Any]:
    """The counts as a file keeps them."""
    by_kind: dict[str, Counter[str]] = defaultdict(Counter)
    for mutation in breaks:
        by_kind[mutation.kind]["noticed" if judges[str(mutation)] else "unnoticed"] += 1
    values = [judges[str(mutation)] for mutation in breaks]
    silent = [str(mutation) for mutation in breaks if not judges[str(mutation)]]
    equal = sum(PLACE.sub(" ", name, count=1) in EQUAL for name in silent)
    return {
        "date": time.strftime("%Y-%m-%d"),
        "seed": seed,
        "breaks": len(breaks),
        "of": len(all_breaks()),
        "change nothing": equal,
        "noticed": round(sum(map(bool, values)) / max(1, len(values) - equal), 4),
        "by judge": Counter(name or "nobody" for name in values),
        "by kind": by_kind,
        "unnoticed": {name: EQUAL.get(PLACE.sub(" ", name, count=1), "no test") for name in sorted(silent)},
        "judges": {str(mutation): judges[str(mutation)] for mutation in breaks},
    }


def main() -> None:
    """Command line: how many breaks, drawn by which seed; exit 1 when less than 95 % of those that change something are
    noticed."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--count", type=int, default=300)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--again", type=Path, help="a file of an earlier result, whose breaks are asked about again")
    parser.add_argument("--state", type=Path, help="a file that keeps each answer; the run goes on from it")
    parser.add_argument("--rounds", type=int, default=len(noticing.ROUNDS), help="how many rounds of judges to ask")
    parser.add_argument("-o", "--output", type=Path, help="where the figures go, as JSON")
    args = parser.parse_args()
    again = json.loads(args.again.read_text(encoding="utf-8")) if args.again else None
    breaks = drawn(args.count, args.seed) if again is None else named([*again["judges"]])
    started, asking = time.monotonic(), Asking(args.state)
    if not asking.judges:
        asking.check_unbroken(args.rounds)
    for turn in range(args.rounds):
        for mutation in breaks:
            asking.ask_once(mutation, turn)
    names = figures(breaks, asking.judges, args.seed)
    print(
        f"{names['noticed']:.1%} of {len(breaks)} noticed: {dict(names['by judge'])}, {time.monotonic() - started:.0f} s"
    )
    if args.output:
        args.output.write_text(json.dumps(names, indent=1) + "\n")
    sys.exit(names["noticed"] < 0.95)


if __name__ == "__main__":
    main()
