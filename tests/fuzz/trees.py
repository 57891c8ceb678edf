"""Trees of configs, as overrides in a script or as YAML: one node with another value, elsewhere, twice, or gone."""

from __future__ import annotations

import copy
import random
import re
from collections.abc import Iterator
from itertools import pairwise
from typing import Any

import yaml

ODD: tuple[Any, ...] = (
    None, True, False, "yes", 0, 1, -1, -3, 5, 1.0, 1.5, 1e-30, float("inf"), float("nan"), 10**8, 10**20, "", "words", "8",
    "1e-6x", "gpu", "1:4", "ünïcode ✓", [], ["a", "b"], [None], [1, 2, 3], [[1, 2], {"b": "c"}], {}, {"a": 1},
    {"a": {"b": [1]}}, "${oc.env:X}", "${nowhere.at.all}", "???",
)  # fmt: skip
"""Values of every type, of no possible size, and that nobody told."""
LIKELY: tuple[Any, ...] = (
    1,
    2,
    3,
    4,
    7,
    8,
    16,
    30,
    64,
    100,
    512,
    1024,
    4096,
    0.0,
    0.1,
    0.5,
    0.9,
    1.0,
    1e-6,
    True,
    False,
    None,
)
"""Values that a person may have written."""
OVERRIDE = re.compile(
    r"(?<![\w.$'\"{/=-])(?P<open>['\"]?)(?P<key>[+~]*[A-Za-z_][\w@/]*(?:\.[\w@\[\]-]+)+)=(?P<value>[^\s'\"\\]*)"
)
"""An override in a script, in one word."""


def word(value: Any) -> str:
    """A value as Hydra's grammar writes it, in quotes of the shell where needed."""
    words = {None: "null", True: "True", False: "False"}
    plain = words.get(value, str(value)) if value is None or isinstance(value, bool) else _flow(value)
    return plain if re.fullmatch(r"[\w./+-]+", plain) else "'" + plain.replace("'", "") + "'"


def _flow(value: Any) -> str:
    if isinstance(value, dict):
        return "{" + ",".join(f"{k}:{_flow(v)}" for k, v in value.items()) + "}"
    if isinstance(value, list):
        return "[" + ",".join(map(_flow, value)) + "]"
    return "null" if value is None else str(value)


def changed_override(text: str, chance: random.Random) -> str:
    """One override of a script with an odd value, moved, taken out, doubled, under itself, or above a scalar."""
    matches = list(OVERRIDE.finditer(text))
    if not matches:
        return text
    match, to = chance.choice(matches), chance.choice(matches)
    key, value = match["key"], match["value"] or "null"
    section, _, name = key.rpartition(".")
    new = {
        0: f"{key}={word(chance.choice(ODD))}",
        1: f"{to['key'].rpartition('.')[0]}.{name}={value}",
        2: "",
        3: f"{key}={value} {key}={word(chance.choice((*ODD, *LIKELY)))}",
        4: f"{key}.{name}={value}",
        5: f"{section}={word(chance.choice(([1], ['a', 'b'], {'a': 1}, None, 'x')))} {key}={value}",
        6: f"+{key}={value}",
        7: f"~{key}",
    }[chance.randrange(8)]
    quote = match["open"]
    end = match.end() + (1 if quote and text[match.end() : match.end() + 1] == quote else 0)
    return text[: match.start()] + new + text[end if quote else match.end() :]


def changed_node(text: str, chance: random.Random, values: tuple[Any, ...], *, leaves: bool = False) -> str:
    """One node of a YAML text with another value (a leaf's alone with `leaves`), moved, taken out, doubled, nested, listed."""
    tree = loaded(text)
    if tree is None:
        return text
    paths = [p for p in paths_in(tree) if not leaves or not isinstance(value_at(tree, p), (dict, list))]
    if not paths:
        return text
    path, to = chance.choice(paths), chance.choice(paths)
    place = copy.deepcopy(value_at(tree, path))
    match 0 if leaves else chance.randrange(7):
        case 0:
            put(tree, path, copy.deepcopy(chance.choice(values)))
        case 1:
            put(tree, (*to[:-1], path[-1]), place)
            _drop(tree, path)
        case 2:
            _drop(tree, path)
        case 3:
            put(tree, (*path[:-1], f"{path[-1]}_again"), place)
        case 4:
            put(tree, path, {path[-1]: place})
        case 5:
            put(tree, path, [place])
        case _:
            put(tree, path, list(place.values()) if isinstance(place, dict) else {"0": place})
    return dumped(tree)


def loaded(text: str) -> dict[str, Any] | None:
    """The tree of a YAML text; None where it is no mapping."""
    try:
        tree = yaml.load(text, Loader=getattr(yaml, "CSafeLoader", yaml.SafeLoader))
    except (yaml.YAMLError, ValueError, TypeError, RecursionError):
        return None
    return tree if isinstance(tree, dict) else None


def dumped(tree: dict[str, Any]) -> str:
    """A tree as YAML text; empty where it cannot be written."""
    try:
        return str(yaml.safe_dump(tree, sort_keys=False, allow_unicode=True, width=1000))
    except (yaml.YAMLError, RecursionError):
        return ""


def paths_in(tree: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    """Every node below the root, parents first."""
    if path:
        yield path
    if len(path) > 12:
        return
    items = tree.items() if isinstance(tree, dict) else enumerate(tree) if isinstance(tree, list) else ()
    for name, below in items:
        yield from paths_in(below, (*path, name))


def value_at(tree: Any, path: tuple[Any, ...]) -> Any:
    """What stands at a path."""
    for name in path:
        tree = tree[name]
    return tree


def put(tree: Any, path: tuple[Any, ...], value: Any) -> None:
    """Write below what is there; a scalar on the way becomes a mapping, an item behind a list's end is added."""
    for name, after in pairwise(path):
        below = tree[name] if _has(tree, name) else None
        if not isinstance(below, (dict, list)) or (isinstance(below, list) and not isinstance(after, int)):
            below = {}
            _set(tree, name, below)
        tree = below
    _set(tree, path[-1], value)


def _set(tree: Any, name: Any, value: Any) -> None:
    if isinstance(tree, list) and not _has(tree, name):
        tree.append(value)
    else:
        tree[name] = value


def _has(tree: Any, name: Any) -> bool:
    return name in tree if isinstance(tree, dict) else isinstance(name, int) and name < len(tree)


def _drop(tree: Any, path: tuple[Any, ...]) -> None:
    for name in path[:-1]:
        if not isinstance(tree, (dict, list)) or not _has(tree, name):
            return
        tree = tree[name]
    if isinstance(tree, (dict, list)) and _has(tree, path[-1]):
        del tree[path[-1]]
