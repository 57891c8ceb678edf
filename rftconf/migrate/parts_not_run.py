"""Overrides in parts of a script that are not run as the file stands: arms not taken, functions not called."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from rftconf.base.span import LineIndex, Place, Span
from rftconf.migrate.key_changes import KEPT, KeyEdit, Kind, Route, Slot
from rftconf.schemas.acceptance import judge
from rftconf.text.document import Document, Leaf, Mode

_OVERRIDE = re.compile(r"(?<![\w.$}/+~-])(\+{0,2})([A-Za-z_]\w*(?:\.\w+)+)=")


def unread(document: Document, routes: Iterable[Route]) -> Iterator[KeyEdit]:
    """Yield the edits of keys in the text that were not read: new names are given, the rest is reported."""
    read = {leaf.key_place.span.start for leaf in document.leaves if leaf.key_place.file == document.name}
    read |= {leaf.key_place.span.start for _, leaf in document.conditional}
    index = LineIndex(document.text)
    for match in _OVERRIDE.finditer(document.text):
        line_start = document.text.rfind("\n", 0, match.start()) + 1
        if match.start(2) in read or "#" in document.text[line_start : match.start()]:
            continue
        for route in routes:
            leaf = _leaf(document, match, index)
            if leaf.key in route.old:
                yield from _wanted_of_leaf(leaf, route)
                break


def _leaf(document: Document, match: re.Match[str], index: LineIndex) -> Leaf:
    span: Span = index.span(match.start(2), match.end(2))
    place, after = Place(document.name, span), Place(document.name, index.span(match.end(), match.end()))
    return Leaf(match[2], "", after, place, mode=Mode(match[1]))


def _wanted_of_leaf(leaf: Leaf, route: Route) -> Iterator[KeyEdit]:
    ends = list(route.rewritten({leaf.key: Slot("", leaf)}).flat)
    where = "in a part of the script that is not run as it stands"
    if len(ends) != 1:
        now = f"it became {', '.join(ends)}" if ends else "nothing takes its place"
        yield KeyEdit(leaf, Kind.LEFT, leaf.key, why=f"{where}: {now}")
    elif ends[0] != leaf.key:
        plus = not judge(route.new, ends[0], "").fits and judge(route.new, f"+{ends[0]}", "").fits
        prefix = leaf.mode.value if leaf.mode is Mode.FORCE else "+" if plus else ""
        yield KeyEdit(leaf, Kind.RENAMED, prefix + ends[0], KEPT, why=where)
