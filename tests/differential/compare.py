"""Lines up what the reader says with what bash did, word by word."""

from __future__ import annotations

import re
from dataclasses import dataclass, field

from rftconf.base.symbols import Expr, Text, Value
from rftconf.plan.substitution import substitute
from rftconf.text.shell import Command, Word


@dataclass
class Tally:
    """How many arguments of programs agree, depend on the machine, or are wrong."""

    equal: int = 0
    machine: int = 0
    wrong: list[str] = field(default_factory=list)

    def add(self, other_tally: Tally) -> None:
        """Count `other_tally` too."""
        self.equal += other_tally.equal
        self.machine += other_tally.machine
        self.wrong += other_tally.wrong


def regex(value: Value) -> str:
    """A pattern for what a symbolic value may become."""
    if isinstance(value, Text):
        return "".join(regex(part) for part in value.parts)
    return re.escape(value) if isinstance(value, str) else ".*"


def fits(word: Word, argument: str, environment: dict[str, Value]) -> str:
    """`equal`, `machine` (a symbolic value that can be this) or nothing."""
    value = substitute(word.value, environment) if isinstance(word.value, Expr) else word.value
    if isinstance(value, str):
        if value != argument:
            return ""
        return "machine" if word.condition is not None else "equal"
    return "machine" if re.fullmatch(regex(value), argument, re.DOTALL) else ""


def align(words: tuple[Word, ...], argv: list[str], environment: dict[str, Value]) -> list[str] | None:
    """For every argument `equal` or `machine`; None when the words cannot give these arguments."""
    rows: list[dict[int, tuple[int, str]]] = [{0: (-1, "")}]
    for word in words:
        nxt: dict[int, tuple[int, str]] = {}
        for index in sorted(rows[-1]):
            if index < len(argv) and (how := fits(word, argv[index], environment)):
                nxt.setdefault(index + 1, (index, how))
                if word.splits and isinstance(word.value, Expr):
                    for more in range(index + 2, len(argv) + 1):
                        nxt.setdefault(more, (index, "machine"))
            if word.condition is not None or (word.splits and isinstance(word.value, Expr)):
                nxt.setdefault(index, (index, ""))
        rows.append(nxt)
    if len(argv) not in rows[-1]:
        return None
    marks: list[str] = [""] * len(argv)
    index = len(argv)
    for row in reversed(rows[1:]):
        before, how = row[index]
        for k in range(before, index):
            marks[k] = how
        index = before
    return marks


def compare(
    commands: tuple[Command, ...], records: list[list[str]], environment: dict[str, str], starts: list[int]
) -> Tally:
    """Match recorded programs with the commands that were read, in order where that works, else anywhere."""
    tally = Tally()
    known: dict[str, Value] = dict(environment)
    new_commands = list(commands)
    for argv, start in zip(records, starts, strict=True):
        # What certainly starts comes first: a command in an undecided arm may stand for any or no record.
        sure = sorted(new_commands, key=lambda c: c.condition is not None)
        values = next(((c, m) for c in sure if (m := align(c.argv, argv, known)) is not None), None)
        if values is None:
            closest = [
                c for c in new_commands if isinstance(c.program, str) and c.program == argv[start]
            ] or new_commands
            tally.wrong += _differences(closest[0] if closest else None, argv, start, known)
            continue
        command, marks = values
        if command.condition is None:
            new_commands.remove(command)
        tally.equal += marks[start + 1 :].count("equal")
        tally.machine += marks[start + 1 :].count("machine")
    for command in new_commands:
        if command.condition is None:
            tally.wrong.append(f"{command.place}: bash does not start {command.program}")
    return tally


def _differences(command: Command | None, argv: list[str], start: int, known: dict[str, Value]) -> list[str]:
    if command is None:
        return [f"not read: {' '.join(argv)[:200]}"]
    values = argv[start + 1 :]
    wrong = [a for a in values if not any(fits(w, a, known) for w in command.arguments)]
    extra = [w for w in command.arguments if w.condition is None and not any(fits(w, a, known) for a in values)]
    lines = [f"{command.place}: bash has {argument!r}" for argument in wrong]
    lines += [f"{word.place}: bash has no {word.value!r}" for word in extra]
    return lines or [f"{command.place}: the order or number of arguments differs"]
