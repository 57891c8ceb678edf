"""Prints which share of leaves, and of key occurrences in published configs, translates: `python -m tests.laws.leaf_flip_report`."""

from __future__ import annotations

import csv
import re
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from rftconf.base.symbols import Value
from rftconf.schemas import catalogue, registry, versions
from tests.laws.leaf_flip import FURTHER, OTHER, Catalogued, Verdict, bases, further
from tests.laws.survey import survey

FREQUENCY = Path(__file__).parents[2] / "../shared/facts/frequency"
PATIENCE = 3
OUTCOMES = ("changed", "kept", "refused", "lost", "dead", "silent")


@dataclass(frozen=True)
class _Slot:
    value: Value


def verdicts(framework: str) -> list[Verdict]:
    """Every leaf of the newest release's catalogues."""
    known = registry.framework(framework)
    new_verdicts: list[Verdict] = []
    observed: frozenset[str] = frozenset()
    for trainer in known.trainers:
        of = Catalogued(framework, known.newest, trainer)
        if not bases(of):  # a pipeline without a config to flip leaves in: read, and refused elsewhere
            continue
        new_verdicts += survey(of, patience=PATIENCE, without=observed)
        observed |= frozenset(of.keys)
    return new_verdicts


def shares(counted: Counter[str]) -> str:
    """`changed 178 (15.7 %), ...`."""
    total = sum(counted.values())
    return ", ".join(f"{name} {counted[name]} ({100 * counted[name] / total:.1f} %)" for name in counted)


def occurrences(framework: str, new_verdicts: Iterable[Verdict]) -> Counter[str]:
    """Key occurrences by what becomes of the key; `old`: gone from the newest release; `foreign`: in no catalogue."""
    outcome = {_plain(v.key): v.outcome for v in new_verdicts}
    counted: Counter[str] = Counter(dict.fromkeys((*OUTCOMES, "old", "foreign"), 0))
    for key, times in _frequency(framework):
        counted[_outcome(framework, _plain(key), outcome)] += times
    return counted


def _plain(key: str) -> str:
    return re.sub(r"\[\d*\]", "", key.replace("explorer_input.taskset.", "explorer_input.tasksets.")).removesuffix(
        ".own_key"
    )


def _frequency(framework: str) -> list[tuple[str, int]]:
    with (FREQUENCY / f"{framework}.tsv").open(encoding="utf-8") as lines:
        rows = list(csv.DictReader(lines, delimiter="\t"))
    return [(row["key"], int(row.get("n_total") or row["n_configs"])) for row in rows]


def _outcome(framework: str, key: str, outcome: dict[str, str]) -> str:
    for name in _newest(framework, key):
        if name in outcome:
            return outcome[name]
        above = next(
            (outcome[name[:i]] for i in range(len(name) - 1, 0, -1) if name[i] == "." and name[:i] in outcome), ""
        )
        if above:
            return above
    return "old" if _known(framework, key) else "foreign"


def _newest(framework: str, key: str) -> list[str]:
    names = [key]
    known = registry.framework(framework)
    for release in known.releases[:-1]:
        for trainer in known.trainers_of(release):
            if key in catalogue.load(framework, release, trainer):
                names += versions.upgrade(framework, {key: _Slot("x")}, release, trainer=trainer).flat
    return [_plain(name) for name in names]


def _known(framework: str, key: str) -> bool:
    known = registry.framework(framework)
    return any(
        key in catalogue.load(framework, release, trainer)
        for release in known.releases
        for trainer in known.trainers_of(release)
    )


def told(title: str, new_verdicts: Iterable[Verdict]) -> None:
    """The shares of one direction, and what must not be."""
    new_verdicts = list(new_verdicts)
    rowed = Counter(dict.fromkeys(OUTCOMES, 0)) + Counter(v.outcome for v in new_verdicts if v.row)
    print(f"{title}, newest releases, {len(new_verdicts)} leaves, {sum(rowed.values())} of them with a row")
    print(f"  leaves:          {shares(Counter(v.outcome for v in new_verdicts))}")
    print(f"  leaves with row: {shares(rowed)}", flush=True)
    for verdict in new_verdicts:
        if verdict.outcome == "silent":
            print(f"  silent: {verdict}")


def main() -> None:
    """Survey all directions and print the shares; of the four main ones also the shares of occurrences."""
    for framework, second in OTHER.items():
        new_verdicts = verdicts(framework)
        told(f"{framework} -> {second}", new_verdicts)
        if (FREQUENCY / f"{framework}.tsv").is_file():
            print(f"  occurrences:     {shares(occurrences(framework, new_verdicts))}")
    for framework, second in FURTHER:
        told(f"{framework} -> {second}", survey(further(framework, second)))


if __name__ == "__main__":
    main()
