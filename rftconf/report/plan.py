"""A plan as a tree for people, or as YAML, with why each value is there when asked."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from pathlib import PurePath
from typing import TYPE_CHECKING, Any

from rftconf.base.expressions import EXPRESSION
from rftconf.base.json_text import with_escapes
from rftconf.report.screen import Screen, joined
from rftconf.report.values import render_value

if TYPE_CHECKING:
    from rftconf.base.span import Place
    from rftconf.plan.model import Plan
    from rftconf.plan.origin import Origin


def plan_text(plan: Plan, origins: Mapping[str, Origin] | None = None) -> str:
    """The plan as the text of a document that comes back: strict JSON."""
    written = json.dumps(plan_json(plan, origins or {}), indent=2, ensure_ascii=False, allow_nan=False)
    return with_escapes(written) + "\n"


def plan_tree(data: Mapping[str, Any], reasons: Mapping[str, str], screen: Screen) -> str:
    """The plan's values (its JSON form), indented, with the reason beside each that has one."""
    return joined(_node(data, "", 0, reasons, screen))


def plan_json(plan: Plan, origins: Mapping[str, Origin]) -> dict[str, Any]:
    """The plan as a document that comes back, with how its values came about where that is asked for."""
    data: dict[str, Any] = plan.model_dump(mode="json", exclude={"origins"}, exclude_unset=True)
    why = {path: {"kind": str(o.kind), "keys": list(o.keys), "how": o.how} for path, o in sorted(origins.items())}
    return {"plan_version": plan.plan_version, **data, **({"origins": why} if why else {})}


def plan_yaml(data: Mapping[str, Any], reasons: Mapping[str, str]) -> str:
    """The plan's values (its JSON form) as YAML that comes back, with the reasons as comments."""
    return "".join(f"{line}\n" for line in _block(data, "", "", reasons))


def _block(data: Mapping[str, Any], pad: str, path: str, reasons: Mapping[str, str]) -> Iterator[str]:
    """A mapping, a line for each value. Scalars, unknown values and what a source calls by names of its own are JSON."""
    for name, value in data.items():
        full_path = f"{path}.{name}" if path else name
        if isinstance(value, dict) and value and EXPRESSION not in value and all(map(_plain_key, value)):
            yield f"{pad}{name}:"
            yield from _block(value, f"{pad}  ", full_path, reasons)
        elif isinstance(value, list) and value and all(_is_part(item) for item in value):
            yield f"{pad}{name}:"
            for index, item in enumerate(value):
                first, *more = _block(item, f"{pad}    ", f"{full_path}[{index}]", reasons)
                yield from (f"{pad}  - {first.removeprefix(f'{pad}    ')}", *more)
        else:
            why = reasons.get(full_path, "")
            yield f"{pad}{name}: {_json(value)}" + (f"  # {' '.join(why.split())}" if why else "")


def _is_part(item: Any) -> bool:
    return isinstance(item, dict) and bool(item) and EXPRESSION not in item and all(map(_plain_key, item))


def _json(value: Any) -> str:
    """JSON on one line that YAML reads as it is: signs that YAML takes for the end of a line, or refuses, are escaped."""
    if isinstance(value, str) and _BARE.fullmatch(value) and value.lower() not in _WORDS:
        return value
    return with_escapes(json.dumps(value, ensure_ascii=False, allow_nan=False))


_KEY = re.compile(r"[A-Za-z_]\w*", re.ASCII)
_BARE = re.compile(r"[A-Za-z_/][\w/.-]*", re.ASCII)
_WORDS = frozenset({"null", "true", "false", "yes", "no", "on", "off", "y", "n"})


def flat(data: Any, key: str = "") -> Iterator[tuple[str, Any]]:
    """Paths and values of a plan's JSON form; absent and empty parts are left out, symbols are values."""
    if isinstance(data, dict) and "$expr" not in data and all(_plain_key(name) for name in data):
        for name, value in data.items():
            yield from flat(value, f"{key}.{name}" if key else str(name))
    elif isinstance(data, list) and data and all(isinstance(item, dict) and item for item in data):
        for index, item in enumerate(data):
            yield from flat(item, f"{key}[{index}]")
    elif data is not None and data != []:
        yield key, data


def reasons_of(origins: Mapping[str, Origin], places: Mapping[str, Place]) -> dict[str, str]:
    """Plan path to its origin in words; `places` are those of the native keys that the file writes."""
    return {path: _origin_text(origin, places) for path, origin in origins.items()}


def _origin_text(origin: Origin, places: Mapping[str, Place]) -> str:
    keys = [f"{key} ({_short(places[key])})" if key in places else key for key in origin.keys]
    words = f"{origin.kind} from {', '.join(keys)}" if keys else str(origin.kind)
    return f"{words}: {origin.how}" if origin.how else words


def _short(place: Place) -> str:
    return f"{PurePath(place.file).name}:{place.span.line}"


def _plain_key(name: object) -> bool:
    return isinstance(name, str) and _KEY.fullmatch(name) is not None


def _node(data: Any, path: str, depth: int, reasons: Mapping[str, str], screen: Screen) -> Iterator[str]:
    pad = "  " * depth
    for name, value in data.items():
        key = f"{path}.{name}" if path else str(name)
        entries = list(flat(value, key))
        if not entries:
            continue
        if [k for k, _ in entries] == [key]:
            yield _leaf(f"{pad}{name}: ", entries[0][1], reasons.get(key, ""), screen)
        elif isinstance(value, list):
            for index, item in enumerate(value):
                yield f"{pad}{screen.style(f'{name}[{index}]', 'bold')}"
                yield from _node(item, f"{key}[{index}]", depth + 1, reasons, screen)
        else:
            yield f"{pad}{screen.style(str(name), 'bold')}"
            yield from _node(value, key, depth + 1, reasons, screen)


def _leaf(lead: str, value: Any, why: str, screen: Screen) -> str:
    text = value["$expr"] if isinstance(value, dict) and "$expr" in value else render_value(value, 80)
    if not why:
        return f"{lead}{text}"
    return f"{f'{lead}{text}'.ljust(44)}  {screen.style(why, 'dim')}"
