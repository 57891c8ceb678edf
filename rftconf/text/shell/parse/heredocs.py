"""Here-documents: where a body ends, and what it becomes when its variables are expanded."""

from __future__ import annotations

from collections.abc import Iterator

from rftconf.text.shell.parse.nodes import Command, HereDoc, Lit, Part, Redirect, Simple, WordNode


def opened(target: WordNode, *, tabs: bool, start: int) -> HereDoc:
    """The here-document that `<<target` at `start` begins; its body is not reached yet."""
    literal = [part for part in target.parts if isinstance(part, Lit)]
    return HereDoc("".join(part.text for part in literal), tabs, any(part.quoted for part in literal), start)


def close(text: str, offset: int, waiting: HereDoc) -> int:
    """Set where the body that begins at `offset` ends, and say where its last line does; -1 where no line ends it."""
    waiting.start = offset
    for start, end, line in _lines(text, offset, len(text), joined=not waiting.quoted):
        if (line.lstrip("\t") if waiting.tabs else line) == waiting.delimiter:
            waiting.end = start
            return end
    waiting.end = len(text)
    return -1


def _lines(text: str, offset: int, size: int, *, joined: bool) -> Iterator[tuple[int, int, str]]:
    """Start, end and text of each line; with `joined`, a backslash at its end continues it."""
    while offset < size:
        start, line = offset, ""
        while True:
            newline = text.find("\n", offset, size)
            piece, offset = (text[offset:newline], newline + 1) if newline >= 0 else (text[offset:size], size)
            slashes = len(piece) - len(piece.rstrip("\\"))
            if not joined or slashes % 2 == 0 or offset >= size:
                break
            line += piece[:-1]
        yield start, offset, line + piece


def handed_on(inside: list[Command]) -> tuple[Redirect, ...]:
    """Return the here-documents or -strings that a lone `cat` hands on; none for any other command."""
    only = inside[0] if len(inside) == 1 else None
    if not isinstance(only, Simple) or only.assigns or len(only.words) != 1:
        return ()
    first = only.words[0]
    plain = isinstance(first, WordNode) and first.plain == "cat"
    own = all(r.operator in ("<<", "<<-", "<<<") and r.descriptor in ("", "0") for r in only.redirects)
    return tuple(only.redirects) if plain and own else ()


def untabbed(text: str, body: HereDoc, parts: list[Part]) -> list[Part]:
    """The parts of a body without the tabs at the start of its lines, where `<<-` drops them."""
    if not body.tabs:
        return parts
    tabs = set[int]()
    for start, end, _ in _lines(text, body.start, body.end, joined=not body.quoted):
        bare = start
        while bare < end and text[bare] == "\t":
            bare += 1
        tabs.update(range(start, bare))
    untabbed_parts: list[Part] = []
    for part in parts:
        exact = isinstance(part, Lit) and part.end - part.start == len(part.text)
        untabbed_parts += _without(part, tabs) if exact and isinstance(part, Lit) else [part]
    return untabbed_parts


def _without(part: Lit, tabs: set[int]) -> Iterator[Lit]:
    """Yield the runs that are left of literal text when the characters at the offsets `tabs` are dropped."""
    start = offset = part.start
    while offset < part.end:
        if offset not in tabs:
            offset += 1
            continue
        if offset > start:
            yield Lit(part.text[start - part.start : offset - part.start], start, offset, part.quoted)
        offset += 1
        start = offset
    if offset > start:
        yield Lit(part.text[start - part.start :], start, offset, part.quoted)
