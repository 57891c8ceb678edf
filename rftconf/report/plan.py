"""A plan as a tree for people, or as YAML, with why each value is there when asked."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

from rftconf.report.screen import Screen, joined
from rftconf.report.values import shown

if TYPE_CHECKING:
    from rftconf.plan.origin import Origin


def plan_tree(data: Mapping[str, Any], origins: Mapping[str, Origin] | None, screen: Screen) -> str:
    """The plan's values (its JSON form), indented; `origins` adds the reason beside each."""
    return joined(_node(data, "", 0, origins, screen))


def plan_yaml(data: Mapping[str, Any], origins: Mapping[str, Origin] | None) -> str:
    """The plan's values (its JSON form) as YAML, with origins as comments."""
    from rftconf.ledger import Basis, TargetLine
    from rftconf.text.emit_yaml import emit

    return emit([TargetLine(key, value, Basis.WRITTEN, said(key, origins)) for key, value in flat(data)])


def origins_json(origins: Mapping[str, Origin]) -> dict[str, Any]:
    """Plan path to how its value came about."""
    return {path: {"kind": str(o.kind), "keys": list(o.keys), "how": o.how} for path, o in sorted(origins.items())}


def flat(data: Any, key: str = "") -> Iterator[tuple[str, Any]]:
    """Paths and values of a plan's JSON form; absent and empty parts are left out, symbols are values."""
    if isinstance(data, dict) and "$expr" not in data and all(_plain_key(name) for name in data):
        for name, value in data.items():
            yield from flat(value, f"{key}.{name}" if key else str(name))
    elif isinstance(data, list) and data and all(isinstance(item, dict) and item for item in data):
        for at, item in enumerate(data):
            yield from flat(item, f"{key}[{at}]")
    elif data is not None and data != []:
        yield key, data


def said(key: str, origins: Mapping[str, Origin] | None) -> str:
    """The origin of a plan path in words; empty when it is not known."""
    origin = None if origins is None else origins.get(key)
    if origin is None:
        return ""
    words = [str(origin.kind), f"from {', '.join(origin.keys)}" if origin.keys else "", origin.how]
    return ": ".join(part for part in (" ".join(w for w in words[:2] if w), words[2]) if part)


def _plain_key(name: object) -> bool:
    return isinstance(name, str) and not set(name) & set(".[]") and bool(name)


def _node(data: Any, path: str, depth: int, origins: Mapping[str, Origin] | None, screen: Screen) -> Iterator[str]:
    pad = "  " * depth
    for name, value in data.items():
        key = f"{path}.{name}" if path else str(name)
        found = list(flat(value, key))
        if not found:
            continue
        if [k for k, _ in found] == [key]:
            yield _leaf(f"{pad}{name}: ", found[0][1], said(key, origins), screen)
        elif isinstance(value, list):
            for at, item in enumerate(value):
                yield f"{pad}{screen.style(f'{name}[{at}]', 'bold')}"
                yield from _node(item, f"{key}[{at}]", depth + 1, origins, screen)
        else:
            yield f"{pad}{screen.style(str(name), 'bold')}"
            yield from _node(value, key, depth + 1, origins, screen)


def _leaf(lead: str, value: Any, why: str, screen: Screen) -> str:
    text = value["$expr"] if isinstance(value, dict) and "$expr" in value else shown(value, 80)
    if not why:
        return f"{lead}{text}"
    return f"{f'{lead}{text}'.ljust(44)}  {screen.style(why, 'dim')}"
