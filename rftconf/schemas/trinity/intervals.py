"""Two sync intervals as the one that Trinity-RFT has before 0.6: explore steps of one update each (form A, H3)."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from fractions import Fraction
from typing import Any

from rftconf.base.record import record
from rftconf.schemas.edits import C, Change, OnlyDown, with_value

SYNC = "synchronizer."
BOTH, EXPLORER, TRAINER = (f"{SYNC}{who}sync_interval" for who in ("", "explorer_", "trainer_"))
PROMPTS, EVERY, TASKS = "buffer.batch_size", "explorer.eval_interval", "buffer.explorer_input.eval_tasksets"
COUNTERS = (EVERY, "buffer.total_steps", f"{SYNC}sync_offset")
"""What counts explore steps."""
USUAL = {EVERY: 100}
"""What counts them where nobody writes it."""
WHY = "one sync interval for explorer and trainer"


def one_interval(value_of: Callable[[str], Any], *, evaluates: bool) -> dict[str, Any] | None:
    """The keys that one interval needs, with their values; None where no single interval says the same.

    `value_of`: a key's value, None where nobody writes it.
    """
    common = value_of(BOTH) or 1
    mine, theirs = value_of(EXPLORER) or common, value_of(TRAINER) or common
    if mine == theirs:
        return {BOTH: mine}
    prompts, n, update = (
        value_of(PROMPTS) or 1,
        value_of("algorithm.repeat_times") or 1,
        value_of("buffer.train_batch_size") or 0,
    )
    numbers = (mine, theirs, prompts, n, update)
    if not all(type(value) is int for value in numbers) or mine * prompts * n != theirs * update or update % n:
        return None
    counters = {key: USUAL.get(key) if value_of(key) is None else value_of(key) for key in COUNTERS}
    if not evaluates and value_of(EVERY) is None:
        counters.pop(EVERY)
    scaled = _scaled(counters, Fraction(theirs, mine))
    return None if scaled is None else {BOTH: theirs, PROMPTS: update // n, **scaled}


def _scaled(counters: Mapping[str, Any], factor: Fraction) -> dict[str, int] | None:
    """Explore steps in their new size; None where one ends within a step."""
    scaled = {}
    for key, value in counters.items():
        if value is None:
            continue
        if type(value) is not int or (value * factor).denominator != 1:
            return None
        scaled[key] = int(value * factor)
    return scaled


@record
class Intervals(OnlyDown):
    """0.6 brought an interval of its own for each side; before, one interval serves both."""

    def down(self, flat: dict[str, C]) -> list[Change]:
        """Write the same run with one interval; what cannot be is left to be dropped as a loss."""
        own = [key for key in (TRAINER, EXPLORER) if key in flat and flat[key].value is not None]
        staged = any(key.startswith("stages[") for key in flat)
        style = flat.get(f"{SYNC}sync_style")
        if not own or staged or (style is not None and style.value == "fully_async"):
            return []
        evaluates = any(key.startswith(f"{TASKS}[") for key in flat)
        intervals = one_interval(lambda key: flat[key].value if key in flat else None, evaluates=evaluates)
        if intervals is None:
            why = f"{WHY}, and these two are no whole explore steps of one update each"
            return [Change(key, flat.pop(key), (), why, True) for key in own]
        cell = flat[own[0]]
        done = [Change(key, flat.pop(key), (BOTH,), "called sync_interval there") for key in own]
        for key, value in intervals.items():
            old_cell = flat.get(key, cell)
            if key not in flat or old_cell.value != value:
                flat[key] = with_value(old_cell, value)
                done.append(Change(key, flat[key], (key,), f"{WHY}: an explore step is one update (form A)"))
        return done
