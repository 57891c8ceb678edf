"""Two runs side by side: which role holds how much memory in each, and which settings make the difference."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace
from typing import TypeAlias

from rftconf.budget.causes import OF_ENGINES, OF_RUNS, OF_TRAINERS, Cause
from rftconf.budget.gpus import Gpu
from rftconf.budget.price import Budget, price
from rftconf.budget.roles import EngineRole, Setup, TrainerRole
from rftconf.record import record

Role: TypeAlias = TrainerRole | EngineRole
SAME = 0.05
"""A share of a role's memory within which two runs hold the same."""
NOTHING = 1 << 27
"""Bytes (1/8 GiB) that make no difference whatever share of a role they are."""


@record
class Held:
    """Bytes of one role on one GPU: at most at its own work, at most while others work, and an engine's cache.

    `surely` is what its work takes even where sequences are short.
    """

    at_work: int = 0
    meanwhile: int = 0
    cache: int = 0
    surely: int = 0

    def alike(self, other: Held, share: float = SAME) -> bool:
        """True where every figure is within that share of the other's."""
        return all(abs(a - b) <= max(share * max(a, b), NOTHING) for a, b in self.beside(other))

    def far(self, other: Held) -> int:
        """Bytes between the two figures that are furthest apart."""
        return max(abs(a - b) for a, b in self.beside(other))

    def beside(self, other: Held) -> tuple[tuple[int, int], ...]:
        """Each figure with the other's."""
        names = ("at_work", "meanwhile", "cache", "surely")
        return tuple((getattr(self, name), getattr(other, name)) for name in names)


@record
class Because:
    """A setting that differs, in words for the two runs, and what it alone makes of the first run's memory."""

    cause: Cause
    says: tuple[str, str]
    makes: Held


@record
class Apart:
    """A role that does not hold the same in both runs (None: a run has no such role), and why, the largest cause first."""

    mine: Role | None
    theirs: Role | None
    held: Held | None
    here: Held | None
    because: tuple[Because, ...] = ()

    @property
    def name(self) -> str:
        """What the first run that has it calls it."""
        one = self.mine or self.theirs
        return one.name if one else ""


@record
class Compared:
    """The accounts of two runs, and the roles on which they differ."""

    a: Budget
    b: Budget
    apart: tuple[Apart, ...]


def compared(a: Setup, b: Setup, gpu: Gpu) -> Compared:
    """Compare two runs on GPUs of one kind. Where their verdicts differ every difference counts, however small."""
    one, other = price(a, gpu), price(b, gpu)
    share = SAME if one.verdict == other.verdict else 0.0
    return Compared(one, other, tuple(_apart(one, other, share)))


def held_by(budget: Budget) -> dict[str, Held]:
    """What each role holds in an account, by its name."""
    found: dict[str, Held] = {}
    for phase in (phase for pool in budget.pools for phase in pool.phases):
        for name in {one.owner for one in phase.terms if one.owner}:
            was = found.get(name, Held())
            size = sum(one.size for one in phase.terms if one.owner == name)
            cache = sum(one.size for one in phase.terms if one.owner == name and one.part == "kv_cache")
            working = name in phase.at_work
            found[name] = Held(
                max(was.at_work, size) if working else was.at_work,
                was.meanwhile if working else max(was.meanwhile, size),
                max(was.cache, cache),
                max(was.surely, size - phase.open_end) if working else was.surely,
            )
    return found


def _apart(one: Budget, other: Budget, share: float) -> Iterator[Apart]:
    held, here = held_by(one), held_by(other)
    mine, theirs = _roles(one.setup), _roles(other.setup)
    for path in dict.fromkeys((*mine, *theirs)):
        a, b = mine.get(path), theirs.get(path)
        before, after = held.get(a.name) if a else None, here.get(b.name) if b else None
        if a is None or b is None or before is None or after is None:
            yield Apart(a, b, before, after)
        elif not before.alike(after, share):
            because = tuple(_because((one.setup, other.setup), a, b, one.gpu, before))
            if because or not before.alike(after):
                yield Apart(a, b, before, after, because)


def _roles(setup: Setup) -> dict[str, Role]:
    """The roles by what they are in every framework: a trainer's name, and where a plan has an engine."""
    return {**{one.name: one for one in setup.trainers}, **{one.path or one.name: one for one in setup.engines}}


def _because(runs: tuple[Setup, Setup], mine: Role, theirs: Role, gpu: Gpu, held: Held) -> Iterable[Because]:
    """The settings that differ, by what each alone changes; those that change nothing alone are left out."""
    found = []
    for cause, changed, says in _swaps(*runs, mine, theirs):
        makes = held_by(price(changed, gpu)).get(mine.name, Held())
        if makes != held:
            found.append(Because(cause, says, makes))
    return sorted(found, key=lambda one: -held.far(one.makes))


def _swaps(run: Setup, other: Setup, mine: Role, theirs: Role) -> Iterator[tuple[Cause, Setup, tuple[str, str]]]:
    """The first run with one setting of the other's, for every setting that differs."""
    for cause in OF_TRAINERS if isinstance(mine, TrainerRole) else OF_ENGINES:
        if cause.differs(mine, theirs):
            yield cause, _with(run, cause.taken_from(mine, theirs)), (cause.says(mine), cause.says(theirs))
    for cause in OF_RUNS:
        if cause.differs(run, other):
            yield cause, cause.in_run(run, other), (cause.says(run), cause.says(other))


def _with(setup: Setup, changed: Role) -> Setup:
    if isinstance(changed, EngineRole):
        return setup.with_engine(changed)
    return replace(setup, trainers=tuple(changed if one.name == changed.name else one for one in setup.trainers))
