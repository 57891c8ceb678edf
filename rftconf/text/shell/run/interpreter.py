"""Walks a script's commands in order, as bash would, without running any."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from rftconf.base.symbols import Expr
from rftconf.text.shell.expand.expand import Expander
from rftconf.text.shell.parse.nodes import (
    AndOr,
    ArithCommand,
    Assign,
    Case,
    Command,
    CommandPart,
    For,
    ForArith,
    Function,
    Group,
    If,
    Pipeline,
    Redirected,
    Simple,
    Test,
    While,
    WordNode,
)
from rftconf.text.shell.parse.quoting import negated
from rftconf.text.shell.run import builtins, declarations, guards, loops, starting
from rftconf.text.shell.run import if_case as choices
from rftconf.text.shell.run.assignments import assign, assigned_words
from rftconf.text.shell.run.conditions import Conditions, both, either, opposite
from rftconf.text.shell.run.undecided_branches import decide
from rftconf.text.shell.state import written_files as files
from rftconf.text.shell.state.merge_branches import rejoin
from rftconf.text.shell.state.missing_arguments import words_behind
from rftconf.text.shell.state.self_contained_condition import standalone
from rftconf.text.shell.state.state import Frame, Outcome, Shell
from rftconf.text.shell.state.step_budget import MAX_CALLS, Budget
from rftconf.text.shell.values import Word

_FAILING = (Simple, Test, ArithCommand, Pipeline)


class Evaluator:
    """Runs commands against a shell's state; an outcome is True, False, or the condition that tells (or "")."""

    def __init__(self, shell: Shell) -> None:
        self.shell = shell
        self.expander = Expander(shell)
        self.conditions = Conditions(shell, self.expander)
        self.last_decided = True
        """Whether the last `&&`/`||` list ended with its last command."""
        self._by_type: dict[type[Any], Callable[[Any], Outcome]] = {
            Simple: self.simple,
            Pipeline: self.pipeline,
            AndOr: self.and_or,
            Group: self.group,
            If: lambda node: choices.if_(self, node),
            For: lambda node: loops.each(self, node),
            ForArith: lambda node: loops.counted(self, node),
            While: lambda node: loops.while_(self, node),
            Case: lambda node: choices.case(self, node),
            Function: self.define,
            ArithCommand: self.arithmetic,
            Test: self.test,
            Redirected: lambda node: files.redirected(self, node),
        }

    def run(self, commands: list[Command]) -> Outcome:
        """One command after the other, until something leaves."""
        shell = self.shell
        outcome: Outcome = True
        for node in commands:
            outcome = self.command(node)
            if shell.flow:
                break
            if outcome is False and "e" in shell.options and not shell.tested:
                node = node.command if isinstance(node, Redirected) else node
                decisive = isinstance(node, _FAILING) or (isinstance(node, Group) and node.subshell)
                if (decisive and not (isinstance(node, Pipeline) and node.negated)) or (
                    isinstance(node, AndOr) and self.last_decided
                ):
                    if shell.past_guards and not shell.launched:
                        outcome = guards.survived(shell, node)
                        continue
                    shell.flow = "exit"
                    break
        return outcome

    def command(self, node: Command) -> Outcome:
        """Any command."""
        self.shell.step()
        outcome = self._by_type[type(node)](node)
        self.shell.status = outcome
        return outcome

    def tested(self, commands: list[Command]) -> Outcome:
        """Commands whose failure does not end the script; unknown outcomes get a text."""
        self.shell.tested += 1
        try:
            outcome = self.run(commands)
        finally:
            self.shell.tested -= 1
        if outcome == "" and commands:
            return standalone(self.shell, commands[0].start, commands[-1].end)
        return outcome

    def simple(self, node: Simple) -> Outcome:
        """Assignments, or a command with its arguments."""
        first = node.words[0] if node.words else None
        if isinstance(first, WordNode) and first.plain in declarations.DECLARING:
            return declarations.declare(self, node)
        words: list[Word] = []
        for word in node.words:
            if isinstance(word, WordNode):
                words.extend(words_behind(self.expander, word, words[-1] if words else None))
        outcome = self.invoke(node, words) if words else self._assignments(node)
        if node.redirects or self.shell.files or self.shell.piped_in is not None:
            files.note(self, node, words)
        return outcome

    def invoke(self, node: Simple, words: list[Word]) -> Outcome:
        """A command whose arguments are known."""
        shell, name = self.shell, words[0].value
        if isinstance(name, str) and words[0].condition is None:
            if name in shell.functions:
                return self.call(name, words[1:], assigned_words(self, node.assigns))
            builtin = builtins.BUILTINS.get(name)
            if builtin is not None:
                return builtin(self, node, words)
        return starting.follow(self, node, words)

    def _assignments(self, node: Simple) -> Outcome:
        outcome: Outcome = True
        for item in node.assigns:
            assign(self, item)
            value = item.value
            if isinstance(value, WordNode) and any(isinstance(p, CommandPart) for p in value.parts):
                outcome = ""
        return outcome

    def pipeline(self, node: Pipeline) -> Outcome:
        """Commands joined by `|`: each in a subshell."""
        if len(node.commands) == 1:
            self.shell.tested += 1
            try:
                return opposite(self.command(node.commands[0]))
            finally:
                self.shell.tested -= 1
        outcome: Outcome = True
        doubtful = False
        self.shell.piped_out = None
        for part in node.commands:
            self.shell.piped_in, self.shell.piped_out = files.passed_on_input(self.shell, part), None
            with self.shell.subshell():
                outcome = self.command(part)
            doubtful |= outcome is not True and "pipefail" in self.shell.options
        if doubtful:
            outcome = ""
        return opposite(outcome) if node.negated else outcome

    def and_or(self, node: AndOr) -> Outcome:
        """`a && b || c`, in the background or not."""
        if node.background:
            with self.shell.subshell():
                self._chain(node, 0, True, node.items, _turns(node.ops))
            return True
        return self._chain(node, 0, True, node.items, _turns(node.ops))

    def _chain(self, node: AndOr, index: int, outcome: Outcome, items: list[Command], turns: list[int]) -> Outcome:
        last, ops = len(items) - 1, node.ops
        while index <= last:
            op = ops[index - 1] if index else "&&"
            if isinstance(outcome, str):
                return self._uncertain(node, index, outcome, items, turns)
            if outcome is not (op == "&&"):
                index = turns[index - 1] + 1
                continue
            branch = guards.Branch(self, node.start, items[index - 1].end if index else node.start)
            outcome = self.tested([items[index]]) if index < last else self.command(items[index])
            self.last_decided = index == last
            if index and branch.ended():
                following = index + 1
                return branch.reopened(
                    lambda: self._chain(node, 0, True, items, turns),
                    lambda: self._chain(node, following, op == "||", items, turns),  # noqa: B023
                )
            if self.shell.flow:
                return outcome
            index += 1
        return outcome

    def _uncertain(self, node: AndOr, index: int, condition: str, items: list[Command], turns: list[int]) -> Outcome:
        """The rest of a list behind an outcome that is not known."""
        results: list[Outcome] = []

        def arm(outcome: bool) -> Callable[[], None]:
            return lambda: results.append(self._chain(node, index, outcome, items, turns))

        text = condition or standalone(self.shell, node.start, items[index - 1].end)
        decide(self, text, arm(True), arm(False), node, quietly=True)
        self.last_decided = False
        yes, no = results
        if yes is True and no is False:
            return text
        return yes if isinstance(yes, bool) and yes is no else either(both(text, yes), both(negated(text), no))

    def group(self, node: Group) -> Outcome:
        """`{ ...; }` and `( ... )`."""
        if not node.subshell:
            return self.run(node.body)
        with self.shell.subshell():
            return self.run(node.body)

    def define(self, node: Function) -> Outcome:
        """A function definition."""
        self.shell.functions[node.name] = (node.body, self.shell.source)
        return True

    def arithmetic(self, node: ArithCommand) -> Outcome:
        """`(( ... ))`."""
        value = self.expander.number(node.body)
        return standalone(self.shell, node.start, node.end) if isinstance(value, Expr) else value != 0

    def test(self, node: Test) -> Outcome:
        """`[[ ... ]]`."""
        if node.expression is None:
            return ""
        return self.conditions.double(node.expression)

    def call(self, name: str, arguments: list[Word], env: list[tuple[Assign, Word]]) -> Outcome:
        """A function of the script."""
        shell = self.shell
        body, source = shell.functions[name]
        with_env = {item.name: word for item, word in env}
        saved = {key: shell.variables.get(key) for key in with_env}
        shell.variables.update(with_env)
        outcome = self.enter(lambda: self.command(body), arguments, source)
        for key, old in saved.items():
            if old is None:
                shell.variables.pop(key, None)
            else:
                shell.variables[key] = old
        return outcome

    def enter(self, body: Callable[[], Outcome], arguments: list[Word] | None, source: object) -> Outcome:
        """Run a function's body or a sourced file: own parameters, `return`, `local`."""
        shell = self.shell
        if shell.calls >= MAX_CALLS:
            raise Budget(f"functions call each other more than {MAX_CALLS} deep")
        shell.calls += 1
        frame = Frame("function", len(shell.conditions))
        shell.frames.append(frame)
        positional, before, shell.source = shell.positional, shell.source, source  # type: ignore[assignment]
        if arguments is not None:
            shell.positional = arguments
        outcome = body()
        if shell.flow == "return":
            shell.flow, outcome = "", shell.status
        rejoin(shell, frame, ("return",))
        for name, old in frame.saved.items():
            if old is None:
                shell.variables.pop(name, None)
            else:
                shell.variables[name] = old
        shell.frames.pop()
        del shell.conditions[frame.depth :]
        shell.positional, shell.source = positional if arguments is not None else shell.positional, before
        shell.calls -= 1
        return outcome


def _turns(ops: list[str]) -> list[int]:
    """For each operator of a list, the place of the next other one: a skipped command is not looked at, nor are those like it."""
    turns = [len(ops)] * len(ops)
    for index in range(len(ops) - 2, -1, -1):
        turns[index] = turns[index + 1] if ops[index + 1] == ops[index] else index + 1
    return turns
