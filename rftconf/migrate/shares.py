"""Counts over all ranks, which newer releases take and no longer divide: rewritten as the count per rank they read."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from typing import Any

from rftconf.base.symbols import Expr, Var, formula
from rftconf.load.load import main_stage
from rftconf.load.loaded import Loaded
from rftconf.migrate.key_changes import KeyEdit, Kind, Route
from rftconf.plan.units import Unit
from rftconf.schemas import registry, versions


def divided(want: KeyEdit, loaded: Loaded, route: Route) -> KeyEdit:
    """The change of a count over all ranks: the key per rank, with the share that the older release divided out."""
    leaf = want.leaf
    new = versions.per_rank(route.found.framework, route.to, leaf.key)
    if new is None or want.kind is not Kind.REMOVED or leaf.value is None or _is_overruled(loaded, new):
        return want
    if versions.per_rank(route.found.framework, route.found.release, leaf.key) is not None:
        return want  # nothing divided it before either
    share, ranks = _share(leaf.value, loaded)
    title = registry.framework(route.found.framework).title
    how = f"{formula(leaf.value)} over all ranks / {formula(ranks)} data-parallel ranks; {title} {route.to} divides no total"
    if isinstance(share, int) and share > 0:
        key = leaf.mode.value + new
        return replace(want, kind=Kind.RENAMED, key=key, value=share, why=how, lossy=False)
    missing = "the file does not tell how many" if share is None or isinstance(share, Expr) else "less than one each"
    return replace(want, kind=Kind.LEFT, key=want.was, why=f"{how}: {missing}; write {new} by hand", lossy=True)


def _is_overruled(loaded: Loaded, key: str) -> bool:
    leaf = loaded.document.last().get(key)
    return leaf is not None and leaf.value is not None


def _share(value: Any, loaded: Loaded) -> tuple[Any, Any]:
    """Return one rank's share in sequences, rounded down as the older workers did, and the number of ranks."""
    reading = main_stage(loaded).reading
    if not isinstance(value, (int, float, Expr)):
        return None, Var("ranks")
    try:
        ranks = reading.convert(1, Unit.SEQUENCES_PER_RANK, Unit.SEQUENCES)
        share = reading.convert(value, Unit.SEQUENCES, Unit.SEQUENCES_PER_RANK)
    except KeyError:
        return None, Var("ranks")
    return (share.numerator // share.denominator if isinstance(share, Fraction) else share), ranks
