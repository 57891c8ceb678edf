"""Values on the lines below a name: a block of YAML, one on the next line, items of a list, entries of a mapping."""

from __future__ import annotations

import re
from collections.abc import Iterator

_OPENS = re.compile(
    r"""\\?["']?[ \t]*:[ \t]*(?:[&!][\w!.-]*[ \t]*){0,3}(?P<block>[|>][-+\d]{0,2})?[ \t]*(?:#[^\n]{0,500})?\n"""
)
_BEFORE = re.compile(r"""[ \t]*(?:-[ \t]+){0,3}["']?\Z""")
_LINE = re.compile(r"(?P<indent>[ \t]*)(?P<item>-[ \t]+)?(?P<text>[^\n]*)")
_ENTRY = re.compile(
    r"""(?:\?[ \t]+)?["']?(?P<name>[^\s"':#?][^\s"':#]{0,200})["']?[ \t]*(?::(?=\s|\Z)[ \t]*(?P<value>[^\n]*))?"""
)
_WORD = re.compile(r"""(?:[&!][\w!.-]*[ \t]+){0,3}["']?(?P<value>[^\s"'#][^\s"']*)["']?[ \t]*(?:#[^\n]*)?""")
MOST_LINES = 64
"""Lines that are looked at below one name."""


def values_below(text: str, start: int, end: int) -> Iterator[tuple[int, int, str]]:
    """Yield start and end of each value on the lines below the name from `start` to `end`, and the name of its entry; that of a
    key that stands alone is `?`."""
    opens = _OPENS.match(text, end)
    if opens is None:
        return
    line_start = text.rfind("\n", 0, start) + 1
    if start - line_start > MOST_LINES or _BEFORE.match(text[line_start:start]) is None:
        return
    column, block, first = start - line_start, opens["block"] is not None, -1
    position = opens.end()
    for _ in range(MOST_LINES):
        line = _LINE.match(text, position)
        if line is None or position >= len(text):
            return
        position, indent = line.end() + 1, len(line["indent"])
        if not line["text"].strip() and line["item"] is None:
            continue
        if block:
            if indent < max(column, 1):
                return
            yield line.start("item") if line["item"] else line.start("text"), line.end(), ""
            continue
        if first < 0:
            first = indent
        if indent != first or indent < column or (indent == column and line["item"] is None):
            if indent < first or first <= column:
                return
            continue
        yield from _of_line(text, line, position)
        if line["item"] is None and _ENTRY.fullmatch(line["text"].rstrip()) is None:
            return  # a word of more than one line is no credential


def _of_line(text: str, line: re.Match[str], following: int) -> Iterator[tuple[int, int, str]]:
    begin, written = line.start("text"), line["text"].rstrip()
    entry = _ENTRY.fullmatch(written)
    is_entry = entry is not None and (entry["value"] is not None or written.startswith("?"))
    if entry is not None and is_entry and not (entry["value"] or "").strip():
        following_line = _LINE.match(text, following)
        deeper = following_line is not None and len(following_line["indent"]) > len(line["indent"])
        if not (deeper and following_line and following_line["text"].strip()):
            yield begin + entry.start("name"), begin + entry.end("name"), "?"
        return
    word = _WORD.fullmatch(entry["value"] if entry is not None and is_entry else written)
    if word is not None:
        offset = begin + (entry.start("value") if entry is not None and is_entry else 0)
        yield offset + word.start("value"), offset + word.end("value"), entry["name"] if entry and is_entry else ""
