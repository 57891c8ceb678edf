"""Edits that leave a key's name alone: other spellings, other meanings, other silent behaviour."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any

from rftconf.base.record import record
from rftconf.base.symbols import Branch, Expr, ShellOnly, Value, Var
from rftconf.schemas.edits import C, Change, KeepsNames, hits, with_value


@record
class Revalue(KeepsNames):
    """A value is spelt differently: `spellings` from old to new, `back` from new to old where that differs."""

    key: str
    spellings: Mapping[Any, Any]
    why: str
    back: Mapping[Any, Any] | None = None
    """None: the inverse of `spellings`. Empty: the newer spelling is understood by the older release too."""
    lossy: bool = False
    """True where the newer word does not do all that the older one did."""

    def up(self, flat: dict[str, C]) -> list[Change]:
        """Write every value in the newer release's spelling."""
        return self._respell(flat, self.spellings)

    def down(self, flat: dict[str, C]) -> list[Change]:
        """Write every value in the older release's spelling."""
        inverse = {new: old for old, new in self.spellings.items()}
        return self._respell(flat, inverse if self.back is None else self.back)

    def _respell(self, flat: dict[str, C], spellings: Mapping[Any, Any]) -> list[Change]:
        done = []
        for name, _ in hits(self.key, False, flat):
            value = flat[name].value
            for old, new in spellings.items():
                if type(value) is type(old) and value == old:
                    flat[name] = with_value(flat[name], new)
                    done.append(
                        Change(name, flat[name], (name,), f"{_show(old)} is {_show(new)}: {self.why}", self.lossy)
                    )
        return done


def _show(value: Value) -> str:
    return "null" if value is None else str(value)


@record
class Reinterpret(KeepsNames):
    """The name and the spelling stayed, the meaning changed; nothing can be rewritten, it can only be said."""

    key: str
    values: tuple[Value, ...]
    why: str

    def up(self, flat: dict[str, C]) -> list[Change]:
        """Report every value that changed its meaning."""
        return [
            Change(name, flat[name], (name,), self.why, True)
            for name, _ in hits(self.key, False, flat)
            if flat[name].value in self.values and not isinstance(flat[name].value, Expr)
        ]

    def down(self, flat: dict[str, C]) -> list[Change]:
        """Report every value that changed its meaning."""
        return self.up(flat)


@record
class Pin(KeepsNames):
    """A value that the older release behaved as if `key` had, where `when` holds; the newer one has to be told."""

    when: tuple[str, Callable[[Value], bool]]
    key: str
    value: Value
    why: str
    overrules: bool = True
    """True when the older release ignored what was set; False when it only differed in its default."""
    also: tuple[str, Value] | None = None
    """A key and the value that it must have as well."""

    def up(self, flat: dict[str, C]) -> list[Change]:
        """Write the value that the older release implied."""
        cause = flat.get(self.when[0])
        if cause is None or (self.key in flat and not self.overrules):
            return []
        if isinstance(cause.value, Expr) and self.when[0] != self.key:
            why = f"{self.why}; whether that holds hangs on {self.when[0]}={cause.value}, which is not known"
            return [Change(self.when[0], cause, (self.when[0],), why, True)]
        if not self.when[1](cause.value):
            return []
        if self.also is not None and (self.also[0] not in flat or flat[self.also[0]].value != self.also[1]):
            return []
        flat[self.key] = with_value(cause, self.value)
        return [Change(self.key, flat[self.key], (self.key,), self.why, overruled=self.when[0] == self.key)]

    def down(self, flat: dict[str, C]) -> list[Change]:
        """A loss where the newer release was told something else."""
        cause, old_cell = flat.get(self.when[0]), flat.get(self.key)
        if not self.overrules or cause is None or old_cell is None or isinstance(cause.value, Expr):
            return []
        if not self.when[1](cause.value):
            return []
        return [] if old_cell.value == self.value else [Change(self.key, old_cell, (self.key,), self.why, True)]


@record
class PathAsWord(KeepsNames):
    """Up to the older release a path could stand where a word belongs; the newer one has a word for it, and a key of its own.

    `words` are what the older release takes beside a path, `word` is the newer one's for "as `path` says".
    """

    key: str
    words: tuple[str, ...]
    word: str
    path: str

    def up(self, flat: dict[str, C]) -> list[Change]:
        """Move the path to its own key, and let the word say so."""
        cell = flat.get(self.key)
        if cell is None or not isinstance(cell.value, str) or cell.value in (*self.words, self.word):
            return []
        flat[self.path], flat[self.key] = cell, with_value(cell, self.word)
        return [Change(self.key, cell, (self.key, self.path), f"a path stands in {self.path}, and {self.word} says so")]

    def down(self, flat: dict[str, C]) -> list[Change]:
        """Put the path in the word's place."""
        cell, path = flat.get(self.key), flat.get(self.path)
        if cell is None or cell.value != self.word or path is None:
            return []
        flat[self.key] = flat.pop(self.path)
        return [Change(self.path, path, (self.key,), f"{self.key} is the path itself there")]


@record
class Copied(KeepsNames):
    """One key decided what several decide in the newer release, where its own name stayed and says less."""

    key: str
    to: tuple[str, ...]
    why: str

    def up(self, flat: dict[str, C]) -> list[Change]:
        """Give the value to the newer keys that are not set already."""
        cell, targets = flat.get(self.key), [key for key in self.to if key not in flat]
        if cell is None or not targets:
            return []
        flat.update(dict.fromkeys(targets, cell))
        return [Change(self.key, cell, (self.key, *targets), self.why)]

    def down(self, flat: dict[str, C]) -> list[Change]:
        """Put the first value under the old name; a loss where they differ."""
        parts = {key: flat.pop(key) for key in self.to if key in flat}
        if not parts:
            return []
        first = next(iter(parts.values()))
        lost = any(cell.value != first.value for cell in parts.values())
        flat[self.key] = first
        why = f"{' and '.join(parts)} differ; {self.key} holds the first" if lost else f"{self.key} says it there"
        return [Change(key, cell, (self.key,), why, lost) for key, cell in parts.items()]


@record
class Inverted:
    """The switch `old` is called `new`, and on is off there."""

    old: str
    new: str

    def touches(self, keys: Iterable[str]) -> frozenset[str]:
        """Return the old name where it is there."""
        return frozenset({self.old} & set(keys))

    def up(self, flat: dict[str, C]) -> list[Change]:
        """Rename the switch and turn it round; the old name wins where both are set."""
        cell = flat.pop(self.old, None)
        if cell is None:
            return []
        done = [Change(self.new, flat[self.new], (), f"overruled by {self.old}", True)] if self.new in flat else []
        flat[self.new] = with_value(cell, _not(cell.value))
        return [*done, Change(self.old, cell, (self.new,), f"renamed {self.new}, which is its opposite")]

    def down(self, flat: dict[str, C]) -> list[Change]:
        """Change nothing: no release has the old name."""
        del flat
        return []


@record
class Opposite(KeepsNames):
    """A switch of the newer release that the older one set to the opposite of another.

    `off` is a key and the value by which the older release does nothing where both are false.
    """

    key: str
    to: str
    off: tuple[str, Value]
    why: str

    def up(self, flat: dict[str, C]) -> list[Change]:
        """Note what the config implies without writing it."""
        cell = flat.get(self.key)
        if cell is None or self.to in flat:
            return []
        flat[self.to] = with_value(cell, _not(cell.value))
        return [Change(self.key, cell, (self.key, self.to), self.why)]

    def down(self, flat: dict[str, C]) -> list[Change]:
        """Leave the switch out: it is implied, or its work is undone, or the loss is said."""
        cell, old_cell = flat.pop(self.to, None), flat.get(self.key)
        if cell is None:
            return []
        value = False if old_cell is None else old_cell.value
        if isinstance(value, Expr) or isinstance(cell.value, Expr):
            if cell.value == _not(value):
                return [Change(self.to, cell, (self.key,), f"{self.key} decides it there")]
            why = f"{self.why}: never both, and {value if isinstance(value, Expr) else cell.value} is not known"
            return [Change(self.to, cell, (), why, True)]
        if cell.value is _not(value):
            return [Change(self.to, cell, (self.key,), f"{self.key} decides it there")]
        if cell.value is False:
            off_cell = flat.get(self.off[0])
            flat[self.off[0]] = with_value(cell if off_cell is None else off_cell, self.off[1])
            why = f"{self.off[0]} of {self.off[1]} leaves it without effect there"
            changed = (
                []
                if off_cell is None or off_cell.value == self.off[1]
                else [Change(self.off[0], off_cell, (self.off[0],), why)]
            )
            return [*changed, Change(self.to, cell, (self.off[0],), why)]
        return [Change(self.to, cell, (), f"{self.why}: never both", True)]


def _not(value: Value) -> Value:
    if isinstance(value, Var):
        return Branch(f'[ "${value.name}" = True ]', False, True)
    return ShellOnly("???") if isinstance(value, Expr) else not value
