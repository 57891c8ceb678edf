"""Assignments: scalars, arrays, elements, `+=`."""

from __future__ import annotations

from rftconf.base.symbols import Expr
from rftconf.text.shell.expand.operations import as_text, combine
from rftconf.text.shell.parse.nodes import ArrayNode, Assign, WordNode
from rftconf.text.shell.state.machine import Machine
from rftconf.text.shell.state.missing_arguments import words_behind
from rftconf.text.shell.state.state import Shell, Variable
from rftconf.text.shell.values import Array, Known, Piece, Word, joined


def assign(machine: Machine, node: Assign, *, associative: bool = False) -> None:
    """Carry out one assignment."""
    shell = machine.shell
    shell.assign(node.name, assigned_value(shell, node, assigned_variable(machine, node, associative=associative)))


def assigned_value(shell: Shell, node: Assign, value: Variable) -> Variable:
    """Return the value to assign: the one bound by hand, where the script has not used the name before.

    So `--set N=8` wins over `N=4` as it does over `N=$(nproc)`; a name that the script makes from its own value
    (`N=$((N * 2))`) or assigns again is the script's.
    """
    bound = shell.bound.get(node.name)
    if bound is None or (node.name in shell.read and node.name not in shell.settled):
        return value
    again = node.name in shell.settled
    if again and not (isinstance(value, Word) and isinstance(value.value, Expr)):
        return value
    shell.settled.add(node.name)
    return bound


def assigned_variable(machine: Machine, node: Assign, *, associative: bool = False) -> Variable:
    """The variable that an assignment makes."""
    shell = machine.shell
    if isinstance(node.value, ArrayNode):
        old = shell.variables.get(node.name)
        keeps = associative or (isinstance(old, Array) and old.associative)
        return _array(machine, node, node.value, keeps)
    word = machine.expander.word(node.value, node.name)
    if f"integer {node.name}" in shell.options and node.index is None:
        return _integer(machine, node, node.value)
    if node.index is not None:
        return _element(machine, node, word)
    old = shell.variables.get(node.name)
    if isinstance(old, Array):
        key: int | str = "0" if old.associative else 0
        base = old.items.get(key)
        return Array({key: _appended(shell, base, word) if node.append else word, **_without(old, key)},
                     old.associative, old.guarded, old.open)  # fmt: skip
    if node.append:
        return _appended(shell, shell.scalar(node.name), word)
    return word


def _without(old: Array, key: int | str) -> dict[int | str, Word]:
    return {k: w for k, w in old.items.items() if k != key}


def _integer(machine: Machine, node: Assign, value: WordNode) -> Word:
    """An assignment to a variable that `declare -i` made a number."""
    number = machine.expander.number(value)
    used = tuple(machine.expander.arithmetic.used[:8])
    if node.append:
        old = shell_value(machine, node.name)
        before = machine.expander.arithmetic.quietly(old)
        number = combine("+", 0 if before is None else before, number)
    text = as_text(number)
    return machine.shell.make([(text, value.start, value.end, used, -1)], value.start, value.end, text, node.name)


def shell_value(machine: Machine, name: str) -> Known:
    """Return the value of a scalar; empty text when it is not set."""
    old = machine.shell.scalar(name)
    return "" if old is None else old.value


def _appended(shell: Shell, old: Word | None, new: Word) -> Word:
    """`x+=text`."""
    if old is None:
        return new
    before: Piece = (old.value, new.start, new.start, (old,), 0)
    pieces = [before, *new.pieces]
    return shell.make(pieces, new.start, new.end, joined(pieces), new.name)


def _element(machine: Machine, node: Assign, word: Word) -> Variable:
    shell = machine.shell
    old = shell.variables.get(node.name)
    array = old if isinstance(old, Array) else Array({} if old is None else {0: old})
    assert node.index is not None
    key = _key(machine, node.index, array.associative)
    if key is None or array.guarded or array.open:
        unknown = shell.unknown(node.name, node.start, node.end)
        unknown.splits = True
        return Array({**array.items, f"?{len(array.items)}" if array.associative else len(array.items): unknown},
                     array.associative, True, True)  # fmt: skip
    items = dict(array.items)
    if isinstance(key, int) and key < 0:
        key += max((k for k in items if isinstance(k, int)), default=-1) + 1
    items[key] = _appended(shell, items.get(key), word) if node.append else word
    if not array.associative:
        items = dict(sorted(items.items(), key=lambda item: int(item[0])))
    return shell.array(node.name, Array(items, array.associative), node.start, node.end)


def _key(machine: Machine, index: WordNode, associative: bool) -> int | str | None:
    if associative:
        text = machine.expander.text_of(index)
        return text if isinstance(text, str) else None
    number = machine.expander.number(index)
    return number if isinstance(number, int) else None


def _array(machine: Machine, node: Assign, value: ArrayNode, associative: bool) -> Array:
    shell = machine.shell
    old = shell.variables.get(node.name)
    items: dict[int | str, Word] = {}
    guarded = opened = False
    if node.append and old is not None:
        known = old if isinstance(old, Array) else Array({0: old})
        items, guarded, opened = dict(known.items), known.guarded, known.open
    next_index = max((k for k in items if isinstance(k, int)), default=-1) + 1
    in_order = True
    for index, element in value.elements:
        if index is not None:
            key = _key(machine, index, associative)
            if key is None:
                guarded = opened = True
                key = f"?{len(items)}" if associative else next_index
            items[key] = machine.expander.word(element)
            in_order = False
            next_index = key + 1 if isinstance(key, int) else next_index
            continue
        for word in words_behind(machine.expander, element, items.get(next_index - 1)):
            items[next_index] = word
            next_index += 1
            guarded |= word.condition is not None or word.splits
    if not in_order and not associative:
        items = dict(sorted(items.items(), key=lambda item: int(item[0])))
    return shell.array(node.name, Array(items, associative, guarded, opened), node.start, node.end)


def assigned_words(machine: Machine, nodes: list[Assign]) -> list[tuple[Assign, Word]]:
    """The scalars of `A=1 B=2 command`, which only that command sees."""
    pairs: list[tuple[Assign, Word]] = []
    for node in nodes:
        value = assigned_variable(machine, node)
        if isinstance(value, Word):
            pairs.append((node, value))
    return pairs
