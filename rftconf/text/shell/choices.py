"""`if` and `case`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rftconf.text.shell.conditions import either
from rftconf.text.shell.merge import narrowed
from rftconf.text.shell.nodes import Case, Command, If
from rftconf.text.shell.state import Outcome
from rftconf.text.shell.values import Word

if TYPE_CHECKING:
    from rftconf.text.shell.evaluate import Evaluator


def if_(machine: Evaluator, node: If) -> Outcome:
    """`if`, with its `elif` and `else`."""
    return _arms(machine, node, 0)


def _arms(machine: Evaluator, node: If, at: int) -> Outcome:
    while at < len(node.arms):
        condition, body = node.arms[at]
        outcome = machine.tested(condition)
        if machine.shell.flow:
            return True
        at += 1
        if isinstance(outcome, str):
            rest = at
            machine.decide(outcome, lambda: machine.run(body), lambda: _arms(machine, node, rest), node)  # noqa: B023
            return ""
        if outcome:
            return machine.run(body)
    return machine.run(node.orelse)


def case(machine: Evaluator, node: Case) -> Outcome:
    """`case`."""
    word = machine.expander.word(node.word)
    return _case(machine, node, word, 0)


def _case(machine: Evaluator, node: Case, word: Word, at: int) -> Outcome:
    while at < len(node.arms):
        patterns, body, ending = node.arms[at]
        value = narrowed(word.value, machine.shell.conditions)
        outcome: Outcome = False
        for pattern in patterns:
            outcome = either(outcome, machine.conditions.case(value, pattern))
        at += 1
        if isinstance(outcome, str):
            rest = at
            machine.decide(
                outcome,
                lambda: _fall(machine, node, word, rest, body, ending),  # noqa: B023
                lambda: _case(machine, node, word, rest),  # noqa: B023
                node,
            )
            return ""
        if outcome:
            return _fall(machine, node, word, at, body, ending)
    return True


def _fall(machine: Evaluator, node: Case, word: Word, at: int, body: list[Command], ending: str) -> Outcome:
    outcome = machine.run(body)
    while ending == ";&" and at < len(node.arms) and not machine.shell.flow:
        _, body, ending = node.arms[at]
        outcome = machine.run(body)
        at += 1
    return _case(machine, node, word, at) if ending == ";;&" and not machine.shell.flow else outcome
