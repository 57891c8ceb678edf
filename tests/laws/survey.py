"""Flips many leaves of a catalogue, each in one base after the other until it makes a difference."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from zlib import crc32

from rftconf.base.errors import RefusedError, UnreadableError
from tests.laws.flip_base import Base
from tests.laws.flip_values import candidates
from tests.laws.leaf_flip import (
    Catalogued,
    Verdict,
    has_row,
    judge,
    name_all,
    preferred,
    run,
    try_leaf,
    unflipped,
    with_flips,
    written,
)

_RANK = ("kept", "refused", "lost", "silent", "dead")


@dataclass
class _Flips:
    """One leaf, tried in one base after the other until it makes a difference or was lost `patience` times."""

    of: Catalogued
    name: str
    patience: int
    bases: list[Base]
    best: Verdict
    losses: int = 0

    @property
    def ended(self) -> bool:
        """True where another base would tell nothing more."""
        return self.best.outcome == "changed" or self.losses >= self.patience

    def try_in(self, base: Base) -> None:
        """Try the values that the key may have until one makes a difference; keep the worst verdict."""
        key, leaf = self.of.key(self.name), self.best.key
        values = candidates(self.name, key, base.flat.get(leaf))
        for value in values if unflipped(self.of, base) else values[:1]:
            verdict = try_leaf(self.of, base, leaf, value)
            if verdict.outcome == "silent" and try_leaf(self.of, base, leaf, key.default).outcome == "lost":
                verdict = replace(verdict, outcome="lost", reason=f"its default is told as lost; {verdict.reason}")
            if verdict.outcome == "changed":
                self.best = verdict
                return
            self.losses += verdict.outcome == "lost"
            if not self.best.base or _RANK.index(verdict.outcome) < _RANK.index(self.best.outcome):
                self.best = verdict
            if verdict.outcome == "dead":
                return  # whatever its value


def flip_all(of: Catalogued, names: Iterable[str], patience: int = 1) -> Iterator[Verdict]:
    """Try bases and values of each leaf until one makes a difference, or `patience` losses were told; else the worst verdict.

    Leaves that do nothing in the base that suits them best are set together in the others.
    """
    flips = [_begin(of, name, patience) for name in names]
    dead = [leaf for leaf in flips if leaf.best.outcome == "dead"]
    asleep: dict[str, frozenset[str]] = {}
    for leaf in flips:
        for base in leaf.bases[1:]:
            if leaf.ended:
                break
            if base.name not in asleep:
                asleep[base.name] = _asleep(of, base, [second for second in dead if base in second.bases])
            if leaf.best.key not in asleep[base.name]:
                leaf.try_in(base)
        yield leaf.best


def _begin(of: Catalogued, name: str, patience: int) -> _Flips:
    """Try a leaf in the base that suits it best."""
    best = Verdict(written(name, of.key(name)), "silent", reason="no base to try it in", row=True)
    flips = _Flips(of, name, patience, _bases_for(of, name), best)
    for base in flips.bases[:1]:
        flips.try_in(base)
    return flips


def _bases_for(of: Catalogued, name: str) -> list[Base]:
    """The bases in which a key most likely acts come first; of those that the target refuses as they are, one, and last."""
    bases = preferred(of, name)
    converted = [base for base in bases if unflipped(of, base)]
    return [*converted, *[base for base in bases if not unflipped(of, base)][:1]]


def _asleep(of: Catalogued, base: Base, flips: Iterable[_Flips]) -> frozenset[str]:
    """The leaves that do nothing in a base: all are set at once, and again without those that do something, until none does.

    What does nothing cannot disturb the others, so each of them does nothing alone.
    """
    together = {
        leaf.best.key: values[0]
        for leaf in flips
        if (values := candidates(leaf.name, of.key(leaf.name), base.flat.get(leaf.best.key)))
        and ".taskset." not in leaf.best.key  # the base itself is written otherwise for it
    }
    while together:
        try:
            done = run(of, with_flips(base, together))
        except (RefusedError, UnreadableError):
            return frozenset()
        lines = {key: [line for line in done.ledger.sources if line.key == key] for key in together}
        dead = {key for key, mine in lines.items() if len(mine) == 1 and judge(mine[0], changed=False) == "dead"}
        if dead == together.keys():
            return frozenset(dead)
        together = {key: value for key, value in together.items() if key in dead}
    return frozenset()


def flip(of: Catalogued, name: str, patience: int) -> Verdict:
    """Flip one leaf by itself."""
    (verdict,) = flip_all(of, [name], patience)
    return verdict


def of_other_turns(of: Catalogued, targets: Sequence[str]) -> frozenset[str]:
    """The leaves with a row that are flipped into another target: each goes into the first of `targets` and one of the rest.

    With RFTCONF_EVERY_FLIP each goes into all of them.
    """
    first, *others = targets
    if os.environ.get("RFTCONF_EVERY_FLIP") or of.to == first:
        return frozenset()
    turn = others.index(of.to)
    return frozenset(name for name in of.leaves() if has_row(of, name) and crc32(name.encode()) % len(others) != turn)


def survey(of: Catalogued, *, patience: int = 1, without: frozenset[str] = frozenset()) -> list[Verdict]:
    """Every leaf of one catalogue, except those in `without`."""
    names = [name for name in of.leaves() if name not in without]
    remainder = [name for name in names if not has_row(of, name)]
    return [*flip_all(of, (name for name in names if has_row(of, name)), patience), *name_all(of, remainder)]
