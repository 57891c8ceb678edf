"""Flat plan values as the plan's typed model."""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import lru_cache
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from rftconf.mappers.reading import Reading
    from rftconf.plan.model import Run


def run_of(reading: Reading) -> Run:
    """Build the typed run of a stage."""
    from rftconf.plan.model import Run

    return Run.model_validate(nest(reading.values))


def nest(values: Mapping[str, Any]) -> dict[str, Any]:
    """Flat paths with indices as nested mappings and lists. None says that there is none, and makes no item of a list."""
    tree: dict[str, Any] = {}
    for path, value in sorted(values.items(), key=lambda item: item[1] is None):
        if value is None and not _has_items(tree, path):
            continue
        node: Any = tree
        *parents, last = _parts(path)
        for parent, following in zip(parents, [*parents[1:], last], strict=True):
            node = _child(node, parent, [] if following.isdigit() else {})
        node[last] = value
    return tree


@lru_cache(maxsize=20_000)
def _parts(path: str) -> tuple[str, ...]:
    return tuple(re.findall(r"[^.\[\]]+", path))


def _has_items(tree: Mapping[str, Any], path: str) -> bool:
    """True where every list on the way to `path` has the item that it names."""
    node: Any = tree
    for part in _parts(path)[:-1]:
        if isinstance(node, list):
            if int(part) >= len(node):
                return False
            node = node[int(part)]
        else:
            node = node.get(part, [] if f"{part}[" in path else {})
    return True


def _child(node: Any, name: str, empty: Any) -> Any:
    if isinstance(node, list):
        while len(node) <= int(name):
            node.append({})
        return node[int(name)]
    return node.setdefault(name, empty)
