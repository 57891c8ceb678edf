"""The leaves that a file wrote for keys: of a section the first one inside, of a key inside a value the leaf of that value."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from rftconf.mappers.native import Native, nodes_above
from rftconf.text.document import Leaf


def written_leaves(source: Native, looked_at: Sequence[str]) -> Iterator[Leaf]:
    """The leaves behind keys, the last one looked at first; of a section the first below, of a key in a value that value."""
    ids = set[int]()
    for key in reversed(looked_at):
        for name in (key, *reversed(nodes_above(key))):
            cell = source.cells.get(name)
            leaf = cell.leaf if cell is not None else first_inside(source, name) if name == key else None
            if leaf is not None and id(leaf) not in ids:
                ids.add(id(leaf))
                yield leaf


def first_inside(source: Native, node: str) -> Leaf | None:
    """The first written leaf below a section, or in a list whose items are leaves of their own."""
    return source.first_below.get(node) or source.first_in_list.get(node)


def innermost(source: Native, keys: tuple[str, ...]) -> list[str]:
    """The keys without the sections of those that are written: what else stands in a section is not at fault for a key in it."""
    below = [key for key in keys if key in source.cells or first_inside(source, key) is not None]
    return [key for key in keys if not any(inner.startswith((f"{key}.", f"{key}[")) for inner in below)]
