"""Are two plans the same run? Stage by stage: totals first, then every field that acts and differs."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from typing import Any, TypeAlias

from rftconf.diff.effects import COUNTED, Effect, Known, known_of
from rftconf.diff.sides import Idle, Said, Side
from rftconf.diff.table import GROUPS
from rftconf.older_python import StrEnum
from rftconf.plan.acting import Asleep, awake_and_asleep
from rftconf.plan.identity import math_id, plan_id
from rftconf.plan.origin import Kind
from rftconf.plan.spelling import plain, same
from rftconf.plan.symbols import Expr
from rftconf.plan.totals import TOTALS, Total, totals

NEVER = ("stage.cadence.save_rollouts", "stage.cadence.eval_rollouts")
"""Fields that mean never where nobody says when."""
NONE = tuple(
    f"stage.algorithm.{name}" for name in ("policy_loss.dual_clip_c", "policy_loss.value_cap", "std_scope", "std_ddof")
)
"""Fields whose absence is a value: no second clip, no cap, no division by a deviation. Every reader fills them."""
LACKED = ("stage.optim.actor.warmup_updates", "stage.optim.critic.warmup_updates")
"""The same where a framework has no key for them; with a key, absence is a share of a length that nobody told."""
SWITCHES = (".enabled", ".rank", ".kind")
"""Ends of paths of fields that put others to sleep, and are not asleep themselves."""
NUMBERS = ("stage.batch.", "stage.run_length.", "stage.algorithm.")
"""What decides whether other fields do anything."""
SaidOfStage: TypeAlias = tuple[Mapping[str, Any], Mapping[str, Said]]
_ITEM = re.compile(r"stage\.[\w.]+\[\d+\]\.")


class Verdict(StrEnum):
    """The answer."""

    SAME = "same"
    DIFFERENT = "different"
    UNKNOWN = "cannot be compared"


@dataclass(frozen=True, slots=True)
class Seen:
    """A field on one side. `idle`: why it does nothing there; `value` is None where nobody says it."""

    value: Any
    said: Said | None = None
    idle: str | None = None


@dataclass(frozen=True, slots=True)
class Difference:
    """One field that is not the same; `certain` is False where nobody can tell.

    That is where the answer depends on names without a value, or where one side leaves the field to its code.
    """

    path: str
    known: Known
    a: Seen
    b: Seen
    certain: bool = True

    @property
    def one_sided(self) -> bool:
        """True where only one side says anything, or only there it acts."""
        return None in (self.a.value, self.b.value) or self.a.idle is not None or self.b.idle is not None


@dataclass(frozen=True, slots=True)
class Counted:
    """A derived total on both sides; `same` is None where it depends on what nobody told."""

    total: Total
    a: Any
    b: Any
    same: bool | None


@dataclass(frozen=True, slots=True)
class Stages:
    """Two stages that stand for each other, by their names and places in the two runs."""

    a: int
    b: int
    name: str
    totals: tuple[Counted, ...]
    differences: tuple[Difference, ...]


@dataclass(frozen=True, slots=True)
class Own:
    """A key outside the plan that one framework understands, with its values on the two sides (None where not set)."""

    key: str
    a: Any
    b: Any


@dataclass(frozen=True, slots=True)
class Comparison:
    """Everything that was found."""

    a: Side
    b: Side
    stages: tuple[Stages, ...]
    only_a: tuple[str, ...] = ()
    """Stages that the other run does not have."""
    only_b: tuple[str, ...] = ()
    own: tuple[Own, ...] = ()
    """Differing keys outside the plan of two runs of one framework."""
    uncompared: tuple[Own, ...] = ()
    """Keys outside the plan where the other framework has none of the kind."""

    @property
    def math_ids(self) -> tuple[str, str]:
        """The two `math_id`s, computed when asked for."""
        return math_id(self.a.plan), math_id(self.b.plan)

    @property
    def plan_ids(self) -> tuple[str, str]:
        """The two `plan_id`s, computed when asked for."""
        return plan_id(self.a.plan), plan_id(self.b.plan)

    def of(self, effect: Effect) -> list[Difference]:
        """The differences of one effect, over all stages."""
        return [one for stage in self.stages for one in stage.differences if one.known.effect is effect]

    def verdict(self, effects: Sequence[Effect] = COUNTED) -> Verdict:
        """The answer as far as `effects` go. Keys outside the plan count for the mathematics: nobody knows better."""
        found = [one for effect in effects for one in self.of(effect)]
        outside = Effect.MATHEMATICS in effects and bool(self.only_a or self.only_b or self.own)
        if outside or any(one.certain for one in found):
            return Verdict.DIFFERENT
        return Verdict.UNKNOWN if found else Verdict.SAME

    @property
    def idle(self) -> tuple[tuple[Idle, ...], tuple[Idle, ...]]:
        """Keys that are written on each side and do nothing."""
        return self.a.idle, self.b.idle


def compare(a: Side, b: Side) -> Comparison:
    """All differences of two runs."""
    pairs = list(_pairs(a, b))
    left = tuple(_named(a, index) for index in range(len(a.stages)) if index not in {one for one, _ in pairs})
    right = tuple(_named(b, index) for index in range(len(b.stages)) if index not in {other for _, other in pairs})
    own = _own(a, b)
    alike = a.family == b.family
    return Comparison(
        a,
        b,
        tuple(_stages(a, b, one, other) for one, other in pairs),
        left,
        right,
        own if alike else (),
        () if alike else own,
    )


def _pairs(a: Side, b: Side) -> Iterator[tuple[int, int]]:
    """Stages that stand for each other: in order, and of the same kind where their numbers differ, the later ones first.

    A run of one stage stands for the last of its kind, as the one that `convert` writes does.
    """
    if len(a.stages) == len(b.stages):
        yield from enumerate(range(len(b.stages)))
        return
    mine, theirs = ([str(stage.get("stage.kind")) for stage in reversed(one.stages)] for one in (a, b))
    for block in reversed(SequenceMatcher(None, mine, theirs, autojunk=False).get_matching_blocks()):
        ends = len(mine) - block.a, len(theirs) - block.b
        yield from ((ends[0] - step, ends[1] - step) for step in range(block.size, 0, -1))


def _named(one: Side, index: int) -> str:
    stage = one.stages[index]
    name = stage.get("stage.name")
    kind = stage.get("stage.kind")
    return f"{name} ({kind})" if name else f"stage {index + 1} ({kind})"


def _stages(a: Side, b: Side, one: int, other: int) -> Stages:
    values = a.stages[one], b.stages[other]
    counted = tuple(_counted(values[0], values[1]))
    found = differences((values[0], a.said[one]), (values[1], b.said[other]))
    return Stages(one, other, _named(a, one), counted, found)


def differences(a: SaidOfStage, b: SaidOfStage) -> tuple[Difference, ...]:
    """Every field that acts and differs between two stages, each given as flat values and why they are there."""
    return tuple(sorted(_differences(_half(*a), _half(*b)), key=_place))


def _counted(one: Mapping[str, Any], other: Mapping[str, Any]) -> Iterator[Counted]:
    a, b = totals(one), totals(other)
    for total in TOTALS:
        mine, theirs = a[total.name], b[total.name]
        if mine is None and theirs is None:
            continue
        unknown = mine is None or theirs is None
        yield Counted(total, mine, theirs, None if unknown else same(plain(mine), plain(theirs)))


@dataclass(frozen=True, slots=True)
class _Half:
    """One side of a stage: what is said, what of it acts, and why the rest does not."""

    raw: Mapping[str, Any]
    said: Mapping[str, Said]
    acts: Mapping[str, Any]
    asleep: Asleep

    def seen(self, path: str) -> Seen:
        """What acts, else what was said and does nothing."""
        switch = self.raw.get(path) in (False, 0) or path in NEVER or path.endswith(SWITCHES)
        idle = None if path in self.acts or switch else self.asleep.why(path)
        return Seen(self.acts.get(path, self.raw.get(path)), self.said.get(path), idle)

    def silent(self, path: str) -> bool:
        """True where the field is left to code that the plan does not speak of.

        It is not where the field does nothing, where silence means never or none, and where the whole list item is missing.
        """
        if self.raw.get(path) is not None or path in (*NEVER, *NONE) or self.asleep.why(path) is not None:
            return False
        if path in LACKED and path not in self.said:
            return False
        item = _ITEM.match(path)
        if item is not None and not any(other.startswith(item[0]) for other in self.raw):
            return False
        return path not in self.said or self.said[path].kind is not Kind.WRITTEN


def _half(raw: Mapping[str, Any], said: Mapping[str, Said]) -> _Half:
    return _Half(raw, said, *awake_and_asleep(raw))


def _differences(one: _Half, other: _Half) -> Iterator[Difference]:
    kind = one.raw.get("stage.kind")
    for path in {**one.acts, **other.acts}:
        answer = same(one.acts.get(path), other.acts.get(path))
        if answer is not True:
            silent = one.silent(path) or other.silent(path)
            certain = answer is False and not silent and not _hangs(path, one, other)
            yield Difference(path, known_of(path, kind), one.seen(path), other.seen(path), certain=certain)


def _hangs(path: str, one: _Half, other: _Half) -> bool:
    """True where whether the field does anything hangs on a number that nobody told.

    Both sides say the same, or the field sleeps on one side, and would on the other by the numbers of the first.
    """
    if not any(isinstance(value, Expr) for half in (one, other) for value in _numbers(half.raw).values()):
        return False
    mine, theirs = one.raw.get(path), other.raw.get(path)
    if mine is not None and same(plain(mine), plain(theirs)) is True:
        return True
    return _sleeps_by_numbers_of(one, other, path) or _sleeps_by_numbers_of(other, one, path)


def _sleeps_by_numbers_of(asleep: _Half, awake: _Half, path: str) -> bool:
    if path in asleep.acts or asleep.asleep.why(path) is None or path not in awake.acts:
        return False
    told = {at: value for at, value in _numbers(asleep.raw).items() if isinstance(awake.raw.get(at), Expr)}
    return bool(told) and awake_and_asleep({**awake.raw, **told})[1].why(path) is not None


def _numbers(raw: Mapping[str, Any]) -> dict[str, Any]:
    return {at: value for at, value in raw.items() if at.startswith(NUMBERS)}


def _place(one: Difference) -> tuple[int, int]:
    effects = list(Effect)
    return effects.index(one.known.effect), GROUPS.index(one.known.group)


def _own(a: Side, b: Side) -> tuple[Own, ...]:
    keys = dict.fromkeys([*a.own, *b.own])
    found = (Own(key, a.own.get(key), b.own.get(key)) for key in keys)
    return tuple(one for one in found if one.a != one.b)
