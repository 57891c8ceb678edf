"""Dotted paths: written as typed lambdas in the tables, so that mypy finds a misspelt key on either side."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from fnmatch import fnmatchcase
from functools import cache
from typing import Any

_WILDCARD = re.compile(r"[*?\[]")
_INDEX = re.compile(r"\[\d+\]")


class _Recorder:
    __slots__ = ("_path",)

    def __init__(self, path: str = "") -> None:
        self._path = path

    def __getattr__(self, name: str) -> _Recorder:
        return _Recorder(f"{self._path}.{name}" if self._path else name)


def path_of(select: Callable[[Any], Any] | str) -> str:
    """`lambda c: c.data.train_batch_size` as `data.train_batch_size`. The lambda never sees a config."""
    if isinstance(select, str):
        return select
    recorded: str = select(_Recorder())._path
    return recorded


def without_indices(path: str) -> str:
    """`tasksets[0].path` as `tasksets[].path`."""
    return _INDEX.sub("[]", path) if "[" in path else path


def counts(paths: Iterable[str]) -> dict[str, int]:
    """List to one more than the highest index that a path has for it."""
    sizes: dict[str, int] = {}
    for path in paths:
        if "[" in path:
            for item in _INDEX.finditer(path):
                list_path = path[: item.start()]
                sizes[list_path] = max(sizes.get(list_path, 0), int(item[0][1:-1]) + 1)
    return sizes


def fits(path: str, pattern: str) -> bool:
    """`fnmatchcase` for paths, without compiling a pattern that its first literal part decides already."""
    stem, rest = _halves(pattern)
    if not path.startswith(stem):
        return False
    return rest == "*" or (path == stem if not rest else fnmatchcase(path, pattern))


def first_name(pattern: str) -> tuple[str, bool]:
    """The name that paths which fit `pattern` begin with, and whether it is the whole name or only its beginning."""
    stem = _halves(pattern)[0]
    name, dot, _ = stem.partition(".")
    return name, bool(dot) or stem == pattern


@cache
def _halves(pattern: str) -> tuple[str, str]:
    """A pattern's literal start, and the rest."""
    stem = _WILDCARD.split(pattern, maxsplit=1)[0]
    return stem, pattern[len(stem) :]
