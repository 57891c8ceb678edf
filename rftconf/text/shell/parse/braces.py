"""Brace expansion: `{a,b}` and `{1..3}` make several words of one, before anything else happens."""

from __future__ import annotations

import re
from dataclasses import replace
from itertools import pairwise

from rftconf.text.shell.parse.nodes import Lit, Part, WordNode

_RANGE = re.compile(r"(-?\d+)\.\.(-?\d+)(?:\.\.(-?\d+))?\Z|([A-Za-z])\.\.([A-Za-z])(?:\.\.(-?\d+))?\Z").match
MAX_WORDS = 10_000
MAX_UNITS = 2_000
"""Braces, commas and what stands between them in one word; more are left as they are written."""


def expand_braces(word: WordNode, most: int = MAX_WORDS) -> list[WordNode]:
    """The words that `word` stands for: itself when it has no brace expression, or when they are more than `most`."""
    if not any(isinstance(p, Lit) and not p.quoted and "{" in p.text for p in word.parts):
        return [word]
    units = _units(word.parts)
    if len(units) > MAX_UNITS or most < 2:
        return [word]
    choices = _expand(units, 0)
    if len(choices) == 1 or len(choices) > most:
        return [word]
    return [WordNode(_joined(parts), word.start, word.end) for parts in choices]


def _units(parts: list[Part]) -> list[Part]:
    """`parts` with unquoted text cut at braces and commas."""
    units: list[Part] = []
    for part in parts:
        if not isinstance(part, Lit) or part.quoted:
            units.append(part)
            continue
        offset = part.start
        for text in re.split(r"([{},])", part.text):
            if text:
                units.append(Lit(text, offset, offset + len(text)))
                offset += len(text)
    return units


def _is(part: Part, text: str) -> bool:
    return isinstance(part, Lit) and not part.quoted and part.text == text


def _expand(units: list[Part], depth: int) -> list[list[Part]]:
    pairs = _pairs(units)
    for index in sorted(pairs):
        close, commas = pairs[index]
        inside = _alternatives(units, index, close, commas, depth)
        if inside is None:
            continue
        tails = _expand(units[close + 1 :], depth)
        if len(inside) * len(tails) > MAX_WORDS:
            return [units]
        return [[*units[:index], *choice, *tail] for choice in inside for tail in tails]
    return [units]


def _pairs(units: list[Part]) -> dict[int, tuple[int, list[int]]]:
    """Map each closed brace to the index of its end, and of the commas that stand in it and in none inside it."""
    pairs: dict[int, tuple[int, list[int]]] = {}
    opened: list[tuple[int, list[int]]] = []
    for index, part in enumerate(units):
        if _is(part, "{"):
            opened.append((index, []))
        elif opened and _is(part, "}"):
            start, commas = opened.pop()
            pairs[start] = (index, commas)
        elif opened and _is(part, ","):
            opened[-1][1].append(index)
    return pairs


def _alternatives(units: list[Part], index: int, close: int, commas: list[int], depth: int) -> list[list[Part]] | None:
    if commas and depth < 8:
        edges = [index, *commas, close]
        pieces = [units[a + 1 : b] for a, b in pairwise(edges)]
        return [choice for piece in pieces for choice in _expand(piece, depth + 1)]
    inside = units[index + 1 : close]
    if len(inside) != 1 or not isinstance(only := inside[0], Lit) or only.quoted:
        return None
    match = _RANGE(only.text)
    if match is None:
        return None
    return [[replace(only, text=text)] for text in _range(match)] or None


def _range(match: re.Match[str]) -> list[str]:
    low, high, step, first, last, letter_step = match.groups()
    if low is None:
        start, stop, by = ord(first), ord(last), abs(int((letter_step or "1")[:9])) or 1
        return [chr(c) for c in _count(start, stop, by)]
    if max(map(len, (low, high, step or ""))) > 18:
        return []
    start, stop, by = int(low), int(high), abs(int(step or 1)) or 1
    if abs(stop - start) // by > MAX_WORDS:
        return []
    padded = any(re.match(r"-?0\d", text) for text in (low, high))
    width = max(len(low), len(high)) if padded else 0
    return [f"{n:0{width}d}" for n in _count(start, stop, by)]


def _count(start: int, stop: int, by: int) -> range:
    return range(start, stop + 1, by) if stop >= start else range(start, stop - 1, -by)


def _joined(parts: list[Part]) -> list[Part]:
    return [p for p in parts if not isinstance(p, Lit) or p.text or p.quoted]
