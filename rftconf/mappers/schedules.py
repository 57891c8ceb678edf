"""Shapes for learning-rate schedules: transformers' words, a lowest rate, and warm-ups that are a share of the run."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import field
from fractions import Fraction
from math import ceil, inf, nextafter
from typing import Any, ClassVar

from rftconf.base.ledger import State
from rftconf.base.record import record
from rftconf.base.symbols import Expr, arith, formula, names_in
from rftconf.mappers.context import Context, ReadContext, WriteContext
from rftconf.mappers.horizons import WHOLE_RUN
from rftconf.mappers.shapes import OfKeys, OneField, leave_open, lose_known, settle_known
from rftconf.plan.substitution import substitute
from rftconf.plan.units import Unit

FLAT = CONSTANT, WARMED = "constant", "constant_with_warmup"
"""transformers' words for a rate that stays: the second has a warm-up."""
NOTHING = (0, 0.0, None)
OF_ANY_LENGTH = "the same share of the run, however long it is"


@record
class NamedSchedule(OfKeys):
    """A key with transformers' word for a schedule, and a key for the lowest rate as a share of the rate.

    `floors`: the words of a cosine that has a lowest rate, of which the first is written. `share` is the key of the warm-up, which
    a constant rate does not have; its own shape comes before this one. `updates` counts those that a rate falls over.
    """

    KEYS: ClassVar[tuple[str, ...]] = ("word", "least")
    word: str
    least: str
    share: str
    role: str
    floors: tuple[str, ...]
    updates: Callable[[Context], Any]

    @property
    def plans(self) -> tuple[str, ...]:
        """Return the fields of the schedule and of its lowest rate."""
        names = ("schedule", "min_lr_ratio", "min_lr", "decay_updates")
        return tuple(f"stage.optim.{self.role}.{name}" for name in names)

    def read(self, r: ReadContext) -> None:
        """Set the schedule and its lowest rate, which a constant one has not."""
        schedule, ratio, least, decay = self.plans
        kind = r.native(self.word)
        known = isinstance(kind, str)
        r.set(schedule, CONSTANT if kind in FLAT else "cosine" if kind in self.floors else kind, self.word)
        falls_to_nothing = None if known and kind in FLAT else 0.0
        r.set(ratio, *((r.native(self.least), self.least) if kind in self.floors else (falls_to_nothing, self.word)))
        r.set(least, None)
        flat = known and kind in FLAT
        falls = "" if flat else self._falls_otherwise(r)
        r.set(decay, *((self.updates(r), self.word) if falls else (None,)), how=falls or ("" if flat else WHOLE_RUN))
        if kind == CONSTANT:
            r.set(f"stage.optim.{self.role}.warmup_updates", 0, self.word)
            r.inactive[self.share] = f"{self.word}={CONSTANT} has no warm-up; {WARMED} has"
        if known and kind not in self.floors:
            r.inactive[self.least] = f"{self.word}={kind} has no lowest rate"

    def write(self, w: WriteContext) -> None:
        """Write the word, with the warm-up in the word of a constant rate, and the lowest rate."""
        schedule, _, _, decay = self.plans
        kind = w.plan(schedule)
        if isinstance(kind, Expr):
            leave_open(w, self.word, "the schedule depends on a value the source does not tell", schedule)
        elif kind is not None:
            warms = w.plan(f"stage.optim.{self.role}.warmup_updates") not in NOTHING
            native = FLAT[warms] if kind == CONSTANT else self.floors[0] if kind == "cosine" else kind
            note = "" if native in FLAT or w.plan(decay) is not None else self._falls_otherwise(w)
            w.put(self.word, native, schedule, note=note)
            self._write_floor(w, native)
        ends = "the schedule ends with the run"
        settle_known(w, decay, w.plan(decay) == self.updates(w), ends, ends, alike=State.DERIVED)

    def _falls_otherwise(self, c: Context) -> str:
        """Return a sentence on a rate that falls over another number of updates than the rollouts make; empty where it does not."""
        mine, rollouts = self.updates(c), c.plan("stage.run_length.rollouts")
        if not isinstance(mine, int) or not isinstance(rollouts, int):
            return ""
        whole = c.convert(rollouts, Unit.ROLLOUTS, Unit.UPDATES)
        return (
            ""
            if mine == whole
            else f"the rate falls over {mine} updates, and {rollouts} rollouts make {formula(whole)}"
        )

    def _write_floor(self, w: WriteContext, native: Any) -> None:
        _, path, number, _ = self.plans
        rate, ratio, lowest = (w.plan(name) for name in (f"stage.optim.{self.role}.lr", path, number))
        if native not in self.floors:
            ends = f"{native} has no lowest rate here"
            other = f"{ends}: the source's falls to {formula(ratio if lowest is None else lowest)}"
            same = ratio in NOTHING and lowest in NOTHING
            settle_known(w, path, same, ends, other)
            settle_known(w, number, same, ends, other)
            return
        if lowest is not None and all(isinstance(n, int | float) for n in (rate, lowest)) and rate:
            share = float(Fraction(str(lowest)) / Fraction(str(rate)))
            w.put(self.least, share, number, state=State.DERIVED, how="the lowest rate as a share")
            settle_known(
                w, path, ratio == share, "", f"the source's lowest rate is {formula(lowest)}", alike=State.DERIVED
            )
            return
        if ratio is None:
            w.put(self.least, 0.0, how="the source's rate falls to 0")
        else:
            w.put(self.least, ratio, path)
        lose_known(w, State.DERIVED, f"{self.least} says it", number)


_TRIED = (1009, 7473, 17398, 40315, 100_003, 1_000_003, 999_999_937)
"""Numbers that unknown names stand for while a share is looked for: rows of data sets, few of them round, and a long run."""
_FEW = (8, 3, 16, 6, 2, 24, 64)
"""Numbers for the names beside a large one: of GPUs, of processes."""
_FINEST = 10_000
"""The most parts of a run that a share is given in: nobody writes finer ones."""

_OFF = 2
"""Updates by which a share may miss: one for a part that is rounded, one for rows that an epoch leaves over."""


@record
class Share:
    """A part of a run that is the same share of it, however long the run is. `note`: where it is not so to the update."""

    value: float
    note: str


def share_of_run(part: Any, whole: Any, *, up: bool) -> Share | None:
    """Return the share of the run that `part` of it is for any number behind its names; None where it hangs on them.

    A share of a run whose length nobody tells is an expression, as its length is: where one is a share of the other but
    for roundings, nobody has to tell the length. `up`: a part of an update counts as one here.
    """
    names = sorted(names_in([part, whole]))
    if not names:
        return None
    # each name is the large one in turn, so that what hangs on two of them is no share of what hangs on one
    numbers = [
        {name: number if name == large else _FEW[(index + position) % len(_FEW)] for position, name in enumerate(names)}
        for large in names
        for index, number in enumerate(_TRIED)
    ]
    pairs = [pair for known in numbers if (pair := _both_known(part, whole, known)) is not None and pair[1] > 0]
    if len(pairs) < len(_TRIED):
        return None
    longest, of = max(pairs, key=lambda pair: pair[1])
    share = (longest / of).limit_denominator(_FINEST)
    if share <= 0 or any(abs(share * total - updates) > _OFF for updates, total in pairs):
        return None
    exact = all((ceil if up else int)(share * total) == updates for updates, total in pairs)
    rounded = "the warm-up is the same share of the run here, and may be an update or two longer or shorter"
    return Share(float(share), "" if exact else rounded)


def put_share(w: WriteContext, key: str, path: str, part: Any, whole: Any, *, up: bool) -> bool:
    """Write a warm-up that no number tells as its share of the run; False where it is no share of it."""
    share = share_of_run(part, whole, up=up) if isinstance(part, Expr) else None
    if share is not None:
        state = State.ROUNDED if share.note else State.DERIVED
        w.put(key, share.value, path, state=state, note=share.note, always=True, how=OF_ANY_LENGTH)
    return share is not None


def _both_known(part: Any, whole: Any, known: dict[str, int]) -> tuple[Fraction, Fraction] | None:
    """The part and the whole where every name is known; None where an expression is left, or one divides by nothing."""
    try:
        both = [substitute(value, known) for value in (part, whole)]
    except ZeroDivisionError:
        return None
    if any(isinstance(value, bool) or not isinstance(value, int | float | Fraction) for value in both):
        return None
    return Fraction(str(both[0])), Fraction(str(both[1]))


_NEIGHBOURS = 6
"""Numbers that are tried for a share: a quotient and its product are each off by less than one place of a float."""


@record
class WarmupShare(OneField):
    """A warm-up as a share of the updates of the run, which `updates` counts.

    A part of an update counts as one where it is rounded `up`, and is left out otherwise. `default`: the key's, where no
    catalogue has it. `idle`: keys that do nothing beside it, with the reason.
    """

    key: str
    path: str
    updates: Callable[[Context], Any]
    up: bool
    default: Any = None
    idle: Mapping[str, str] = field(default_factory=dict)

    def read(self, r: ReadContext) -> None:
        """Set the updates of the warm-up; an expression while the run's are not known."""
        r.inactive.update(self.idle)
        share = r.native(self.key, self.default)
        total = 0 if share in NOTHING else self.updates(r)
        r.set(self.path, None if total is None else self._part(share, total), self.key)

    def _part(self, share: Any, total: Any) -> Any:
        if share in NOTHING:
            return 0
        if isinstance(share, Expr):
            return arith("*", share, total)
        if not isinstance(total, Expr):
            return self._rounded(total * share)
        part = Fraction(str(share))
        more = part.denominator - 1 if self.up else 0
        return arith("//", arith("+", arith("*", part.numerator, total), more), part.denominator)

    def _rounded(self, updates: float) -> int:
        return ceil(updates) if self.up else int(updates)

    def write(self, w: WriteContext) -> None:
        """Write the share, where both numbers are known."""
        warmup = w.plan(self.path)
        if warmup is None:
            return
        if warmup == 0:
            w.put(self.key, 0.0, self.path, always=True)
            return
        total = self.updates(w)
        total = int(total) if isinstance(total, Fraction) else total
        if total is not None and (share := share_of_run(warmup, total, up=self.up)) is not None:
            state = State.ROUNDED if share.note else State.DERIVED
            w.put(self.key, share.value, self.path, state=state, note=share.note, always=True, how=OF_ANY_LENGTH)
            return
        if not isinstance(total, int) or isinstance(warmup, Expr) or total <= 0:
            note = f"{formula(warmup)} updates are a share of the run's here, and nothing says how many these are: pass --rows N"
            leave_open(w, self.key, note, self.path)
            return
        how = f"{formula(warmup)} of {total} updates"
        whole = self._rounded(warmup)
        note = (
            ""
            if whole == warmup
            else f"{float(warmup):g} updates of warm-up are no whole number; the share gives {whole}"
        )
        state = State.ROUNDED if note else State.DERIVED
        w.put(self.key, self._share(warmup, total), self.path, state=state, note=note, always=True, how=how)

    def _share(self, warmup: Any, total: int) -> float:
        """Return the shortest number that gives these updates again; a warm-up may be longer than its run.

        Of more updates than a float counts one by one it is the nearest number.
        """
        updates, share = self._rounded(warmup), float(warmup) / total
        nearest = [round(share, 6), share]
        while len(nearest) < _NEIGHBOURS:
            nearest.append(nextafter(nearest[-1], 0.0 if self.up else inf))
        return next((number for number in nearest if self._rounded(total * number) == updates), share)
