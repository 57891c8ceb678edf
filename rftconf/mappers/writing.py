"""Writes plan fields as native keys. Every plan value ends in an outcome; nothing is dropped without one."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from fractions import Fraction
from math import ceil
from typing import Any, ClassVar, Literal

from rftconf.base.errors import UncountableError
from rftconf.base.ledger import Decision, State
from rftconf.base.symbols import MISSING, Expr, formula, is_symbolic
from rftconf.mappers.codecs import Put
from rftconf.mappers.facts import Facts
from rftconf.mappers.outcomes import UNSET, Out, Outcome, joined
from rftconf.mappers.paths import without_indices
from rftconf.mappers.rows import Each, Fixed, Fold, Row, Table
from rftconf.mappers.shapes import leave_to_default
from rftconf.mappers.supposing import may_hold
from rftconf.mappers.value_errors import STUMBLES
from rftconf.plan.index import unit_of
from rftconf.plan.origin import Kind, Origin
from rftconf.plan.units import Rates, Unit
from rftconf.schemas.registry import at_least, framework


def _no_default(key: str) -> Any:
    """Stands in until a catalogue is given."""
    del key


@dataclass(slots=True)
class Writing:
    """One pass over a plan. Rows call `plan`, `put` and `lose`."""

    writes: ClassVar[Literal[True]] = True
    """Tells a writing from a reading."""

    table: Table
    framework: str
    release: str
    trainer: str
    values: dict[str, Any]
    origins: dict[str, Origin]
    same_framework: bool = False
    defaults: Callable[[str], Any] = _no_default
    knows: Callable[[str], bool] = bool
    """Whether the target's newest catalogue has a key."""
    decisions: list[Decision] = field(default_factory=list)
    out: dict[str, Out] = field(default_factory=dict)
    outcomes: dict[str, Outcome] = field(default_factory=dict)
    entries: dict[str, dict[str, Outcome]] = field(default_factory=dict)
    """Plan path of a mapping to what became of each of its entries, where they went different ways."""
    notes: list[str] = field(default_factory=list)
    facts: Facts = field(default_factory=Facts)
    asleep: dict[str, str] = field(default_factory=dict)
    """Plan paths whose row is switched off in this target, with the reason."""
    inert: set[str] = field(default_factory=set)
    """Native keys whose rows are switched off in this target."""
    _open: bool | None = None

    @property
    def open(self) -> bool:
        """True where the source leaves some value of the plan open."""
        if self._open is None:
            self._open = any(map(is_symbolic, self.values.values()))
        return self._open

    @property
    def backend(self) -> str:
        """The back end that trains: of a recipe, the trainer it stands on."""
        return framework(self.framework).backend(self.trainer)

    def model_beside(self, prefix: str) -> str:
        """A model beside the policy in words, by its role where its path is not told; its paths in the plan begin with `prefix`."""
        path = self.plan(f"{prefix}path")
        return f"the {self.plan(f'{prefix}role')} model" if path is None else formula(path)

    def since(self, release: str) -> bool:
        """True when the target's release is `release` or newer."""
        return at_least(self.framework, self.release, release)

    def plan(self, path: str) -> Any:
        """The plan value at `path`, or None."""
        return self.values.get(path)

    def items(self, path: str) -> int:
        """Return the number of items in the plan list at `path`."""
        prefix = f"{path}["
        return max((int(k[len(prefix) :].split("]")[0]) + 1 for k in self.values if k.startswith(prefix)), default=0)

    def convert(self, value: Any, source: Unit, target: Unit) -> Any:
        """`value` from one unit to another by the plan's arithmetic and the target's own counters."""
        if source is target:
            return value
        return Rates({unit: self.table.worth(self, unit) for unit in (source, target)}).convert(value, source, target)

    def effective(self, key: str) -> Any:
        """The target's value of `key` as written so far, or its default."""
        return self.out[key].value if key in self.out else self.defaults(key)

    def names(self, path: str) -> str:
        """The source keys a plan value came from, for comments."""
        origin = self.origins.get(path)
        return " x ".join(origin.keys) if origin is not None and origin.keys else path

    def chosen(self, path: str) -> bool:
        """True when the resolver chose the value."""
        origin = self.origins.get(path)
        return origin is not None and origin.kind is Kind.CHOSEN

    def decide(self, key: str, why: str, *choices: str, leads: bool = False) -> None:
        """Put a question to the person; one about the loss or the estimator leads."""
        self.decisions.append(Decision(key, why, choices, leads=leads))

    def put(
        self,
        key: str,
        value: Any,
        *plans: str,
        state: State | None = None,
        note: str = "",
        how: str = "",
        entry: str = "",
        **more: Any,
    ) -> None:
        """Write a native key that stands for `plans`, or for one `entry` of them. `more`: `always`, `chosen`, `default`, `null`.

        Without a `state` the value is exact, or narrowed where a `note` says what is lost. No key takes a fraction: a count
        that is not whole is rounded up, and that is said.
        """
        state = state or (State.NARROWED if note else State.EXACT)
        if isinstance(value, Fraction):
            rounded = max(1, ceil(value))
            note = "; ".join(filter(None, (note, f"{float(value):g} is no whole number; wrote {rounded}")))
            value, state = rounded, State.ROUNDED
        self.out[key] = Out(value, plans, state, note, how, **more)
        for plan in plans:
            self._settle(plan, Outcome(state, (key,), note), entry)

    def lose(self, plan: str, state: State, note: str, entry: str = "") -> None:
        """Record that a plan value, or one `entry` of it, has no place in the target."""
        self._settle(plan, Outcome(state, (), note), entry)

    def note(self, sentence: str) -> None:
        """Something a person should know about the conversion."""
        if sentence not in self.notes:
            self.notes.append(sentence)

    def write_all(self) -> None:
        """Run every row, then settle what no row spoke for."""
        for row in self.table.rows:
            if isinstance(row, Row):
                self._write_row(row, row.native, row.plan)
            elif isinstance(row, Fold):
                self._write_fold(row)
            elif isinstance(row, Each):
                for index in range(self.items(row.plan)):
                    for item in row.rows:
                        self._write_row(
                            item, f"{row.native}[{index}].{item.native}", f"{row.plan}[{index}].{item.plan}"
                        )
            elif isinstance(row, Fixed):
                self._write_fixed(row)
        if self.table.completes is not None and not self.same_framework:
            self.table.completes(self)
        for path, value in self.values.items():
            if path in self.outcomes or value is None:
                continue
            if path in self.asleep:
                self.lose(path, State.DEAD_IN_TARGET, self.asleep[path])
            else:
                self._settle_without_row(path, value)

    def _write_fold(self, row: Fold) -> None:
        try:
            if row.when is None or row.when.test(self):
                row.write(self)
        except UncountableError as missing:
            self._leave_unwritten(row, f"cannot be counted: {missing.args[0]} is not known")
        except STUMBLES:
            asks = any(written.value == MISSING for written in self.out.values())
            if not self.facts.open and not self.open and not asks:
                raise
            self._leave_unwritten(row, "cannot be written while other values are open")

    def _leave_unwritten(self, row: Fold, why: str) -> None:
        for plan in row.plans:
            value = self.values.get(plan)
            if value is not None and plan not in self.outcomes:
                self.lose(plan, State.UNRESOLVED, f"{formula(value)} {why}")

    def _write_row(self, row: Row, native: str, plan: str) -> None:
        if plan not in self.values or row.read_only:
            return
        if row.when is not None and not may_hold(row.when, self):
            self.inert.add(native)
            mirrors = row.mirror if isinstance(row.mirror, bool) else may_hold(row.mirror, self)
            if not (mirrors and self.knows(native)):
                self.asleep.setdefault(plan, row.when.otherwise)
                return
        value = self.values[plan]
        try:
            put = row.codec.put(value, self, unit_of(without_indices(plan)))
        except KeyError as missing:
            put = Put("???", State.UNRESOLVED, f"{formula(value)} cannot be counted: {missing.args[0]} is not known")
        if put.state is State.NO_COUNTERPART:
            if not row.alias:
                leave_to_default(self, native, plan, put.note)
            return
        if value is None and put.value is None:
            self.lose(plan, State.DEFAULT, "not set")
            if native in self.out:
                return  # another row wrote what is to stand there
        more = {"always": row.always, "default": row.default}
        self.put(native, put.value, plan, state=put.state, note=put.note, how=put.how, **more)

    def _write_fixed(self, row: Fixed) -> None:
        value = self.values.get(row.plan)
        if value is None:
            return
        mine = row.value(self) if callable(row.value) else row.value
        if value == mine:
            self.lose(row.plan, State.DEFAULT, row.why)
            return
        if isinstance(mine, Expr):
            # the key that decides is asked for: that one is open, and this follows from it
            self.lose(row.plan, State.NARROWED, f"{row.why}; here it follows from a value that is left to you")
            return
        self.lose(row.plan, State.NARROWED, f"{row.why} (here {formula(mine)}, the source {formula(value)})")

    def _settle_without_row(self, path: str, value: Any) -> None:
        plain = without_indices(path)
        lack = self.table.without_row(plain)
        if lack is None:
            self.lose(path, State.NO_COUNTERPART, "no control for this here")
            return
        behaves = lack.behaves(self, path) if callable(lack.behaves) else lack.behaves
        same = behaves is not UNSET and value == behaves
        self.lose(path, State.DEFAULT if same else State.NO_COUNTERPART, lack.why)

    def _settle(self, plan: str, outcome: Outcome, entry: str = "") -> None:
        self.outcomes[plan] = joined(self.outcomes.get(plan), outcome)
        if entry:
            ends = self.entries.setdefault(plan, {})
            ends[entry] = joined(ends.get(entry), outcome)
