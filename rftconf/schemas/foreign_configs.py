"""Configs of frameworks that rftconf does not read: which one it is, and what can be done."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache, cached_property
from typing import Any

from rftconf.base.errors import RefusedError
from rftconf.schemas.foreign import FOREIGN, Foreign, Mark
from rftconf.schemas.registry import READ
from rftconf.text import toml
from rftconf.text.document import Document
from rftconf.text.launch.programs import main_of
from rftconf.text.read.read import is_toml

_COMMENT = re.compile(r"(?m)(?:^|(?<=\s))#.*$")
_CONTINUED = re.compile(r"(?<![ \t])[ \t]*\\\r?\n[ \t]*")
_OVERRIDE = re.compile(r"(?:^|[\s\"'])\+{0,2}((?:\w{1,100}\.){1,50}\w{1,100})=")
_FLAG = re.compile(r"(?:^|\s)(--[\w.-]+)")
INSTEAD = (
    "rftconf new, which writes a first config of one of these for your model and GPUs",
    "rftconf explain KEY, which says what a key of one of these means and what the others call it",
    "--from NAME, if it is a config of one of these after all",
)
"""What rftconf can do for whoever has such a config."""
_MOST_CHARACTERS = 200_000
"""Characters of a text in which commands are looked for; a script that starts a run names its program in them."""


class Traces:
    """Signs in a text of the framework that reads it: commands, flags, keys."""

    def __init__(self, document: Document) -> None:
        self.document = document

    @cached_property
    def commands(self) -> str:
        """The text without comments, continued lines as one."""
        return _COMMENT.sub("", _CONTINUED.sub(" ", self.document.text[:_MOST_CHARACTERS]))

    @cached_property
    def flags(self) -> frozenset[str]:
        """The options of all commands of a script."""
        return frozenset(_FLAG.findall(self.commands)) if self.document.form == "shell" else frozenset()

    @cached_property
    def keys(self) -> frozenset[str]:
        """Every key and every section, list items without their numbers."""
        keys = {leaf.key for leaf in self.document.leaves}
        if self.document.form == "shell":
            keys |= set(_OVERRIDE.findall(self.commands))
        if is_toml(self.document.name):
            keys |= set(_toml_keys(self.document.text))
        every = set[str]()
        for key in keys:
            names = re.split(r"\.|\[[^\]]*\]\.?", key)
            every |= {".".join(names[:depth]) + "." for depth in range(1, len(names))}
            every |= {".".join(names), f"*.{names[-1]}"}
        return frozenset(every)

    def shows(self, mark: Mark) -> str:
        """Return the text that the mark was recognised by; empty where it is not there."""
        if mark.toml and not is_toml(self.document.name):
            return ""
        if mark.program:
            command = re.search(mark.program, self.commands)
            return " ".join(command[0].split()) if command else ""
        if mark.flags:
            flags = [flag for flag in mark.flags if flag in self.flags]
            return ", ".join(flags[:3]) if len(flags) >= mark.fewest else ""
        if not self.keys.issuperset(mark.keys) or not self.keys.isdisjoint(mark.without):
            return ""
        return ", ".join(key.strip(".*") for key in mark.keys)


def foreign_of(document: Document) -> tuple[Foreign, str] | None:
    """The framework that rftconf does not read and whose config this is, with what shows it; None for any other text."""
    launch = document.launch
    traces = Traces(document)
    marks = _strongest_first()
    started = main_of(launch.program) if launch is not None else None
    if document.form == "python":
        traces.commands = ""  # other programs' names stand in its comments and imports
    if started is not None:
        # it starts one of ours by the program's name, whatever else the script runs: only what it is given says otherwise
        traces.commands = ""
        marks = tuple((mark, foreign) for mark, foreign in marks if mark.keys and foreign.name != started.framework)
    traces_shown = ((foreign, trace) for mark, foreign in marks if (trace := traces.shows(mark)))
    return next(traces_shown, None)


@cache
def _strongest_first() -> tuple[tuple[Mark, Foreign], ...]:
    """Every mark with its framework: programs before options, which frameworks share, and keys last."""
    every = ((mark, foreign) for foreign in FOREIGN for mark in foreign.marks)
    return tuple(sorted(every, key=lambda pair: (not pair[0].program, not pair[0].flags)))


def named(document: Document) -> str:
    """One sentence that names the framework whose config this is; empty where it is not one that rftconf does not read."""
    foreign_and_trace = foreign_of(document)
    if foreign_and_trace is None:
        return ""
    foreign, trace = foreign_and_trace
    ours = ", ".join(framework.title for framework in READ)
    return f"{document.name} is a config of {foreign.title} ({trace}), which rftconf does not read; it reads {ours}"


def refuse_foreign(document: Document) -> None:
    """Raise RefusedError with the framework's name and what to do instead, where it is one that rftconf does not read."""
    sentence = named(document)
    if sentence:
        raise RefusedError(sentence, choices=INSTEAD)


def _toml_keys(text: str) -> Iterator[str]:
    try:
        yield from _keys_below(toml.loads(text), "")
    except (ValueError, RecursionError):
        return


def _keys_below(value: Any, key: str) -> Iterator[str]:
    if isinstance(value, dict):
        for name, item in value.items():
            yield from _keys_below(item, f"{key}.{name}" if key else name)
    elif isinstance(value, list) and any(isinstance(item, dict) for item in value):
        for item in value:
            yield from _keys_below(item, key)
    elif key:
        yield key
