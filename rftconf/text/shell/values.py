"""Values while a script is read: words with the places their characters came from, and arrays of them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TypeAlias

from rftconf.base.span import Place
from rftconf.base.symbols import Arith, Branch, Expr, Text, text
from rftconf.text.document import Via
from rftconf.text.shell.source import Source

Known: TypeAlias = str | Expr
Piece: TypeAlias = tuple[Known, int, int, "tuple[Word, ...]", int]
"""Value, offsets in the word's own text, the variables it came from, offset in the first one's value (-1: computed)."""

MAX_NODES = 200
MAX_VIA = 32
MAX_BEHIND = 128
"""Words that are looked at for what is behind one: a script may hand nothing on thousands of times."""


def lacks(piece: Piece) -> bool:
    """Nothing, since the script was not given a parameter; it is kept, so that it can be said why there is nothing."""
    return any(word.lacks or word.lacking() for word in piece[3])


@dataclass(slots=True, eq=False)
class Word:
    """One argument, or the value of one variable; never changed after it is made.

    `value` is known text or an expression. `condition` is shell source when the word is there only in one arm of
    something undecidable. `splits` says that bash may make several words of it, or none (an unquoted `$unknown`).
    """

    value: Known
    pieces: tuple[Piece, ...]
    source: Source
    start: int
    end: int
    name: str = ""
    condition: str | None = None
    splits: bool = False
    lacks: str = ""
    """The script's own parameter that nothing was given for, e.g. "1"; bash takes the empty text."""

    @property
    def place(self) -> Place:
        """Return the place where the word is written; for an element of an array, in the array's literal."""
        return self.source.place(self.start, self.end)

    @property
    def raw(self) -> str:
        """The word as written."""
        return self.source.part(self.start, self.end)

    @property
    def via(self) -> tuple[Via, ...]:
        """The variables that the value came through, nearest first, each with the place of what it was assigned."""
        return tuple(Via(word.name, word.place) for word in self.passed())

    def passed(self) -> list[Word]:
        """The variables behind `via`."""
        return self._behind(lambda word: bool(word.name))

    def lacking(self) -> list[Word]:
        """The parameters of the script that the value would need and that nothing was given for."""
        return self._behind(lambda word: bool(word.lacks))

    def _behind(self, is_match: Callable[[Word], bool]) -> list[Word]:
        words: list[Word] = []
        visited: set[int] = set()
        layer: list[Word] = [self]
        while layer and len(words) < MAX_VIA and len(visited) < MAX_BEHIND:
            below: list[Word] = []
            for word in layer:
                for piece in word.pieces:
                    for origin in piece[3]:
                        if id(origin) not in visited:
                            visited.add(id(origin))
                            below.append(origin)
            words.extend(filter(is_match, below))
            layer = below
        return words[:MAX_VIA]

    def span_at(self, offset: int, end: int | None = None) -> Place:
        """Return the place where the word has its characters from `offset` to `end` (default: its last one)."""
        if not isinstance(self.value, str):
            return self.place
        stop = len(self.value) if end is None else end
        low, high, text_offset = -1, self.end, 0
        for value, start, finish, origins, _ in self.pieces:
            size = len(value) if isinstance(value, str) else 0
            exact = not origins and finish - start == size
            if low < 0 and (
                offset < text_offset + size or (offset == text_offset + size and self.pieces[-1][2] == finish)
            ):
                low = start + (offset - text_offset) if exact else start
            if low >= 0 and stop <= text_offset + size:
                high = start + (stop - text_offset) if exact else finish
                break
            text_offset += size
        return self.source.place(low if low >= 0 else self.end, max(high, low))

    def origin_at(self, offset: int) -> Place:
        """Return the place where the character at `offset` was first written, which may be a variable's literal."""
        word: Word = self
        for _ in range(MAX_VIA):
            deeper = word._origin(offset)
            if deeper is None:
                return word.span_at(offset, offset + 1)
            word, offset = deeper
        return word.place

    def _origin(self, offset: int) -> tuple[Word, int] | None:
        text_offset = 0
        for value, _, _, origins, inner in self.pieces:
            size = units(value)
            if offset < text_offset + size:
                return (origins[0], inner + offset - text_offset) if inner >= 0 and len(origins) == 1 else None
            text_offset += size
        return None


class Unset(Word):
    """The state that `unset` leaves: empty where it is read, absent for `${x-d}`; never the environment's value."""

    __slots__ = ()


@dataclass(slots=True, eq=False)
class Array:
    """An indexed or associative array; never changed after it is made. Indexed keys are integers in order.

    `guarded` is true when some element is there only conditionally, so positions and counts are unknown.
    """

    items: dict[int | str, Word]
    associative: bool = False
    guarded: bool = False
    open: bool = field(default=False)
    """True when elements may be missing altogether (filled by something that is not run)."""

    def ordered(self) -> list[Word]:
        """The elements in the order in which bash lists them."""
        if not self.associative:
            return list(self.items.values())
        return [self.items[key] for key in self.keys()]

    def keys(self) -> list[int | str]:
        """The keys in the order in which bash lists them: that of its hash table, for associative arrays."""
        keys = list(self.items)
        if self.associative:
            keys.reverse()
            keys.sort(key=lambda key: _bucket(str(key)))
        return keys


def _bucket(key: str) -> int:
    code = 2166136261
    for byte in key.encode():
        code = (code * 16777619) & 0xFFFFFFFF
        code ^= byte
    return code & 1023


def units(value: Known) -> int:
    """The length that offsets count in: a character of known text is one, an expression is one."""
    if isinstance(value, str):
        return len(value)
    if isinstance(value, Text):
        return sum(len(part) if isinstance(part, str) else 1 for part in value.parts)
    return 1


def cut(value: Known, start: int, end: int) -> Known:
    """The units `start` to `end` of a value."""
    if isinstance(value, str):
        return value[start:end]
    if not isinstance(value, Text):
        return value if start < 1 <= end else ""
    parts: list[str | Expr] = []
    offset = 0
    for part in value.parts:
        size = len(part) if isinstance(part, str) else 1
        low, high = max(start - offset, 0), min(end - offset, size)
        if low < high:
            parts.append(part[low:high] if isinstance(part, str) else part)
        offset += size
    return text(*parts)


def rooted(word: Word) -> Word:
    """`word` where its text is written: in the string of a variable, when all of it comes out of one such string."""
    for _ in range(MAX_VIA):
        pieces = word.pieces
        if not pieces or any(len(p[3]) != 1 or p[4] < 0 or p[3][0] is not pieces[0][3][0] for p in pieces):
            return word
        origin, start, end = pieces[0][3][0], pieces[0][4], pieces[-1][4] + units(pieces[-1][0])
        inner = window(origin, start, end)
        if not inner or origin.splits:
            return word
        word = Word(word.value, tuple(inner), origin.source, inner[0][1], inner[-1][2], "", word.condition, word.splits)
    return word


def window(word: Word, start: int, end: int) -> list[Piece]:
    """The pieces of `word` that make its units `start` to `end`."""
    pieces: list[Piece] = []
    offset = 0
    for value, first, last, origins, inner in word.pieces:
        size = units(value)
        low, high = max(start - offset, 0), min(end - offset, size)
        if low < high:
            exact = not origins and last - first == size
            places = (first + low, first + high) if exact else (first, last)
            pieces.append((cut(value, low, high), *places, origins, inner + low if inner >= 0 else -1))
        offset += size
    return pieces


def joined(pieces: list[Piece] | tuple[Piece, ...]) -> Known:
    """The value that `pieces` make together."""
    if len(pieces) == 1:
        return pieces[0][0]
    values = [piece[0] for piece in pieces]
    try:
        return "".join(values)  # type: ignore[arg-type]
    except TypeError:
        return text(*values)


def oversized(value: Known) -> bool:
    """True when an expression has more nodes than anyone can read, or than is safe to walk."""
    stack: list[object] = [value]
    nodes = 0
    while stack:
        nodes += 1
        if nodes > MAX_NODES:
            return True
        match stack.pop():
            case Text(parts):
                stack.extend(parts)
            case Arith(_, left, right):
                stack += (left, right)
            case Branch(condition, then, otherwise):
                if len(condition) > 4000:
                    return True
                stack += (then, otherwise)
    return False


def known_start(value: Known) -> str:
    """Return the beginning of a value, as far as it is known."""
    first = value.parts[0] if isinstance(value, Text) else value
    return first if isinstance(first, str) else ""
