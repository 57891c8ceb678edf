"""A launch script as a Document: which command is the run, and what its arguments say."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace

from rftconf.base.diagnostics import Diagnostic, Label, Severity
from rftconf.base.enumeration import enumerate_words
from rftconf.base.record import record
from rftconf.base.secrets.config_secrets import secrets_made
from rftconf.base.span import Place
from rftconf.base.symbols import Expr, ShellOnly, Text, Value, atoms, text
from rftconf.text.document import UNREAD, Document, Launch, Via
from rftconf.text.files_beside import beside_script
from rftconf.text.hydra.defaults_list import SHIPPED as OWN_FILE
from rftconf.text.hydra.override_parser import Argument, PlacedArgument
from rftconf.text.launch.programs import Style
from rftconf.text.read.arguments import read_arguments
from rftconf.text.read.launch_config import Candidate, config_named, shipped, with_config
from rftconf.text.read.launcher_options import starter_options
from rftconf.text.read.no_launch import nothing_started
from rftconf.text.read.read_options import ReadOptions
from rftconf.text.read.started_python import python_beside
from rftconf.text.shell import Command, Script, Word, read_script
from rftconf.text.shell.state.codes import BREAKING, UNEXPANDED
from rftconf.text.source import Source

_BLANKS = re.compile(r"[ \t\n]+")


def read_shell(source: Source, options: ReadOptions) -> Document:
    """Read a launch script without running any of it. Never raises on bad input."""
    script, also_read = _followed(source, options)
    candidates = _candidates(script)
    chosen, notes = _choose(candidates, options, script)
    secrets = secrets_made(script.secrets)
    if chosen is None:
        launcher = _python_beside(source, script, script.commands, options)
        if launcher is not None:
            return replace(launcher, also_read=(*also_read, *launcher.also_read), secrets=secrets)
        diagnostics = [*script.diagnostics, *notes]
        return Document(source.name, source.text, "shell", (), tuple(diagnostics), also_read=also_read, secrets=secrets)
    launcher = _python_beside(source, script, [chosen.command], options)
    if launcher is not None:
        return replace(launcher, also_read=(*also_read, *launcher.also_read), secrets=secrets)
    diagnostics = [*(_outside(d, chosen, source) for d in script.diagnostics), *notes]
    diagnostics += _not_given(chosen.command.arguments)
    line = read_arguments(_split(chosen.command.arguments), chosen.style, chosen.framework)
    leaves, more = with_config(line, chosen, options)
    server = None
    if chosen.style is Style.ARGPARSE:
        from rftconf.text.read.engine_server import server_options
        from rftconf.text.read.launcher_options import with_launcher

        leaves, server = with_launcher(leaves, chosen.command, options), server_options(script.commands)
    absent = {d.code for d in more} & _NOT_BESIDE
    own = shipped(line.options, chosen) if absent else ""
    lacking = config_named(line.options, chosen.style) if own or absent == {UNREAD} else ""
    return Document(
        source.name,
        source.text,
        "shell",
        leaves,
        (*diagnostics, *line.diagnostics, *more),
        replace(_launch(chosen, line.options), shipped=own, unread="" if own else lacking, server=server),
        tuple(_launch(c, {}) for c in candidates),
        line.conditional,
        line.unread,
        also_read=also_read,
        asks=script.asks,
        secrets=secrets,
    )


def _python_beside(
    source: Source, script: Script, commands: Sequence[Command], options: ReadOptions
) -> Document | None:
    """The run of the first command that starts a launcher in Python beside the script; None where there is none."""
    for command in commands:
        launcher = python_beside(command, _split(command.arguments), options)
        if launcher is not None and launcher.launch is not None:
            starter = starter_options(command)
            launch = replace(launcher.launch, starter=starter, wrapper=tuple(command.wrapper), env=dict(command.env))
            diagnostics = (*script.diagnostics, *_not_given(command.arguments), *launcher.diagnostics)
            whole = replace(launcher, name=source.name, text=source.text, form="shell", diagnostics=diagnostics)
            return replace(whole, launch=launch, launches=(launch,), also_read=(launcher.name,), asks=script.asks)
    return None


_NOT_BESIDE = frozenset({UNREAD, OWN_FILE})
"""What is said of a config that a command reads and nobody gave."""
_MOST_FOLLOWED = 4
"""Texts that are kept: a migration goes back and forth between what a script is and what it may become."""


def _followed(source: Source, options: ReadOptions) -> tuple[Script, tuple[str, ...]]:
    if options.followed is None:
        return _script(source, options)
    known, cache = (source.text, *sorted(options.sources)), options.followed
    if known not in cache:
        while len(cache) >= _MOST_FOLLOWED:
            del cache[next(iter(cache))]
        cache[known] = _script(source, options)
    return cache[known]


def _script(source: Source, options: ReadOptions) -> tuple[Script, tuple[str, ...]]:
    """The script as bash follows it; where that starts no framework, past the branches that end it before it does.

    Beside it stand the names of other scripts that were read with it, from where it lies.
    """
    names: dict[str, None] = {}

    def find(name: str) -> tuple[str, str] | None:
        file = beside_script(source.name, name)
        if file is not None:
            names[file.name] = None
        return None if file is None else (file.name, file.text)

    def read(*, past_guards: bool) -> Script:
        return read_script(
            source.name,
            source.text,
            bindings=options.bindings,
            args=options.args,
            environment=options.environment,
            sources=options.sources,
            find=find,
            past_guards=past_guards,
        )

    script = read(past_guards=False)
    if not any(command.launch for command in script.commands):
        further = read(past_guards=True)
        if any(command.launch for command in further.commands) or (script.ended is not None and further.ended is None):
            script = further
    return script, tuple(names)


def _outside(diagnostic: Diagnostic, chosen: Candidate, source: Source) -> Diagnostic:
    """Weaken what is wrong outside of the launch to a warning: the launch is read, and bash starts it, all the same."""
    place, span = diagnostic.place, chosen.command.place.span
    if place is None or diagnostic.code not in (*BREAKING, UNEXPANDED):
        return diagnostic
    inside = place.file == chosen.command.place.file and span.start <= place.span.start < span.end
    if diagnostic.code == UNEXPANDED and place.file == source.name:
        inside = inside or source.text[place.span.start : place.span.end] in _as_shell(chosen.command.arguments)
    return diagnostic if inside else replace(diagnostic, severity=Severity.WARNING)


def _as_shell(words: Sequence[Word]) -> frozenset[str]:
    """The texts in the words that only a shell could expand."""
    return frozenset(atom.source for word in words for atom in atoms(word.value) if isinstance(atom, ShellOnly))


def _candidates(script: Script) -> list[Candidate]:
    """The commands that start a framework, each once: a loop starts the same one again and again."""
    candidates: dict[object, Candidate] = {}
    for command in script.commands:
        main = command.launch
        if main is not None:
            same = (command.place, command.name, tuple(word.value for word in command.arguments))
            candidates.setdefault(same, Candidate(command, command.name, main.style, main.rl, main.framework))
    return list(candidates.values())


MOST_NUMBERED = 12
"""Arguments of a script that are named one by one."""


def _not_given(words: Sequence[Word]) -> list[Diagnostic]:
    """One finding on all arguments of the script that these words need and it did not get, at the first of them."""
    lacking = {int(missing.lacks): missing for word in words for missing in word.lacking()}
    if not lacking:
        return []
    first, *others = sorted(lacking)
    if others:
        numbers = enumerate_words([str(number) for number in (first, *others)], MOST_NUMBERED)
        message = f"the script is given none of its arguments {numbers}, which are empty"
    else:
        message = f"the script is given no argument {first}; ${first} is empty"
    help_ = f'give {"them" if others else "it"} with --args "..."'
    return [Diagnostic("SYN509", Severity.WARNING, message, lacking[first].place, help=help_)]


@record
class _PartlyKnown:
    """A word with unknown parts. Offsets count each of these as one character, as the override grammar does."""

    word: Word

    @property
    def value(self) -> str | Expr:
        return self.word.value

    @property
    def place(self) -> Place:
        return self.word.place

    @property
    def via(self) -> tuple[Via, ...]:
        return self.word.via

    @property
    def condition(self) -> str | None:
        return self.word.condition

    def span_at(self, offset: int, end: int | None = None) -> Place:
        low, high, text_offset = -1, self.word.pieces[-1][2] if self.word.pieces else self.word.end, 0
        for value, start, finish, origins, _ in self.word.pieces:
            size = _width(value)
            exact = isinstance(value, str) and not origins and finish - start == size
            if low < 0 and offset < text_offset + size:
                low = start + (offset - text_offset) if exact else start
            if low >= 0 and end is not None and end <= text_offset + size:
                high = start + (end - text_offset) if exact else finish
                break
            text_offset += size
        return self.word.source.place(low if low >= 0 else self.word.start, max(high, low))


def _width(value: str | Expr) -> int:
    if isinstance(value, Text):
        return sum(map(_width, value.parts))
    return len(value) if isinstance(value, str) else 1


def _split(words: Sequence[Word]) -> list[Argument]:
    """Split words like `$OVERRIDES` at their blanks as bash does; unknown parts are taken to hold none."""
    arguments: list[Argument] = []
    for word in words:
        if not (word.splits and len(word.pieces) == 1 and isinstance(word.value, Text)):
            arguments.append(word if isinstance(word.value, str) else _PartlyKnown(word))
            continue
        pieces: list[list[str | Expr]] = [[]]
        for part in word.value.parts:
            first, *others = _BLANKS.split(part) if isinstance(part, str) else [part]
            pieces[-1].append(first)
            pieces += [[value] for value in others]
        values = [value for value in (text(*piece) for piece in pieces) if value != ""]
        arguments += [PlacedArgument(value, word.place, word.via, word.condition) for value in values]
    return arguments


def _choose(
    candidates: Sequence[Candidate], options: ReadOptions, script: Script
) -> tuple[Candidate | None, tuple[Diagnostic, ...]]:
    """The launch to read, and what the reader should know about the others."""
    if not candidates:
        return None, (nothing_started(script),)
    launch_number = options.launch
    listing = "; ".join(f"{number}: {c.title}" for number, c in enumerate(candidates, 1))
    labels = tuple(Label(c.command.place, f"launch {number}") for number, c in enumerate(candidates, 1))
    if launch_number is not None and not 1 <= launch_number <= len(candidates):
        message = f"there is no launch {launch_number}; the script has {listing}"
        return None, (Diagnostic("SYN506", Severity.ERROR, message, candidates[0].command.place, labels),)
    if launch_number is not None:
        return candidates[launch_number - 1], ()
    ours = [c for c in candidates if options.framework in ("", c.framework)] or list(candidates)
    trainings = [c for c in ours if c.rl] or ours
    chosen = trainings[0]
    if len(candidates) == 1:
        return chosen, ()
    severity = Severity.WARNING if len(trainings) > 1 else Severity.INFO
    message = f"the script starts several programs; launch {candidates.index(chosen) + 1} is read ({listing})"
    help_ = "choose another with --launch N"
    return chosen, (Diagnostic("SYN506", severity, message, chosen.command.place, labels, help_),)


def _launch(candidate: Candidate, options: dict[str, Value]) -> Launch:
    command = candidate.command
    return Launch(
        candidate.program, command.place, options, dict(command.env), tuple(command.wrapper), starter_options(command)
    )
