"""Reads native keys into plan fields. Rows are run on demand, so their order in a table is free."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from functools import lru_cache
from itertools import islice
from typing import Any, ClassVar, Literal

from rftconf.base.errors import RefusedError
from rftconf.base.symbols import formula, is_symbolic
from rftconf.mappers.codecs import same
from rftconf.mappers.context import When
from rftconf.mappers.facts import Facts
from rftconf.mappers.native import Native
from rftconf.mappers.outcomes import UNSET
from rftconf.mappers.paths import counts, without_indices
from rftconf.mappers.rows import Each, Fixed, Fold, Row, Table, natives_of
from rftconf.mappers.supposing import may_hold, put_to_sleep
from rftconf.mappers.traced import Traced
from rftconf.mappers.value_errors import STUMBLES, Spot, ValueFinding, leave_unread, report_unfit, spot_of
from rftconf.plan.fitting import UNFIT, fit
from rftconf.plan.index import surely_valid, unit_of
from rftconf.plan.origin import Kind, Origin
from rftconf.plan.units import Rates, Unit
from rftconf.schemas import registry
from rftconf.text.document import Leaf


@dataclass(slots=True)
class Reading:
    """One pass over a native config. Rows call `native`, `plan` and `set`."""

    writes: ClassVar[Literal[False]] = False
    """Tells a reading from a writing."""

    table: Table
    source: Native
    values: dict[str, Any] = field(default_factory=dict)
    origins: dict[str, Origin] = field(default_factory=dict)
    notes: list[str] = field(default_factory=list)
    inactive: dict[str, str] = field(default_factory=dict)
    """Native key to the sentence why it does nothing in this config."""
    requirements: set[str] = field(default_factory=set)
    """Native keys without which the framework's own checks stop, also where they do nothing else."""
    waits_for: dict[str, When] = field(default_factory=dict)
    """Native key to the condition that does not hold, of the keys that do nothing because of one."""
    narrowed: dict[str, str] = field(default_factory=dict)
    """Native key to the sentence why no other framework can do as it says."""
    beyond: dict[str, Any] = field(default_factory=dict)
    """Native key to its value, of keys that rows read and whose whole meaning no plan field has: the plan's extensions."""
    count_rows: Callable[[Sequence[Any]], int | None] = lambda _: None
    """Counts the rows of data files; the caller knows whether any are here."""
    facts: Facts = field(default_factory=Facts)
    same_framework: bool = True
    set_aside: Mapping[Spot, ValueFinding] = field(default_factory=dict)
    """What earlier readings of this stage found about values, by where they stand."""
    value_errors: list[ValueFinding] = field(default_factory=list)
    """What this reading found about values."""
    unread_rows: dict[int, str] = field(default_factory=dict)
    """Rows that could not be read, because of values that nobody told, and why; they give no plan values."""
    refusals: list[RefusedError] = field(default_factory=list)
    """What rows refuse about this run as a whole."""
    lacks: bool = False
    """True when the row that is being read asked for plan values of an unread row."""
    as_written: bool = False
    """True where plan fields keep values that they do not take."""
    last: bool = False
    """True where the stage is not read again, whatever rows stumble over."""
    _started: set[int] = field(default_factory=set)
    _items: dict[str, int] = field(default_factory=dict)
    """How many items each list has in the first values, as many as were counted."""
    _counted: int = 0
    _open: bool | None = None
    _trace: list[str] | None = None
    """Native keys that a row looked at, while it is read a second time to learn why it stumbled."""

    @property
    def open(self) -> bool:
        """True where some value is not known: one that the file leaves open, or a default of a config that is not here."""
        if self._open is None:
            self._open = any(is_symbolic(cell.value) for cell in self.source.cells.values())
        return self._open

    @property
    def framework(self) -> str:
        """Return the source's framework."""
        return self.source.framework

    @property
    def release(self) -> str:
        """Return the source's release."""
        return self.source.release

    @property
    def trainer(self) -> str:
        """The source's trainer variant (`fsdp`, `megatron`)."""
        return self.source.trainer

    @property
    def backend(self) -> str:
        """The back end that trains: of a recipe, the trainer it stands on."""
        return registry.framework(self.framework).backend(self.source.trainer)

    def since(self, release: str) -> bool:
        """True when the source's release is `release` or newer."""
        return registry.at_least(self.framework, self.source.release, release)

    def native(self, key: str, otherwise: Any = None) -> Any:
        """The effective native value."""
        return self.source.value(key, otherwise)

    effective = native

    def written(self, key: str) -> bool:
        """True when the file itself sets the key."""
        return self.source.written(key)

    def plan(self, path: str) -> Any:
        """The plan value at `path`, reading its rows first if need be."""
        started = self._started
        for index in self.table.feeding.get(without_indices(path), ()):
            if index not in started:
                self._run(index)
            if index in self.unread_rows:
                self.lacks = True
        if self._trace is not None and path in self.origins:
            self._trace.extend(reversed(self.origins[path].keys))
        return self.values.get(path)

    def items(self, path: str) -> int:
        """Return the number of items that the plan list at `path` has so far."""
        for index in self.table.feeding_items.get(path, ()):
            if index not in self._started:
                self._run(index)
        for list_path, most in counts(islice(self.values, self._counted, None)).items():
            self._items[list_path] = max(most, self._items.get(list_path, 0))
        self._counted = len(self.values)
        return self._items.get(path, 0)

    def rows(self) -> int | None:
        """Rows of the training set: as told, else from the footers of local parquet files, cut to what is used."""
        if not self.facts.rows_asked:
            uris = [self.values.get(f"stage.data.train[{i}].uri") for i in range(self.items("stage.data.train"))]
            count = self.count_rows(uris)
            if count is not None:
                self.note(f"{count} training rows, counted in {', '.join(map(str, uris))}")
            self.facts.rows, self.facts.rows_asked = count, True
        most = self.values.get("stage.data.train_max_samples")
        count = self.facts.rows
        return min(count, most) if isinstance(count, int) and isinstance(most, int) else count

    def convert(self, value: Any, source: Unit, target: Unit) -> Any:
        """`value` from one unit to another by this run's own arithmetic."""
        if source is target:
            return value
        return Rates({unit: self.table.worth(self, unit) for unit in (source, target)}).convert(value, source, target)

    def set(self, path: str, value: Any, *keys: str, how: str = "", kind: Kind | None = None) -> None:
        """Store a plan value with its origin; `keys` are the native keys it came from."""
        self.values[path] = self._fitted(path, value, keys)
        if kind is None:
            kind = Kind.DEFAULT if self.source.nothing_written(keys) else Kind.WRITTEN
        self.origins[path] = Origin(kind, keys, how)

    def take_back(self, path: str) -> None:
        """Forget a plan value that another row read."""
        self.values.pop(path, None)
        self.origins.pop(path, None)
        self._items, self._counted = {}, 0

    def is_set_aside(self, leaf: Leaf) -> bool:
        """True for a value that an earlier reading found unusable."""
        return spot_of(leaf) in self.set_aside

    def why_unread(self, key: str) -> str:
        """Explain why a written key is not in the plan, though a row reads such keys; empty where it is."""
        plain = without_indices(key)
        rows = (why for index, why in self.unread_rows.items() if plain in natives_of(self.table.rows[index]))
        why = next(rows, "")
        return "" if why and any(key in origin.keys for origin in self.origins.values()) else why

    def note(self, sentence: str) -> None:
        """Something a person should know about this config."""
        self.notes += [sentence] if sentence not in self.notes else []

    def read_all(self) -> None:
        """Run every row that has not run yet."""
        for index in range(len(self.table.rows)):
            if index not in self._started:
                self._run(index)

    def finish(self) -> None:
        """Take the values for all there is: no row runs any more."""
        self._started.update(range(len(self.table.rows)))

    def _run(self, index: int) -> None:
        """Run a row that has not started. One that asks for itself, through others, finds what it has so far."""
        self._started.add(index)
        outer, self.lacks = self.lacks, False
        try:
            self._read(self.table.rows[index])
        except RefusedError as refusal:
            self.refusals.append(refusal)
        except STUMBLES as error:
            leave_unread(self, index, error)
        self.lacks = outer

    def _read(self, row: Row | Fold | Each | Fixed) -> None:
        if isinstance(row, Row):
            self._read_row(row)
        elif isinstance(row, Fold):
            if row.when is None or row.when.test(self):
                row.read(self)
        elif isinstance(row, Each):
            self._read_each(row)
        else:
            value = row.value(self) if callable(row.value) else row.value
            self.values[row.plan] = value
            self.origins[row.plan] = Origin(Kind.DEFAULT, (), row.why)

    def look_again(self, index: int) -> list[str]:
        """Read a row that stumbles a second time, and list the keys that it looks at until it does."""
        row, source = self.table.rows[index], self.source
        self._trace = list(natives_of(row))
        self.source = Traced(source, self._trace)
        with suppress(*STUMBLES):
            self._read(row)
        looked_at = self._trace
        self.source, self._trace = source, None
        return looked_at

    def _read_row(self, row: Row) -> None:
        if row.when is not None and not may_hold(row.when, self):
            put_to_sleep(self, row.when, row.native)
            self.values.setdefault(row.plan, None)
            return
        if row.alias and self.values.get(row.plan) is not None and not self._says(row):
            return
        self._store(row, row.native, row.plan)

    def _says(self, row: Row) -> bool:
        """True when the file sets an alias to something: a null there leaves the other key alone."""
        return self.written(row.native) and row.codec.get(self.native(row.native), self, unit_of(row.plan)) is not None

    def _read_each(self, each: Each) -> None:
        for index in range(self.source.count(each.native)):
            for row in each.rows:
                self._store(row, f"{each.native}[{index}].{row.native}", f"{each.plan}[{index}].{row.plan}")

    def _store(self, row: Row, native: str, plan: str) -> None:
        written = self.source.written(native)
        if not written and row.fallbacks:
            native = next((key for key in row.fallbacks if self.source.value(key) is not None), native)
            written = self.source.written(native)
        if row.default is not UNSET and not written:
            value = row.default(self) if callable(row.default) else row.default
        elif row.absent is not UNSET and not self.source.knows(native) and not self.source.branch(native):
            value = row.absent
        else:
            value = self.source.value(native)
            if row.codec is same and row.default is UNSET:  # half of all rows
                self.values[plan] = self._fitted(plan, value, (native,))
                self.origins[plan] = _origin(native, written)
                return
        try:
            known = row.codec.get(value, self, unit_of(plan if plan is row.plan else without_indices(plan)))
        except KeyError as missing:
            self.note(f"{native}={formula(value)}: not counted, {missing.args[0]} is not known")
            known = None
        followed = getattr(row.default, "key", None) if not written and row.default is not UNSET else None
        self.set(plan, known, *((native, followed) if followed else (native,)))

    def _fitted(self, path: str, value: Any, keys: tuple[str, ...]) -> Any:
        """The value as its plan field takes it; what the field does not take is nothing, and says so."""
        plain = without_indices(path)
        if value is None or surely_valid(plain, value):
            return value
        fitted = fit(plain, value)
        if fitted is not UNFIT:
            return fitted
        finding = report_unfit(self, plain, value, keys)
        if finding is not None:
            self.value_errors.append(finding)
        return value if self.as_written else None


@lru_cache(maxsize=20_000)
def _origin(native: str, written: bool) -> Origin:
    """Return the origin of a value that is one key's, as it is; the next file has most of these origins too."""
    return Origin(Kind.WRITTEN if written else Kind.DEFAULT, (native,))
