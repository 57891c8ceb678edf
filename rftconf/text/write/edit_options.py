"""Changes to single options of a launch script (`--name value`, `--name=value`, `--switch`) as patches."""

from __future__ import annotations

import re

from rftconf.base.patch import Patch
from rftconf.base.span import LineIndex
from rftconf.base.symbols import Value
from rftconf.text.document import Document, Leaf
from rftconf.text.write import edit_overrides
from rftconf.text.write.shell_words import word_end

_NAME = re.compile(r"--(?P<no>no[_-])?(?P<name>[\w.-]+)")
_BETWEEN = re.compile(r"(?:[ \t]|\\\r?\n)+")


def is_option(document: Document, leaf: Leaf) -> bool:
    """True where the key stands in the text as `--name`."""
    start = leaf.key_place.span.start
    return leaf.key_place.file == document.name and document.text.startswith("--", start)


def put(document: Document, leaf: Leaf, value: Value) -> list[Patch] | None:
    """Give an option another value: a switch gets a word behind its name, has none while it is on, and goes when it is off."""
    name, values = _name_end(document, leaf), _values(document, leaf)
    words = [] if value is True else _spelled(value)
    if name is None or values is None or words is None:
        return None
    start, end = values
    if value is False and start == end:
        return drop(document, leaf)
    text = " ".join(words)
    if start == end:
        return [_patch(document, name, name, f" {text}")] if text else None
    if not text:
        return [_patch(document, name, end)]
    old = document.text[start:end]
    quoted = len(old) > 1 and old[0] == old[-1] and old[0] in "\"'"
    return [_patch(document, start, end, f"{old[0]}{text}{old[0]}" if quoted else text)]


def add(document: Document, near: Leaf, key: str, value: Value) -> list[Patch] | None:
    """Put a new option in front of the one that `near` is."""
    words = [] if value is True else _spelled(value)
    return None if words is None else _insert(document, near, " ".join((f"--{key}", *words)))


def copy(document: Document, leaf: Leaf, key: str) -> list[Patch] | None:
    """Put an option of another name with the same words in front of one."""
    start, name, values = leaf.key_place.span.start, _name_end(document, leaf), _values(document, leaf)
    if name is None or values is None:
        return None
    return _insert(
        document, leaf, f"--{_prefix(document, leaf)}{key}{document.text[name : max(name, values[1])]}", start
    )


def drop(document: Document, leaf: Leaf) -> list[Patch] | None:
    """Take an option out with its words, and with its line where it stands alone there."""
    values, name = _values(document, leaf), _name_end(document, leaf)
    if values is None or name is None:
        return None
    return edit_overrides.drop_word(document, leaf.key_place.span.start, max(name, values[1]))


def rename(document: Document, leaf: Leaf, key: str) -> list[Patch] | None:
    """Give an option another name; a shortened one is written in full."""
    name = _name_end(document, leaf)
    if name is None:
        return None
    return [_patch(document, leaf.key_place.span.start, name, f"--{_prefix(document, leaf)}{key}")]


def _prefix(document: Document, leaf: Leaf) -> str:
    """Return what turns a switch off in front of its name, as the text has it."""
    written = _NAME.match(document.text, leaf.key_place.span.start)
    if written is None or not written["no"]:
        return ""
    whole = (written["no"] + written["name"]).replace("-", "_")
    return "" if leaf.key.replace("-", "_").startswith(whole) else written["no"]


def _name_end(document: Document, leaf: Leaf) -> int | None:
    """Return the position behind `--name`; None where the name is put together from several parts."""
    start = leaf.key_place.span.start
    written = _NAME.match(document.text, start) if leaf.key_place.file == document.name else None
    if written is None or (written.end() != word_end(document.text, start) and document.text[written.end()] != "="):
        return None
    return written.end()


def _values(document: Document, leaf: Leaf) -> tuple[int, int] | None:
    """Return where the words of an option begin and end, both behind its name where it has none; None where nothing tells."""
    text, name = document.text, _name_end(document, leaf)
    if name is None:
        return None
    if text[name : name + 1] == "=":
        return name + 1, word_end(text, name + 1)
    if leaf.place == leaf.key_place:
        return name, name
    if isinstance(leaf.value, list) and leaf.via:
        return None  # one word of the script may be several values
    start = end = name
    for number in range(len(leaf.value) if isinstance(leaf.value, list) else 1):
        between = _BETWEEN.match(text, end)
        if between is None:
            return None
        start = between.end() if number == 0 else start
        end = word_end(text, between.end())
    return (start, end) if end > start else None


def _spelled(value: Value) -> list[str] | None:
    """Return the words of a plain value, or of a list of plain values; None where one would need quotes."""
    words = [edit_overrides.spelled(item) for item in (value if isinstance(value, list) else [value])]
    return None if value is None or None in words else [word for word in words if word is not None]


def _insert(document: Document, near: Leaf, words: str, start: int | None = None) -> list[Patch] | None:
    values, name = _values(document, near), _name_end(document, near)
    if values is None or name is None:
        return None
    first = near.key_place.span.start if start is None else start
    return edit_overrides.insert_word(document, first, max(name, values[1]), words)


def _patch(document: Document, start: int, end: int, text: str = "") -> Patch:
    return Patch(LineIndex(document.text).span(start, end), text)
