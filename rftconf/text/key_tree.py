"""The tree behind flat keys: which names a node has."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property, lru_cache
from typing import TypeAlias

from rftconf.base.symbols import Value
from rftconf.text import keys

Path: TypeAlias = tuple[str, ...]


@lru_cache(maxsize=20_000)
def path_of(key: str) -> Path:
    """Names of a key, indices as text: `("tasksets", "0", "path")`."""
    return tuple(str(part) for part in keys.segments(key))


class Tree:
    """The tree behind flat keys, made when the first interpolation is met."""

    def __init__(self, values: Mapping[str, Value]) -> None:
        self.flat = values

    @cached_property
    def keys(self) -> dict[Path, str]:
        """Path to key."""
        return {path_of(key): key for key in self.flat}

    @cached_property
    def inner(self) -> dict[Path, dict[str, None]]:
        """Node to the names in it, in order."""
        children: dict[Path, dict[str, None]] = {}
        for path in self.keys:
            for depth in range(len(path), 0, -1):
                children.setdefault(path[: depth - 1], {})[path[depth - 1]] = None
        return children
