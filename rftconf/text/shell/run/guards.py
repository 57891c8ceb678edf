"""Branches that end a script before it starts anything: they are no answer, so what stands behind them is read.

What such a branch asks for (a variable, an argument of the script) stays open from there on.
"""

from __future__ import annotations

import re
from collections.abc import Callable

from rftconf.base.symbols import ShellOnly, Var
from rftconf.text.shell.parse.nodes import Command
from rftconf.text.shell.state.machine import Machine
from rftconf.text.shell.state.missing_arguments import ARGUMENTS, argument
from rftconf.text.shell.state.state import Lead, Outcome, Shell, Snapshot
from rftconf.text.shell.values import Known, Word

_NAMES = re.compile(r"\$\{?[#!]?([A-Za-z_]\w*)")
_DEFAULTED = re.compile(r"\$\{([A-Za-z_]\w*):?[-=]")
_POSITIONAL = re.compile(r"\$\{?#?[1-9@*]|\$\{?#")
_ONLY_A_DEFAULT = re.compile(r"\"?\$\{([A-Za-z_]\w*|[1-9]\d*):?[-=][^}]*\}\"?").fullmatch


_STARTS = re.compile(
    r"(?:^|[\s;&|(])(?:python[\d.]*|torchrun|accelerate|deepspeed|trinity|trl)[ \t]", re.MULTILINE
).search


class Branch:
    """A branch that is about to be taken because its condition is known."""

    def __init__(self, machine: Machine, start: int, end: int, form: str = "{}") -> None:
        self.machine, self.start, self.end, self.form = machine, start, end, form
        self.before: Snapshot = machine.shell.snapshot()

    def ended(self) -> bool:
        """True when the branch has ended the script and nothing that matters was started so far, if that is to be undone."""
        shell = self.machine.shell
        return shell.past_guards and shell.flow == "exit" and not shell.launched

    def reopened(self, again: Callable[[], Outcome], otherwise: Callable[[], Outcome]) -> Outcome:
        """Go back to before the branch: `again`, with what it asks for left open, or `otherwise` where that is nothing."""
        shell = self.machine.shell
        shell.restore(self.before)
        raw = shell.source.part(self.start, self.end).strip()
        key = (shell.source.text, self.start)
        stays_open = leave_open(shell, raw)
        say(shell, self.form.format(raw), self.start, self.end)
        if stays_open and key not in shell.reopened:
            shell.reopened.add(key)
            return again()
        return otherwise()


def switched_off(shell: Shell, condition: list[Command], body: list[Command]) -> None:
    """Take down that an arm which would start programs is not followed, as long as nothing was started."""
    if shell.launched or _STARTS(shell.source.text, max(body[0].start - 1, 0), body[-1].end) is None:
        return
    raw = shell.source.part(condition[0].start, condition[-1].end).strip()
    names = tuple(name for name in dict.fromkeys(_NAMES.findall(raw)) if name in shell.variables)
    advice = " ".join(f"--set {name}=..." for name in names)
    advice = ARGUMENTS if _POSITIONAL.search(raw) else advice
    what = f"starts programs only if `{' '.join(raw.split())[:80]}`"
    shell.leads.append(Lead(shell.source.place(condition[0].start, condition[-1].end), what, (), advice))


def survived(shell: Shell, node: Command) -> Outcome:
    """`set -e` would end the script at a command that fails: read on, with what it asks for left open."""
    raw = shell.source.part(node.start, node.end).strip()
    leave_open(shell, raw)
    say(shell, f"! {raw}", node.start, node.end)
    return ""


def say(shell: Shell, condition: str, start: int, end: int) -> None:
    """Warn that bash would end the script here, and advise what to give so that it does not."""
    names = [name for name in dict.fromkeys(_NAMES.findall(condition)) if not _is_known(shell, name)]
    names = [name for name in names if not _numbers(shell, f"${name}")]
    advice = " ".join(f"--set {name}=..." for name in names[:3])
    if _POSITIONAL.search(condition) or _numbers(shell, condition):
        advice = ARGUMENTS
        shell.awaits_at = shell.awaits_at or shell.source.place(start, end)
        for number in _numbers(shell, condition):
            shell.asks.setdefault(number, shell.awaits_at)
    for name in names:
        shell.asks.setdefault(name, shell.source.place(start, end))
    line = " ".join(condition.split())
    place = shell.source.place(start, end)
    if (place.file, place.span.line) not in shell.guarded:
        shell.guarded.add((place.file, place.span.line))
        shell.say("SYN151", f"bash ends the script here if `{line[:120]}`; what follows is read", start, end, advice)


def leave_open(shell: Shell, condition: str) -> bool:
    """Leave open what `condition` found empty or took from a default; True when there is something."""
    changed = False
    if _POSITIONAL.search(condition):
        changed = not shell.awaits
        shell.awaits = True
    for name in dict.fromkeys(_DEFAULTED.findall(condition)):
        if name not in shell.variables and name not in shell.required:
            shell.required.add(name)
            changed = True
    for name in dict.fromkeys(_NAMES.findall(condition)):
        value = shell.variables.get(name)
        if isinstance(value, Word) and (open_condition := _asked_for(shell, name, value)) is not None:
            piece = (open_condition, value.start, value.end, (), -1)
            shell.variables[name] = shell.bound.get(name) or Word(
                open_condition, (piece,), value.source, value.start, value.end, name
            )
            changed = True
    return changed


def _asked_for(shell: Shell, name: str, word: Word) -> Known | None:
    """Return the argument or variable that would give `name` a value, where it is empty or only has a default."""
    if word.lacks or word.lacking():
        shell.awaits = True
        return argument(str((word.lacking() or [word])[0].lacks))
    defaulted = _ONLY_A_DEFAULT(word.raw.partition("=")[2] if word.raw.startswith(f"{name}=") else word.raw)
    if defaulted is not None and isinstance(word.value, str):
        default = defaulted[1]
        if default.isdigit():
            shell.awaits = True
            return argument(default)
        return None if default in shell.variables and default != name else Var(default)
    return Var(name) if word.value == "" else None


def _is_known(shell: Shell, name: str) -> bool:
    value = shell.variables.get(name)
    return isinstance(value, Word) and isinstance(value.value, str)


def _numbers(shell: Shell, condition: str) -> list[str]:
    """The arguments of the script that stand behind the variables of a condition."""
    values = [
        variable.value for name in _NAMES.findall(condition) if isinstance(variable := shell.variables.get(name), Word)
    ]
    return [number for value in values if isinstance(value, ShellOnly) for number in value.names if number.isdigit()]
