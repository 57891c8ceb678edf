"""Reads a launch script without executing anything: which programs it starts, with which arguments, from where."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import field

from rftconf.base.diagnostics import Diagnostic, Severity
from rftconf.base.record import record
from rftconf.base.secrets import secret_spans
from rftconf.base.span import Place
from rftconf.base.symbols import Expr, Value, names_in
from rftconf.text.shell.parse.nodes import Command as Node
from rftconf.text.shell.parse.parser import Parser
from rftconf.text.shell.run import loops
from rftconf.text.shell.run.interpreter import Evaluator
from rftconf.text.shell.source import Source
from rftconf.text.shell.state.codes import CODES
from rftconf.text.shell.state.started_command import Command
from rftconf.text.shell.state.state import Find, Lead, Shell
from rftconf.text.shell.state.step_budget import Budget
from rftconf.text.shell.values import Array, Known, Word

MAX_SCRIPT = 300_000
"""Characters of a script, lines of comments not counted."""
_COMMENT_LINES = re.compile(r"^[ \t]*#[^\n]*\n", re.MULTILINE)
MOST_COMPARED, MOST_ADVISED = 1_000, 20
"""Names of a script that one which it never reads is compared with, and how many such names are."""
RESERVE = 0.25
"""What share of the budget is left to the rest of a script when one command has used all of it; half of it the next time."""


@record
class Unresolved:
    """A name that the arguments depend on and nothing given tells, with the first place that needs it."""

    name: str
    place: Place


@record
class Script:
    """A script as it was read: the commands that it launches, and its `variables` at the end (lists for arrays)."""

    name: str
    text: str
    commands: tuple[Command, ...]
    diagnostics: tuple[Diagnostic, ...]
    unresolved: tuple[Unresolved, ...]
    variables: dict[str, Value]
    leads: tuple[Lead, ...] = ()
    """Commands that lead on to what is not read."""
    ended: Place | None = None
    """Where the script ends before its last line."""
    secrets: tuple[str, ...] = ()
    """Return what the script calls secrets, and what it makes of them."""
    asks: Mapping[str, Place] = field(default_factory=dict)
    """Variables, and arguments by number, without which the script ends before it starts anything."""

    @property
    def readable(self) -> bool:
        """False when an error makes the commands unusable."""
        return not any(d.severity is Severity.ERROR for d in self.diagnostics)


def read_script(
    name: str,
    text: str,
    *,
    bindings: Mapping[str, Value] | None = None,
    args: Sequence[str] = (),
    environment: Mapping[str, str] | None = None,
    sources: Mapping[str, str] | None = None,
    find: Find | None = None,
    past_guards: bool = False,
) -> Script:
    """Read the script `text`; `name` is what places call it. Never raises on what the script says.

    `bindings` and `environment` are variables exported before it starts, `args` its parameters, `sources` the files
    that it may `source` or run, path to text, and `find` looks for others beside it. With `past_guards` a branch that ends
    the script before it has started a framework is left again, and what it asks for stays open; bash would end there.
    """
    source = Source(name, text)
    shell = Shell(source, sources or {}, find)
    shell.past_guards = past_guards
    _describe_ends(shell)
    shell.secrets.add(text[start:end] for start, end in secret_spans(text))
    size = len(text) if len(text) <= MAX_SCRIPT else len(_COMMENT_LINES.sub("", text))
    if size > MAX_SCRIPT:
        shell.say("SYN199", f"the script has {size:,} characters without its comments, more than {MAX_SCRIPT:,}", 0, 1)
        return Script(name, text, (), tuple(shell.diagnostics), (), {})
    for values, place_name in ((environment or {}, "environment"), (bindings or {}, "--set")):
        _bind(shell, values, place_name)
    shell.given = frozenset(bindings or ())
    shell.exported = shell.given | frozenset(environment or ())
    _parameters(shell, args)
    tree = Parser(source.text).script()
    shell.say_problems(tree)
    machine = Evaluator(shell)
    shell.given = shell.exported
    shell.bound = {name: shell.variables[name] for name in bindings or ()}
    _follow(machine, tree.body)
    _unused(shell, bindings or {})
    commands = tuple(shell.commands)
    ended = shell.ended if shell.flow == "exit" else None
    details = tuple(shell.diagnostics), _unresolved(commands), _variables(shell)
    return Script(name, text, commands, *details, tuple(shell.leads), ended, tuple(shell.secrets.texts), shell.asks)


def _follow(machine: Evaluator, body: list[Node]) -> None:
    """One command after the other; one that asks for too much is left out, and what it assigned is unknown from there on."""
    shell, reserve = machine.shell, RESERVE
    source, zero = shell.source, len(shell.conditions)
    for node in body:
        before = shell.snapshot()
        try:
            machine.run([node])
        except (Budget, RecursionError) as error:
            after = shell.variables
            shell.restore(before)
            shell.start_over(source)
            del shell.conditions[zero:]
            loops.forget_between(machine, node, shell.variables, after)
            why = str(error) if isinstance(error, Budget) else "it is nested too deeply"
            shell.lead(node, f"is left out: {why}")
            shell.cut(why, node.start, node.end)
            shell.allow(reserve)
            reserve /= 2
        if shell.flow:
            break


def _describe_ends(shell: Shell) -> None:
    source = shell.source
    if source.text is source.raw:
        return
    if "\r\n" in source.raw:
        position = source.text.find("\n")
        shell.say(
            "SYN112", "lines end in CR LF: bash would keep the CR in the last word of each", position, position + 1
        )
    if "\0" in source.raw:
        shell.say("SYN113", "the script has NUL bytes, which bash drops", 0, 1)


def _bind(shell: Shell, values: Mapping[str, Value], where: str) -> None:
    for name, value in values.items():
        known: Known = value if isinstance(value, (str, Expr)) else _as_text(value)
        written = known if isinstance(known, str) else ""
        source = Source(where, f"{name}={written}")
        start, end = len(name) + 1, len(name) + 1 + len(written)
        shell.variables[name] = Word(known, ((known, start, end, (), -1),), source, start, end, name)


def _as_text(value: Value) -> str:
    return "" if value is None else str(value)


def _parameters(shell: Shell, args: Sequence[str]) -> None:
    source = Source("--args", " ".join(args))
    offset = 0
    for value in args:
        end = offset + len(value)
        shell.positional.append(Word(value, ((value, offset, end, (), -1),), source, offset, end))
        offset = end + 1


def _unused(shell: Shell, bindings: Mapping[str, Value]) -> None:
    unread = [name for name in bindings if name not in shell.read]
    if not unread:
        return
    from difflib import get_close_matches  # it takes as long to load as a script to read

    known = sorted(shell.read)[:MOST_COMPARED]
    messages = {diagnostic.message for diagnostic in shell.diagnostics if diagnostic.code == "SYN160"}
    for number, name in enumerate(unread):
        message = f"the script never reads {name}, so the value given for it has no effect"
        if message not in messages:
            near = get_close_matches(name, known, n=1, cutoff=0.8) if number < MOST_ADVISED else []
            advice = f"did you mean {near[0]}?" if near else ""
            shell.diagnostics.append(Diagnostic("SYN160", CODES["SYN160"][0], message, help=advice))


def _unresolved(commands: tuple[Command, ...]) -> tuple[Unresolved, ...]:
    lines: dict[str, Unresolved] = {}
    for command in commands:
        for word in command.argv:
            if isinstance(word.value, Expr):
                for name in sorted(names_in(word.value)):
                    if name not in lines:
                        lines[name] = Unresolved(name, word.place)
    return tuple(lines.values())


def _variables(shell: Shell) -> dict[str, Value]:
    known: dict[str, Value] = {}
    for name, variable in shell.variables.items():
        if isinstance(variable, Word):
            known[name] = variable.value
        elif isinstance(variable, Array) and variable.associative:
            known[name] = {str(key): word.value for key, word in variable.items.items()}
        else:
            known[name] = [word.value for word in variable.items.values()]
    return known
