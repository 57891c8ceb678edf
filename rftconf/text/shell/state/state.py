"""The shell's state while a script is read: variables, parameters, functions, launched commands, and budgets."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import TypeAlias

from rftconf.base.diagnostics import Diagnostic
from rftconf.base.record import record
from rftconf.base.secrets.derived import Derivation
from rftconf.base.span import Place
from rftconf.base.symbols import Expr, ShellOnly, is_symbolic
from rftconf.text.shell.parse.nodes import Command as CommandNode
from rftconf.text.shell.parse.nodes import Tree
from rftconf.text.shell.source import Source
from rftconf.text.shell.state.codes import CODES
from rftconf.text.shell.state.started_command import Command as Launched
from rftconf.text.shell.state.step_budget import Spending
from rftconf.text.shell.state.written_file import Written
from rftconf.text.shell.values import Array, Known, Piece, Word, oversized

Variable: TypeAlias = Word | Array
Outcome: TypeAlias = bool | str
"""Success, failure, or the condition (shell source) that tells which."""

MAX_VALUE = 200_000
MAX_ELEMENTS = 5_000
MAX_PROBLEMS = 40
ALWAYS_SET = frozenset({"PWD", "HOSTNAME", "UID", "EUID", "PPID", "BASHPID", "RANDOM", "SECONDS", "BASH", "PATH",
                        "BASH_VERSION", "HOSTTYPE", "OSTYPE", "MACHTYPE", "LINENO", "IFS", "OPTIND", "SHLVL",
                        "BASH_SOURCE", "SRANDOM", "EPOCHSECONDS", "BASH_VERSINFO", "FUNCNAME", "DIRSTACK", "GROUPS"})  # fmt: skip
USUALLY_SET = frozenset({"HOME", "USER", "LOGNAME", "SHELL", "TERM", "LANG", "TMPDIR", "OLDPWD"})


@record
class Lead:
    """A command behind which the reading goes no further; `names` are the variables that would tell more."""

    place: Place
    what: str
    names: tuple[str, ...] = ()
    advice: str = ""


Find: TypeAlias = Callable[[str], tuple[str, str] | None]
"""Name and text of a script that lies beside the one that is read."""


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


class Shell(Spending):
    """The state of one reading."""

    flow = ""
    piped_in: Word | None = None
    piped_out: Word | None = None
    """What the commands on both sides of a pipe give each other, where that is written in the script."""
    given: frozenset[str] = frozenset()
    """Names that came from bindings or the environment, exported before the script starts."""
    exported: frozenset[str] = frozenset()
    options: frozenset[str] = frozenset()
    status: Outcome = True
    tested = 0
    """Above zero while `set -e` is suspended."""
    trying = False
    """Whether a loop's body is read only to see what it assigns."""
    passed_over = False
    """True while what is read stands behind an operator on a name that is not set: bash does not expand it."""
    launched = False
    """Whether a framework was started already: a script that ends then has done what it is for."""
    past_guards = False
    """Whether branches that end the script before it starts anything are left again."""
    ended: Place | None = None
    """Where the script ended, when it did not run to its last line."""
    awaits = False
    """Whether the script asks for arguments that it was not given: they are open, no longer empty."""
    awaits_at: Place | None = None
    """Where it asks for them."""
    shifted = 0
    """How many arguments that nobody gave were shifted away."""

    def __init__(self, source: Source, sources: Mapping[str, str], find: Find | None = None) -> None:
        self.source, self.name = source, source.name
        self.sources = sources
        self.find = find
        self.variables: dict[str, Variable] = {}
        self.functions: dict[str, tuple[CommandNode, Source]] = {}
        self.positional: list[Word] = []
        self.zero = Word(source.name, (), source, 0, 0)
        self.conditions: list[str] = []
        self.frames: list[Frame] = []
        self.commands: list[Launched] = []
        self.files: dict[Known, list[Written]] = {}
        """What the script does to files it writes itself; a subshell or an arm writes them like any other part."""
        self.diagnostics: list[Diagnostic] = []
        self.read: set[str] = set()
        self.bound: dict[str, Variable] = {}
        """What was bound by hand."""
        self.settled: set[str] = set()
        """Names that took their bound value where the script assigned something unknown."""
        self.required: set[str] = set()
        """Names that the script cannot do without."""
        self.reopened: set[tuple[str, int]] = set()
        """Branches that were gone back over once."""
        self.guarded: set[tuple[str, int]] = set()
        """Lines of which it was said that the script ends there."""
        self.asks: dict[str, Place] = {}
        """Variables, and arguments by number, without which the script ends, with the first place that says so."""
        self.sessions: dict[str, dict[str, Variable]] = {}
        """What was set in terminals that the script types into."""
        self.trees: dict[str, Tree] = {}
        """Texts that were parsed before."""
        self.secrets = Derivation()
        self.leads: list[Lead] = []
        """Where the reading went no further, in order."""
        self._said: set[tuple[str, int, str]] = set()

    def start_over(self, source: Source) -> None:
        """Leave all loops, functions and texts: the next command of the script itself comes."""
        self.source, self.frames = source, []
        self.calls = self.inside = self.tested = 0
        self.trying, self.piped_in, self.piped_out = False, None, None

    def spend(self, value: Known) -> None:
        """Count the size of a value that was made."""
        self.make_characters(len(value) if isinstance(value, str) else 8)

    def say(self, code: str, message: str, start: int, end: int, advice: str = "") -> None:
        """Report `message` about characters `start` to `end`, once."""
        place = self.source.place(start, end)
        key = (code, place.span.start, place.file)
        if key not in self._said:
            self._said.add(key)
            self.diagnostics.append(Diagnostic(code, CODES[code][0], message, place, help=advice))

    def say_unexpanded(self, start: int, end: int) -> None:
        """Report a parameter that bash calls a bad substitution, unless bash does not look at it."""
        if not self.passed_over:
            message = f"bash cannot expand `{self.source.part(start, end)[:60]}`, so it does not run the command"
            self.say("SYN153", message, start, end, "put it in single quotes where OmegaConf is to resolve it")

    def lead(self, node: CommandNode, what: str, names: frozenset[str] = frozenset(), advice: str = "") -> None:
        """Take down that the command `node` leads on to what is not read; `names` would tell more."""
        place = self.source.place(node.start, node.end)
        self.leads.append(Lead(place, what, tuple(sorted(names)), advice))

    def say_problems(self, tree: Tree) -> None:
        """Report what is wrong with the grammar of the present text."""
        for problem in tree.problems[:MAX_PROBLEMS]:
            self.say(problem.code, problem.message, problem.start, problem.end, problem.help)
        if len(tree.problems) > MAX_PROBLEMS:
            first = tree.problems[MAX_PROBLEMS]
            self.cut(
                f"the grammar is broken in {len(tree.problems)} places, these are the first", first.start, first.end
            )

    def cut(self, what: str, start: int, end: int) -> None:
        """Report that the reading goes on without something, since there is too much of it."""
        self.say("SYN198", f"left out: {what}", start, end)

    def make(self, pieces: list[Piece], start: int, end: int, value: Known, name: str = "") -> Word:
        """A word at `start` to `end`, its size counted."""
        self.spend(value)
        if len(value) > MAX_VALUE if isinstance(value, str) else oversized(value):
            value = self.opaque(name, start, end)
            pieces = [(value, start, end, (), -1)]
        return Word(value, tuple(pieces), self.source, start, end, name)

    def array(self, name: str, array: Array, start: int, end: int) -> Array:
        """An array that was made, its size counted; one of too many elements is followed no further."""
        self.work(len(array.items) * 50)
        if len(array.items) <= MAX_ELEMENTS:
            return array
        self.say("SYN131", f"an array of more than {MAX_ELEMENTS} elements is not followed any further", start, end)
        unknown = self.unknown(name, start, end)
        unknown.splits = True
        return Array({"?" if array.associative else 0: unknown}, array.associative, True, True)

    def opaque(self, name: str, start: int, end: int) -> Expr:
        """Stands for a value that is not followed any further."""
        self.say("SYN131", "what this becomes is not followed any further", start, end)
        return ShellOnly(f"${{{name or '_'}}}", (name,) if name else ())

    def scalar(self, name: str) -> Word | None:
        """The variable's value, element 0 of an array; None when it was never assigned."""
        self.read.add(name)
        value = self.variables.get(name)
        if isinstance(value, Array):
            return None if value.guarded and not value.items else value.items.get("0" if value.associative else 0)
        return value

    def assign(self, name: str, value: Variable) -> None:
        """Set a variable. A name taken by a pattern of `local` is restored by its frame."""
        for word in value.items.values() if isinstance(value, Array) else (value,):
            self.secrets.name(name, word.value)
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

    def known(self) -> dict[str, Known]:
        """Every scalar that has a known value."""
        scalars = {n: v.value for n, v in self.variables.items() if isinstance(v, Word)}
        return {n: v for n, v in scalars.items() if not is_symbolic(v)}
