"""The states after both arms of an undecidable branch are merged: values that differ depend on its condition."""

from __future__ import annotations

from rftconf.base.symbols import Branch, Expr, Text, Var, text
from rftconf.text.shell.parse.quoting import negated
from rftconf.text.shell.state.state import Frame, Shell, Snapshot, Variable
from rftconf.text.shell.values import Array, Known, Word, oversized


def merge(shell: Shell, condition: str, then: Snapshot, otherwise: Snapshot) -> Snapshot:
    """The state that is `then` where `condition` holds and `otherwise` where it does not."""
    variables = dict(otherwise.variables)
    for name in {**then.variables, **otherwise.variables}:
        first, second = then.variables.get(name), otherwise.variables.get(name)
        if first is not second:
            variables[name] = merged(shell, name, condition, first, second)
    positional = then.positional
    if positional is not otherwise.positional:
        a, b = (Array(dict(enumerate(s.positional))) for s in (then, otherwise))
        positional = list(_arrays(shell, condition, a, b).items.values())
    return Snapshot(
        variables,
        then.exported | otherwise.exported,
        {**then.functions, **otherwise.functions},
        positional,
        then.options | otherwise.options,
        otherwise.flow,
    )


def rejoin(shell: Shell, frame: Frame, flows: tuple[str, ...]) -> None:
    """Merge the states that waited for this point."""
    for item in reversed(frame.waiting):
        if item[0] in flows:
            merged = merge(shell, item[1], item[2], shell.snapshot())
            shell.restore(merged)
    frame.waiting = [item for item in frame.waiting if item[0] not in flows]


def merged(shell: Shell, name: str, condition: str, then: Variable | None, otherwise: Variable | None) -> Variable:
    """One variable; None stands for never assigned."""
    if isinstance(then, Array) or isinstance(otherwise, Array):
        first, second = _as_array(then), _as_array(otherwise)
        if first.associative or second.associative:
            return _associative(shell, name, condition, first, second)
        some_word = next(iter((*first.items.values(), *second.items.values())), None)
        span = (some_word.start, some_word.end) if some_word is not None else (0, 0)
        return shell.array(name, _arrays(shell, condition, first, second), *span)
    some = then or otherwise
    assert some is not None
    values: list[Known] = [Var(name) if word is None else word.value for word in (then, otherwise)]
    if isinstance(values[0], str) and values[0] == values[1]:
        return some
    value: Known = branch(condition, values[0], values[1])
    origins = tuple(word for word in (then, otherwise) if word is not None)
    if oversized(value):
        value = shell.opaque(name, some.start, some.end)
    # The merged variable is no assignment of its own: its name stays out of the way of `via`.
    return Word(value, ((value, some.start, some.end, origins, -1),), some.source, some.start, some.end)


def branch(condition: str, then: Known, otherwise: Known) -> Known:
    """A value that depends on `condition`; arms that depend on the same condition lose the other half."""
    if isinstance(then, Branch) and then.condition == condition and isinstance(then.then, (str, Expr)):
        then = then.then
    value = otherwise.otherwise if isinstance(otherwise, Branch) and otherwise.condition == condition else None
    if isinstance(value, (str, Expr)):
        otherwise = value
    if isinstance(then, str) and then == otherwise:
        return then
    return Branch(condition, then, otherwise)


def narrowed(value: Known, conditions: list[str]) -> Known:
    """`value` where all of `conditions` hold: the other arms of what depends on them are gone."""
    if isinstance(value, Text):
        parts = [p if isinstance(p, str) else narrowed(p, conditions) for p in value.parts]
        changed = any(a is not b for a, b in zip(parts, value.parts, strict=True))
        return text(*parts) if changed else value
    if not isinstance(value, Branch):
        return value
    for holds, arm in ((value.condition, value.then), (negated(value.condition), value.otherwise)):
        if holds in conditions and isinstance(arm, (str, Expr)):
            return narrowed(arm, conditions)
    return value


def _as_array(variable: Variable | None) -> Array:
    if isinstance(variable, Array):
        return variable
    return Array({} if variable is None else {0: variable})


def _arrays(shell: Shell, condition: str, then: Array, otherwise: Array) -> Array:
    """Common elements at both ends stay; those between are there under the condition or its negation."""
    first, second = list(then.items.values()), list(otherwise.items.values())
    shorter = min(len(first), len(second))
    head = 0
    while head < shorter and first[head] is second[head]:
        head += 1
    tail = 0
    while tail < shorter - head and first[-1 - tail] is second[-1 - tail]:
        tail += 1
    unless = negated(condition)
    middle = [_guarded(w, unless) for w in second[head : len(second) - tail]]
    middle += [_guarded(w, condition) for w in first[head : len(first) - tail]]
    shell.work(sum(len(w.condition or "") + 100 for w in middle) * 10)
    items = [*first[:head], *middle, *first[len(first) - tail :]]
    same = then.items.keys() == otherwise.items.keys() and not middle
    keys = list(then.items) if same else list(range(len(items)))
    return Array(
        dict(zip(keys, items, strict=True)),
        False,
        bool(middle) or then.guarded or otherwise.guarded,
        then.open or otherwise.open,
    )


def _guarded(word: Word, condition: str) -> Word:
    guard = condition if word.condition is None else f"{condition} && {word.condition}"
    return Word(word.value, word.pieces, word.source, word.start, word.end, word.name, guard, word.splits)


def _associative(shell: Shell, name: str, condition: str, then: Array, otherwise: Array) -> Array:
    items: dict[int | str, Word] = {}
    guarded = then.guarded or otherwise.guarded
    for key in {**otherwise.items, **then.items}:
        first, second = then.items.get(key), otherwise.items.get(key)
        if first is second and first is not None:
            items[key] = first
        elif first is None or second is None:
            some = first or second
            assert some is not None
            items[key] = _guarded(some, condition if second is None else negated(condition))
            guarded = True
        else:
            merged_value = merged(shell, name, condition, first, second)
            assert isinstance(merged_value, Word)
            items[key] = merged_value
    return Array(items, True, guarded, then.open or otherwise.open)
