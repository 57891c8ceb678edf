"""Rows write native keys with the plan values they stand for, and record what became of every plan value."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from rftconf.base.ledger import LOSSES, State


class _Unset:
    def __repr__(self) -> str:
        return "UNSET"


UNSET: Any = _Unset()
"""Stands for "not stated", where None is a legal value."""


@dataclass(slots=True)
class Out:
    """One native key to be written. `null`: it is written without a value too, against a default that has one."""

    value: Any
    plans: tuple[str, ...]
    state: State = State.EXACT
    note: str = ""
    how: str = ""
    always: bool = False
    chosen: bool = False
    default: Any = UNSET
    null: bool = False

    def usual(self, writing: Any) -> Any:
        """Return the default that its row states, for this writing; UNSET where the catalogue's holds."""
        return self.default(writing) if callable(self.default) else self.default


@dataclass(frozen=True, slots=True)
class Outcome:
    """The fate of one plan value in the target."""

    state: State
    targets: tuple[str, ...] = ()
    note: str = ""


def joined(old: Outcome | None, new: Outcome) -> Outcome:
    """Two ends of one plan value as one: all that it reached, and the worse state where either is a loss."""
    if old is None:
        return new
    order = list(State)
    lost = old.state in LOSSES or new.state in LOSSES
    worse = (max if lost else min)(old, new, key=lambda o: order.index(o.state))
    note = "; ".join(dict.fromkeys(n for n in (old.note, new.note) if n))
    return Outcome(worse.state, (*old.targets, *new.targets), note)
