"""Cuts two mappings that differ down to what differs: they are shown without the entries that both have."""

from __future__ import annotations

from typing import Any


def differing(a: Any, b: Any) -> tuple[Any, Any]:
    """Two values as they are, or two mappings by the entries in which they differ."""
    if not (isinstance(a, dict) and isinstance(b, dict)):
        return a, b
    alike = {name for name in a if name in b and a[name] == b[name]}
    return _without(a, alike), _without(b, alike)


def _without(value: dict[str, Any], alike: set[str]) -> dict[str, Any]:
    return {name: item for name, item in value.items() if name not in alike}
