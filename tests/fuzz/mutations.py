"""Mutated configs: bytes, lines, tokens, trees and recombined overrides of real ones, each by a seed and a number alone.

`case(starts, seed, number)` is the same file in every process, whatever the hash seed, so a number is a reproduction.
"""

from __future__ import annotations

import copy
import random
import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path

from rftconf.text.document import Document
from rftconf.text.read.read import read
from rftconf.text.read.read_options import ReadOptions
from rftconf.text.source import Source
from tests.corpus import corpora
from tests.fuzz.trees import (
    LIKELY,
    ODD,
    OVERRIDE,
    changed_node,
    changed_override,
    dumped,
    loaded,
    paths_in,
    put,
    value_at,
    word,
)
from tests.sources import ROOT

MOST_CHARACTERS = 40_000
FRAGMENTS = (
    "'", '"', "$(", "${", "}", ")", "(", "[", "]", "{", "\\", "\\\n", "\n", "\r\n", "&&", "|", "#", ": ", "- ", "&a ", "*a",
    "<<: ", "!!int ", "???", "null", "~", "+", "++", "=", "==", ",", "@", "\t", "\0", "\ufeff", "é", "$x", "${a.b}", "<<EOF\n",
)  # fmt: skip
_TOKEN = re.compile(r"[\w.]+|\s+|.")


@dataclass(frozen=True, slots=True)
class Start:
    """A config that is fine. `suffix` is its file's; `beside` are files that it names, by their path from its folder."""

    name: str
    framework: str
    suffix: str
    text: str
    beside: Mapping[str, str] = field(default_factory=dict, hash=False)


@dataclass(frozen=True, slots=True)
class Case:
    """A mutated config: how it came to be, and its text."""

    name: str
    start: Start
    how: tuple[str, ...]
    text: str

    def document(self, text: str | None = None) -> Document:
        """It as read, or another text in its place."""
        source = Source(f"run{self.start.suffix}", self.text if text is None else text)
        return read(source, ReadOptions(sources=dict(self.start.beside)))


@cache
def starts() -> tuple[Start, ...]:
    """Inputs of the golden conversions, and the corpus of real configs where it lies beside the project."""
    new_starts = [_golden(path) for path in sorted((ROOT / "golden" / "convert").glob("*/input.*"))]
    new_starts += [
        Start(f"{name}/{real.name}", real.framework, real.suffix, real.text, real.beside)
        for name, reals in corpora().items()
        for real in reals
    ]
    return tuple(new_starts)


def _golden(path: Path) -> Start:
    text = path.read_text(encoding="utf-8")
    marks = {"verl": "actor_rollout_ref", "trinity": "buffer:", "roll": "actor_train:", "chatlearn": "runtime_args"}
    framework = next((name for name, mark in marks.items() if mark in text), "verl")
    return Start(f"golden/{path.parent.name}", framework, path.suffix, text)


def case(known: tuple[Start, ...], seed: int, number: int, kinds: tuple[str, ...] = ()) -> Case:
    """Mutation `number` of `seed`; `kinds` leaves the others out."""
    chance = random.Random(f"{seed}/{number}")
    start = chance.choice(known)
    others = [
        new_start for new_start in known if new_start.suffix == start.suffix and new_start.framework == start.framework
    ]
    names = kinds or tuple(MUTATIONS)
    text, how = start.text, []
    for _ in range(chance.choice((1, 1, 2, 3))):
        kind = chance.choice(names)
        text = MUTATIONS[kind](text, chance.choice(others).text, chance, start.suffix)[:MOST_CHARACTERS]
        how.append(kind)
    return Case(f"seed {seed}, case {number}", start, tuple(how), text)


def unchanged(start: Start) -> Case:
    """The config as it is."""
    return Case(start.name, start, (), start.text)


def cases(count: int, seed: int, kinds: tuple[str, ...] = (), first: int = 0) -> Iterator[Case]:
    """So many mutated configs in a row."""
    known = starts()
    for number in range(first, first + count):
        yield case(known, seed, number, kinds)


def _bytes(text: str, donor: str, chance: random.Random, suffix: str) -> str:
    data, more = bytearray(text.encode()), donor.encode()
    index = chance.randrange(len(data) + 1)
    to = min(len(data), index + chance.choice((0, 1, 4, 40)))
    where = chance.randrange(len(more) + 1)
    data[index:to] = chance.choice((b"", bytes([chance.randrange(256)]), data[index:to] * 2, more[where : where + 30]))
    return data.decode("utf-8", "replace")


def _lines(text: str, donor: str, chance: random.Random, suffix: str) -> str:
    lines, more = text.splitlines(keepends=True), donor.splitlines(keepends=True)
    if not lines or not more:
        return text
    index, to = sorted(chance.randrange(len(lines)) for _ in range(2))
    match chance.randrange(5):
        case 0:
            del lines[index]
        case 1:
            lines.insert(to, lines[index])
        case 2:
            lines[index], lines[to] = lines[to], lines[index]
        case 3:
            lines.insert(index, chance.choice(more))
        case _:
            del lines[index : min(to, index + 5)]
    return "".join(lines)


def _tokens(text: str, donor: str, chance: random.Random, suffix: str) -> str:
    tokens, more = _TOKEN.findall(text.replace("\n", "\n")), _TOKEN.findall(donor)
    if not tokens or not more:
        return text
    index, to = (chance.randrange(len(tokens)) for _ in range(2))
    match chance.randrange(4):
        case 0:
            tokens[index] = chance.choice(more)
        case 1:
            tokens[index], tokens[to] = tokens[to], tokens[index]
        case 2:
            tokens[index : index + 1] = []
        case _:
            tokens.insert(index, chance.choice(FRAGMENTS))
    return "".join(tokens)


def _tree(text: str, donor: str, chance: random.Random, suffix: str) -> str:
    """Operations on the tree: a value of any type, a key moved, removed, doubled, under itself, a list for a mapping."""
    return changed_override(text, chance) if suffix == ".sh" else changed_node(text, chance, (*ODD, *LIKELY))


def _values(text: str, donor: str, chance: random.Random, suffix: str) -> str:
    """One leaf with another value that is likely: the file stays a config."""
    if suffix != ".sh":
        return changed_node(text, chance, LIKELY, leaves=True)
    matches = list(OVERRIDE.finditer(text))
    if not matches:
        return text
    match = chance.choice(matches)
    value = next((m["value"] for m in OVERRIDE.finditer(donor) if m["key"] == match["key"]), None)
    if value is None or chance.random() < 0.7:
        value = word(chance.choice(LIKELY))
    return text[: match.start("value")] + value + text[match.end("value") :]


def _recombined(text: str, second: str, chance: random.Random, suffix: str) -> str:
    """Some of the other's overrides, or one of its subtrees, put in."""
    if suffix == ".sh":
        matches, more = list(OVERRIDE.finditer(text)), list(OVERRIDE.finditer(second))
        for first in chance.sample(more, min(len(more), chance.randint(1, 6))):
            index = chance.choice(matches).start() if matches else len(text)
            text = f"{text[:index]}{first['key']}={first['value'] or 'null'} {text[index:]}"
            matches = list(OVERRIDE.finditer(text))
        return text
    mine, theirs = loaded(text), loaded(second)
    paths = list(paths_in(theirs)) if theirs is not None else []
    if mine is None or not paths:
        return text
    for path in chance.sample(paths, min(len(paths), chance.randint(1, 3))):
        put(mine, path, copy.deepcopy(value_at(theirs, path)))
    return dumped(mine)


MUTATIONS: dict[str, Callable[[str, str, random.Random, str], str]] = {
    "bytes": _bytes,
    "lines": _lines,
    "tokens": _tokens,
    "tree": _tree,
    "values": _values,
    "recombined": _recombined,
}
"""How a text is changed: from it, and another of its kind."""
