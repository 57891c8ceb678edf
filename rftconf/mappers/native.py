"""A framework's config as flat keys in that framework's newest shape, each with the leaf it came from."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from rftconf.mappers.paths import without_indices
from rftconf.text.document import Leaf
from rftconf.text.keys import segments


def _listed(value: Any) -> Any:
    """Mappings by place, `{0: a, 1: b}`, as lists."""
    if not isinstance(value, dict):
        return value
    found = {name: _listed(item) for name, item in value.items()}
    by_place = bool(found) and all(isinstance(name, int) for name in found)
    return [found[place] for place in sorted(found)] if by_place else found


@dataclass(frozen=True, slots=True)
class Cell:
    """One effective value; `leaf` is None for a default."""

    value: Any
    leaf: Leaf | None = None


@dataclass
class Native:
    """Every effective key of one config (written or default), for one framework and release."""

    framework: str
    release: str
    trainer: str
    cells: dict[str, Cell]
    defaults: Mapping[str, Any] = field(default_factory=dict)
    """The release's own defaults in the newest shape; keys of list items with `[]`."""

    def value(self, key: str, otherwise: Any = None) -> Any:
        """The effective value, or `otherwise` when the release has no such key."""
        cell = self.cells.get(key)
        if cell is not None:
            return cell.value
        branch = self.branch(key)
        if branch:
            return branch
        item = self.defaults.get(without_indices(key)) if "[" in key else None
        return otherwise if item is None or item == "???" else item

    def branch(self, key: str) -> dict[str, Any]:
        """Everything below `key` as a nested mapping (for free dictionaries), lists of mappings as lists."""
        prefix = key + "."
        tree: dict[str | int, Any] = {}
        for name, cell in self.cells.items():
            if name.startswith(prefix):
                *parents, last = segments(name[len(prefix) :])
                node: dict[str | int, Any] = tree
                for parent in parents:
                    child = node.setdefault(parent, {})
                    node = child if isinstance(child, dict) else {}
                node[last] = cell.value
        return {str(name): _listed(value) for name, value in tree.items()}

    def written(self, key: str) -> bool:
        """True when the file itself sets `key` or something below it."""
        cell = self.cells.get(key)
        if cell is not None and cell.leaf is not None:
            return True
        prefix = key + "."
        return any(name.startswith(prefix) for name in self._from_file)

    @cached_property
    def _from_file(self) -> tuple[str, ...]:
        return tuple(name for name, cell in self.cells.items() if cell.leaf is not None)

    def knows(self, key: str) -> bool:
        """True when the release has the key, or the file sets it."""
        return key in self.cells or without_indices(key) in self.defaults

    def count(self, key: str) -> int:
        """How many items the list of mappings at `key` has."""
        found = re.compile(re.escape(key) + r"\[(\d+)\]")
        return max((int(m[1]) + 1 for k in self.cells if (m := found.match(k))), default=0)

    def leaves(self) -> Iterator[tuple[str, Leaf]]:
        """The written leaves under their newest names."""
        for key, cell in self.cells.items():
            if cell.leaf is not None:
                yield key, cell.leaf
