"""Arguments of a program whose every key is an option: `--name value`, several values, a switch alone, `--no_name`."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from rftconf.base.diagnostics import Diagnostic, Severity
from rftconf.base.symbols import Branch, Expr, Text, Value, text, to_shell
from rftconf.text.document import Leaf, Unread
from rftconf.text.hydra.override_parser import Argument
from rftconf.text.hydra.overrides import is_opposite
from rftconf.text.launch.option_names import whole_name
from rftconf.text.read.command_line import CommandLine

_FILE = "config"
"""The option that names a file of defaults (trl/scripts/utils.py: TrlParser)."""
_PLAIN = frozenset({"no_cuda", "no_advantage_std_norm"})
"""Keys that begin as the opposite of a switch does (transformers HfArgumentParser adds `--no_name` for each that is on)."""
_MAY, _BIND = "this argument may hold any options: it is not read", "bind what it reads with --set NAME=VALUE"


@dataclass(slots=True)
class _Option:
    """One option with the words behind it."""

    name: str
    word: Argument
    values: list[str | Expr] = field(default_factory=list)
    words: list[Argument] = field(default_factory=list)
    arm: str | None = None
    """The condition under which the last word is there, while another one may stand in its place."""


def read_options(words: Sequence[Argument], framework: str = "") -> CommandLine:
    """The options among `words` as leaves; the first word that is none is the program's command.

    Those of a framework's own program may be shortened, and are read in full.
    """
    line = CommandLine()
    for option in _options(words, line):
        value = _value_of(option)
        if option.name == _FILE:
            line.options[_FILE] = value
            continue
        key, value = _as_switch(option.name, value)
        key = whole_name(framework, key)
        place = option.words[0].place if option.words else option.word.place
        raw = " ".join(to_shell(item) for item in option.values)
        leaf = Leaf(key, value, place, option.word.place, raw, (option.words or [option.word])[0].via)
        if option.word.condition is not None:
            line.conditional = (*line.conditional, (option.word.condition, leaf))
        else:
            line.leaves = (*line.leaves, leaf)
    return line


def _options(words: Sequence[Argument], line: CommandLine) -> Iterator[_Option]:
    current: _Option | None = None
    for word in words:
        name, value = name_in(word.value)
        if name:
            if current is not None:
                yield current
            current = _Option(name, word, [] if value is None else [value], [] if value is None else [word])
        elif current is not None and _is_other_arm(current, word):
            current.values[-1] = Branch(str(word.condition), word.value, current.values[-1])
            current.arm = None
        elif current is not None and (isinstance(word.value, str) or not current.values):
            current.values.append(word.value)
            current.words.append(word)
            current.arm = word.condition
        elif isinstance(word.value, str):
            line.options.setdefault("command", word.value)
        else:
            line.unread = (*line.unread, Unread(word.value, word.place, f"{_MAY}; {_BIND}"))
            line.diagnostics.append(Diagnostic("SYN305", Severity.WARNING, _MAY, word.place, help=_BIND))
    if current is not None:
        yield current


def _is_other_arm(option: _Option, word: Argument) -> bool:
    """True where a condition that nobody knows here puts this word in the place of the one before it."""
    return option.arm is not None and word.condition is not None and is_opposite(option.arm, word.condition)


def name_in(value: str | Expr) -> tuple[str, str | Expr | None]:
    """The option that a word begins, with underscores, and what stands behind `=`; empty where it begins none."""
    parts = value.parts if isinstance(value, Text) else (value,)
    first = parts[0] if isinstance(parts[0], str) else ""
    if not first.startswith("--") or len(first) < len("--x"):
        return "", None
    name, equal, after = first[2:].partition("=")
    return name.replace("-", "_"), text(after, *parts[1:]) if equal else None


def _value_of(option: _Option) -> Value:
    if not option.values:
        return True
    return option.values[0] if len(option.values) == 1 else list(option.values)


def _as_switch(name: str, value: Value) -> tuple[str, Value]:
    """The key and value of `--no_name`, which turns a switch off."""
    if name.startswith("no_") and value is True and name not in _PLAIN:
        return name.removeprefix("no_"), False
    return name, value
