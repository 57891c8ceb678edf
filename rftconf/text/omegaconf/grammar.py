"""OmegaConf's interpolation grammar, evaluated while it is read: `${a.b}`, `${.rel}`, `${oc.env:X,default}`."""

from __future__ import annotations

import re
from typing import NoReturn, Protocol

from rftconf.base.symbols import Expr, Value, text
from rftconf.text.omegaconf.tokens import TOKENS, Typed

MAX_DEPTH = 25
"""Interpolations inside interpolations in one text."""
_ID = r"[A-Za-z_][A-Za-z0-9_\-]*"
_WHOLE = re.compile(rf"\$\{{({_ID}(?:\.{_ID})*)\}}")
"""One plain reference, which is what nine of ten interpolations are."""
_TOP = re.compile(r"(?P<inter>\$\{)|(?P<escaped>(?:\\\\)*\\\$\{)|(?P<slashes>(?:\\\\)+)|(?P<other>[\\$]|[^\\$]+)")
_QUOTED = {
    quote: re.compile(
        rf"(?P<inter>\$\{{)|(?P<escaped>(?:\\\\)*\\\$\{{)|(?P<quote>(?:\\\\)*\\{quote})|(?P<slashes>(?:\\\\)+)"
        rf"|(?P<end>{quote})|(?P<other>[\\$]|[^\\${quote}]+)"
    )
    for quote in "'\""
}
_BLANKS = re.compile(r"[ \t]*")
_RESOLVER = re.compile(rf"({_ID}(?:\.{_ID})*)[ \t]*:[ \t]*")
_KEY = re.compile(r"""[^\\{}()\[\]:. \t'"]+(?!\{)""")
_SEPARATOR = re.compile(r"[ \t]*([,\]}])[ \t]*")


class InterpolationSyntaxError(Exception):
    """A text that OmegaConf could not parse; `offset` counts characters from its start."""

    def __init__(self, message: str, offset: int) -> None:
        super().__init__(message)
        self.message, self.offset = message, offset


class Lookup(Protocol):
    """The values that the grammar asks for while it evaluates: other nodes of the config, and resolvers' results."""

    def node(self, path: str) -> Value:
        """The value at `a.b[0]`, or at `..b` relative to the current place."""

    def call(self, name: str, args: list[Value]) -> Value:
        """Return the result of the resolver `name` for these arguments."""


def evaluate(source: str, lookup: Lookup) -> Value:
    """The value of a config string. One interpolation alone keeps its type; with text around it is text.

    Raises InterpolationSyntaxError, and whatever `lookup` raises.
    """
    if "${" not in source:
        return source
    plain = _WHOLE.fullmatch(source)
    return _Reader(source, lookup).top() if plain is None else lookup.node(plain[1])


def evaluate_element(source: str, lookup: Lookup) -> Value:
    """The value of `source` read as an argument is (`oc.decode`): numbers, lists and mappings get their types."""
    reader = _Reader(source, lookup)
    value = reader.element()
    if reader.at < len(source):
        reader.fail()
    return value


def as_text(value: Value) -> str | Expr:
    """Return a value as it reads inside a longer text; an unknown one stays an expression."""
    return value if isinstance(value, Expr) else str(value)


class _Reader:
    def __init__(self, source: str, lookup: Lookup) -> None:
        self.source, self.lookup, self.at, self._depth = source, lookup, 0, 0

    def fail(self, message: str = "") -> NoReturn:
        character = self.source[self.at : self.at + 1]
        raise InterpolationSyntaxError(
            message or (f"{character!r} is not allowed here" if character else "ends early"), self.at
        )

    def top(self) -> Value:
        parts = self._mixed(_TOP)
        return parts[0] if len(parts) == 1 else text(*map(as_text, parts))

    def _mixed(self, pattern: re.Pattern[str]) -> list[Value]:
        """Text and interpolations, up to the end or the closing quote; backslashes count before `${` and a quote."""
        parts: list[Value] = []
        while match := pattern.match(self.source, self.at):
            kind, token = str(match.lastgroup), match[0]
            self.at = match.end()
            if kind == "inter":
                parts.append(self._interpolation())
            elif kind == "end":
                return parts
            elif kind == "escaped":
                parts.append(token[-(len(token) // 2 + 1) :])
            elif kind == "quote" or (kind == "slashes" and self._counts(pattern)):
                parts.append(token[1::2])
            else:
                parts.append(token)
        if pattern is not _TOP:
            self.fail("a quote is opened and never closed")
        return parts

    def _counts(self, pattern: re.Pattern[str]) -> bool:
        following = pattern.match(self.source, self.at)
        return following is not None and following.lastgroup in {"inter", "end"}

    def _blanks(self) -> None:
        match = _BLANKS.match(self.source, self.at)
        self.at = match.end() if match else self.at

    def _interpolation(self) -> Value:
        """Behind `${`."""
        self._depth += 1
        if self._depth > MAX_DEPTH:
            self.fail(f"interpolations nested deeper than {MAX_DEPTH}")
        self._blanks()
        resolver = _RESOLVER.match(self.source, self.at)
        if resolver:
            self.at = resolver.end()
            value = self.lookup.call(resolver[1], self._sequence("}", gaps=True))
        else:
            value = self.lookup.node(self._path())
        self._depth -= 1
        return value

    def _path(self) -> str:
        """`..a.b[c]}` as one text; keys may be interpolations themselves."""
        start = self.at
        while self.source.startswith(".", self.at):
            self.at += 1
        path = self.source[start : self.at]
        first = True
        while True:
            if self.source.startswith("[", self.at):
                self.at += 1
                path += f"[{self._key()}]"
                self._expect("]")
            elif first:
                path += self._key()
            elif self.source.startswith(".", self.at):
                self.at += 1
                path += "." + self._key()
            else:
                break
            first = False
        self._blanks()
        self._expect("}")
        return path

    def _key(self) -> str:
        if self.source.startswith("${", self.at):
            self.at += 2
            value = self._interpolation()
            if not isinstance(value, str):
                self.fail("an interpolation inside a key must give text")
            return value
        match = _KEY.match(self.source, self.at)
        if match is None:
            self.fail()
        self.at = match.end()
        return match[0]

    def _expect(self, char: str) -> None:
        if not self.source.startswith(char, self.at):
            self.fail(f"{char} is missing")
        self.at += 1

    def _separator(self) -> str:
        match = _SEPARATOR.match(self.source, self.at)
        if match is None:
            return ""
        # Blanks behind a closing brace or bracket belong to what follows.
        self.at = match.end() if match[1] == "," else match.end(1)
        return match[1]

    def _sequence(self, close: str, *, gaps: bool = False) -> list[Value]:
        """Elements up to `close`; an argument left out is empty text, as OmegaConf has it."""
        self._blanks()
        items: list[Value] = []
        separator = self._separator()
        if separator == close:
            return items
        while True:
            if separator == "," and gaps:
                items.append("")
            elif separator:
                self.fail()
            else:
                items.append(self.element())
                separator = self._separator()
                if separator == close:
                    return items
                if separator != ",":
                    self.fail()
            separator = self._separator()
            if separator == close:
                return [*items, ""]

    def element(self) -> Value:
        """One argument: a quoted text, a list, a mapping or a bare value."""
        char = self.source[self.at : self.at + 1]
        self._depth += 1
        if self._depth > MAX_DEPTH:
            self.fail(f"nested deeper than {MAX_DEPTH}")
        if char in {"'", '"'}:
            self.at += 1
            value: Value = text(*map(as_text, self._mixed(_QUOTED[char])))
        elif char == "[":
            self.at += 1
            value = list(self._sequence("]", gaps=True))
        elif char == "{":
            self.at += 1
            value = self._mapping()
        else:
            value = self._primitive(colons=True)
        self._depth -= 1
        return value

    def _mapping(self) -> Value:
        self._blanks()
        mapping: dict[str, Value] = {}
        separator = self._separator()
        while separator != "}":
            if separator and not mapping:
                self.fail()
            key = self._primitive(colons=False)
            colon = TOKENS[0][1].match(self.source, self.at)
            if colon is None:
                self.fail(": is missing")
            self.at = colon.end()
            mapping[str(key)] = self.element()
            separator = self._separator()
            if separator not in {",", "}"}:
                self.fail()
        return mapping

    def _primitive(self, *, colons: bool) -> Value:
        parts: list[Value] = []
        while self.at < len(self.source) and not _SEPARATOR.match(self.source, self.at):
            if self.source.startswith("${", self.at) and colons:
                self.at += 2
                parts.append(self._interpolation())
                continue
            kind, end = max(
                ((k, m.end()) for k, p in TOKENS[0 if colons else 1 :] if (m := p.match(self.source, self.at))),
                key=lambda token: token[1],
                default=("", self.at),
            )
            if end == self.at:
                break
            token, self.at = self.source[self.at : end], end
            parts.append(Typed(token, kind))
        if not parts:
            self.fail()
        if len(parts) == 1:
            return parts[0].value() if isinstance(parts[0], Typed) else parts[0]
        return text(*(as_text(p.unescaped() if isinstance(p, Typed) else p) for p in parts))
