"""Blocks of seeded cases: which they are depends on seed and block alone, so a run can stop and go on."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from random import Random
from typing import Any

from rftconf.convert.convert import Options
from rftconf.schemas import registry
from tests.laws.totals.case import Case, Pick
from tests.laws.totals.drawing import DRAWS
from tests.laws.totals.trips import Outcome, Source, in_plan, source_of

FRAMEWORKS = tuple(known.name for known in registry.READ)
SOURCES = 400
"""Runs of a block; each goes to the other frameworks."""
CASES = SOURCES * (len(FRAMEWORKS) - 1)
OLDER = {
    "verl": ("0.8.0", "0.7.1", "0.5.0"),
    "trinity": ("0.5.2",),
    "roll": ("0.2.1",),
    "chatlearn": ("1.2.0",),
    "trl": ("1.0.0", "0.24.0"),
    "openrlhf": ("0.10.4", "0.9.10"),
    "nemo_rl": ("0.6.0", "0.5.0"),
}


@dataclass
class Tally:
    """What became of cases, by direction."""

    cases: Counter[str] = field(default_factory=Counter)
    refused: Counter[str] = field(default_factory=Counter)
    said: Counter[str] = field(default_factory=Counter)
    """`direction figure`: differs, and the ledger says so."""
    breaches: list[str] = field(default_factory=list)

    def add(self, outcome: Outcome, where: str) -> None:
        """One more case."""
        direction = f"{outcome.case.framework} -> {outcome.to}"
        self.cases[direction] += 1
        self.refused[direction] += bool(outcome.refused)
        self.said.update(f"{direction}: {figure}" for figure in outcome.said)
        self.breaches += [f"{where} {direction}: {breach}" for breach in outcome.breaches]

    def join(self, other_tally: Tally) -> None:
        """Add another tally to this one."""
        self.cases.update(other_tally.cases)
        self.refused.update(other_tally.refused)
        self.said.update(other_tally.said)
        self.breaches += other_tally.breaches


def targets(pick: Pick, case: Case) -> list[tuple[str, str, Options]]:
    """The other frameworks, mostly at their newest release, and how Trinity is to count its steps."""
    values = []
    for to in FRAMEWORKS:
        if to != case.framework:
            newest = registry.framework(to).newest
            release, form = pick((newest, newest, newest, *OLDER[to])), pick(("auto", "auto", "B"))
            values.append((to, release, Options(form=form if release == newest else "auto")))
    return values


def draw(framework: str, seed: str) -> tuple[Case, list[tuple[str, str, Options]]]:
    """One run and where it goes, from a seed."""
    generator = Random(seed)
    pick: Pick = generator.choice
    case = DRAWS[framework](pick)
    return case, targets(pick, case)


def block(seed: str, number: int) -> Tally:
    """All cases of one block."""
    tally = Tally()
    for index in range(SOURCES):
        where = f"{seed}/{number}/{index}"
        for outcome in outcomes(*draw(FRAMEWORKS[index % len(FRAMEWORKS)], where)):
            tally.add(outcome, where)
    return tally


def outcomes(case: Case, ways: list[tuple[str, str, Options]]) -> list[Outcome]:
    """The case in each direction, read once."""
    source = source_of(case)
    return [_one(source, way) for way in ways]


def _one(source: Source, way: tuple[str, str, Options]) -> Outcome:
    try:
        return in_plan(source, *way)
    except Exception as error:  # noqa: BLE001 - a crash is a counterexample like any other
        return Outcome(source.case, way[0], (f"{type(error).__name__}: {error}",))


def as_json(tally: Tally) -> dict[str, Any]:
    """For a file."""
    return {
        "cases": sum(tally.cases.values()),
        "counterexamples": len(tally.breaches),
        "refused": sum(tally.refused.values()),
        "directions": {
            name: {
                "cases": count,
                "refused": tally.refused[name],
                "differs and said": {
                    key.partition(": ")[2]: number
                    for key, number in sorted(tally.said.items())
                    if key.startswith(name + ":")
                },
            }
            for name, count in sorted(tally.cases.items())
        },
        "breaches": tally.breaches[:50],
    }
