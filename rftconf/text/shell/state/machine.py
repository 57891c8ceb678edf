"""The interpreter's parts see it as a machine that runs commands, expands words and decides conditions."""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol

from rftconf.base.symbols import Expr
from rftconf.text.shell.parse.nodes import Assign, Command, Part, Simple, TestNode, WordNode
from rftconf.text.shell.pattern import Pattern
from rftconf.text.shell.state.state import Outcome, Shell
from rftconf.text.shell.values import Known, Piece, Word


class Calculator(Protocol):
    """Arithmetic over the variables of a shell; `used` are those that the last expression read."""

    used: list[Word]

    def quietly(self, value: Known) -> int | Expr | None:
        """The number that a value holds; None for what bash would reject."""


class WordExpander(Protocol):
    """Words of a script to their values."""

    @property
    def shell(self) -> Shell:
        """Return the state that words are expanded against."""

    @property
    def arithmetic(self) -> Calculator:
        """Return what evaluates `$((...))`."""

    def words(self, node: WordNode) -> list[Word]:
        """The arguments that a word becomes."""

    def word(self, node: WordNode, name: str = "") -> Word:
        """The word that `node` is when it is not split."""

    def pieces(self, node: WordNode) -> list[Piece]:
        """The pieces of a word that is not split."""

    def piece(self, part: Part) -> Piece:
        """One piece for `part`, whatever it is; arrays are joined."""

    def text_of(self, node: WordNode | None) -> Known:
        """The value of `node` when it is not split; empty for None."""

    def pattern(self, node: WordNode | None) -> Pattern | None:
        """`node` as a pattern; None when parts of it are unknown or it is not understood."""

    def number(self, node: WordNode) -> int | Expr:
        """`node` as an arithmetic expression."""


class Judge(Protocol):
    """Decides tests in three values: holds, fails, or the condition that tells."""

    def single(self, words: list[Word]) -> Outcome:
        """`[ ... ]` and `test`."""

    def double(self, node: TestNode) -> Outcome:
        """`[[ ... ]]`."""

    def case(self, value: Known, pattern: WordNode) -> Outcome:
        """One pattern of `case`."""


class Machine(Protocol):
    """Runs commands against a shell's state."""

    @property
    def shell(self) -> Shell:
        """Return the state of the shell at this point of the script."""

    @property
    def expander(self) -> WordExpander:
        """Return the part that expands words."""

    @property
    def conditions(self) -> Judge:
        """Return the part that decides tests."""

    def run(self, commands: list[Command]) -> Outcome:
        """One command after the other, until something leaves."""

    def command(self, node: Command) -> Outcome:
        """Any command."""

    def tested(self, commands: list[Command]) -> Outcome:
        """Commands whose failure does not end the script."""

    def invoke(self, node: Simple, words: list[Word]) -> Outcome:
        """A command whose arguments are known."""

    def call(self, name: str, arguments: list[Word], env: list[tuple[Assign, Word]]) -> Outcome:
        """A function of the script."""

    def enter(self, body: Callable[[], Outcome], arguments: list[Word] | None, source: object) -> Outcome:
        """Run a function's body or a sourced file: own parameters, `return`, `local`."""
