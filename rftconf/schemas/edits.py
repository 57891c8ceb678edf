"""Edits tell what changed between two releases of a framework: written once, played up on read and down on write.

Edits work on flat configs, dotted key to cell. A cell is any frozen dataclass with a `value`; it moves as it is, so
whatever else it carries (where it was written) survives. A key may hold `[]` for any list index, and `<*>` for any
name of a named mapping where nothing is renamed.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import replace
from functools import lru_cache
from typing import Protocol, TypeVar

from rftconf.base.record import record
from rftconf.base.symbols import Value


class Cell(Protocol):
    """A value with whatever belongs to it."""

    @property
    def value(self) -> Value:
        """The plain value or expression."""
        ...


C = TypeVar("C", bound=Cell)


@record
class Change:
    """The effect of an edit on one key. `became` is empty when nothing holds the value any more."""

    key: str
    cell: Cell
    became: tuple[str, ...]
    why: str
    lossy: bool = False
    overruled: bool = False
    """True where the release accepted what was set and did something else all the same."""


class Edit(Protocol):
    """One difference between a release and the next."""

    def touches(self, keys: Iterable[str]) -> frozenset[str]:
        """Return those of the older release's `keys` whose disappearance this edit explains."""
        ...

    def up(self, flat: dict[str, C]) -> list[Change]:
        """Rewrite `flat` from the older release to the newer, in place."""
        ...

    def down(self, flat: dict[str, C]) -> list[Change]:
        """Rewrite `flat` from the newer release to the older, in place."""
        ...


class KeepsNames:
    """Part of an edit, for those after which every name stays: other edits say what became of names."""

    __slots__ = ()

    def touches(self, keys: Iterable[str]) -> frozenset[str]:
        """Return no keys, since every name stays."""
        del keys
        return frozenset()


class OnlyDown(KeepsNames):
    """Half an edit, for what only acts on the way to the older release: no name went, and nothing changes on the way up."""

    __slots__ = ()

    def up(self, flat: dict[str, C]) -> list[Change]:
        """Change nothing on the way up."""
        del flat
        return []


@lru_cache(maxsize=4096)
def _pattern(key: str, tree: bool) -> re.Pattern[str]:
    body = re.escape(key).replace(r"\[\]", r"\[(\d*)\]").replace(r"<\*>", r"(?:<\*>|\.[^.]+)")
    return re.compile(body + (r"(\..+)?" if tree else "()"))


def hits(key: str, tree: bool, flat: Iterable[str]) -> Iterator[tuple[str, Callable[[str], str]]]:
    """The keys that `key` means, each with the function that names its place under another key."""
    if "[]" not in key and "<*>" not in key and not tree:
        if key in flat:
            yield key, _as_is
        return
    stem, tail = re.split(r"[\[<]", key)[0], re.split(r"[\]>]", key)[-1]
    for name in [name for name in flat if name.startswith(stem) and tail in name]:
        match = _pattern(key, tree).fullmatch(name)
        if match:
            *indices, inner = match.groups()
            yield name, _filler(tuple(indices), inner or "")


def _as_is(pattern: str) -> str:
    return pattern


def _filler(indices: tuple[str, ...], inner: str) -> Callable[[str], str]:
    def fill(pattern: str) -> str:
        for index in indices:
            pattern = pattern.replace("[]", f"[{index}]", 1)
        return pattern + inner

    return fill


@record
class Move:
    """`old` is called `new`; with `tree`, everything below it moves too.

    `stays`: the newer release still accepts the old name (a deprecated alias whose null means unset). `both`: so did
    the older release accept the new name, the old one winning; nothing is renamed downwards then. `only_if` names a
    key and the value it must have for the old key to have an effect; `implies`: the new key says so by itself.
    """

    old: str
    new: str
    tree: bool = False
    stays: bool = False
    both: bool = False
    only_if: tuple[str, Value] | None = None
    implies: bool = False

    def touches(self, keys: Iterable[str]) -> frozenset[str]:
        """The old name, unless it stays."""
        return frozenset() if self.stays else frozenset(name for name, _ in hits(self.old, self.tree, keys))

    def up(self, flat: dict[str, C]) -> list[Change]:
        """Rename the old key; the old name wins where both are set, a null in a name that stays counts as unset."""
        done = []
        for name, fill in hits(self.old, self.tree, flat):
            cell, target = flat.pop(name), fill(self.new)
            if self.only_if and not _holds(flat, self.only_if):
                done.append(Change(name, cell, (), f"it acts only with {self.only_if[0]}={self.only_if[1]}", True))
            elif self.stays and cell.value is None:
                done.append(Change(name, cell, (), f"null leaves {target} as it is"))
            else:
                if target in flat:
                    lost = flat[target].value != cell.value
                    done.append(Change(target, flat[target], (), f"overruled by {name}, its older name", lost))
                flat[target] = cell
                done.append(Change(name, cell, (target,), f"renamed {target}"))
        return done

    def down(self, flat: dict[str, C]) -> list[Change]:
        """Rename the new key back, unless the older release knew it."""
        if self.both:
            return []
        done = []
        for name, fill in hits(self.new, self.tree, flat):
            if self.only_if and self.implies:
                flat.setdefault(self.only_if[0], with_value(flat[name], self.only_if[1]))
            if self.only_if and not _holds(flat, self.only_if):
                continue
            old = fill(self.old)
            flat[old] = flat.pop(name)
            done.append(Change(name, flat[old], (old,), f"called {old} there"))
        return done


def with_value(cell: C, value: Value) -> C:
    """The same cell with another value."""
    changed: C = replace(cell, value=value)  # type: ignore[type-var]
    return changed


def _holds(flat: Mapping[str, Cell], condition: tuple[str, Value]) -> bool:
    return condition[0] in flat and flat[condition[0]].value == condition[1]


@record
class Split:
    """One old key became several; all of them take its value."""

    old: str
    new: tuple[str, ...]

    def touches(self, keys: Iterable[str]) -> frozenset[str]:
        """Return the keys that have the old name."""
        return frozenset(name for name, _ in hits(self.old, False, keys))

    def up(self, flat: dict[str, C]) -> list[Change]:
        """Copy the old value to every new key that is not set already."""
        done = []
        for name, fill in hits(self.old, False, flat):
            cell, targets = flat.pop(name), tuple(map(fill, self.new))
            for target in targets:
                flat.setdefault(target, cell)
            done.append(Change(name, cell, targets, f"split into {' and '.join(targets)}"))
        return done

    def down(self, flat: dict[str, C]) -> list[Change]:
        """Put the first new value under the old name; a loss where they differ."""
        done = []
        for name, fill in hits(self.new[0], False, flat):
            parts = {key: flat.pop(key) for key in map(fill, self.new) if key in flat}
            old = fill(self.old)
            flat[old] = parts[name]
            lost = any(cell.value != parts[name].value for cell in parts.values())
            why = f"{' and '.join(parts)} differ; {old} holds the first" if lost else f"called {old} there"
            done += [Change(key, cell, (old,), why, lost) for key, cell in parts.items()]
        return done


@record
class Merge(KeepsNames):
    """One new key governs what several old keys said; the old ones still overrule it where they differ.

    The first old key is the one that decides: the others alone stay where they are.
    """

    old: tuple[str, ...]
    new: str

    def up(self, flat: dict[str, C]) -> list[Change]:
        """Lift the first old value; drop the others where they equal it."""
        done = []
        for name, fill in hits(self.old[0], False, flat):
            first, target = flat.pop(name), fill(self.new)
            flat.setdefault(target, first)
            for old_key in map(fill, self.old[1:]):
                if old_key in flat and flat[old_key].value == first.value:
                    done.append(Change(old_key, flat.pop(old_key), (target,), f"governed by {target}"))
            done.append(Change(name, first, (target,), f"governed by {target}"))
        return done

    def down(self, flat: dict[str, C]) -> list[Change]:
        """Write the new value to every old key that is not set."""
        done = []
        for name, fill in hits(self.new, False, flat):
            cell, targets = flat.pop(name), tuple(map(fill, self.old))
            for target in targets:
                flat.setdefault(target, cell)
            done.append(Change(name, cell, targets, f"written as {' and '.join(targets)} there"))
        return done


@record
class Removed:
    """A key that nothing replaces."""

    old: str
    why: str
    tree: bool = False
    harmless: bool = False
    """True when the old key had no effect on a run."""
    acted: tuple[str, str] | None = None
    """The last release in which a harmless key still had one, and what it did there."""

    def touches(self, keys: Iterable[str]) -> frozenset[str]:
        """Return the keys that have the old name."""
        return frozenset(name for name, _ in hits(self.old, self.tree, keys))

    def up(self, flat: dict[str, C]) -> list[Change]:
        """Drop the key and say why."""
        names = [name for name, _ in hits(self.old, self.tree, flat)]
        return [Change(name, flat.pop(name), (), self.why, not self.harmless) for name in names]

    def down(self, flat: dict[str, C]) -> list[Change]:
        """Change nothing on the way down."""
        del flat
        return []


def moves(
    old: str, new: str, names: Iterable[str], *, stays: bool = False, keeps_both: bool = False
) -> tuple[Edit, ...]:
    """`old.x` is `new.x`, for each name x."""
    return tuple(Move(f"{old}.{name}", f"{new}.{name}", stays=stays, both=keeps_both) for name in names)


def removed_keys(
    why: str, *keys: str, tree: bool = False, harmless: bool = False, acted: tuple[str, str] | None = None
) -> tuple[Edit, ...]:
    """Several keys that went for the same reason."""
    return tuple(Removed(key, why, tree, harmless, acted) for key in keys)
