"""A plan's values by attribute, without the typed plan: building that costs more than pricing it (docs/adr/0008)."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import cache
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any, cast

from rftconf.plan.index import fields

if TYPE_CHECKING:
    from rftconf.plan.model import Plan


class _Part:
    """Reads as a part of the plan does: `part.placement.actor.gpus`; absent values are None, absent lists empty."""

    __slots__ = ("_path", "_plain", "_values")

    def __init__(self, values: Mapping[str, Any], path: str, plain: str) -> None:
        self._values, self._path, self._plain = values, path, plain

    def __getattr__(self, name: str) -> Any:
        path, plain = f"{self._path}.{name}", f"{self._plain}.{name}"
        if plain in fields():
            return self._values.get(path)
        if plain in _lists():
            return self._items(path, f"{plain}[]")
        if plain not in _parts():
            raise AttributeError(f"the plan has no {plain}")
        return _Part(self._values, path, plain)

    def _items(self, path: str, plain: str) -> list[_Part]:
        start = f"{path}["
        names = {key[len(start) :].partition("].")[0] for key in self._values if key.startswith(start)}
        count = next(index for index in range(len(names) + 1) if str(index) not in names)
        return [_Part(self._values, f"{path}[{index}]", plain) for index in range(count)]


@cache
def _parts() -> frozenset[str]:
    """Every prefix of a field's path that is a part."""
    return frozenset(path[:index] for path in fields() for index, c in enumerate(path) if c == ".")


@cache
def _lists() -> frozenset[str]:
    """Every list of parts."""
    return frozenset(part.removesuffix("[]") for part in _parts() if part.endswith("[]"))


def plan_view(
    stages: Iterable[Mapping[str, Any]], framework: str | None, release: str | None, extensions: Mapping[str, Any]
) -> Plan:
    """Make the part of a plan that `setup_of` reads, from the flat values of its stages."""
    each = list(stages)
    view = SimpleNamespace(
        source=SimpleNamespace(framework=framework, release=release),
        cluster=_Part(each[-1], "cluster", "cluster"),
        stages=[_Part(values, "stage", "stage") for values in each],
        extensions=extensions,
    )
    return cast("Plan", view)
