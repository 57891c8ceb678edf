"""A plan as a tree for people, or as YAML, with why each value is there when asked."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import PurePath
from typing import TYPE_CHECKING, Any

from rftconf.report.screen import Screen, joined
from rftconf.report.values import shown

if TYPE_CHECKING:
    from rftconf.plan.origin import Origin
    from rftconf.text.span import Place


def plan_tree(data: Mapping[str, Any], reasons: Mapping[str, str], screen: Screen) -> str:
    """The plan's values (its JSON form), indented, with the reason beside each that has one."""
    return joined(_node(data, "", 0, reasons, screen))


def plan_yaml(data: Mapping[str, Any], reasons: Mapping[str, str]) -> str:
    """The plan's values (its JSON form) as YAML, with the reasons as comments."""
    from rftconf.ledger import Basis, TargetLine
    from rftconf.text.emit_yaml import emit

    return emit([TargetLine(key, value, Basis.WRITTEN, reasons.get(key, "")) for key, value in flat(data)])


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


def reasons_of(origins: Mapping[str, Origin], places: Mapping[str, Place]) -> dict[str, str]:
    """Plan path to its origin in words; `places` are those of the native keys that the file writes."""
    return {path: _said(origin, places) for path, origin in origins.items()}


def _said(origin: Origin, places: Mapping[str, Place]) -> str:
    keys = [f"{key} ({_short(places[key])})" if key in places else key for key in origin.keys]
    words = f"{origin.kind} from {', '.join(keys)}" if keys else str(origin.kind)
    return f"{words}: {origin.how}" if origin.how else words


def _short(place: Place) -> str:
    return f"{PurePath(place.file).name}:{place.span.line}"


def _plain_key(name: object) -> bool:
    return isinstance(name, str) and not set(name) & set(".[]") and bool(name)


def _node(data: Any, path: str, depth: int, reasons: Mapping[str, str], screen: Screen) -> Iterator[str]:
    pad = "  " * depth
    for name, value in data.items():
        key = f"{path}.{name}" if path else str(name)
        found = list(flat(value, key))
        if not found:
            continue
        if [k for k, _ in found] == [key]:
            yield _leaf(f"{pad}{name}: ", found[0][1], reasons.get(key, ""), screen)
        elif isinstance(value, list):
            for at, item in enumerate(value):
                yield f"{pad}{screen.style(f'{name}[{at}]', 'bold')}"
                yield from _node(item, f"{key}[{at}]", depth + 1, reasons, screen)
        else:
            yield f"{pad}{screen.style(str(name), 'bold')}"
            yield from _node(value, key, depth + 1, reasons, screen)


def _leaf(lead: str, value: Any, why: str, screen: Screen) -> str:
    text = value["$expr"] if isinstance(value, dict) and "$expr" in value else shown(value, 80)
    if not why:
        return f"{lead}{text}"
    return f"{f'{lead}{text}'.ljust(44)}  {screen.style(why, 'dim')}"
