"""The parser makes these nodes of a script: commands and words, with offsets. Nothing is expanded yet."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TypeAlias


@dataclass(slots=True)
class Lit:
    """Characters that stand for themselves, quotes removed; `start` and `end` enclose them as written."""

    text: str
    start: int
    end: int
    quoted: bool = False


@dataclass(slots=True)
class Param:
    """`$name` or `${...}`. `op` is the operator as written (`:-`, `##`, `//`, ...), `arg` and `arg2` its words.

    `prefix` is `#` for a length and `!` for indirection or keys; `index` the subscript, `@` and `*` included.
    """

    name: str
    start: int
    end: int
    quoted: bool = False
    op: str = ""
    arg: WordNode | None = None
    arg2: WordNode | None = None
    index: WordNode | None = None
    prefix: str = ""


@dataclass(slots=True)
class ArithPart:
    """`$((...))`; `body` is read as inside double quotes."""

    body: WordNode
    start: int
    end: int
    quoted: bool = False


@dataclass(slots=True)
class CommandPart:
    """A command or process substitution, kept as written. `given`: what a lone `cat` in it reads from the script itself;
    `inside`: the commands of a `$(...)`."""

    start: int
    end: int
    quoted: bool = False
    given: tuple[Redirect, ...] = ()
    inside: tuple[Command, ...] = ()


Part: TypeAlias = Lit | Param | ArithPart | CommandPart


@dataclass(slots=True)
class WordNode:
    """One word. `plain` is its text when nothing in it is quoted or expanded."""

    parts: list[Part]
    start: int
    end: int
    plain: str | None = None

    def plain_text(self) -> str:
        """The text of a word that is one run of literal characters, else nothing."""
        if len(self.parts) == 1 and isinstance(only := self.parts[0], Lit):
            return only.text
        return ""


@dataclass(slots=True)
class ArrayNode:
    """`( ... )` on the right of an assignment: words, or `[index]=word` pairs."""

    elements: list[tuple[WordNode | None, WordNode]]
    start: int
    end: int


@dataclass(slots=True)
class Assign:
    """`name=value`, `name+=value`, `name[index]=value`."""

    name: str
    value: WordNode | ArrayNode
    start: int
    end: int
    index: WordNode | None = None
    append: bool = False


@dataclass(slots=True)
class HereDoc:
    """The body of `<<word`, characters `start` to `end`; `quoted` when nothing in it is expanded, `tabs` for `<<-`."""

    delimiter: str
    tabs: bool
    quoted: bool
    opened: int
    start: int = 0
    end: int = 0


@dataclass(slots=True)
class Redirect:
    """`2> file`: the operator, what stands before it, and the word behind it."""

    operator: str
    descriptor: str
    target: WordNode
    body: HereDoc | None = None

    @property
    def writes(self) -> bool:
        """True where it opens a file to write to."""
        return self.operator in (">", ">>", ">|", "&>", "&>>")


@dataclass(slots=True)
class Simple:
    """Assignments, then words; redirections stand apart."""

    assigns: list[Assign]
    words: list[WordNode | Assign]
    start: int
    end: int = 0
    redirects: list[Redirect] = field(default_factory=list)


@dataclass(slots=True)
class Pipeline:
    """Commands joined by `|`, possibly negated."""

    commands: list[Command]
    start: int
    end: int
    negated: bool = False


@dataclass(slots=True)
class AndOr:
    """Commands joined by `&&` and `||`; `ops[i]` joins items i and i+1."""

    items: list[Command]
    ops: list[str]
    start: int
    end: int
    background: bool = False


@dataclass(slots=True)
class Group:
    """`{ ...; }` or `( ... )`."""

    body: list[Command]
    subshell: bool
    start: int
    end: int = 0


@dataclass(slots=True)
class If:
    """Arms of condition and body, then the body of `else`."""

    arms: list[tuple[list[Command], list[Command]]]
    orelse: list[Command]
    start: int
    end: int = 0


@dataclass(slots=True)
class For:
    """`for name in words`; `words` is None for the positional parameters."""

    name: str
    words: list[WordNode] | None
    body: list[Command]
    start: int
    end: int = 0


@dataclass(slots=True)
class ForArith:
    """`for ((init; condition; step))`."""

    heads: list[WordNode]
    body: list[Command]
    start: int
    end: int = 0


@dataclass(slots=True)
class While:
    """`while` or `until`."""

    condition: list[Command]
    body: list[Command]
    until: bool
    start: int
    end: int = 0


@dataclass(slots=True)
class Case:
    """`case word in patterns) body ;; esac`; the third item is `;;`, `;&` or `;;&`."""

    word: WordNode
    arms: list[tuple[list[WordNode], list[Command], str]]
    start: int
    end: int = 0


@dataclass(slots=True)
class Function:
    """A function definition."""

    name: str
    body: Command
    start: int
    end: int = 0


@dataclass(slots=True)
class ArithCommand:
    """`(( ... ))`."""

    body: WordNode
    start: int
    end: int = 0


@dataclass(slots=True)
class TestNode:
    """A node of `[[ ]]`: `op` is `!`, `&&`, `||`, `-z`, `==`, ...; operands are nodes or words."""

    op: str
    left: TestNode | WordNode
    right: TestNode | WordNode | None = None


@dataclass(slots=True)
class Test:
    """`[[ ... ]]`."""

    expression: TestNode | None
    start: int
    end: int = 0


@dataclass(slots=True)
class Redirected:
    """A compound command whose output goes to files."""

    command: Command
    redirects: tuple[Redirect, ...]
    start: int
    end: int = 0


Command: TypeAlias = (
    Simple | Pipeline | AndOr | Group | If | For | ForArith | While | Case | Function | ArithCommand | Test | Redirected
)


@dataclass(slots=True)
class Problem:
    """Something to say about offsets `start` to `end`."""

    code: str
    message: str
    start: int
    end: int
    help: str = ""


@dataclass(slots=True)
class Tree:
    """A parsed script."""

    body: list[Command] = field(default_factory=list)
    problems: list[Problem] = field(default_factory=list)
