"""Loops: unrolled while their bounds are known; otherwise what they assign becomes unknown."""

from __future__ import annotations

import re

from rftconf.base.symbols import Expr
from rftconf.text.shell.parse.nodes import ArithCommand, Command, For, ForArith, Lit, Simple, While, WordNode
from rftconf.text.shell.run.undecided_branches import decide
from rftconf.text.shell.state.machine import Machine
from rftconf.text.shell.state.merge_branches import rejoin
from rftconf.text.shell.state.self_contained_condition import standalone
from rftconf.text.shell.state.state import Frame, Outcome
from rftconf.text.shell.values import Array, Word

_NAME = re.compile(r"[A-Za-z_]\w*")
MOST_TURNS = 100
"""So often the body of a loop is followed turn by turn; what it would assign after more of them is unknown."""


def _turn(machine: Machine, frame: Frame, body: list[Command]) -> bool:
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


def _leave(machine: Machine, frame: Frame) -> None:
    rejoin(machine.shell, frame, ("break", "continue"))
    machine.shell.frames.remove(frame)
    del machine.shell.conditions[frame.depth :]


def _enter(machine: Machine) -> Frame:
    frame = Frame("loop", len(machine.shell.conditions))
    machine.shell.frames.append(frame)
    return frame


def each(machine: Machine, node: For) -> Outcome:
    """`for name in words`."""
    shell = machine.shell
    items = node.words
    words = list(shell.positional) if items is None else [w for item in items for w in machine.expander.words(item)]
    frame = _enter(machine)
    for word in words:
        if word.splits or shell.hurries:
            variable = Word(word.value, word.pieces, word.source, word.start, word.end, node.name)
            if not word.splits:
                variable = shell.unknown(node.name, node.start, node.end)
            unbounded(machine, node, node.body, {node.name: variable}, f"for {node.name} in {word.raw}")
            if not word.splits:
                break
            continue
        variable = Word(word.value, word.pieces, word.source, word.start, word.end, node.name)
        shell.step()
        if word.condition is not None:
            going = [True]

            def turn(variable: Word = variable, going: list[bool] = going) -> None:
                shell.assign(node.name, variable)
                going[0] = _turn(machine, frame, node.body)

            decide(machine, word.condition, turn, lambda: None, node)
        else:
            shell.assign(node.name, variable)
            if not _turn(machine, frame, node.body):
                break
        if shell.flow:
            break
    _leave(machine, frame)
    return True


def counted(machine: Machine, node: ForArith) -> Outcome:
    """`for ((init; condition; step))`."""
    shell = machine.shell
    start, condition, step = node.heads
    if start.parts:
        machine.expander.number(start)
    frame, turns = _enter(machine), 0
    while True:
        shell.step()
        value = machine.expander.number(condition) if condition.parts else 1
        turns += 1
        if isinstance(value, Expr) or (value != 0 and (shell.hurries or turns > MOST_TURNS)):
            unbounded(
                machine,
                node,
                node.body,
                _counters(machine, node),
                f"for (( {standalone(shell, condition.start, condition.end)} ))",
            )
            break
        if value == 0 or not _turn(machine, frame, node.body):
            break
        if step.parts:
            machine.expander.number(step)
        if _stuck(frame) or not condition.parts:
            unbounded(machine, node, node.body, {}, "one more turn")
            break
    _leave(machine, frame)
    return True


def _counters(machine: Machine, node: ForArith) -> dict[str, Word]:
    """The names that the heads of a counted loop assign, as they are in some turn."""
    written = "".join(machine.shell.source.part(head.start, head.end) for head in node.heads[::2])
    return {name: machine.shell.unknown(name, node.start, node.end) for name in _NAME.findall(written)}


def while_(machine: Machine, node: While) -> Outcome:
    """`while` and `until`."""
    shell = machine.shell
    frame = _enter(machine)
    before, launched, turns = dict(shell.variables), len(shell.commands), 0
    while True:
        shell.step()
        turns += 1
        outcome = machine.tested(node.condition)
        if shell.flow:
            break
        goes_on = outcome if isinstance(outcome, str) and outcome else "the loop goes on"
        if isinstance(outcome, str) or (outcome is not node.until and (shell.hurries or turns > MOST_TURNS)):
            unbounded(machine, node, node.body, {}, goes_on)
            break
        if outcome is node.until or not _turn(machine, frame, node.body):
            break
        if _endless(node) and (turns >= MOST_TURNS or any(c.launch for c in shell.commands[launched:])):
            # read no further: what another turn would change is not known, and what follows is there for somebody who ends it
            shell.say("SYN131", "the loop has no end of its own; what it assigns is unknown", node.start, node.end)
            _forget(machine, node, before, _changed(machine, before))
            break
        if _stuck(frame):
            unbounded(machine, node, node.body, {}, "one more turn")
            break
    _leave(machine, frame)
    return True


def _endless(node: While) -> bool:
    """`while true`, `until false`: nothing that the body does changes the answer."""
    only = node.condition[0] if len(node.condition) == 1 else None
    if isinstance(only, ArithCommand):
        return all(isinstance(part, Lit) and part.text.strip().isdigit() for part in only.body.parts)
    words = only.words if isinstance(only, Simple) and not only.assigns else []
    first = words[0] if len(words) == 1 else None
    return isinstance(first, WordNode) and first.plain in ("true", ":", "false")


def _stuck(frame: Frame) -> bool:
    """True when the loop may or may not have ended already: unrolling it further tells little."""
    return sum(flow.startswith("break") for flow, _, _ in frame.waiting) > 2


def unbounded(machine: Machine, node: Command, body: list[Command], words: dict[str, Word], condition: str) -> None:
    """A loop with an unknown number of turns: read its body once for what it launches, forget what it assigns."""
    shell = machine.shell
    shell.say("SYN131", "the number of turns is not known; what the loop assigns is unknown", node.start, node.end)
    depth, frames = len(shell.conditions), [list(f.waiting) for f in shell.frames]
    flow, before = shell.flow, dict(shell.variables)
    shell.variables.update(words)
    changed = set[str]()
    if not shell.trying and not shell.hurries:
        # a first reading, which counts for nothing, tells what the body assigns; one of a loop inside need not be tried again
        launched, first = (len(shell.commands), shell.launched), shell.snapshot()
        shell.trying = True
        machine.run(body)
        shell.trying = False
        changed = _changed(machine, before)
        del shell.commands[launched[0] :]
        shell.launched = launched[1]
        shell.restore(first)
        shell.variables = dict(before)
        _forget(machine, node, before, changed - words.keys())
        shell.variables.update(words)
    shell.conditions[depth:] = [condition]
    machine.run(body)
    changed |= _changed(machine, before)
    del shell.conditions[depth:]
    for frame, waiting in zip(shell.frames, frames, strict=True):
        frame.waiting = waiting
    shell.variables = dict(before)
    _forget(machine, node, before, changed)
    shell.flow = flow


def _changed(machine: Machine, before: dict[str, Word | Array]) -> set[str]:
    now = machine.shell.variables
    return {name for name in {**before, **now} if now.get(name) is not before.get(name)}


def forget_between(
    machine: Machine, node: Command, before: dict[str, Word | Array], after: dict[str, Word | Array]
) -> None:
    """Leave open what a command assigned before it was given up."""
    _forget(machine, node, dict(before), {n for n in {**before, **after} if before.get(n) is not after.get(n)})


def _forget(machine: Machine, node: Command, before: dict[str, Word | Array], names: set[str]) -> None:
    shell = machine.shell
    for name in names:
        old = before.get(name)
        unknown = shell.unknown(name, node.start, node.end)
        if isinstance(old, Array):
            unknown.splits = True
            words = {} if old.associative else old.items
            last = max((k for k in words if isinstance(k, int)), default=-1)
            shell.assign(name, Array({**words, last + 1: unknown}, False, True, True))
        else:
            shell.assign(name, unknown)
