"""`if` and `case`."""

from __future__ import annotations

from functools import partial

from rftconf.text.shell.parse.nodes import Case, Command, If, WordNode
from rftconf.text.shell.parse.quoting import as_word
from rftconf.text.shell.run.conditions import either
from rftconf.text.shell.run.guards import Branch, switched_off
from rftconf.text.shell.run.undecided_branches import decide
from rftconf.text.shell.state.machine import Machine
from rftconf.text.shell.state.merge_branches import narrowed
from rftconf.text.shell.state.self_contained_condition import standalone
from rftconf.text.shell.state.state import Outcome
from rftconf.text.shell.values import Known, Word

MAX_CONDITION = 2000


def if_(machine: Machine, node: If) -> Outcome:
    """`if`, with its `elif` and `else`."""
    return _arms(machine, node, 0)


def _arms(machine: Machine, node: If, index: int) -> Outcome:
    while index < len(node.arms):
        condition, body = node.arms[index]
        outcome = machine.tested(condition)
        if machine.shell.flow:
            return True
        index += 1
        if isinstance(outcome, str):
            following = index
            decide(machine, outcome, lambda: machine.run(body), lambda: _arms(machine, node, following), node)  # noqa: B023
            return ""
        if outcome:
            branch = Branch(machine, condition[0].start, condition[-1].end) if condition else None
            result = machine.run(body)
            if branch is None or not branch.ended():
                return result
            return branch.reopened(lambda: if_(machine, node), partial(_arms, machine, node, index))
        if condition and body:
            switched_off(machine.shell, condition, body)
    return _run_else(machine, node)


def _run_else(machine: Machine, node: If) -> Outcome:
    first, last = node.arms[0][0], node.arms[-1][0]
    branch = Branch(machine, first[0].start, last[-1].end) if first and last else None
    outcome = machine.run(node.orelse)
    if branch is None or not branch.ended():
        return outcome
    return branch.reopened(lambda: if_(machine, node), lambda: _any_arm(machine, node, 0))


def _any_arm(machine: Machine, node: If, index: int) -> Outcome:
    """One of the arms, where the `else` is no answer; nobody knows which when there are several."""
    condition, body = node.arms[index]
    if index + 1 == len(node.arms):
        return machine.run(body)
    text = standalone(machine.shell, condition[0].start, condition[-1].end)
    decide(machine, text, lambda: machine.run(body), lambda: _any_arm(machine, node, index + 1), node)
    return ""


def case(machine: Machine, node: Case) -> Outcome:
    """`case`."""
    word = machine.expander.word(node.word)
    return _case(machine, node, word, 0)


def _case(machine: Machine, node: Case, word: Word, index: int) -> Outcome:
    while index < len(node.arms):
        patterns, body, ending = node.arms[index]
        value = narrowed(word.value, machine.shell.conditions)
        outcome = _matches(machine, value, patterns)
        index += 1
        if isinstance(outcome, str):
            following = index
            decide(
                machine,
                outcome,
                lambda: _fall(machine, node, word, following, body, ending),  # noqa: B023
                lambda: _case(machine, node, word, following),  # noqa: B023
                node,
            )
            return ""
        if outcome:
            branch = Branch(machine, node.word.start, node.word.end, "case {}")
            result = _fall(machine, node, word, index, body, ending)
            if not branch.ended():
                return result
            return branch.reopened(lambda: case(machine, node), partial(_case, machine, node, word, index))
    return True


def _matches(machine: Machine, value: Known, patterns: list[WordNode]) -> Outcome:
    """Tell whether one of the patterns matches; a long condition is returned as the `case` that is written."""
    outcome: Outcome = False
    for pattern in patterns:
        outcome = either(outcome, machine.conditions.case(value, pattern))
        if outcome is True or len(str(outcome)) > MAX_CONDITION:
            break
    if outcome is True or len(str(outcome)) <= MAX_CONDITION:
        return outcome
    raw = machine.shell.source.part(patterns[0].start, patterns[-1].end)
    return f"( case {as_word(value)} in {raw}) true;; *) false;; esac )"


def _fall(machine: Machine, node: Case, word: Word, index: int, body: list[Command], ending: str) -> Outcome:
    outcome = machine.run(body)
    while ending == ";&" and index < len(node.arms) and not machine.shell.flow:
        _, body, ending = node.arms[index]
        outcome = machine.run(body)
        index += 1
    return _case(machine, node, word, index) if ending == ";;&" and not machine.shell.flow else outcome
