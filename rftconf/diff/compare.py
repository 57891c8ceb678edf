"""Are two plans the same run? Stage by stage: totals first, then every field that acts and differs."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from typing import Any

from rftconf.base.older_python import StrEnum
from rftconf.diff.doubts import Doubts
from rftconf.diff.effects import COUNTED, Effect, Known, known_of
from rftconf.diff.halves import Half, SaidOfStage, SideValue, half_of
from rftconf.diff.sides import Does, Idle, Side
from rftconf.diff.table import GROUPS
from rftconf.plan.identity import math_id, plan_id
from rftconf.plan.spelling import plain, same
from rftconf.plan.totals import TOTALS, Total, totals
from rftconf.plan.trainer_numbers import in_every_trainers_words, moved, trained_apart, with_one_name_each

_EFFECTS = {effect: index for index, effect in enumerate(Effect)}


class Verdict(StrEnum):
    """The answer to the comparison of two runs."""

    SAME = "same"
    DIFFERENT = "different"
    UNKNOWN = "cannot be compared"


@dataclass(frozen=True, slots=True)
class Difference:
    """One field that is not the same; `doubts` tell why nobody can tell whether it is, by side ("A", "B").

    That is where the answer depends on names without a value, or where one side leaves the field to its code.
    """

    path: str
    known: Known
    a: SideValue
    b: SideValue
    doubts: tuple[tuple[str, str], ...] = ()

    @property
    def certain(self) -> bool:
        """False where nobody can tell whether the two are the same."""
        return not self.doubts

    @property
    def follows(self) -> bool:
        """True where the field does nothing on one side, which has no other value of it: another field makes the difference."""
        if self.a.value == self.b.value:
            return True
        return any(side.idle is not None and side.value is None for side in (self.a, self.b))

    @property
    def of_one_kind(self) -> bool:
        """True where one of the two is a run of a kind that has no such field, so that it follows from the kinds."""
        return self.a.lacking or self.b.lacking

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
    """The result of comparing two runs."""

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
        return [d for stage in self.stages for d in stage.differences if d.known.effect is effect]

    def verdict(self, effects: Sequence[Effect] = COUNTED) -> Verdict:
        """The answer as far as `effects` go. Keys outside the plan count for the mathematics: nobody knows better."""
        differences = [d for effect in effects for d in self.of(effect)]
        outside = Effect.MATHEMATICS in effects and bool(self.only_a or self.only_b or self.own)
        if outside or any(d.certain for d in differences):
            return Verdict.DIFFERENT
        return Verdict.UNKNOWN if differences else Verdict.SAME

    @property
    def idle(self) -> tuple[tuple[Idle, ...], tuple[Idle, ...]]:
        """Keys that are written on each side and do nothing."""
        return self.a.idle, self.b.idle


def compare(a: Side, b: Side) -> Comparison:
    """Compare two runs and return all their differences."""
    pairs = list(_pairs(a, b))
    left = tuple(
        _stage_title(a, index) for index in range(len(a.stages)) if index not in {index_a for index_a, _ in pairs}
    )
    right = tuple(
        _stage_title(b, index) for index in range(len(b.stages)) if index not in {index_b for _, index_b in pairs}
    )
    own = _own_keys(a, b)
    alike = a.family == b.family
    return Comparison(
        a,
        b,
        tuple(_stages(a, b, index_a, index_b) for index_a, index_b in pairs),
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
    mine, theirs = ([str(stage.get("stage.kind")) for stage in reversed(side.stages)] for side in (a, b))
    for block in reversed(SequenceMatcher(None, mine, theirs, autojunk=False).get_matching_blocks()):
        ends = len(mine) - block.a, len(theirs) - block.b
        yield from ((ends[0] - step, ends[1] - step) for step in range(block.size, 0, -1))


def _stage_title(side: Side, index: int) -> str:
    stage = side.stages[index]
    name = stage.get("stage.name")
    kind = stage.get("stage.kind")
    return f"{name} ({kind})" if name else f"stage {index + 1} ({kind})"


def _stages(a: Side, b: Side, index_a: int, index_b: int) -> Stages:
    values = a.stages[index_a], b.stages[index_b]
    counted = tuple(_counted(values[0], values[1]))
    does = (a.does[index_a] if a.does else Does(), b.does[index_b] if b.does else Does())
    listed = differences((values[0], a.said[index_a]), (values[1], b.said[index_b]), does)
    return Stages(index_a, index_b, _stage_title(a, index_a), counted, listed)


def differences(a: SaidOfStage, b: SaidOfStage, does: tuple[Does, Does] = (Does(), Does())) -> tuple[Difference, ...]:
    """Every field that acts and differs between two stages, each given as flat values and why they are there.

    `does`: what the frameworks of the two do about fields that they have no keys for.
    """
    if trained_apart(a[0], b[0]):
        a, b = _in_the_same_fields(a), _in_the_same_fields(b)
    a, b = (with_one_name_each(a[0]), a[1]), (with_one_name_each(b[0]), b[1])
    return tuple(sorted(_differences(half_of(*a, does[0]), half_of(*b, does[1])), key=_place))


def _in_the_same_fields(stage: SaidOfStage) -> SaidOfStage:
    """Move Megatron's number types, seed and decay into the common fields, where it trains one of two sides only."""
    return in_every_trainers_words(stage[0]), moved(stage[1], stage[0])


def _counted(values_a: Mapping[str, Any], values_b: Mapping[str, Any]) -> Iterator[Counted]:
    a, b = totals(values_a), totals(values_b)
    for total in TOTALS:
        mine, theirs = a[total.name], b[total.name]
        if mine is None and theirs is None:
            continue
        unknown = mine is None or theirs is None
        yield Counted(total, mine, theirs, None if unknown else same(plain(mine), plain(theirs)))


def _differences(half_a: Half, half_b: Half) -> Iterator[Difference]:
    kind = half_a.raw.get("stage.kind")
    doubts = Doubts(half_a, half_b)
    for path in {**half_a.acts, **half_b.acts}:
        (mine, known), (theirs, theirs_known) = half_a.acting(path), half_b.acting(path)
        answer = same(mine, theirs)
        if answer is not True and not _stated_alike(half_a, half_b, path):
            reasons = doubts.on(path, (mine, theirs), (known, theirs_known))
            yield Difference(path, known_of(path, kind), half_a.seen(path), half_b.seen(path), reasons)


def _stated_alike(half_a: Half, half_b: Half, path: str) -> bool:
    """True where both sides state one value, which one spelling leaves out on a side because it follows from another field there.

    Off is off, too, whether anything looks at the switch or not.
    """
    if half_a.raw.get(path) is False and half_b.raw.get(path) is False:
        return True
    stated = [half.raw.get(path) for half in (half_a, half_b) if half.asleep.why(path) is None]
    spelled_out = [half.acts.get(path) for half in (half_a, half_b)]
    return len(stated) == 2 and None in spelled_out and None not in stated and same(*map(plain, stated)) is True


def _place(difference: Difference) -> tuple[int, int]:
    return _EFFECTS[difference.known.effect], GROUPS.index(difference.known.group)


def _own_keys(a: Side, b: Side) -> tuple[Own, ...]:
    keys = dict.fromkeys([*a.own, *b.own])
    pairs = (Own(key, a.own.get(key), b.own.get(key)) for key in keys)
    return tuple(own_key for own_key in pairs if own_key.a != own_key.b)
