"""A fork's keys under the framework's own names, and what the fork does where its config is silent."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from rftconf.base.symbols import Expr, Value
from rftconf.dialects.declaration import Dialect, Fact, Meaning, Name, fits
from rftconf.text.document import Leaf


@dataclass
class Translation:
    """A fork's config in the terms of its framework: every leaf under the framework's name.

    `facts`: what is known about written keys that have no name there. `folded`: leaves that became a part of another
    key. `newer`: names that the framework has in later releases alone, and the fork has too.
    """

    title: str
    """The fork's name."""
    leaves: dict[str, Leaf] = field(default_factory=dict)
    names: dict[str, str] = field(default_factory=dict)
    """A written key to the first of its names in the framework, where that is another one."""
    facts: dict[str, Stated] = field(default_factory=dict)
    defaults: dict[str, Value] = field(default_factory=dict)
    """Values of keys that the config leaves out, under the framework's names; the fork's code or config has them."""
    silent_names: dict[str, str] = field(default_factory=dict)
    """The fork's own keys of these defaults."""
    newer: frozenset[str] = frozenset()
    folded: list[tuple[str, Leaf, str, str]] = field(default_factory=list)
    """The framework's name, the leaf, the written key that holds it now, and the sentence why."""


@dataclass(frozen=True)
class Stated:
    """A fact about a written key; `acts` is False where its value, or another key, switches it off."""

    fact: Fact
    acts: bool

    @property
    def changes_the_run(self) -> bool:
        """True where the run is another one than without the key, and nothing else has such a thing."""
        return self.acts and self.fact.meaning is Meaning.LACKING


def translate(dialect: Dialect, leaves: Mapping[str, Leaf]) -> Translation:
    """The leaves under the framework's names, as far as the declaration has names for them."""
    values = _values(dialect, leaves)
    done, order = Translation(dialect.title), {leaf.key: index for index, leaf in enumerate(leaves.values())}
    named: dict[str, tuple[Name, Leaf]] = {}
    for key, leaf in leaves.items():
        cases = [(case, _value(case, leaf.value, values)) for case in cases_of(dialect, key, values)]
        fitting = {
            _target(case, key): (case, replace(leaf, value=value)) for case, value in cases if value is not _UNFIT
        }
        named |= fitting
        if fitting and key not in fitting:
            done.names[leaf.key] = next(iter(fitting))
        fact = dialect.fact(key) if not fitting or key in fitting else None
        if fact is not None:
            done.facts[leaf.key] = Stated(fact, _acts(fact, leaf.value, values))
        if not fitting and (fact is None or fact.meaning is not Meaning.UNREAD):
            done.leaves[key] = leaf
    for target, (case, leaf) in named.items():
        before = done.leaves.get(target)
        if before is not None and before.place.file != leaf.place.file and order[before.key] > order[leaf.key]:
            done.folded.append(
                (target, leaf, before.key, f"{before.key} is written later, over a config that holds it")
            )
            continue
        if before is not None:
            why = f"multiplied with {leaf.key} there" if case.times == target else f"{leaf.key} goes before it there"
            done.folded.append((target, before, leaf.key, why))
        done.leaves[target] = leaf
    done.newer = frozenset(key for key in done.leaves if any(fits(key, pattern) for pattern in dialect.newer))
    _add_defaults(done, dialect, values)
    return done


def _values(dialect: Dialect, leaves: Mapping[str, Leaf]) -> dict[str, Value]:
    """Every value under the fork's names: written, or its default."""
    values = {**dialect.defaults, **{key: leaf.value for key, leaf in leaves.items()}}
    for key, value in dialect.defaults.items():
        if key not in leaves and isinstance(value, str) and value.startswith("${"):
            values[key] = values.get(value[2:-1])
    return values


def _acts(fact: Fact, value: Value, values: Mapping[str, Value]) -> bool:
    known = {key: value for key, value in fact.when.items() if not isinstance(values.get(key), Expr)}
    return all(_alike(values.get(key), value) for key, value in known.items()) and not any(
        _alike(value, off) for off in fact.off
    )


def _add_defaults(done: Translation, dialect: Dialect, values: Mapping[str, Value]) -> None:
    """Add the values that the fork's own config or code has for keys that the file leaves out."""
    silent: dict[str, tuple[Value, str]] = {}
    for key in dialect.defaults:
        cases = cases_of(dialect, key, values)
        if not cases and not any(name.key == key for name in dialect.names) and dialect.fact(key) is None:
            silent.setdefault(key, (values[key], key))
        for case in cases:
            value = _value(case, values[key], values)
            if value is not _UNFIT:
                silent[_target(case, key)] = value, key
    for target, (value, key) in silent.items():
        if target not in done.leaves:
            done.defaults[target] = value
            done.silent_names[target] = key


def cases_of(dialect: Dialect, key: str, values: Mapping[str, Value]) -> tuple[Name, ...]:
    """The names that a key has under these values: its own, or those of the first pattern that fits it."""
    cases = tuple(name for name in dialect.names if name.key == key)
    if not cases:
        pattern = next((name.key for name in dialect.names if "*" in name.key and fits(key, name.key)), None)
        cases = tuple(name for name in dialect.names if name.key == pattern)
    return tuple(case for case in cases if all(_alike(values.get(k), v) for k, v in case.when.items()))


def _alike(value: Value, expected: Value) -> bool:
    """Switches of a launch line may be words: `True` and `true` are one value, and so are `null` and nothing."""
    if isinstance(value, (Expr, list, dict)):
        return False
    return str(value).lower() == str(expected).lower() or (expected == "null" and value is None)


def _target(case: Name, key: str) -> str:
    """`worker.actor.optim.lr` by `worker.actor.* -> actor_rollout_ref.actor.*`."""
    return (
        case.to.removesuffix("*") + key.removeprefix(case.key.removesuffix("*")) if case.key.endswith("*") else case.to
    )


_UNFIT: Any = object()
"""Stands for a value that the declaration has no translation for."""


def _value(case: Name, value: Value, values: Mapping[str, Value]) -> Any:
    if case.words:
        return case.words.get(str(value).lower() if isinstance(value, bool) else str(value), _UNFIT)
    if case.negated:
        return not value if isinstance(value, bool) else _UNFIT
    if case.before or case.after:
        return _side(case, value)
    if case.times or case.divides:
        return _counted(case, value, values)
    return value


def _counted(case: Name, value: Any, values: Mapping[str, Value]) -> Any:
    """A number with another key's number in it: their product, or the other one in so many parts."""
    factor: Any = values.get(case.times, 1) if case.times else values.get(case.divides)
    factor = len(factor) if isinstance(factor, list) else factor
    if not all(isinstance(part, (int, float, Expr)) and not isinstance(part, bool) for part in (value, factor)):
        return _UNFIT
    if case.times:
        return value * factor * case.factor
    return factor / value if isinstance(value, Expr) or value else _UNFIT


def _side(case: Name, value: Value) -> Any:
    if not isinstance(value, str):
        return _UNFIT
    head, sign, tail = value.rpartition(case.before or case.after)
    if case.before:
        return head if sign else value
    return tail if sign else _UNFIT
