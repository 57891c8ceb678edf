"""The shell's patterns (`*`, `?`, `[a-z]`, `@(a|b)`), matched in time that the lengths of text and pattern bound."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import TypeAlias

Chunks: TypeAlias = tuple[tuple[str, bool], ...]
"""Text and whether it is quoted (then nothing in it is special)."""

MAX_TEXT = 2000
MAX_TEXT_STARS = 400
MAX_TEXT_GROUPS = 100
MAX_PATTERN = 500
MAX_GROUPS = 6
_CLASS = re.compile(r"\[([!^]?)((?:\]|\[:\w+:\]|[^\]])(?:\[:\w+:\]|[^\]])*)\]").match
_NAMED = {
    "alpha": "a-zA-Z", "digit": "0-9", "alnum": "a-zA-Z0-9", "upper": "A-Z", "lower": "a-z", "space": r"\s",
    "punct": r"!-/:-@\[-`{-~", "xdigit": "0-9A-Fa-f", "word": r"\w", "blank": r" \t",
}  # fmt: skip
_ANY = re.compile(".", re.DOTALL)
Step: TypeAlias = "str | re.Pattern[str] | Star | Group"
"""What stands in a pattern one after the other: text, one of some characters, anything, or a choice of patterns."""


class Star:
    """Any text."""

    __slots__ = ()


class Group:
    """`@(a|b)` and its like: `kind` is the character before the parenthesis."""

    __slots__ = ("arms", "kind")

    def __init__(self, kind: str) -> None:
        self.kind, self.arms = kind, list[list[Step]]([[]])

    def ends(self, text: str, starts: set[int]) -> set[int]:
        """Return the offsets where a match can end that begins at one of `starts`."""
        reached = set(starts) if self.kind in "?*" else set[int]()
        new = starts
        while new:
            after = set[int]().union(*(_ends(arm, text, new) for arm in self.arms))
            new = after - reached if self.kind in "*+" else set()
            reached |= after
        return reached


def _ends(steps: list[Step], text: str, starts: set[int]) -> set[int]:
    """All places where a match of `steps` can end: sets of places, so that nothing is tried twice."""
    size, places = len(text), starts
    for step in steps:
        if not places:
            break
        if isinstance(step, str):
            places = {offset + len(step) for offset in places if text.startswith(step, offset)}
        elif isinstance(step, Star):
            places = set(range(min(places), size + 1))
        elif isinstance(step, Group):
            places = step.ends(text, places)
        else:
            places = {offset + 1 for offset in places if offset < size and step.match(text, offset)}
    return places


class Pattern:
    """A pattern of the shell; `stars` counts what can match any length."""

    __slots__ = ("stars", "steps")

    def __init__(self, steps: list[Step], stars: int) -> None:
        self.steps, self.stars = steps, stars

    def affordable(self, text: str) -> bool:
        """False when matching `text` could take too long."""
        groups = any(isinstance(step, Group) for step in self.steps)
        most = MAX_TEXT_GROUPS if groups else MAX_TEXT if self.stars < 2 else MAX_TEXT_STARS
        return len(text) <= most and self.stars <= 8

    @property
    def matches_all(self) -> bool:
        """True for `*`."""
        return len(self.steps) == 1 and isinstance(self.steps[0], Star)

    def _from(self, text: str, start: int) -> set[int]:
        return _ends(self.steps, text, {start})

    def matches(self, text: str) -> bool:
        """True when the whole of `text` matches."""
        return len(text) in self._from(text, 0)

    def strip(self, text: str, op: str) -> str:
        """`${x#p}`, `##`, `%`, `%%`."""
        size = len(text)
        if op[0] == "#":
            ends = self._from(text, 0)
            return text if not ends else text[(min(ends) if op == "#" else max(ends)) :]
        starts = range(size, -1, -1) if op == "%" else range(size + 1)
        return next((text[:start] for start in starts if size in self._from(text, start)), text)

    def replace(self, text: str, new: str, op: str) -> str:
        """`${x/p/new}`, `//`, `/#`, `/%`: the longest match at the first place that has one."""
        size = len(text)
        if op == "/#":
            ends = self._from(text, 0)
            return new + text[max(ends) :] if ends else text
        if op == "/%":
            start = next((s for s in range(size + 1) if size in self._from(text, s)), None)
            return text if start is None else text[:start] + new
        if not text:
            return new if self.matches("") else text
        done, offset, copied = list[str](), 0, 0
        while offset < size:
            end = max(self._from(text, offset), default=offset)
            if end == offset:
                offset += 1
                continue
            done += [text[copied:offset], new]
            offset = copied = end
            if op == "/":
                break
        return "".join(done) + text[copied:]


@lru_cache(maxsize=256)
def compiled(chunks: Chunks) -> Pattern | None:
    """The pattern, or None for one that is not understood (`!(...)`)."""
    root = Group("@")
    open_groups = [root]
    stars = 0
    if sum(len(text) for text, _ in chunks) > MAX_PATTERN:
        return None
    for text, quoted in chunks:
        if quoted:
            open_groups[-1].arms[-1].append(text)
            continue
        if "[" in text and "--" in text:
            # A range that begins or ends at a dash; not worth telling apart.
            return None
        offset = 0
        while offset < len(text):
            c, steps = text[offset], open_groups[-1].arms[-1]
            inside = len(open_groups) > 1
            if text[offset + 1 : offset + 2] == "(" and c in "?*+@!":
                if c == "!" or len(open_groups) > MAX_GROUPS:
                    return None
                group = Group(c)
                steps.append(group)
                open_groups.append(group)
                stars += c in "*+"
                offset += 2
            elif inside and c == "|":
                open_groups[-1].arms.append([])
                offset += 1
            elif inside and c == ")":
                open_groups.pop()
                offset += 1
            else:
                step, offset = _next_step(text, offset)
                if step is None:
                    return None
                stars += isinstance(step, Star)
                steps.append(step)
    return Pattern(root.arms[0], stars) if len(open_groups) == 1 else None


def _next_step(text: str, offset: int) -> tuple[Step | None, int]:
    """Return the pattern's step at `offset`, and the offset behind it; None for brackets that form no set."""
    c = text[offset]
    if c == "*":
        while text[offset + 1 : offset + 2] == "*":
            offset += 1
        return Star(), offset + 1
    if c == "?":
        return _ANY, offset + 1
    if c == "[" and (match := _CLASS(text, offset)) is not None:
        try:
            return re.compile(_bracket(match), re.DOTALL), match.end()
        except re.error:
            return None, offset
    return c, offset + 1


def _bracket(match: re.Match[str]) -> str:
    inside = re.sub(r"\[:(\w+):\]", lambda m: "\0" + m[1] + "\0", match[2])
    escaped = re.sub(r"([\\\[\]^&~|])", r"\\\1", inside)
    named = re.sub("\0(\\w+)\0", lambda m: _NAMED.get(m[1], ""), escaped)
    return f"[{'^' if match[1] else ''}{named}]"
