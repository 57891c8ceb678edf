"""Free mappings of the plan as one veRL key per leaf."""

from __future__ import annotations

from typing import Any

from rftconf.mappers.context import WriteContext


def put_tree(w: WriteContext, key: str, path: str) -> None:
    """Write every leaf of the mapping at plan `path` below `key`."""
    tree = w.plan(path)
    if isinstance(tree, dict) and tree:
        for name, value in _leaves(tree):
            w.put(f"{key}.{name}", value, path, always=True)


def _leaves(tree: dict[str, Any], prefix: str = "") -> list[tuple[str, Any]]:
    leaves: list[tuple[str, Any]] = []
    for name, value in tree.items():
        leaves += _leaves(value, f"{prefix}{name}.") if isinstance(value, dict) and value else [(prefix + name, value)]
    return leaves
