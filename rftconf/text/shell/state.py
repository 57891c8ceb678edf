"""What a shell knows while a script is read: variables, parameters, functions, what was launched, and budgets."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, TypeAlias

from rftconf.diagnostics import Diagnostic
from rftconf.plan.symbols import Expr, ShellOnly, Var, is_symbolic
from rftconf.text.shell.codes import CODES
from rftconf.text.shell.nodes import Command as CommandNode
from rftconf.text.shell.source import Source
from rftconf.text.shell.values import Array, Known, Piece, Word, oversized
from rftconf.text.span import Place

if TYPE_CHECKING:
    from rftconf.text.shell.files import Written
    from rftconf.text.shell.launches import Command as Launched

Variable: TypeAlias = Word | Array
Outcome: TypeAlias = bool | str
"""Success, failure, or the condition (shell source) that tells which."""

MAX_STEPS = 60_000
MAX_CHARACTERS = 4_000_000
MAX_CALLS = 30
ALWAYS_SET = frozenset({"PWD", "HOSTNAME", "UID", "EUID", "PPID", "BASHPID", "RANDOM", "SECONDS", "BASH", "PATH",
                        "BASH_VERSION", "HOSTTYPE", "OSTYPE", "MACHTYPE", "LINENO", "IFS", "OPTIND", "SHLVL",
                        "BASH_SOURCE", "SRANDOM", "EPOCHSECONDS", "BASH_VERSINFO", "FUNCNAME", "DIRSTACK", "GROUPS"})  # fmt: skip
USUALLY_SET = frozenset({"HOME", "USER", "LOGNAME", "SHELL", "TERM", "LANG", "TMPDIR", "OLDPWD"})


class Budget(Exception):  # noqa: N818
    """The script asks for more than the reader follows."""


@dataclass(slots=True, eq=False)
class Frame:
    """A function call or a loop: states that left it early, under a condition, wait here for its end. Two that look alike are
    two."""

    kind: str
    depth: int
    """How many conditions held where it began."""
    saved: dict[str, Variable | None] = field(default_factory=dict)
    waiting: list[tuple[str, str, Snapshot]] = field(default_factory=list)
    """(flow, condition, state)."""


@dataclass(slots=True)
class Snapshot:
    """The part of a shell's state that a subshell or an arm of a condition may change."""

    variables: dict[str, Variable]
    exported: frozenset[str]
    functions: dict[str, tuple[CommandNode, Source]]
    positional: list[Word]
    options: frozenset[str]
    flow: str


class Shell:
    """The state of one reading."""

    def __init__(self, source: Source, sources: Mapping[str, str]) -> None:
        self.source = source
        self.sources = sources
        self.variables: dict[str, Variable] = {}
        self.exported: frozenset[str] = frozenset()
        self.functions: dict[str, tuple[CommandNode, Source]] = {}
        self.positional: list[Word] = []
        self.zero = Word(source.name, (), source, 0, 0)
        self.options: frozenset[str] = frozenset()
        self.flow = ""
        self.conditions: list[str] = []
        self.frames: list[Frame] = []
        self.commands: list[Launched] = []
        self.files: dict[Known, list[Written]] = {}
        """What the script does to files it writes itself; a subshell or an arm writes them like any other part."""
        self.piped_in: Word | None = None
        self.piped_out: Word | None = None
        """What the commands on both sides of a pipe give each other, where that is written in the script."""
        self.diagnostics: list[Diagnostic] = []
        self.read: set[str] = set()
        self.given: frozenset[str] = frozenset()
        """Names that came from bindings or the environment, exported before the script starts."""
        self.bound: dict[str, Variable] = {}
        """Those of them that were bound by hand."""
        self.settled: set[str] = set()
        """Names that took their bound value where the script assigned something unknown."""
        self.unresolved: dict[str, Place] = {}
        self.status: Outcome = True
        self.tested = 0
        """Above zero while `set -e` is suspended."""
        self.steps = 0
        self.characters = 0
        self.calls = 0
        self._said: set[tuple[str, int, str]] = set()

    def step(self) -> None:
        """Count one step of work; raise Budget when there were too many."""
        self.steps += 1
        if self.steps > MAX_STEPS:
            raise Budget(f"more than {MAX_STEPS} steps")

    def spend(self, value: Known) -> None:
        """Count the size of a value that was made."""
        self.characters += len(value) if isinstance(value, str) else 8
        if self.characters > MAX_CHARACTERS:
            raise Budget(f"more than {MAX_CHARACTERS} characters of expansions")

    def say(self, code: str, message: str, start: int, end: int, advice: str = "") -> None:
        """Report `message` about characters `start` to `end`, once."""
        key = (code, start, self.source.name)
        if key not in self._said:
            self._said.add(key)
            place = self.source.place(start, end)
            self.diagnostics.append(Diagnostic(code, CODES[code][0], message, place, help=advice))

    def make(self, pieces: list[Piece], start: int, end: int, value: Known, name: str = "") -> Word:
        """A word at `start` to `end`, its size counted."""
        self.spend(value)
        if not isinstance(value, str) and oversized(value):
            value = self.opaque(name, start, end)
            pieces = [(value, start, end, (), -1)]
        return Word(value, tuple(pieces), self.source, start, end, name)

    def opaque(self, name: str, start: int, end: int) -> Expr:
        """Stands for a value that is not followed any further."""
        self.say("SYN131", "what this becomes is not followed any further", start, end)
        return ShellOnly(f"${{{name or '_'}}}", (name,) if name else ())

    def scalar(self, name: str) -> Word | None:
        """The variable's value, element 0 of an array; None when it was never assigned."""
        self.read.add(name)
        found = self.variables.get(name)
        if isinstance(found, Array):
            return None if found.guarded and not found.items else found.items.get("0" if found.associative else 0)
        return found

    def assign(self, name: str, value: Variable) -> None:
        """Set a variable. A name taken by a pattern of `local` is restored by its frame."""
        self.variables[name] = value

    def unknown(self, name: str, start: int, end: int) -> Word:
        """A value of `name` that cannot be told."""
        value = ShellOnly(f"${{{name}}}", (name,))
        return Word(value, ((value, start, end, (), -1),), self.source, start, end, name)

    def snapshot(self) -> Snapshot:
        """The state, to go back to."""
        return Snapshot(
            dict(self.variables), self.exported, dict(self.functions), self.positional, self.options, self.flow
        )

    def restore(self, snapshot: Snapshot) -> None:
        """Go back to `snapshot`, which must not be used again."""
        self.variables, self.exported, self.functions = snapshot.variables, snapshot.exported, snapshot.functions
        self.positional, self.options, self.flow = snapshot.positional, snapshot.options, snapshot.flow

    @contextmanager
    def subshell(self) -> Iterator[None]:
        """Whatever happens inside changes nothing outside."""
        before, frames, depth = self.snapshot(), self.frames, len(self.conditions)
        self.frames = []
        try:
            yield
        finally:
            self.restore(before)
            self.frames = frames
            del self.conditions[depth:]

    def never_assigned(self, name: str) -> Expr:
        """The value of a name that nothing in the script sets."""
        return Var(name)

    def known(self) -> dict[str, Known]:
        """Every scalar that has a known value."""
        scalars = {n: v.value for n, v in self.variables.items() if isinstance(v, Word)}
        return {n: v for n, v in scalars.items() if not is_symbolic(v)}
