"""Here-documents: where a body ends, and what it becomes when its variables are expanded."""

from __future__ import annotations

from collections.abc import Iterator

from rftconf.text.shell.parse.nodes import Command, HereDoc, Lit, Part, Redirect, Simple, WordNode


def opened(target: WordNode, *, tabs: bool, start: int) -> HereDoc:
    """The here-document that `<<target` at `start` begins; its body is not reached yet."""
    literal = [part for part in target.parts if isinstance(part, Lit)]
    return HereDoc("".join(part.text for part in literal), tabs, any(part.quoted for part in literal), start)


def close(text: str, at: int, waiting: HereDoc) -> int:
    """Set where the body that begins at `at` ends, and say where its last line does; -1 where no line ends it."""
    waiting.start = at
    for start, end, line in _lines(text, at, len(text), joined=not waiting.quoted):
        if (line.lstrip("\t") if waiting.tabs else line) == waiting.delimiter:
            waiting.end = start
            return end
    waiting.end = len(text)
    return -1


def _lines(text: str, at: int, size: int, *, joined: bool) -> Iterator[tuple[int, int, str]]:
    """Start, end and text of each line; with `joined`, a backslash at its end continues it."""
    while at < size:
        start, line = at, ""
        while True:
            found = text.find("\n", at, size)
            piece, at = (text[at:found], found + 1) if found >= 0 else (text[at:size], size)
            slashes = len(piece) - len(piece.rstrip("\\"))
            if not joined or slashes % 2 == 0 or at >= size:
                break
            line += piece[:-1]
        yield start, at, line + piece


def handed_on(inside: list[Command]) -> tuple[Redirect, ...]:
    """What `cat` hands on when it is all there is and reads from here-documents or -strings; nothing for any other command."""
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
    gone = set[int]()
    for start, end, _ in _lines(text, body.start, body.end, joined=not body.quoted):
        bare = start
        while bare < end and text[bare] == "\t":
            bare += 1
        gone.update(range(start, bare))
    kept: list[Part] = []
    for part in parts:
        exact = isinstance(part, Lit) and part.end - part.start == len(part.text)
        kept += _without(part, gone) if exact and isinstance(part, Lit) else [part]
    return kept


def _without(part: Lit, gone: set[int]) -> Iterator[Lit]:
    """What is left of literal text when some of its characters are dropped, in runs."""
    start = at = part.start
    while at < part.end:
        if at not in gone:
            at += 1
            continue
        if at > start:
            yield Lit(part.text[start - part.start : at - part.start], start, at, part.quoted)
        at += 1
        start = at
    if at > start:
        yield Lit(part.text[start - part.start :], start, at, part.quoted)
