"""The shell's own commands, as far as they change what later arguments are."""

# ruff: noqa: ARG001 (every builtin is called the same way)
from __future__ import annotations

from collections.abc import Callable
from typing import TypeAlias

from rftconf.base.symbols import Expr
from rftconf.text.shell.expand.integers import count_in
from rftconf.text.shell.parse.nodes import Simple, WordNode
from rftconf.text.shell.run import sourcing
from rftconf.text.shell.run.declarations import unset
from rftconf.text.shell.run.setting_variables import printf, read
from rftconf.text.shell.state.machine import Machine
from rftconf.text.shell.state.state import Outcome
from rftconf.text.shell.values import Word

Builtin: TypeAlias = Callable[["Machine", Simple, list[Word]], Outcome]
_LETTERS = {"e": "errexit", "u": "nounset", "x": "xtrace", "f": "noglob"}


def shift(machine: Machine, node: Simple, words: list[Word]) -> Outcome:
    """`shift [n]`."""
    shell = machine.shell
    shift_value = words[1].value if len(words) > 1 else "1"
    count = count_in(shift_value)
    if count is None:
        for word in shell.positional:
            word.splits = True
        return ""
    if count > len(shell.positional) and shell.awaits and not any(f.kind == "function" for f in shell.frames):
        shell.shifted += count - len(shell.positional)
        count = len(shell.positional)
    if count > len(shell.positional):
        return False
    if any(w.splits or w.condition is not None for w in shell.positional[:count]):
        for word in shell.positional:
            word.splits = True
        return ""
    shell.positional = shell.positional[count:]
    return True


def set_(machine: Machine, node: Simple, words: list[Word]) -> Outcome:
    """`set -e`, `set -o name`, `set -- a b`."""
    shell = machine.shell
    index, options = 1, set(shell.options)
    while index < len(words):
        text = words[index].value
        if not isinstance(text, str) or text[:1] not in ("-", "+") or text in ("-", "--"):
            break
        letters = text[1:]
        if "o" in letters and index + 1 < len(words):
            index += 1
            name = str(words[index].value)
            letters = letters.replace("o", "")
            letter = next((k for k, v in _LETTERS.items() if v == name), name)
            options = options | {letter} if text[0] == "-" else options - {letter}
        options = options | set(letters) if text[0] == "-" else options - set(letters)
        index += 1
    shell.options = frozenset(options)
    if index < len(words):
        shell.positional = words[index + (words[index].value in ("--", "-")) :]
    return True


def let(machine: Machine, node: Simple, words: list[Word]) -> Outcome:
    """`let "x = 1"`."""
    value: int | Expr = 0
    for item in node.words[1:]:
        if isinstance(item, WordNode):
            value = machine.expander.number(item)
    return "" if isinstance(value, Expr) else value != 0


def test(machine: Machine, node: Simple, words: list[Word]) -> Outcome:
    """`[ ... ]` and `test`."""
    inside = words[1:]
    if words[0].value == "[":
        if not inside or inside[-1].value != "]":
            return False
        inside = inside[:-1]
    return machine.conditions.single(inside)


def leave(machine: Machine, node: Simple, words: list[Word]) -> Outcome:
    """`exit`, `return`, `break`, `continue`."""
    shell = machine.shell
    kind = str(words[0].value)
    code = words[1].value if len(words) > 1 else None
    if kind in ("break", "continue"):
        if any(f.kind == "loop" for f in shell.frames):
            level = str(min(count_in(code) or 1, len(shell.frames)))
            shell.flow = kind if level == "1" else f"{kind} {level}"
        return True
    outcome: Outcome = shell.status
    if code is not None:
        outcome = code == "0" if isinstance(code, str) else ""
    shell.ended = shell.source.place(node.start, node.end)
    shell.flow = "return" if kind == "return" and any(f.kind == "function" for f in shell.frames) else "exit"
    return outcome


def cd(machine: Machine, node: Simple, words: list[Word]) -> Outcome:
    """`cd`: `$PWD` is no longer where the script was started."""
    shell = machine.shell
    shell.options |= {"cd"}
    for name in ("PWD", "OLDPWD"):
        shell.assign(name, shell.unknown(name, node.start, node.end))
    return ""


def shopt(machine: Machine, node: Simple, words: list[Word]) -> Outcome:
    """`shopt -s name`."""
    names = {str(w.value) for w in words[2:]}
    on = len(words) > 1 and words[1].value == "-s"
    machine.shell.options = machine.shell.options | names if on else machine.shell.options - names
    return True


def plain(machine: Machine, node: Simple, words: list[Word]) -> Outcome:
    """`command x`, `builtin x`."""
    names = words[1:]
    while names and isinstance(names[0].value, str) and names[0].value.startswith("-"):
        if names[0].value in ("-v", "-V"):
            return ""
        names = names[1:]
    return machine.invoke(node, names) if names else True


def exec_(machine: Machine, node: Simple, words: list[Word]) -> Outcome:
    """`exec command`: nothing follows it."""
    command = words[1:]
    if command:
        machine.invoke(node, command)
        machine.shell.flow, machine.shell.ended = "exit", None
    return True


def nothing(machine: Machine, node: Simple, words: list[Word]) -> Outcome:
    """Succeed and set nothing."""
    return True


def fails(machine: Machine, node: Simple, words: list[Word]) -> Outcome:
    """`false`."""
    return False


BUILTINS: dict[str, Builtin] = {
    **dict.fromkeys((":", "true", "echo", "trap", "wait", "umask", "ulimit", "alias", "hash", "history"), nothing),
    **dict.fromkeys(("[", "test"), test),
    **dict.fromkeys(("exit", "return", "break", "continue"), leave),
    **dict.fromkeys(("read", "mapfile", "readarray", "getopts"), read),
    **dict.fromkeys(("cd", "pushd", "popd"), cd),
    **dict.fromkeys(("source", "."), sourcing.source),
    **dict.fromkeys(("command", "builtin"), plain),
    "false": fails,
    "printf": printf,
    "let": let,
    "set": set_,
    "shift": shift,
    "shopt": shopt,
    "unset": unset,
    "exec": exec_,
    "eval": sourcing.eval_,
}
