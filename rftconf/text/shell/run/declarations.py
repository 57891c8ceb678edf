"""`export`, `declare`, `local`, `readonly`, `unset`."""

from __future__ import annotations

from rftconf.text.shell.expand.integers import count_in
from rftconf.text.shell.parse.nodes import Assign, Lit, Simple, WordNode
from rftconf.text.shell.run.assignments import assigned_value, assigned_variable
from rftconf.text.shell.state.machine import Machine
from rftconf.text.shell.state.state import Outcome, Shell
from rftconf.text.shell.values import Array, Unset, Word

DECLARING = frozenset({"export", "declare", "local", "readonly", "typeset"})


def declare(machine: Machine, node: Simple) -> Outcome:
    """`export`, `declare`, `local`, `readonly`, `typeset`."""
    shell = machine.shell
    flags, names = "", list[tuple[str, Assign | None]]()
    for item in node.words[1:]:
        if isinstance(item, Assign):
            names.append((item.name, item))
            continue
        for word in machine.expander.words(item):
            text = word.value
            if not isinstance(text, str) or not text:
                continue
            if text[0] in "-+":
                flags += text[1:] if text[0] == "-" else ""
            else:
                name, equals, value = text.partition("=")
                names.append((name, _dynamic(word, name, value) if equals else None))
    kind = node.words[0].plain if isinstance(node.words[0], WordNode) else ""
    if "f" in flags or "F" in flags or "p" in flags:
        return True
    for name, assign in names:
        _declare_one(machine, name, assign, flags, kind == "local" or (kind != "export" and kind != "readonly"))
        if kind == "export" or "x" in flags:
            shell.exported |= {name}
    return True


def _dynamic(word: Word, name: str, value: str) -> Assign:
    """`export "$pair"`: an assignment that came out of an expansion."""
    node = WordNode([Lit(value, word.start, word.end, True)], word.start, word.end)
    return Assign(name, node, word.start, word.end)


def _declare_one(machine: Machine, name: str, item: Assign | None, flags: str, local: bool) -> None:
    shell = machine.shell
    frame = next((f for f in reversed(shell.frames) if f.kind == "function"), None)
    old = shell.variables.get(name)
    value = (
        assigned_variable(machine, item, associative="A" in flags) if item is not None and "i" not in flags else None
    )
    if local and frame is not None and "g" not in flags and name not in frame.saved:
        frame.saved[name] = old
        shell.variables.pop(name, None)
        if item is None:
            shell.assign(name, _empty(machine, flags))
    if "i" in flags:
        shell.options |= {f"integer {name}"}
        value = assigned_variable(machine, item) if item is not None else None
    if value is not None and item is not None:
        if any(c in flags for c in "nluc"):
            value = shell.unknown(name, item.start, item.end)
        shell.assign(name, assigned_value(shell, item, value))
    elif "A" in flags and not isinstance(shell.variables.get(name), Array):
        shell.assign(name, Array({}, True))
    elif "a" in flags and name not in shell.variables:
        shell.assign(name, Array({}))


def _empty(machine: Machine, flags: str) -> Word | Array:
    if "A" in flags or "a" in flags:
        return Array({}, "A" in flags)
    return Word("", (), machine.shell.source, 0, 0)


def unset(machine: Machine, node: Simple, words: list[Word]) -> Outcome:
    """`unset name`, `unset A[i]`, `unset -f name`."""
    shell = machine.shell
    functions = False
    for word in words[1:]:
        name = word.value
        if not isinstance(name, str):
            continue
        if name.startswith("-"):
            functions = name == "-f"
        elif functions:
            shell.functions.pop(name, None)
        elif "[" in name:
            _unset_element(shell, name)
        else:
            shell.assign(name, Unset("", (), shell.source, node.start, node.end))
            shell.exported -= {name}
    return True


def _unset_element(shell: Shell, name: str) -> None:
    base, key = name.rstrip("]").split("[", 1)
    value = shell.variables.get(base)
    if not isinstance(value, Array):
        return
    number = count_in(key)
    index: int | str = key if value.associative or number is None else number
    if value.guarded or index not in value.items:
        shell.assign(base, Array(value.items, value.associative, True, True))
        return
    items = {k: w for k, w in value.items.items() if k != index}
    shell.assign(base, Array(items, value.associative))
