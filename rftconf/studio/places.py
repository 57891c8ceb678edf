"""The lines of the source that each line of an output comes from."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from rftconf.base.ledger import TargetLine
from rftconf.text.document import Document, Leaf
from rftconf.text.read.read import read
from rftconf.text.source import from_bytes


def source_lines(document: Document) -> dict[str, list[int]]:
    """Key to the lines of the text that say it: the key, its value, and the variables that the value went through."""
    numbers: dict[str, list[int]] = {}
    for leaf in document.leaves:
        places = (leaf.key_place, leaf.place, *(via.place for via in leaf.via))
        lines = {
            line for p in places if p.file == document.name for line in _lines(document.text, p.span.start, p.span.end)
        }
        numbers[leaf.key] = sorted(lines)
    return numbers


def leaves_by_key(name: str, text: str) -> dict[str, Leaf]:
    """The keys of an output as they stand in its text; none where a file is no config."""
    document = read(from_bytes(name, text.encode("utf-8", "replace")))
    return {leaf.key: leaf for leaf in document.leaves if leaf.place.file == name}


def lines_of(
    targets: Iterable[TargetLine], name: str, text: str, places: dict[str, list[int]]
) -> dict[int, dict[str, Any]]:
    """Line of an output to its key, why it is there, and the lines of the source that it comes from."""
    targets_by_key = {line.key.lstrip("+"): line for line in targets}
    numbers: dict[int, dict[str, Any]] = {}
    for key, leaf in leaves_by_key(name, text).items():
        line = targets_by_key.get(key)
        if line is None:
            continue
        from_lines = sorted({number for source in line.sources for number in places.get(source, ())})
        about = {"key": key, "basis": str(line.basis), "sources": list(line.sources), "from": from_lines}
        spans = {*_lines(text, *_ends(leaf.key_place.span)), *_lines(text, *_ends(leaf.place.span))}
        numbers |= {number: about for number in spans if number not in numbers}
    return numbers


def _ends(span: Any) -> tuple[int, int]:
    return span.start, span.end


def _lines(text: str, start: int, end: int) -> range:
    first = text.count("\n", 0, start) + 1
    return range(first, first + text.count("\n", start, max(end - 1, start)) + 1)
