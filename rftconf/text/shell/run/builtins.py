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
from rftconf.text.shell.state.machine import Machine
from rftconf.text.shell.state.state import Outcome
from rftconf.text.shell.state.written_files import input_of
from rftconf.text.shell.values import Array, Word

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


def read(machine: Machine, node: Simple, words: list[Word]) -> Outcome:
    """`read`, `mapfile`, `getopts`: what they set is unknown."""
    shell = machine.shell
    if _read_all(machine, node, words):
        return False  # no NUL ends what it reads
    kind, names, array = words[0].value, list[str](), False
    skip = False
    for word in words[1:]:
        text = word.value
        if skip or not isinstance(text, str):
            skip = False
        elif text.startswith("-") and text != "-":
            array |= "a" in text and kind == "read"
            skip = text[-1] in "dnNptuiCcsO" and len(text) == 2
            if array and text[-1] == "a":
                skip = False
        elif text.isidentifier():
            names.append(text)
    if kind == "getopts":
        if not shell.positional:
            return False
        names = [*names[-1:], "OPTARG", "OPTIND"]
    names = names or (["MAPFILE"] if kind in ("mapfile", "readarray") else ["REPLY"])
    for name in names:
        unknown = shell.unknown(name, node.start, node.end)
        if array or kind in ("mapfile", "readarray"):
            unknown.splits = True
            shell.assign(name, Array({0: unknown}, False, True, True))
        else:
            shell.assign(name, unknown)
    return ""


def _read_all(machine: Machine, node: Simple, words: list[Word]) -> bool:
    """`read -r -d '' name <<EOF`: the whole here-document, without the blanks around it unless IFS is empty."""
    name, shell = _wants_all([word.value for word in words]), machine.shell
    empty = [isinstance(a.value, WordNode) and not a.value.parts and a.name == "IFS" for a in node.assigns]
    if not name or not all(empty) or "IFS" in shell.variables or any(w.condition for w in words):
        return False
    word = input_of(shell, machine.expander, node.redirects, None)
    if word is None or not isinstance(word.value, str):
        return False
    value = word.value if empty else word.value.strip(" \t\n")
    skipped = 0 if empty else len(word.value) - len(word.value.lstrip(" \t\n"))
    piece = (value, word.start, word.end, (word,), skipped)
    shell.assign(name, Word(value, (piece,), shell.source, word.start, word.end, name))
    return True


def _wants_all(words: list[str | Expr]) -> str:
    """The one name of `read -r -d '' name` in any spelling; "" for other options."""
    raw = ends = False
    remaining = list(words[1:])
    while remaining and isinstance(option := remaining[0], str) and option.startswith("-"):
        remaining.pop(0)
        raw |= option in ("-r", "-rd")
        if option in ("-d", "-rd") and remaining and remaining[0] == "":
            remaining.pop(0)
            ends = True
        elif option != "-r":
            return ""
    only = remaining[0] if len(remaining) == 1 else ""
    return only if raw and ends and words[0] == "read" and isinstance(only, str) and only.isidentifier() else ""


def printf(machine: Machine, node: Simple, words: list[Word]) -> Outcome:
    """`printf -v name`."""
    if len(words) > 2 and words[1].value == "-v" and isinstance(name := words[2].value, str):
        form = words[3].value if len(words) > 3 else ""
        if form == "%s" and len(words) == 5:
            word = words[4]
            machine.shell.assign(name, Word(word.value, word.pieces, word.source, word.start, word.end, name))
        else:
            machine.shell.assign(name, machine.shell.unknown(name, node.start, node.end))
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
        machine.shell.flow = "exit"
    return True


def nothing(machine: Machine, node: Simple, words: list[Word]) -> Outcome:
    """What succeeds and sets nothing."""
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
