"""Reads command lines that need no parser: known options in full, each value a word of its own.

Whatever else stands there is left to `cli.parser`, which means the same by the same words and knows how to complain.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple

FILE = Path(__file__).with_name("options.json")
"""Verb to its argument and options, written by `python -m scripts.generate_cli` from what the parser knows."""


class Option(NamedTuple):
    """One spelling of an option: the parameter it sets, and `flag`, `text`, `path`, `int` or `choice`."""

    name: str
    kind: str
    many: bool = False
    least: int | None = None
    choices: tuple[str, ...] = ()


class _NotPlainError(Exception):
    """A command line that only the parser can read."""


def arguments(verb: str, words: Sequence[str]) -> dict[str, Any] | None:
    """The parameters that `words` give to `verb`, or None where the parser must say what they mean."""
    verbs: dict[str, dict[str, Any]] = json.loads(FILE.read_bytes())
    if verb not in verbs:
        return None
    known = verbs[verb]
    options = {spelling: Option(*row) for spelling, row in known["options"].items()}
    values: dict[str, Any] = {}
    loose: list[str] = []
    try:
        remaining = iter(words)
        for word in remaining:
            if word == "-" or not word.startswith("-"):
                loose.append(word)
            else:
                _take(word, remaining, options, values)
    except _NotPlainError:
        return None
    many = known["many"]
    if not loose or (len(loose) > 1 and not many) or "" in loose or not values.keys() >= set(known["required"]):
        return None
    values[known["argument"]] = loose if many else loose[0]
    return values


def _take(word: str, words: Iterator[str], options: dict[str, Option], values: dict[str, Any]) -> None:
    """Put one option into `values`, with its value from `words`."""
    option = options.get(word)
    if option is None:
        raise _NotPlainError
    if option.kind == "flag":
        values[option.name] = True
        return
    value = _value(option, next(words, None))
    if option.many:
        values.setdefault(option.name, []).append(value)
    else:
        values[option.name] = value


def _value(option: Option, text: str | None) -> str | int | Path:
    if not text or text.startswith("-"):
        raise _NotPlainError
    if option.kind == "choice" and text not in option.choices:
        raise _NotPlainError
    if option.kind == "int":
        if not (text.isascii() and text.isdecimal()) or len(text) > 9 or int(text) < (option.least or 0):
            raise _NotPlainError
        return int(text)
    return Path(text) if option.kind == "path" else text
