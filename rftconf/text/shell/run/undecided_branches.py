"""Conditions that nobody can decide here: both arms are followed, and what is known after them is put together."""

from __future__ import annotations

from collections.abc import Callable

from rftconf.text.shell.parse.nodes import Command
from rftconf.text.shell.parse.quoting import negated
from rftconf.text.shell.run import guards
from rftconf.text.shell.state.machine import Machine
from rftconf.text.shell.state.merge_branches import merge
from rftconf.text.shell.state.state import Shell, Snapshot


def decide(
    machine: Machine,
    condition: str,
    then: Callable[[], object],
    otherwise: Callable[[], object],
    node: Command,
    *,
    quietly: bool = False,
) -> None:
    """Follow both arms of a condition of `node`, and put together what is known after them."""
    shell = machine.shell
    launched, diagnostics_before = shell.launched, len(shell.diagnostics)
    before, depth = shell.snapshot(), len(shell.conditions)
    shell.conditions.append(condition)
    then()
    del shell.conditions[depth:]
    first = shell.snapshot()
    shell.restore(before)
    shell.conditions.append(negated(condition))
    otherwise()
    del shell.conditions[depth:]
    second = shell.snapshot()
    later = len(shell.diagnostics)
    if (first.flow == "exit") is not (second.flow == "exit") and not launched:
        guards.say(shell, condition if first.flow == "exit" else negated(condition), node.start, node.end)
    elif not quietly:
        shell.say("SYN130", f"not decided by the script: {condition[:200]}", node.start, node.end)
    inside, own = shell.diagnostics[diagnostics_before:later], shell.diagnostics[later:]
    shell.diagnostics[diagnostics_before:] = own + inside
    _join(shell, condition, first, second)


def _join(shell: Shell, condition: str, first: Snapshot, second: Snapshot) -> None:
    if first.flow == second.flow:
        shell.restore(merge(shell, condition, first, second))
    elif first.flow == "exit":
        shell.restore(second)
    elif second.flow == "exit":
        shell.restore(first)
    elif first.flow:
        _wait(shell, condition, first)
        shell.restore(second)
        shell.conditions.append(negated(condition))
    else:
        _wait(shell, negated(condition), second)
        shell.restore(first)
        shell.conditions.append(condition)


def _wait(shell: Shell, condition: str, state: Snapshot) -> None:
    """Keep a state that left a function or loop early until that ends."""
    kind = "function" if state.flow == "return" else "loop"
    frame = next((f for f in reversed(shell.frames) if f.kind == kind), None)
    if frame is not None:
        conditions = [*shell.conditions[frame.depth :], condition]
        frame.waiting.append((state.flow, " && ".join(conditions), state))
