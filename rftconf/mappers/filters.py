"""Filters of groups of answers, for frameworks that have one."""

from __future__ import annotations

from collections.abc import Callable

from rftconf.base.ledger import State
from rftconf.base.record import record
from rftconf.mappers.context import ReadContext, WriteContext
from rftconf.mappers.shapes import known_below, lose_known

BLOCK = "stage.algorithm.filters"
NAMES = ("kind", "metric", "action", "threshold", "max_in_flight_rollouts")


def first_filter(w: WriteContext, acts: Callable[[str], bool], otherwise: str) -> str | None:
    """Return the prefix of the filter that a framework with one filter has, if that `acts`; all others are lost."""
    first = None
    for index in range(w.items(BLOCK)):
        prefix = f"{BLOCK}[{index}]."
        if index == 0 and acts(prefix):
            first = prefix
        else:
            lose_known(w, State.NO_COUNTERPART, otherwise, *known_below(w, prefix))
    return first


@record
class EqualGroups:
    """A switch with which groups of equal rewards are dropped and other prompts are drawn; `more`: keys that hang on it.

    `title` is how sentences call the framework.
    """

    title: str
    switch: str
    more: tuple[str, ...] = ()

    @property
    def natives(self) -> tuple[str, ...]:
        """Return the switch."""
        return (self.switch,)

    @property
    def plans(self) -> tuple[str, ...]:
        """Return the fields of a filter."""
        return tuple(f"{BLOCK}[].{name}" for name in NAMES)

    def read(self, r: ReadContext) -> None:
        """Set one filter where the switch is on."""
        on = r.native(self.switch)
        if not on:
            r.inactive.update(dict.fromkeys(self.more, f"{self.switch} is off"))
            return
        for name, word in (("kind", "zero_std"), ("metric", "score"), ("action", "refill")):
            r.set(f"{BLOCK}[0].{name}", word, self.switch)

    def write(self, w: WriteContext) -> None:
        """Switch it on for such a filter."""
        only = f"{self.title} drops groups of equal rewards and draws others; nothing else"
        prefix = first_filter(
            w, lambda path: (w.plan(path + "kind"), w.plan(path + "action")) == ("zero_std", "refill"), only
        )
        if prefix is None:
            return
        w.put(self.switch, True, prefix + "kind", prefix + "action", always=True)
        score = w.plan(prefix + "metric") == "score"
        lose_known(w, State.DEFAULT if score else State.NARROWED, "the reward counts", prefix + "metric")
        lose_known(
            w,
            State.NARROWED,
            f"{self.title} has no such bound",
            prefix + "threshold",
            prefix + "max_in_flight_rollouts",
        )
