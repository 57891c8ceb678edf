"""One Hydra override as leaves with places."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Protocol

from rftconf.base.record import record
from rftconf.base.span import LineIndex, Place
from rftconf.base.symbols import Expr, OpenKey, Value, to_shell
from rftconf.text import keys
from rftconf.text.document import Leaf, Mode, Via
from rftconf.text.hydra.grammar import fill, parse_value, split_holes
from rftconf.text.hydra.nodes import Element, SymbolicStructureError, key_text
from rftconf.text.hydra.tokens import HOLE, OverrideSyntaxError

_PART = r"(?:[A-Za-z_$][A-Za-z0-9_\-$]*|0|[1-9](?:_?[0-9])*)"
_NAME = r"[A-Za-z_$][A-Za-z0-9_\-$]*"
_ID = r"[A-Za-z_][A-Za-z0-9_\-]*"
_PATH = rf"(?:{_PART}(?:\.{_PART})+|{_NAME})"
_KEY = re.compile(rf"(?P<mode>~|\+{{0,2}})(?P<key>(?:{_ID}(?:/{_ID})+|{_PATH})(?:@{_PATH}?)?)(?P<equal>=[ \t]*|\Z)")


class Argument(Protocol):
    """One argument of a command: its value, where it stands, and through which variables it came."""

    @property
    def value(self) -> str | Expr:
        """Text, with expressions where it is not known."""

    @property
    def place(self) -> Place:
        """The whole argument as written."""

    @property
    def via(self) -> tuple[Via, ...]:
        """Variables it went through."""

    @property
    def condition(self) -> str | None:
        """Shell source of a condition that nobody can decide here, when the argument is there only if it holds."""

    def span_at(self, offset: int, end: int | None = None) -> Place:
        """Return the place where the value's characters from `offset` to `end` (by default the last) are written."""


@record
class TextArgument:
    """An argument that stands in a file as it is: a line of overrides, an item of a YAML list."""

    value: str
    file: str
    index: LineIndex
    start: int
    via: tuple[Via, ...] = ()
    condition: str | None = None

    @property
    def place(self) -> Place:
        """The whole argument."""
        return Place(self.file, self.index.span(self.start, self.start + len(self.value)))

    def span_at(self, offset: int, end: int | None = None) -> Place:
        """Characters `offset` to `end`."""
        size = len(self.value)
        return Place(self.file, self.index.span(self.start + min(offset, size), self.start + min(end or size, size)))


@record
class PlacedArgument:
    """A part of an argument, or one arm of it: all that is known of its place is that of the whole."""

    value: str | Expr
    place: Place
    via: tuple[Via, ...]
    condition: str | None = None

    def span_at(self, _offset: int, _end: int | None = None) -> Place:
        """The whole."""
        return self.place


MAX_KEY = 1_000
"""A key has no more characters; the longest of a framework has 90."""


def parse_override(word: Argument) -> Iterator[Leaf]:
    """The leaves of one override; a mapping gives one leaf per entry.

    A deletion is a leaf with mode DELETE (its value None unless `~k=v`). A group choice keeps its name, with `/`
    and `@package`: `actor@actor_rollout_ref.actor`. Raises OverrideSyntaxError and SymbolicStructureError.
    """
    source, holes = split_holes(word.value)
    match = _key_in(source)
    if match is None or (not match["equal"] and match["mode"] != "~"):
        raise _bad_key(source)
    key, mode = match["key"], Mode(match["mode"])
    start = match.end("mode")
    key_place = word.span_at(start, match.end("key"))
    if not match["equal"]:
        yield Leaf(key, None, key_place, key_place, "", word.via, mode)
        return
    try:
        element = parse_value(source, holes, match.end())
    except SymbolicStructureError:
        element = Element(fill(source[match.end() :], iter(holes)), match.end(), len(source))
    yield from _leaves(_Frame(word, source, key_place, mode), key, element)


def _key_in(source: str) -> re.Match[str] | None:
    """The key of an override and what stands around it, None where there is none that can be read."""
    match = _KEY.match(source)
    return match if match is None or len(match["key"]) <= MAX_KEY else None


def open_leaf(word: Argument) -> Leaf | None:
    """The key of an override whose value cannot be parsed, its value left open; None where the key cannot be, either."""
    source, _ = split_holes(word.value)
    match = _key_in(source)
    if match is None or not match["equal"]:
        return None
    key, start = match["key"], match.end("equal")
    place = word.span_at(start) if HOLE not in source else word.place
    raw = source[start:] if HOLE not in source else ""
    return Leaf(
        key, OpenKey(key), place, word.span_at(match.end("mode"), match.end("key")), raw, word.via, Mode(match["mode"])
    )


@record
class _Frame:
    word: Argument
    source: str
    key_place: Place
    mode: Mode


def _leaves(frame: _Frame, key: str, element: Element) -> Iterator[Leaf]:
    content = element.content
    if isinstance(content, dict) and content:
        # what is added as a mapping, Hydra merges into what is there
        inner = replace(frame, mode=Mode.FORCE) if frame.mode is Mode.ADD else frame
        for name, item in content.items():
            yield from _leaves(inner, keys.child(key, key_text(name)), item)
    elif isinstance(content, list) and _holds_mapping(content):
        for index, item in enumerate(content):
            yield from _leaves(frame, keys.item(key, index), item)
    else:
        word = frame.word
        known = HOLE not in frame.source
        end = None if element.end == len(frame.source) else element.end
        raw = frame.source[element.start : element.end] if known else to_shell(_raw(frame, element))
        place = word.span_at(element.start, end)
        yield Leaf(key, element.value(), place, frame.key_place, raw, word.via, frame.mode)


def _raw(frame: _Frame, element: Element) -> Value:
    _, holes = split_holes(frame.word.value)
    return fill(frame.source[element.start : element.end], iter(holes[frame.source.count(HOLE, 0, element.start) :]))


def _holds_mapping(items: Sequence[Element]) -> bool:
    return any(
        isinstance(i.content, dict) or (isinstance(i.content, list) and _holds_mapping(i.content)) for i in items
    )


def shortened(text: str, most: int = 60) -> str:
    """`text` for a message: its start, where it is long."""
    return text if len(text) <= most else text[: most - 1] + "…"


def _bad_key(source: str) -> OverrideSyntaxError | SymbolicStructureError:
    name, equal, _ = source.partition("=")
    if HOLE in name:
        return SymbolicStructureError()
    if not equal:
        return OverrideSyntaxError(
            f"{shortened(name)!r} is not an override: there is no =", 0, "write key=value", "SYN304"
        )
    bare = name.lstrip("+~")
    if not bare:
        return OverrideSyntaxError("there is no key before =", 0, "write key=value", "SYN304")
    if len(bare) > MAX_KEY:
        return OverrideSyntaxError(f"a key of more than {MAX_KEY:,} characters", 0, code="SYN304")
    if bare != bare.strip():
        return OverrideSyntaxError(f"blanks around the key {bare.strip()!r}", 0, "write key=value", "SYN304")
    return OverrideSyntaxError(
        f"{shortened(bare)!r} is not a key that Hydra accepts", len(name) - len(bare), code="SYN304"
    )
