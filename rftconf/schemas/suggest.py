"""Did you mean ...: the keys of a catalogue that are nearest to one that it does not hold."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from functools import lru_cache

from rftconf.schemas.catalogue import Catalogue

_REACH = 2
"""Edits within which a key counts as a misspelling."""


@lru_cache(maxsize=4096)
def nearest(known: Catalogue, key: str, count: int = 3) -> tuple[str, ...]:
    """Up to `count` keys of `known` that `key` is probably meant to be, likeliest first; list indices are kept.

    Misspellings come first (two edits, a swap of neighbours being one), then keys of the same last name elsewhere.
    """
    typed = known.canonical(key)
    sizes, leaves = _sorted_names(known)
    near = [name for size in range(len(typed) - _REACH, len(typed) + _REACH + 1) for name in sizes.get(size, ())]
    ranked = sorted((*_rank(typed, name, far), name) for name, far in _misspelt(typed, near))
    names = [entry[-1] for entry in ranked] or _same_leaf(typed, leaves)
    return tuple(_indexed(str(name), key) for name in names[:count])


def explain(known: Catalogue, key: str, names: Mapping[str, str] | None = None, theirs: str = "") -> str:
    """One sentence of help for an unknown key, or "".

    `names` maps keys of another framework, called `theirs`, to this one's.
    """
    if names and key in names:
        return f"that is {theirs}'s name; here it is {names[key]}"
    near_names = nearest(known, key)
    return f"did you mean {near_names[0]}?" if near_names else ""


def distance(left: str, right: str, limit: int) -> int:
    """Edits (insert, delete, replace, swap neighbours) from `left` to `right`; `limit + 1` when more than `limit`."""
    if abs(len(left) - len(right)) > limit:
        return limit + 1
    start, shorter = 0, min(len(left), len(right))
    while start < shorter and left[start] == right[start]:
        start += 1
    end = 0
    while end < shorter - start and left[-1 - end] == right[-1 - end]:
        end += 1
    left, right = left[start : len(left) - end], right[start : len(right) - end]
    if not left or not right:
        return len(left) + len(right)
    if len(set(left) ^ set(right)) > 2 * limit:  # an edit takes one letter away and brings one at most
        return limit + 1
    return _banded(left, right, limit)


def _banded(left: str, right: str, limit: int) -> int:
    """Optimal string alignment within a band of `limit` around the diagonal."""
    far = limit + 1
    before: list[int] = []
    above = [min(j, far) for j in range(len(right) + 1)]
    for i, char in enumerate(left, 1):
        row = [min(i, far)] + [far] * len(right)
        for j in range(max(1, i - limit), min(len(right), i + limit) + 1):
            best = min(above[j] + 1, row[j - 1] + 1, above[j - 1] + (char != right[j - 1]))
            if i > 1 and j > 1 and char == right[j - 2] and left[i - 2] == right[j - 1]:
                best = min(best, before[j - 2] + 1)
            row[j] = best
        if min(row) >= far:
            return far
        before, above = above, row
    return min(above[-1], far)


def _misspelt(typed: str, names: Iterable[str]) -> Iterable[tuple[str, int]]:
    """Names within reach. Two edits, even swaps across a cut, leave one of five parts unharmed: that sifts cheaply."""
    size = max(1, -(-len(typed) // 5))
    parts = [typed[index : index + size] for index in range(0, len(typed), size)]
    for name in names:
        if any(part in name for part in parts):
            far = distance(typed, name, _REACH)
            if far <= _REACH:
                yield name, far


def _rank(typed: str, name: str, far: int) -> tuple[int, bool, int, bool]:
    """Fewest edits first; then the same depth, the same letters, the same first letter of the last name."""
    letters = sum(abs(typed.count(char) - name.count(char)) for char in set(typed + name))
    return far, typed.count(".") != name.count("."), letters, typed[:1] != name[:1]


@lru_cache(maxsize=64)
def _sorted_names(known: Catalogue) -> tuple[dict[int, list[str]], dict[str, list[str]]]:
    """The keys by their length, and by their last name."""
    sizes: dict[int, list[str]] = {}
    leaves: dict[str, list[str]] = {}
    for name in known.keys:
        sizes.setdefault(len(name), []).append(name)
        leaves.setdefault(name.rpartition(".")[2], []).append(name)
    return sizes, leaves


def _same_leaf(typed: str, leaves: Mapping[str, list[str]]) -> list[str]:
    """Keys with the same last name, those that share most of the way to it first."""
    leaf = typed.rpartition(".")[2]
    way = set(typed.split("."))
    return sorted(leaves.get(leaf, ()), key=lambda name: (-len(way & set(name.split("."))), name.count("."), name))


def _indexed(name: str, key: str) -> str:
    """`name` with the indices that `key` has."""
    indices = iter(re.findall(r"\[\d+\]", key))
    return re.sub(r"\[\]", lambda match: next(indices, match[0]), name)
