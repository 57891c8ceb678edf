"""Hydra overrides as leaves, and the arguments of a command that takes them."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Protocol

from rftconf.diagnostics import Diagnostic, Label, Severity
from rftconf.plan.symbols import Branch, Expr, Value, to_shell
from rftconf.text import keys
from rftconf.text.document import Leaf, Mode, Via
from rftconf.text.hydra_grammar import (
    Element,
    SymbolicStructureError,
    fill,
    key_text,
    parse_value,
    split_holes,
)
from rftconf.text.hydra_tokens import HOLE, OverrideSyntaxError
from rftconf.text.span import LineIndex, Place, Span

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

    def span_at(self, offset: int) -> Place:
        """The place of the character at `offset` of the value."""


@dataclass(frozen=True, slots=True)
class TextArgument:
    """An argument that stands in a file as it is: a line of overrides, an item of a YAML list."""

    value: str
    file: str
    index: LineIndex
    start: int
    via: tuple[Via, ...] = ()

    @property
    def place(self) -> Place:
        """The whole argument."""
        return Place(self.file, self.index.span(self.start, self.start + len(self.value)))

    def span_at(self, offset: int) -> Place:
        """One character."""
        at = self.start + min(offset, len(self.value))
        return Place(self.file, self.index.span(at, at + 1))


@dataclass(slots=True)
class Overrides:
    """Leaves read so far, in order; what is for Hydra itself (`hydra.run.dir`); and what was wrong."""

    leaves: list[Leaf] = field(default_factory=list)
    hydra: dict[str, Value] = field(default_factory=dict)
    diagnostics: list[Diagnostic] = field(default_factory=list)
    _first: dict[str, Leaf] = field(default_factory=dict)

    def add(self, word: Argument) -> None:
        """Read one override; a broken one becomes a diagnostic."""
        if isinstance(word.value, Branch):
            self._add_branch(word, word.value)
            return
        try:
            found = list(parse_override(word))
        except OverrideSyntaxError as error:
            self._report(error.code, Severity.ERROR, error.message, _at(word, error.offset), error.help)
            return
        except SymbolicStructureError:
            names = to_shell(word.value)
            message = f"which keys {names} sets is not known here, so nothing of it is read"
            self._report("SYN305", Severity.WARNING, message, word.place, "bind the variable with --set NAME=VALUE")
            return
        for leaf in found:
            self._keep(leaf)

    def _add_branch(self, word: Argument, branch: Branch) -> None:
        arms = []
        for arm in (branch.then, branch.otherwise):
            inner = Overrides()
            if isinstance(arm, (str, Expr)):
                inner.add(_Arm(arm, word.place, word.via))
            arms.append(inner)
        then, otherwise = arms
        if [leaf.key for leaf in then.leaves] == [leaf.key for leaf in otherwise.leaves] and then.leaves:
            for one, other in zip(then.leaves, otherwise.leaves, strict=True):
                value = one.value if one.value == other.value else Branch(branch.condition, one.value, other.value)
                self._keep(Leaf(one.key, value, word.place, word.place, one.raw, word.via, one.mode))
            return
        message = f"this argument depends on a condition that is not known here: {branch.condition}"
        self._report("SYN305", Severity.WARNING, message, word.place, "bind what it reads with --set NAME=VALUE")

    def _keep(self, leaf: Leaf) -> None:
        if leaf.key.startswith(("hydra.", "hydra/")):
            message = f"{leaf.key} configures Hydra, not the run"
            self._report("SYN306", Severity.INFO, message, leaf.key_place)
            self.hydra[leaf.key] = leaf.value
            return
        earlier = self._first.get(leaf.key)
        if earlier is not None and Mode.DELETE not in (earlier.mode, leaf.mode):
            same = "the same value" if earlier.value == leaf.value else "this one wins"
            message = f"{leaf.key} is given twice; {same}"
            label = Label(earlier.key_place, "given here first")
            self.diagnostics.append(
                Diagnostic("SYN301", Severity.WARNING, message, leaf.key_place, (label,), "delete the earlier one")
            )
        self._first[leaf.key] = leaf
        self.leaves.append(leaf)

    def _report(self, code: str, severity: Severity, message: str, place: Place, help_: str = "") -> None:
        self.diagnostics.append(Diagnostic(code, severity, message, place, help=help_))


@dataclass(frozen=True, slots=True)
class _Arm:
    value: str | Expr
    place: Place
    via: tuple[Via, ...]

    def span_at(self, offset: int) -> Place:
        """Arms of a condition stand where the whole argument stands."""
        del offset
        return self.place


def read_overrides(words: Iterable[Argument]) -> Overrides:
    """The leaves of `words`, each one override. Never raises on bad input."""
    found = Overrides()
    for word in words:
        found.add(word)
    return found


def parse_override(word: Argument) -> Iterator[Leaf]:
    """The leaves of one override; a mapping gives one leaf per entry.

    A deletion is a leaf with mode DELETE (its value None unless `~k=v`). A group choice keeps its name, with `/`
    and `@package`: `actor@actor_rollout_ref.actor`. Raises OverrideSyntaxError and SymbolicStructureError.
    """
    source, holes = split_holes(word.value)
    match = _KEY.match(source)
    if match is None or (not match["equal"] and match["mode"] != "~"):
        raise _bad_key(source)
    key, mode = match["key"], Mode(match["mode"])
    start = match.end("mode")
    key_place = _between(word, start, match.end("key"))
    if not match["equal"]:
        yield Leaf(key, None, key_place, key_place, "", word.via, mode)
        return
    try:
        element = parse_value(source, holes, match.end())
    except SymbolicStructureError:
        element = Element(fill(source[match.end() :], iter(holes)), match.end(), len(source))
    yield from _leaves(_Frame(word, source, key_place, mode), key, element)


@dataclass(frozen=True, slots=True)
class _Frame:
    word: Argument
    source: str
    key_place: Place
    mode: Mode


def _leaves(frame: _Frame, key: str, element: Element) -> Iterator[Leaf]:
    content = element.content
    if isinstance(content, dict) and content:
        for name, item in content.items():
            yield from _leaves(frame, keys.child(key, key_text(name)), item)
    elif isinstance(content, list) and _holds_mapping(content):
        for index, item in enumerate(content):
            yield from _leaves(frame, keys.item(key, index), item)
    else:
        word = frame.word
        known = HOLE not in frame.source
        raw = frame.source[element.start : element.end] if known else to_shell(_raw(frame, element))
        place = _between(word, element.start, element.end) if known else _from(word, frame.source, element.start)
        yield Leaf(key, element.value(), place, frame.key_place, raw, word.via, frame.mode)


def _raw(frame: _Frame, element: Element) -> Value:
    _, holes = split_holes(frame.word.value)
    return fill(frame.source[element.start : element.end], iter(holes[frame.source.count(HOLE, 0, element.start) :]))


def _holds_mapping(items: Sequence[Element]) -> bool:
    return any(
        isinstance(i.content, dict) or (isinstance(i.content, list) and _holds_mapping(i.content)) for i in items
    )


def _bad_key(source: str) -> OverrideSyntaxError | SymbolicStructureError:
    name, equal, _ = source.partition("=")
    if HOLE in name:
        return SymbolicStructureError()
    if not equal:
        return OverrideSyntaxError(f"{name!r} is not an override: there is no =", 0, "write key=value", "SYN304")
    bare = name.lstrip("+~")
    if not bare:
        return OverrideSyntaxError("there is no key before =", 0, "write key=value", "SYN304")
    if bare != bare.strip():
        return OverrideSyntaxError(f"blanks around the key {bare.strip()!r}", 0, "write key=value", "SYN304")
    return OverrideSyntaxError(f"{bare!r} is not a key that Hydra accepts", len(name) - len(bare), code="SYN304")


def _at(word: Argument, offset: int) -> Place:
    source, _ = split_holes(word.value)
    return word.span_at(offset) if offset < len(source) and HOLE not in source[:offset] else word.place


def _from(word: Argument, source: str, start: int) -> Place:
    """From a known offset to the end of the argument; offsets behind an unknown part mean nothing."""
    whole = word.place
    if HOLE in source[:start]:
        return whole
    first = word.span_at(start)
    if first.file != whole.file or not whole.span.start <= first.span.start <= whole.span.end:
        return whole
    return Place(whole.file, Span(first.span.start, whole.span.end, first.span.line, first.span.col))


def _between(word: Argument, start: int, end: int) -> Place:
    first = word.span_at(start)
    if end <= start:
        return Place(first.file, Span(first.span.start, first.span.start, first.span.line, first.span.col))
    last = word.span_at(end - 1)
    if last.file != first.file or last.span.end < first.span.start:
        return first
    return Place(first.file, Span(first.span.start, last.span.end, first.span.line, first.span.col))
