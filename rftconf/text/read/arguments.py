"""The arguments of a program: which are options, which are overrides."""

from __future__ import annotations

import re
from collections.abc import Sequence

from rftconf.base.diagnostics import Diagnostic, Severity
from rftconf.base.span import Place
from rftconf.base.symbols import Expr, Text, text
from rftconf.text.hydra.override_parser import Argument
from rftconf.text.hydra.overrides import Overrides
from rftconf.text.launch.programs import HYDRA_OPTIONS, Style
from rftconf.text.read.command_line import CommandLine

_LONG = {
    "-cp": "config-path",
    "-cn": "config-name",
    "-cd": "config-dir",
    "-p": "package",
    "-c": "cfg",
    "-m": "multirun",
}
_LONG |= {"-h": "help", "-r": "run", "-i": "info", "-sc": "shell-completion"}
_WITH_VALUE = frozenset({"config-path", "config-name", "config-dir", "package", "cfg", "experimental-rerun", "info"})


def read_arguments(words: Sequence[Argument], style: Style, framework: str = "") -> CommandLine:
    """Options and overrides among `words`, as Hydra's argument parser, or a program of `framework` with `--name value`, takes
    them."""
    if style is Style.DOTLIST:
        from rftconf.text.hydra.dotlist import parse_dotlist

        return _with_config(_flags(words, Overrides(parse=parse_dotlist)))
    if style is Style.ARGPARSE:
        from rftconf.text.read.argparse_options import read_options

        return read_options(words, framework)
    return _hydra(words) if style is Style.HYDRA else _flags(words, Overrides())


_FILE = re.compile(r"[^=\s-][^=\s]*\.ya?ml").fullmatch
"""A word that is the path of a config, and no override."""


def _hydra(words: Sequence[Argument]) -> CommandLine:
    line, overrides = CommandLine(), Overrides()
    position = 0
    while position < len(words):
        word = words[position]
        position += 1
        if isinstance(word.value, str) and _FILE(word.value):
            message = f"{word.value} is no override: Hydra's own programs stop at it, others read it as a config file"
            line.diagnostics.append(
                _make_diagnostic("SYN308", Severity.WARNING, message, word.place, "--config-path and --config-name")
            )
            line.options.setdefault("config-file", word.value)
            continue
        if isinstance(word.value, str) and not word.value.startswith("-"):
            overrides.add(word)
            continue
        name, value = _split(word.value)
        if not name.startswith("-"):
            overrides.add(word)
            continue
        option = _hydra_name(name)
        if option == "multirun":
            message = "--multirun starts several runs, and a plan is one run"
            line.diagnostics.append(_make_diagnostic("SYN307", Severity.ERROR, message, word.place, "leave it out"))
        elif not option:
            message = f"{name} is no option of a Hydra program; the command would stop here"
            line.diagnostics.append(
                _make_diagnostic("SYN308", Severity.WARNING, message, word.place, "write key=value")
            )
        elif option in _WITH_VALUE and value is None and position < len(words):
            line.options[option] = words[position].value
            position += 1
        else:
            line.options[option] = True if value is None else value
    return _finished(line, overrides)


def _flags(words: Sequence[Argument], overrides: Overrides) -> CommandLine:
    line = CommandLine()
    position = 0
    while position < len(words):
        word = words[position]
        position += 1
        name, value = _split(word.value)
        if not name.startswith("-"):
            if value is not None or ("command" in line.options and isinstance(word.value, Expr)):
                overrides.add(word)
            else:
                line.options.setdefault("command", word.value)
        elif value is not None:
            line.options[name.lstrip("-")] = value
        elif position < len(words) and not _split(words[position].value)[0].startswith("-"):
            line.options[name.lstrip("-")] = words[position].value
            position += 1
        else:
            line.options[name.lstrip("-")] = True
    return _finished(line, overrides)


def _with_config(line: CommandLine) -> CommandLine:
    """`config=FILE` names a file as `--config FILE` does."""
    named = [leaf.value for leaf in line.leaves if leaf.key == "config"]
    line.options |= {"config": named[-1]} if named else {}
    return line


def _finished(line: CommandLine, overrides: Overrides) -> CommandLine:
    line.leaves = tuple(overrides.finish().leaves)
    line.conditional = tuple(overrides.conditional)
    line.unread = tuple(overrides.unread)
    line.options |= overrides.hydra
    line.diagnostics += overrides.diagnostics
    return line


def _split(value: str | Expr) -> tuple[str, str | Expr | None]:
    """The known text before the first `=`, and what follows it (None without `=`)."""
    parts = value.parts if isinstance(value, Text) else (value,)
    first = parts[0] if isinstance(parts[0], str) else ""
    name, equal, after = first.partition("=")
    return name, text(after, *parts[1:]) if equal else None


def _hydra_name(name: str) -> str:
    if name in _LONG:
        return _LONG[name]
    bare = name.removeprefix("--")
    candidates = [option for option in HYDRA_OPTIONS if option.startswith(bare)]
    if bare in HYDRA_OPTIONS or (name.startswith("--") and len(candidates) == 1):
        return bare if bare in HYDRA_OPTIONS else candidates[0]
    return ""


def _make_diagnostic(code: str, severity: Severity, message: str, place: Place, help_: str) -> Diagnostic:
    return Diagnostic(code, severity, message, place, help=help_)
