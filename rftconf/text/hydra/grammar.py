"""The value side of Hydra 1.3's override grammar as a tree with offsets. Unknown parts stay expressions."""

from __future__ import annotations

import re
from collections.abc import Iterator

from rftconf.base.numbers import MOST_DIGITS, whole
from rftconf.base.symbols import Branch, Expr, Text, Value, text
from rftconf.text.hydra.nodes import Call, Element, Key, SymbolicStructureError, sweep
from rftconf.text.hydra.tokens import HOLE, MAX_DEPTH, OverrideSyntaxError, Token, simple_kind, tokens

_PRIMITIVE = frozenset(
    {
        "ID",
        "NULL",
        "INT",
        "FLOAT",
        "BOOL",
        "INTERPOLATION",
        "UNQUOTED_CHAR",
        "COLON",
        "ESC",
        "WS",
        "HOLE",
        "PLACEHOLDER",
    }
)
_DICT_KEY = _PRIMITIVE - {"COLON", "INTERPOLATION"}
_ESCAPED_QUOTES = {quote: re.compile(rf"\\+(?:{quote}|\Z)") for quote in "'\""}


def parse_value(source: str, holes: tuple[str | Expr, ...], start: int) -> Element:
    """Parse `source` from `start` on; each HOLE in it stands for the next of `holes`.

    Raises OverrideSyntaxError, and SymbolicStructureError where the result depends on a hole.
    """
    if start >= len(source):
        return Element("", start, start)
    remainder = source[start:]
    if (kind := simple_kind(remainder)) is not None:
        return Element(_scalar(kind, remainder), start, len(source))
    used = source.count(HOLE, 0, start)
    try:
        return _Parser(tokens(source, start), holes[used:]).value()
    except OverrideSyntaxError as error:
        if holes and error.code != "SYN303":
            raise SymbolicStructureError from error
        raise


class _Parser:
    def __init__(self, stream: list[Token], holes: tuple[str | Expr, ...]) -> None:
        self._stream, self._at, self._depth = stream, 0, 0
        self._holes = iter(holes)

    def value(self) -> Element:
        element = self._element()
        if self._kind == "COMMA":
            raise sweep(self._stream[0].start)
        if self._kind != "EOF":
            raise self._unexpected()
        return element

    @property
    def _kind(self) -> str:
        return self._stream[self._at].kind

    def _next(self) -> Token:
        token = self._stream[self._at]
        self._at += 1
        return token

    def _element(self) -> Element:
        kind = self._kind
        if kind == "BRACKET_OPEN" or kind == "BRACE_OPEN" or self._is_call():
            self._depth += 1
            if self._depth > MAX_DEPTH:
                raise OverrideSyntaxError(f"nested deeper than {MAX_DEPTH} levels", self._stream[self._at].start)
            element = self._list() if kind == "BRACKET_OPEN" else self._dict() if kind == "BRACE_OPEN" else self._call()
            self._depth -= 1
            return element
        if kind == "QUOTED":
            token = self._next()
            return Element(self._filled(_unquoted(token.text)), token.start, token.start + len(token.text), quoted=True)
        return self._primitive(_PRIMITIVE)

    def _is_call(self) -> bool:
        return self._kind == "ID" and self._stream[self._at + 1].kind == "POPEN"

    def _list(self) -> Element:
        start = self._next().start
        items: list[Element] = []
        while self._kind != "BRACKET_CLOSE" or items:
            items.append(self._element())
            if self._kind != "COMMA":
                break
            self._next()
        return Element(items, start, self._close("BRACKET_CLOSE", "]"))

    def _dict(self) -> Element:
        start = self._next().start
        items: dict[Key, Element] = {}
        while self._kind != "BRACE_CLOSE" or items:
            key = self._primitive(_DICT_KEY).content
            if isinstance(key, Expr):
                raise SymbolicStructureError
            assert not isinstance(key, (list, dict))
            if self._kind != "COLON":
                raise self._unexpected()
            self._next()
            items[key] = self._element()
            if self._kind != "COMMA":
                break
            self._next()
        return Element(items, start, self._close("BRACE_CLOSE", "}"))

    def _call(self) -> Element:
        from rftconf.text.hydra.casts import evaluate

        call = Call(self._next())
        self._next()
        while self._kind != "PCLOSE" or call.args or call.kwargs:
            if self._kind == "ID" and self._stream[self._at + 1].kind == "EQUAL":
                name = self._next().text
                self._next()
                call.kwargs[name] = self._element()
            elif call.kwargs:
                raise OverrideSyntaxError("a positional argument follows a named one", self._stream[self._at].start)
            else:
                call.args.append(self._element())
            if self._kind != "COMMA":
                break
            self._next()
        call.end = self._close("PCLOSE", ")")
        return evaluate(call)

    def _close(self, kind: str, char: str) -> int:
        if self._kind != kind:
            raise self._unexpected(char)
        token = self._next()
        return token.start + len(token.text.rstrip())

    def _primitive(self, allowed: frozenset[str]) -> Element:
        first = self._at
        while self._kind in allowed:
            self._at += 1
        run = self._stream[first : self._at]
        if not run:
            raise self._unexpected()
        if len(run) == 1 and run[0].kind == "WS":
            raise OverrideSyntaxError("a value that is only blanks", run[0].start)
        if run[0].kind == "WS":
            run = run[1:]
        if run[-1].kind == "WS" and len(run) > 1:
            run = run[:-1]
        end = run[-1].start + len(run[-1].text)
        if len(run) == 1:
            return Element(self._single(run[0]), run[0].start, end)
        joined = "".join(t.text[1::2] if t.kind == "ESC" else t.text for t in run)
        return Element(self._filled(joined), run[0].start, end)

    def _single(self, token: Token) -> None | bool | int | float | str | Expr:
        if token.kind == "ESC":
            return token.text[1::2]
        if token.kind in {"HOLE", "INTERPOLATION"}:
            value = self._filled(token.text)
            return _parsed_arms(value, 0) if isinstance(value, Branch) else value
        return _scalar(token.kind, token.text, token.start)

    def _filled(self, source: str) -> str | Expr:
        return fill(source, self._holes)

    def _unexpected(self, expected: str = "") -> OverrideSyntaxError:
        token = self._stream[self._at]
        what = "the value ends" if token.kind == "EOF" else f"{token.text.strip() or token.text!r} stands"
        if expected:
            return OverrideSyntaxError(f"{what} where {expected} or a comma should", token.start)
        help_ = "quote the value so that Hydra takes it as one text" if token.kind != "EOF" else ""
        return OverrideSyntaxError(f"{what} where Hydra expects something else", token.start, help_)


def split_holes(value: str | Expr) -> tuple[str, tuple[str | Expr, ...]]:
    """`value` as text with a HOLE for each unknown part, and those parts in order."""
    if isinstance(value, str) and HOLE not in value:
        return value, ()
    parts = value.parts if isinstance(value, Text) else (value,)
    pieces: list[str] = []
    holes: list[str | Expr] = []
    for part in parts:
        if isinstance(part, str):
            pieces.append(part)
            holes += [HOLE] * part.count(HOLE)
        else:
            pieces.append(HOLE)
            holes.append(part)
    return "".join(pieces), tuple(holes)


def fill(source: str, holes: Iterator[str | Expr]) -> str | Expr:
    """`source` with each HOLE replaced by the next of `holes`."""
    if HOLE not in source:
        return source
    parts: list[str | Expr] = []
    for index, piece in enumerate(source.split(HOLE)):
        parts += [next(holes), piece] if index else [piece]
    return text(*parts)


def _parsed_arms(branch: Branch, depth: int) -> Branch:
    if depth > MAX_DEPTH:
        raise SymbolicStructureError
    arms: list[Value] = []
    for arm in (branch.then, branch.otherwise):
        if isinstance(arm, Branch):
            arms.append(_parsed_arms(arm, depth + 1))
        elif isinstance(arm, (str, Text)):
            source, holes = split_holes(arm)
            arms.append(parse_value(source, holes, 0).value())
        else:
            arms.append(arm)
    return Branch(branch.condition, *arms)


def _scalar(kind: str, source: str, start: int = 0) -> None | bool | int | float | str:
    try:
        match kind:
            case "INT":
                return whole(source)
            case "FLOAT":
                return float(source)
    except ValueError as error:
        raise OverrideSyntaxError(
            f"a number of {len(source)} digits: a whole one has at most {MOST_DIGITS}", start
        ) from error
    match kind:
        case "BOOL":
            return source.lower() == "true"
        case "NULL":
            return None
    return source


def _unquoted(source: str) -> str:
    """Content of a quoted value: backslashes count only in front of a quote of the same kind or the end."""
    return _ESCAPED_QUOTES[source[0]].sub(
        lambda m: (m[0] + (source[0] if m[0][-1] == "\\" else ""))[1::2], source[1:-1]
    )
