"""A config's fork is recognised by the program that it starts and by keys that only this fork has.

Only the marks are read here, from an index that is generated from the declarations: no command pays for a fork that
it does not meet.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from fnmatch import fnmatchcase
from functools import cache, cached_property
from pathlib import Path
from typing import Any

INDEX = Path(__file__).with_name("marks.json")


@dataclass(frozen=True, eq=False)
class Marks:
    """A fork's marks in a config: the modules it starts, patterns of keys, keys with words that only it
    takes there; one of them is enough.

    `above` are the forks that it is itself a fork of; `arguments` says how its programs take theirs, where that is not
    the framework's way.
    """

    name: str
    framework: str
    programs: tuple[str, ...]
    keys: tuple[str, ...]
    above: tuple[str, ...]
    values: Mapping[str, tuple[str, ...]]
    arguments: str = ""

    def has(self, key: str) -> bool:
        """True where `key` is one of those by which the fork is recognised."""
        return key.startswith(self.heads) and any(_fits(key, pattern) for pattern in self.keys)

    @cached_property
    def heads(self) -> tuple[str, ...]:
        """Return the beginnings of the fork's keys: each pattern up to its first `*`."""
        return tuple(pattern.partition("*")[0] for pattern in self.keys)

    def words(self, written: Mapping[str, object]) -> list[str]:
        """The written keys of the framework's that have a word which only this fork takes there."""
        return [key for key, values in self.values.items() if written.get(key) in values]

    def hits(self, written: Mapping[str, object]) -> int:
        """Count the written keys that show this fork."""
        return len(self.words(written)) + sum(map(self.has, written))


def _fits(key: str, pattern: str) -> bool:
    """Most patterns are a section; a pattern that `fnmatch` has to translate costs more than all others together."""
    head, star, tail = pattern.partition("*")
    return key.startswith(head) and (key == pattern if not star else not tail or fnmatchcase(key, pattern))


@cache
def all_marks() -> tuple[Marks, ...]:
    """The marks of all forks, by name."""
    return tuple(_marks(name, row) for name, row in json.loads(INDEX.read_bytes()).items())


def _marks(name: str, row: Mapping[str, Any]) -> Marks:
    values = {key: tuple(words) for key, words in row["values"].items()}
    return Marks(
        name,
        row["framework"],
        tuple(row["programs"]),
        tuple(row["keys"]),
        tuple(row["above"]),
        values,
        row["arguments"],
    )


def module_of(program: str) -> str:
    """A program as a module: `./verl_tool/trainer/main_ppo.py` is `verl_tool.trainer.main_ppo`."""
    return program.removeprefix("./").replace("/", ".").removesuffix(".py")


def of_program(program: str) -> Marks | None:
    """The fork whose program this is; a path may have folders before the module, and a module packages."""
    module = module_of(program)
    for marks in all_marks():
        if any(module == own or module.endswith(f".{own}") for own in marks.programs):
            return marks
    return None


def has_words(keys: Mapping[str, object], framework: str) -> bool:
    """True where one of the framework's own keys has a word that only a fork of it takes."""
    return any(marks.values and marks.words(keys) for marks in all_marks() if marks.framework == framework)


def of_keys(keys: Mapping[str, object], framework: str, below: str = "") -> Marks | None:
    """The fork of `framework` that most of its own keys point at; a fork of a fork goes before the one it stands on.

    `below`: only a fork of this one, which shares its program.
    """
    written = {key.lstrip("+~"): value for key, value in keys.items()}
    hits = {marks: marks.hits(written) for marks in all_marks() if marks.framework == framework}
    matching = [marks for marks, count in hits.items() if count and (not below or below in marks.above)]
    last = [marks for marks in matching if not any(marks.name in candidate.above for candidate in matching)]
    return max(last, key=hits.__getitem__, default=None)
