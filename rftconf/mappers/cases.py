"""A shape for one word of the plan that several keys tell together: each case lists their values and what they mean."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field
from typing import Any

from rftconf.base.errors import RefusedError
from rftconf.base.ledger import State
from rftconf.base.record import record
from rftconf.base.symbols import Expr, formula
from rftconf.mappers.context import ReadContext, WriteContext
from rftconf.mappers.shapes import leave_open, lose_known, settle_known


@record
class Case:
    """Values of `keys` that mean values of `fields`. `narrows`: keys as which no other framework can do, with why.

    A case that narrows is read alone: the same fields are written as another case has them.
    """

    keys: Mapping[str, Any]
    fields: Mapping[str, Any]
    narrows: Mapping[str, str] = field(default_factory=dict)


@record
class Cases:
    """A word of the plan by its cases, of which the first that fits counts; the first field leads, others follow from it.

    `what` names the word in sentences, and `title` the framework. `overrules`: keys that tell the same as another one and
    count where the release has them. `always`: the first key is written also where it is the default. `refuses`: the choices
    that are offered where a plan's word has no case; without any it is asked for. `nearest`: the word that stands for one
    without a case, with what differs.
    """

    title: str
    what: str
    cases: tuple[Case, ...]
    overrules: Mapping[str, str] = field(default_factory=dict)
    refuses: tuple[str, ...] = ()
    always: bool = False
    nearest: Mapping[str, tuple[str, str]] = field(default_factory=dict)

    @property
    def natives(self) -> tuple[str, ...]:
        """Return the keys of all cases, with those that overrule them."""
        keys = dict.fromkeys(key for case in self.cases for key in case.keys)
        return (*keys, *(self.overrules[key] for key in keys if key in self.overrules))

    @property
    def plans(self) -> tuple[str, ...]:
        """Return the fields of all cases, the leading one first."""
        return tuple(dict.fromkeys(path for case in self.cases for path in case.fields))

    def read(self, r: ReadContext) -> None:
        """Set the fields as the first case that fits has them; they hang on a value that nobody told where it decides."""
        values = {key: self._value(r, key) for case in self.cases for key in case.keys}
        fits = [case for case in self.cases if all(_fits(values[key], value) for key, value in case.keys.items())]
        first = next(iter(self.cases[0].keys))
        keys = fits[0].keys if fits else (first,)
        unknown = [values[key] for key in keys if isinstance(values[key], Expr)]
        for path in self.plans:
            value = fits[0].fields.get(path) if fits else values[first] if path == self.plans[0] else None
            r.set(path, unknown[0] if unknown else value, *self._named(r, keys))
        if not fits or unknown:
            return
        idle = f"no effect while {first} is {formula(values[first])}"
        r.inactive.update({key: idle for key in self._named(r, tuple(values)) if key not in self._named(r, keys)})
        for key, why in fits[0].narrows.items():
            r.narrowed[key] = why
            r.beyond[key] = r.native(key)
            if not r.written(key):
                r.note(f"{key}={formula(r.native(key))}, the default: {why}")

    def _value(self, r: ReadContext, key: str) -> Any:
        own = r.native(key)
        return r.native(self.overrules[key], own) if key in self.overrules else own

    def _named(self, r: ReadContext, keys: Any) -> tuple[str, ...]:
        """The keys, with those that overrule them where the release has these."""
        others = (self.overrules[key] for key in keys if key in self.overrules)
        return (*keys, *(key for key in others if r.source.knows(key)))

    def write(self, w: WriteContext) -> None:
        """Write the keys of the case that has the plan's word, and most of its other fields. Raises RefusedError."""
        lead, word = self.plans[0], w.plan(self.plans[0])
        first = next(iter(self.cases[0].keys))
        if isinstance(word, Expr):
            leave_open(w, first, f"the {self.what} depends on a value the source does not tell", *self._known(w))
            return
        if word is None:
            return
        word, differs = self.nearest.get(word, (word, ""))
        mine = [case for case in self.cases if case.fields.get(lead) == word and not case.narrows]
        if not mine:
            self._lack(w, first, word)
            return
        case = max(mine, key=lambda case: sum(w.plan(path) == value for path, value in case.fields.items()))
        state = State.NARROWED if differs else State.EXACT
        for key, value in case.keys.items():
            leads = key == first
            w.put(key, value, *([lead] if leads else []), always=self.always and leads, state=state, note=differs)
        for path in self.plans[1:]:
            other = f"it is part of {first}={formula(case.keys[first])} here, and not {formula(w.plan(path))}"
            settle_known(w, path, w.plan(path) == case.fields.get(path), f"part of the {self.what}", other)

    def _known(self, w: WriteContext) -> list[str]:
        return [path for path in self.plans if w.plan(path) is not None]

    def _lack(self, w: WriteContext, first: str, word: Any) -> None:
        """A word without a case: kept in the framework's own files, else refused or asked for."""
        if w.same_framework:
            w.put(first, word, self.plans[0], always=True)
            return
        own = dict.fromkeys(str(case.fields[self.plans[0]]) for case in self.cases)
        sentence = f"the source's {self.what} is {formula(word)}; {self.title} has {', '.join(own)}"
        if self.refuses:
            raise RefusedError(sentence, choices=self.refuses)
        leave_open(w, first, sentence, self.plans[0], state=State.NO_COUNTERPART)
        lose_known(w, State.UNRESOLVED, f"the {self.what} that is named here decides", *self.plans[1:])


def _fits(value: Any, choice: Any) -> bool:
    """True for the value of a case, or one that nobody told; a switch that is not there is off."""
    return isinstance(value, Expr) or value == choice or (value is None and choice is False)
