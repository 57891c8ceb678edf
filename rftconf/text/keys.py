"""Dotted keys: how the names of nested mappings and the indices of lists become one string, and back."""

from __future__ import annotations

import json
import re
from collections.abc import Collection
from functools import lru_cache
from typing import Literal

Shape = Literal["list", "mapping"]
_NEEDS_QUOTES = re.compile(r'[.\[\]"]|^$')
_SEGMENT = re.compile(r'\.?(?:\[(\d+)\]|\[("(?:[^"\\]|\\.)*")\]|([^.\[]+))')


@lru_cache(maxsize=50_000)
def child(parent: str, name: str) -> str:
    """The key of `name` inside `parent`; a name with a dot or bracket is quoted: `metrics["a.b"]`."""
    if _NEEDS_QUOTES.search(name):
        return f"{parent}[{json.dumps(name, ensure_ascii=False)}]"
    return f"{parent}.{name}" if parent else name


def item(parent: str, index: int) -> str:
    """The key of item `index` of the list at `parent`: `tasksets[0]`."""
    return f"{parent}[{index}]"


def segments(key: str) -> tuple[str | int, ...]:
    """Names and indices of a key: `tasksets[0].path` is `("tasksets", 0, "path")`."""
    steps: list[str | int] = []
    for match in _SEGMENT.finditer(key):
        index, quoted, name = match.groups()
        steps.append(int(index) if index else json.loads(quoted) if quoted else name)
    return tuple(steps)


def conflicting_keys(keys: Collection[str]) -> dict[str, tuple[str, Shape]]:
    """Return each key that makes another thing of a section than an earlier key did, with the section and what it is."""
    shapes: dict[tuple[str | int, ...], Shape] = {}
    conflicts: dict[str, tuple[str, Shape]] = {}
    if not any("[" in key for key in keys):
        return conflicts
    for key in keys:
        steps = segments(key)
        node_shapes: dict[tuple[str | int, ...], Shape] = {
            tuple(steps[:depth]): "list" if isinstance(steps[depth], int) else "mapping"
            for depth in range(1, len(steps))
        }
        clash = next((node for node, shape in node_shapes.items() if shapes.get(node, shape) != shape), None)
        if clash is None:
            shapes.update(node_shapes)
        else:
            conflicts[key] = (_steps_text(clash), shapes[clash])
    return conflicts


def _steps_text(steps: tuple[str | int, ...]) -> str:
    return "".join(f"[{step}]" if isinstance(step, int) else f".{step}" for step in steps).removeprefix(".")
