"""Loops: unrolled while their bounds are known; otherwise what they assign becomes unknown."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rftconf.plan.symbols import Expr
from rftconf.text.shell.merge import rejoin
from rftconf.text.shell.nodes import Command, For, ForArith, While
from rftconf.text.shell.standalone import standalone
from rftconf.text.shell.state import Frame, Outcome
from rftconf.text.shell.values import Array, Word

if TYPE_CHECKING:
    from rftconf.text.shell.evaluate import Evaluator


def _turn(machine: Evaluator, frame: Frame, body: list[Command]) -> bool:
    """One turn of a loop; False when it was the last one."""
    shell = machine.shell
    machine.run(body)
    kind, _, level = shell.flow.partition(" ")
    if kind in ("break", "continue"):
        deeper = int(level or 1) - 1
        shell.flow = f"{kind} {deeper}" if deeper > 0 else ""
        if kind == "break" or deeper > 0:
            return False
    rejoin(machine.shell, frame, ("continue",))
    return not shell.flow


def _leave(machine: Evaluator, frame: Frame) -> None:
    rejoin(machine.shell, frame, ("break", "continue"))
    machine.shell.frames.remove(frame)
    del machine.shell.conditions[frame.depth :]


def _enter(machine: Evaluator) -> Frame:
    frame = Frame("loop", len(machine.shell.conditions))
    machine.shell.frames.append(frame)
    return frame


def each(machine: Evaluator, node: For) -> Outcome:
    """`for name in words`."""
    shell = machine.shell
    items = node.words
    words = list(shell.positional) if items is None else [w for item in items for w in machine.expander.words(item)]
    frame = _enter(machine)
    for word in words:
        if word.splits:
            variable = Word(word.value, word.pieces, word.source, word.start, word.end, node.name)
            unbounded(machine, node, node.body, {node.name: variable}, f"for {node.name} in {word.raw}")
            continue
        variable = Word(word.value, word.pieces, word.source, word.start, word.end, node.name)
        shell.step()
        if word.condition is not None:
            going = [True]

            def turn(variable: Word = variable, going: list[bool] = going) -> None:
                shell.assign(node.name, variable)
                going[0] = _turn(machine, frame, node.body)

            machine.decide(word.condition, turn, lambda: None, node)
        else:
            shell.assign(node.name, variable)
            if not _turn(machine, frame, node.body):
                break
        if shell.flow:
            break
    _leave(machine, frame)
    return True


def counted(machine: Evaluator, node: ForArith) -> Outcome:
    """`for ((init; condition; step))`."""
    shell = machine.shell
    start, condition, step = node.heads
    if start.parts:
        machine.expander.number(start)
    frame = _enter(machine)
    while True:
        shell.step()
        value = machine.expander.number(condition) if condition.parts else 1
        if isinstance(value, Expr):
            unbounded(machine, node, node.body, {}, f"for (( {standalone(shell, condition.start, condition.end)} ))")
            break
        if value == 0 or not _turn(machine, frame, node.body):
            break
        if step.parts:
            machine.expander.number(step)
        if _stuck(frame):
            unbounded(machine, node, node.body, {}, "one more turn")
            break
    _leave(machine, frame)
    return True


def while_(machine: Evaluator, node: While) -> Outcome:
    """`while` and `until`."""
    shell = machine.shell
    frame = _enter(machine)
    while True:
        shell.step()
        outcome = machine.tested(node.condition)
        if shell.flow:
            break
        if isinstance(outcome, str):
            unbounded(machine, node, node.body, {}, outcome or "the loop goes on")
            break
        if outcome is node.until or not _turn(machine, frame, node.body):
            break
        if _stuck(frame):
            unbounded(machine, node, node.body, {}, "one more turn")
            break
    _leave(machine, frame)
    return True


def _stuck(frame: Frame) -> bool:
    """True when the loop may or may not have ended already: unrolling it further tells little."""
    return sum(flow.startswith("break") for flow, _, _ in frame.waiting) > 2


def unbounded(machine: Evaluator, node: Command, body: list[Command], given: dict[str, Word], condition: str) -> None:
    """A loop with an unknown number of turns: read its body once for what it launches, forget what it assigns."""
    shell = machine.shell
    shell.say("SYN131", "the number of turns is not known; what the loop assigns is unknown", node.start, node.end)
    depth, frames = len(shell.conditions), [list(f.waiting) for f in shell.frames]
    launched, first, flow = len(shell.commands), shell.snapshot(), shell.flow
    before = dict(shell.variables)
    shell.variables.update(given)
    machine.run(body)
    changed = _changed(machine, before)
    del shell.commands[launched:]
    shell.restore(first)
    shell.variables = dict(before)
    _forget(machine, node, before, changed - given.keys())
    shell.variables.update(given)
    shell.conditions[depth:] = [condition]
    machine.run(body)
    changed |= _changed(machine, before)
    del shell.conditions[depth:]
    for frame, waiting in zip(shell.frames, frames, strict=True):
        frame.waiting = waiting
    shell.variables = dict(before)
    _forget(machine, node, before, changed)
    shell.flow = flow


def _changed(machine: Evaluator, before: dict[str, Word | Array]) -> set[str]:
    now = machine.shell.variables
    return {name for name in {**before, **now} if now.get(name) is not before.get(name)}


def _forget(machine: Evaluator, node: Command, before: dict[str, Word | Array], names: set[str]) -> None:
    shell = machine.shell
    for name in names:
        old = before.get(name)
        unknown = shell.unknown(name, node.start, node.end)
        if isinstance(old, Array):
            unknown.splits = True
            kept = {} if old.associative else old.items
            last = max((k for k in kept if isinstance(k, int)), default=-1)
            shell.assign(name, Array({**kept, last + 1: unknown}, False, True, True))
        else:
            shell.assign(name, unknown)
