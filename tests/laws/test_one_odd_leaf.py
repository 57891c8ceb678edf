"""One odd value never costs the rest of a config: no other key is called unreadable because of it."""

from __future__ import annotations

import copy
import random
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml

from rftconf.base.errors import RftconfError
from rftconf.load.load import load
from rftconf.text.keys import segments
from rftconf.text.read.read import read
from rftconf.text.source import Source

INPUTS = sorted((Path(__file__).parents[2] / "golden" / "convert").glob("*/input.yaml"))
ODD = ({"x": 1}, ["a", 1], {"a": {"b": [1]}}, "odd words", -3.5, True)
"""Values that hardly any key can have; sections where a value belongs are the hardest to set aside."""
DRAWN = 12
"""Leaves of each config that are replaced."""
Route = tuple[Any, ...]


def routes(node: Any, above: Route = ()) -> Iterator[Route]:
    """The way to every value of a tree."""
    items = node.items() if isinstance(node, dict) else enumerate(node) if isinstance(node, list) else None
    if items is None:
        yield above
    else:
        for name, value in items:
            yield from routes(value, (*above, name))


def replaced(tree: Any, route: Route, value: Any) -> Any:
    changed = copy.deepcopy(tree)
    node = changed
    for name in route[:-1]:
        node = node[name]
    node[route[-1]] = value
    return changed


@pytest.mark.parametrize("file", INPUTS, ids=lambda file: file.parent.name)
def test_nobody_else_is_suspected(file: Path) -> None:
    tree = yaml.safe_load(file.read_text())
    chance = random.Random(file.parent.name)
    every = list(routes(tree))
    for route in chance.sample(every, min(DRAWN, len(every))):
        odd = chance.choice(ODD)
        text = yaml.safe_dump(replaced(tree, route, odd), sort_keys=False)
        try:
            loaded = load(read(Source("input.yaml", text)))
        except RftconfError:  # whether it is a config at all, or of which framework, may hang on that value
            continue
        suspected = [d for d in loaded.diagnostics if d.code == "KEY016" and "cannot be read from it" in d.message]
        name = next(part for part in reversed(route) if isinstance(part, str))
        assert [d.message for d in suspected if name not in segments(d.key)] == [], (route, odd)
