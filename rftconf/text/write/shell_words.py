"""Finds the end of a word of a shell script, by the shell's rules for quotes and expansions."""

from __future__ import annotations

_ENDS = frozenset(" \t\r\n;|&<>)")
_CLOSES = {"(": ")", "{": "}"}


def closing_quote(text: str, position: int, quote: str) -> int | None:
    """Return the position behind the closing quote; None where there is none."""
    while position < len(text):
        if text[position] == quote:
            return position + 1
        position = _past(text, position) if quote == '"' else position + 1
    return None


def word_end(text: str, position: int) -> int:
    """Return the position behind the word that `position` is in."""
    while position < len(text) and text[position] not in _ENDS:
        if text[position] in "\"'":
            closed = closing_quote(text, position + 1, text[position])
            position = len(text) if closed is None else closed
        elif text.startswith("\\\n", position):
            return position
        else:
            position = _past(text, position)
    return position


def _past(text: str, position: int) -> int:
    """One past the character, escape or expansion at `position`."""
    if text[position] == "\\":
        return position + 2
    if text[position] == "$" and text[position + 1 : position + 2] in ("(", "{"):
        return _past_expansion(text, position + 2, _CLOSES[text[position + 1]])
    return position + 1


def _past_expansion(text: str, position: int, end: str) -> int:
    """One past the `end` of an expansion; those inside of it, and brackets, are counted, however deep they go."""
    waiting = [end]
    while position < len(text) and waiting:
        char = text[position]
        if char == waiting[-1]:
            waiting.pop()
        elif char in "\"'":
            position = (closing_quote(text, position + 1, char) or len(text)) - 1
        elif char == "(" and waiting[-1] == ")":
            waiting.append(")")
        elif char == "\\":
            position += 1
        elif char == "$" and text[position + 1 : position + 2] in ("(", "{"):
            waiting.append(_CLOSES[text[position + 1]])
            position += 1
        position += 1
    return min(position, len(text))
