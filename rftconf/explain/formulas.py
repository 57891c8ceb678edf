"""A plan field's formula in a framework's own keys, which is found by running its row on names instead of numbers."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Any

from rftconf.base.errors import RftconfError
from rftconf.base.symbols import Expr, Var, formula, names_in
from rftconf.load.effective import effective
from rftconf.mappers.native import Native
from rftconf.mappers.reading import Reading
from rftconf.mappers.rows import Fold, Row, Table, plans_of
from rftconf.mappers.tables import table_of
from rftconf.plan.index import unit_of
from rftconf.schemas import registry
from rftconf.schemas.guess import Guess

_NAMED = {
    "stage.batch.prompts_per_rollout": "prompts_per_rollout",
    "stage.batch.responses_per_prompt": "responses_per_prompt",
    "stage.batch.sequences_per_update": "sequences_per_update",
    "stage.batch.passes": "passes",
    "stage.placement.actor.gpus": "trainer_gpus",
    "stage.placement.actor.sp": "sp",
}
"""Plan fields that what a number is worth depends on, and how a formula calls them."""


@dataclass(slots=True)
class _OnNames(Reading):
    """A reading in which the fields that others are counted in are names, except those in `own`."""

    own: frozenset[str] = frozenset()

    def plan(self, path: str) -> Any:
        """A name for a field of `_NAMED`, else the value."""
        if path in _NAMED and path not in self.own:
            return Var(_NAMED[path])
        return Reading.plan(self, path)


def formula_of(framework: str, path: str, row: Row | Fold, kind: str = "") -> str:
    """The field at `path` as arithmetic over the row's native keys; empty where it is none, or a row's key as it stands."""
    if isinstance(row, Row):
        alone = _of_row(framework, row, kind)
        return "" if alone is None or isinstance(alone, Var) else formula(alone)
    fold_formula = _of_fold(framework, path, row, row.natives, kind)
    return "" if fold_formula is None else formula(fold_formula)


def formula_with(framework: str, path: str, fold: Fold, key: str, kind: str = "") -> str:
    """The field as arithmetic over `key` alone, the fold's other keys at their defaults; empty where it is none."""
    fold_formula = _of_fold(framework, path, fold, (key,), kind)
    return (
        ""
        if fold_formula is None or isinstance(fold_formula, Var) or key not in names_in(fold_formula)
        else formula(fold_formula)
    )


def _of_row(framework: str, row: Row, kind: str) -> Expr | None:
    natives = _reading(table_of(framework, kind), _bare(framework), frozenset((row.plan,)))
    try:
        got = row.codec.get(Var(row.native), natives, unit_of(row.plan))
    except (RftconfError, LookupError, TypeError, ValueError, AttributeError):  # it needs more than a name
        return None
    return got if isinstance(got, Expr) and row.native in names_in(got) else None


def _of_fold(framework: str, path: str, fold: Fold, keys: Iterable[str], kind: str) -> Expr | None:
    if unit_of(path) is None:
        return None
    bare = _bare(framework)
    numbers = {key for key in keys if key in bare.cells and _may_be_a_number(bare.cells[key].value)}
    cells = {key: replace(cell, value=Var(key)) if key in numbers else cell for key, cell in bare.cells.items()}
    natives = _reading(table_of(framework, kind), replace(bare, cells=cells), frozenset(plans_of(fold)))
    try:
        fold.read(natives)
    except (RftconfError, LookupError, TypeError, ValueError, AttributeError):
        return None
    got = natives.values.get(path)
    return got if isinstance(got, Expr) and numbers & set(names_in(got)) else None


def _may_be_a_number(value: Any) -> bool:
    return value is None or (isinstance(value, (int, float)) and not isinstance(value, bool))


def _reading(table: Table, native: Native, own: frozenset[str]) -> _OnNames:
    return _OnNames(table, native, own=own)


@lru_cache(maxsize=8)
def _bare(framework: str) -> Native:
    known = registry.framework(framework)
    return effective(Guess(framework, known.newest, known.trainer, (), certain=True), {}).native
