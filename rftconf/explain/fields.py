"""Native keys and the plan fields they stand for: read off the tables, one framework and kind of run at a time."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from fnmatch import fnmatchcase
from functools import cache

from rftconf.base.symbols import Var
from rftconf.lint.counterparts import pairs
from rftconf.load.effective import effective
from rftconf.mappers.codecs import Same, counts, off_as, words
from rftconf.mappers.native import Cell, Native
from rftconf.mappers.paths import without_indices
from rftconf.mappers.reading import Reading
from rftconf.mappers.rows import Each, Fixed, Fold, Row, Table, natives_of, plans_of
from rftconf.mappers.tables import table_of
from rftconf.plan.index import fields, unit_of
from rftconf.report.values import render_value
from rftconf.schemas import catalogue, registry
from rftconf.schemas.catalogue import Key
from rftconf.schemas.guess import Guess


@dataclass(frozen=True, slots=True)
class FieldSupport:
    """The counterpart of one plan field in one framework.

    `state`: `exact` (the same value, or a word for each word), `derived` (converted, or together with other keys),
    `fixed` (its code decides) or `none` (no counterpart). `how` is the sentence for it, `formula` what the field is in
    the framework's keys, where that is arithmetic; `when` says what holds
    where the key does not act.
    """

    framework: str
    field: str
    state: str
    keys: tuple[str, ...] = ()
    how: str = ""
    formula: str = ""
    when: str = ""
    words: tuple[tuple[str, str], ...] = ()
    """Native words and the plan's, where values are names."""


@cache
def keys_by_field(framework: str, kind: str = "") -> Mapping[str, tuple[str, ...]]:
    """Plan field to the native keys that stand for it; for a fold those that it named when read."""
    keys: dict[str, list[str]] = {}
    origins = _origins(framework, kind)
    for entry in table_of(framework, kind).rows:
        natives = natives_of(entry)
        for index, plan in enumerate(plans_of(entry)):
            named = [key for key in origins.get(plan, ()) if key in natives] or list(natives)
            if not isinstance(entry, Fold):
                named = list(natives[index : index + 1])
            keys.setdefault(plan, []).extend(name for name in named if name not in keys.get(plan, []))
    return {plan: tuple(names) for plan, names in keys.items()}


@cache
def fields_by_key(framework: str, kind: str = "") -> Mapping[str, tuple[str, ...]]:
    """Native key to the plan fields it stands for, without `stage.`."""
    plans_by_key: dict[str, list[str]] = {}
    for plan, natives in keys_by_field(framework, kind).items():
        for native in natives:
            plans_by_key.setdefault(native, []).append(plan.removeprefix("stage."))
    for entry in table_of(framework, kind).rows:  # keys that a fold reads beside those it names
        for native in natives_of(entry):
            plans_by_key.setdefault(native, [path.removeprefix("stage.") for path in plans_of(entry)])
    return {key: tuple(plans) for key, plans in plans_by_key.items()}


def named_fields(framework: str, key: str) -> tuple[str, ...]:
    """The plan fields (without `stage.`) of which reading says that they come from `key`; the others a fold shares out."""
    owned = {
        plan
        for row in _flat(table_of(framework))
        if isinstance(row, Row) and row.native == key
        for plan in plans_of(row)
    }
    named = {path for path, keys in _origins(framework).items() if key in keys}
    main = {plan for native, plan in pairs(framework) if native == key}
    return tuple(path.removeprefix("stage.") for path in fields() if path in owned | named | main)


def fields_at(plans: Mapping[str, tuple[str, ...]], key: str) -> tuple[str, ...]:
    """The plan fields of `key`, of the mapping that it stands in, or of a pattern that fits it."""
    if key in plans:
        return plans[key]
    above = [name for name in plans if key.startswith(f"{name}.") or ("*" in name and fnmatchcase(key, name))]
    return plans[max(above, key=len)] if above else ()


@cache
def _origins(framework: str, kind: str = "") -> Mapping[str, tuple[str, ...]]:
    """Plan field to the native keys of its origin, in configs that leave everything else to the newest release.

    Keys of the usual trainer come first.
    """
    known, table = registry.framework(framework), table_of(framework, kind)
    origins: dict[str, tuple[str, ...]] = {}
    for trainer in known.trainers:
        bare = effective(Guess(framework, known.newest, trainer, (), certain=True), {}).native
        for native in (_with_items(table, bare), bare):
            reading = Reading(table, native)
            reading.read_all()
            for path, origin in reading.origins.items():
                plain = without_indices(path)
                keys = (*origins.get(plain, ()), *map(without_indices, origin.keys))
                origins[plain] = tuple(dict.fromkeys(keys))
    return origins


def _with_items(table: Table, bare: Native) -> Native:
    """The config with one item in every list that folds read, and names for data that a bare config does not give."""
    known = catalogue.load(bare.framework, None, bare.trainer)
    cells, added = dict(bare.cells), dict[str, int]()
    for fold in (row for row in table.rows if isinstance(row, Fold)):
        of_items = any("[]" in path for path in fold.plans)
        for key in fold.natives:
            if "[]" in key or (of_items and _may_name(known.get(key)) and key in cells and cells[key].value is None):
                name = key.replace("[]", "[0]")
                cells[name], added[name] = Cell(Var(key)), len(bare.defaults.at) + len(added)
    return replace(bare, cells=cells, added=added, named=())


def _may_name(key: Key | None) -> bool:
    return key is not None and key.type.startswith(("str", "any", "list"))


def rows_of_key(table: Table, key: str) -> tuple[Row | Fold, ...]:
    """The rows and folds that speak for a native key, those of items of lists under their whole names."""
    return tuple(row for row in _flat(table) if key in natives_of(row))


def _flat(table: Table) -> Iterable[Row | Fold]:
    for entry in table.rows:
        if isinstance(entry, Each):
            for native, plan, item in zip(natives_of(entry), plans_of(entry), entry.rows, strict=True):
                yield Row(native, plan, item.codec, item.why, item.when)
        elif not isinstance(entry, Fixed):
            yield entry


def field_support(framework: str, path: str, kind: str = "") -> FieldSupport:
    """Return `framework`'s counterpart of the plan field at `path` (whole, with `stage.`)."""
    from rftconf.explain.formulas import formula_of

    table = table_of(framework, kind)
    keys, short = keys_by_field(framework, kind).get(path, ()), path.removeprefix("stage.")
    owners = [row for row in _flat(table) if path in plans_of(row)]
    if keys and owners:
        main = next((row for row in owners if isinstance(row, Fold) or not (row.alias or row.read_only)), owners[0])
        formula = formula_of(framework, path, main, kind)
        state, how, named = _how(main, formula)
        when = main.when.otherwise if isinstance(main, Row) and main.when else ""
        return FieldSupport(
            framework, short, state, _telling_first(framework, path, keys, formula), how, formula, when, named
        )
    fixed = next((entry for entry in table.rows if isinstance(entry, Fixed) and entry.plan == path), None)
    if fixed is not None:
        value = "" if callable(fixed.value) else f"always {render_value(fixed.value)}: "
        return FieldSupport(framework, short, "fixed", how=f"{value}{fixed.why}")
    lacking = next((c for c in table.cannot if fnmatchcase(path, c.plan)), None)
    return FieldSupport(framework, short, "none", how=lacking.why if lacking else "its table has no row for it")


def _telling_first(framework: str, path: str, keys: tuple[str, ...], formula: str) -> tuple[str, ...]:
    """The key that people look for, then those of the formula, then the rest."""
    main = [native for native, plan in pairs(framework) if plan == path][:1]
    spoken = {key for row in table_of(framework).rows for key in natives_of(row) if path in plans_of(row)}
    named = [key for key in sorted(spoken, key=lambda key: (formula.find(key), key)) if key in formula.split()]
    return tuple(dict.fromkeys([*(key for key in main if key in spoken), *named, *keys]))


def _how(row: Row | Fold, formula: str) -> tuple[str, str, tuple[tuple[str, str], ...]]:
    """State, sentence and words of the row that owns a plan field."""
    if isinstance(row, Fold):
        return "derived", row.why, ()
    codec = row.codec
    if isinstance(codec, words):
        return (
            "exact",
            row.why,
            tuple((render_value(native), render_value(plan)) for native, plan in codec.table.items()),
        )
    if isinstance(codec, (Same, off_as)) or (isinstance(codec, counts) and codec.unit is unit_of(row.plan)):
        return "exact", row.why, ()
    text = " ".join((type(codec).__doc__ or "").split())
    return "derived", row.why if formula or not text else f"{text.rstrip('.')} ({row.why})", ()
