"""The shell's patterns (`*`, `?`, `[a-z]`, `@(a|b)`) as regular expressions, bounded in time."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import TypeAlias

Chunks: TypeAlias = tuple[tuple[str, bool], ...]
"""Text and whether it is quoted (then nothing in it is special)."""

MAX_TEXT = 2000
MAX_TEXT_STARS = 400
_CLASS = re.compile(r"\[([!^]?)((?:\]|\[:\w+:\]|[^\]])(?:\[:\w+:\]|[^\]])*)\]").match
_NAMED = {
    "alpha": "a-zA-Z", "digit": "0-9", "alnum": "a-zA-Z0-9", "upper": "A-Z", "lower": "a-z", "space": r"\s",
    "punct": r"!-/:-@\[-`{-~", "xdigit": "0-9A-Fa-f", "word": r"\w", "blank": r" \t",
}  # fmt: skip
_EXTENDED = {"?": "?", "*": "*", "+": "+", "@": ""}


class Pattern:
    """A pattern of the shell; `stars` counts what can match any length."""

    __slots__ = ("regex", "stars")

    def __init__(self, regex: re.Pattern[str], stars: int) -> None:
        self.regex, self.stars = regex, stars

    def affordable(self, text: str) -> bool:
        """False when matching `text` could take too long."""
        return len(text) <= (MAX_TEXT if self.stars < 2 else MAX_TEXT_STARS) and self.stars <= 4

    def matches(self, text: str) -> bool:
        """True when the whole of `text` matches."""
        return self.regex.fullmatch(text) is not None

    def strip(self, text: str, op: str) -> str:
        """`${x#p}`, `##`, `%`, `%%`."""
        size = len(text)
        if op[0] == "#":
            ends = range(size + 1) if op == "#" else range(size, -1, -1)
            return next((text[end:] for end in ends if self.regex.fullmatch(text, 0, end)), text)
        starts = range(size, -1, -1) if op == "%" else range(size + 1)
        return next((text[:start] for start in starts if self.regex.fullmatch(text, start)), text)

    def replace(self, text: str, new: str, op: str) -> str:
        """`${x/p/new}`, `//`, `/#`, `/%`: the longest match at the first place that has one."""
        if op == "/#":
            found = self.regex.match(text)
            return text if found is None else new + text[found.end() :]
        if op == "/%":
            size = len(text)
            start = next((s for s in range(size + 1) if self.regex.fullmatch(text, s)), None)
            return text if start is None else text[:start] + new
        if not text:
            return new if self.regex.fullmatch("") else text
        done, at = [], 0
        while at < len(text) and (found := self.regex.search(text, at)) is not None:
            if found.end() == found.start():
                break
            done += [text[at : found.start()], new]
            at = found.end()
            if op == "/":
                break
        return "".join(done) + text[at:]


@lru_cache(maxsize=256)
def compiled(chunks: Chunks) -> Pattern | None:
    """The pattern, or None for one that is not understood (`!(...)`)."""
    out: list[str] = []
    stars = 0
    level: list[str] = []
    for text, quoted in chunks:
        if quoted:
            out.append(re.escape(text))
            continue
        if "[" in text and "--" in text:
            # A range that begins or ends at a dash; not worth telling apart.
            return None
        at = 0
        while at < len(text):
            c = text[at]
            if text[at + 1 : at + 2] == "(" and c in "?*+@!":
                if c == "!":
                    return None
                level.append(_EXTENDED[c])
                out.append("(?:")
                stars += 2 * (c in "*+")
                at += 2
                continue
            step = _one(text, at, bool(level))
            if step is None:
                out.append(")" + level.pop())
                at += 1
                continue
            stars += step[0] == ".*"
            out.append(step[0])
            at = step[1]
    if level:
        return None
    try:
        return Pattern(re.compile("".join(out), re.DOTALL), stars)
    except (re.error, RecursionError, OverflowError):
        return None


def _one(text: str, at: int, inside: bool) -> tuple[str, int] | None:
    """The regular expression for what stands at `at`, and the offset behind it; None for a closing `)`."""
    c = text[at]
    if c == "*":
        while text[at + 1 : at + 2] == "*":
            at += 1
        return ".*", at + 1
    if c == "?":
        return ".", at + 1
    if c == "[" and (found := _CLASS(text, at)) is not None:
        return _bracket(found), found.end()
    if inside and c == "|":
        return "|", at + 1
    if inside and c == ")":
        return None
    return re.escape(c), at + 1


def _bracket(found: re.Match[str]) -> str:
    inside = re.sub(r"\[:(\w+):\]", lambda m: "\0" + m[1] + "\0", found[2])
    escaped = re.sub(r"([\\\[\]^&~|])", r"\\\1", inside)
    named = re.sub("\0(\\w+)\0", lambda m: _NAMED.get(m[1], ""), escaped)
    return f"[{'^' if found[1] else ''}{named}]"
