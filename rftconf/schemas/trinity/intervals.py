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


def one_interval(said: Callable[[str], Any], *, evaluates: bool) -> dict[str, Any] | None:
    """The keys that one interval needs, with their values; None where no single interval says the same.

    `said`: a key's value, None where nobody writes it.
    """
    common = said(BOTH) or 1
    mine, theirs = said(EXPLORER) or common, said(TRAINER) or common
    if mine == theirs:
        return {BOTH: mine}
    prompts, n, update = said(PROMPTS) or 1, said("algorithm.repeat_times") or 1, said("buffer.train_batch_size") or 0
    numbers = (mine, theirs, prompts, n, update)
    if not all(type(one) is int for one in numbers) or mine * prompts * n != theirs * update or update % n:
        return None
    counters = {key: USUAL.get(key) if said(key) is None else said(key) for key in COUNTERS}
    if not evaluates and said(EVERY) is None:
        counters.pop(EVERY)
    scaled = _scaled(counters, Fraction(theirs, mine))
    return None if scaled is None else {BOTH: theirs, PROMPTS: update // n, **scaled}


def _scaled(counters: Mapping[str, Any], factor: Fraction) -> dict[str, int] | None:
    """Explore steps in their new size; None where one ends within a step."""
    found = {}
    for key, value in counters.items():
        if value is None:
            continue
        if type(value) is not int or (value * factor).denominator != 1:
            return None
        found[key] = int(value * factor)
    return found


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
        found = one_interval(lambda key: flat[key].value if key in flat else None, evaluates=evaluates)
        if found is None:
            why = f"{WHY}, and these two are no whole explore steps of one update each"
            return [Change(key, flat.pop(key), (), why, True) for key in own]
        cell = flat[own[0]]
        done = [Change(key, flat.pop(key), (BOTH,), "called sync_interval there") for key in own]
        for key, value in found.items():
            held = flat.get(key, cell)
            if key not in flat or held.value != value:
                flat[key] = with_value(held, value)
                done.append(Change(key, flat[key], (key,), f"{WHY}: an explore step is one update (form A)"))
        return done
