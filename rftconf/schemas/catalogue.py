"""Every key of one release of one framework: its type, its default, and whether a file may name it."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache, cached_property
from pathlib import Path
from typing import Any

from rftconf.base.errors import UsageError
from rftconf.base.symbols import Value
from rftconf.schemas import registry

_INDEX = re.compile(r"\[\d+\]")
_MOST_KEPT = 20_000
"""Keys whose search is remembered; files with made-up keys must not fill the memory."""


@dataclass(frozen=True, slots=True)
class Key:
    """One key.

    `type` is `int`, `float`, `bool`, `str`, `dict`, `any`, `list`, `list[int]`, ... or several with `|`; `inferred`
    when it was read off the default, because the framework declares none. `plus_only` keys exist only as `+key=value`.
    Below an `open` key anything may stand. `automatic` keys are set by the framework itself and not for people to set.
    """

    name: str
    type: str = "any"
    default: Value = None
    interpolation: str | None = None
    optional: bool = True
    choices: tuple[Value, ...] = ()
    plus_only: bool = False
    open: bool = False
    automatic: bool = False
    inferred: bool = False

    @property
    def mandatory(self) -> bool:
        """True when the framework has no default and asks for a value (`???`)."""
        return self.default == "???"


def _key(name: str, row: list[Any]) -> Key:
    kind: str = row[0]
    extras: dict[str, Any] = row[2] if len(row) > 2 else {}
    return Key(
        name,
        kind.strip("~?"),
        row[1],
        optional=kind.endswith("?"),
        inferred=kind.startswith("~"),
        choices=tuple(extras.get("choices", ())),
        interpolation=extras.get("interpolation"),
        plus_only=extras.get("plus_only", False),
        open=extras.get("open", False),
        automatic=extras.get("automatic", False),
    )


def _plus_only(row: list[Any]) -> bool:
    return len(row) > 2 and bool(row[2].get("plus_only"))


class _Keys(Mapping[str, Key]):
    """Rows that become a Key when asked for."""

    def __init__(self, rows: dict[str, list[Any]]) -> None:
        self._rows = rows
        self._made: dict[str, Key] = {}

    def __getitem__(self, name: str) -> Key:
        if name not in self._made:
            self._made[name] = _key(name, self._rows[name])
        return self._made[name]

    def __contains__(self, name: object) -> bool:
        return name in self._rows

    def __iter__(self) -> Iterator[str]:
        return iter(self._rows)

    def __len__(self) -> int:
        return len(self._rows)


_NEVER_BUILT = frozenset({"reward"})
"""A section of veRL's that names a class, which no code builds from it: a further key stops nothing."""


class Catalogue:
    """The keys of one release. List items are written `tasksets[].path`, values of a named mapping `inputs<*>.path`."""

    def __init__(
        self,
        framework: str,
        release: str,
        trainer: str,
        rows: dict[str, list[Any]],
        names: Mapping[str, list[str]] | None = None,
        template: Mapping[str, Value] | None = None,
        arguments: Mapping[str, Mapping[str, Mapping[str, Value]]] | None = None,
        any_name: Mapping[str, list[str]] | None = None,
    ) -> None:
        self.framework, self.release, self.trainer = framework, release, trainer
        self.keys: Mapping[str, Key] = _Keys(rows)
        self._rows, self._adds = rows, registry.framework(framework).adds_with_plus
        self._registered = names or {}
        self._got: dict[str, Key | None] = {}
        self._choices: dict[str, tuple[str, ...]] = {}
        self.template = template or {}
        """What the config file that the framework ships as a starting point says, where it ships one."""
        self.arguments = arguments or {}
        """End of a key that takes a registered name to those names, each with its arguments and their defaults."""
        self.any_name = any_name or {}
        """Such a key's end to those of its names that take an argument of any name, and look at their own alone."""

    @cached_property
    def family(self) -> str:
        """The framework whose program reads these keys."""
        return registry.framework(self.framework).family

    @cached_property
    def written_defaults(self) -> Mapping[str, Value]:
        """Key to its default as the framework's own config writes it, interpolations unresolved; no items of lists."""
        return {
            name: (row[2].get("interpolation") if len(row) > 2 else None) or row[1]
            for name, row in self._rows.items()
            if not _plus_only(row) and "[]" not in name
        }

    @cached_property
    def resolved_defaults(self) -> Mapping[str, Value]:
        """Key to its default, interpolations resolved, of every key that has one."""
        return {name: row[1] for name, row in self._rows.items() if not _plus_only(row)}

    @cached_property
    def interpolated(self) -> tuple[str, ...]:
        """Keys whose default is an interpolation; no items of lists."""
        rows = self._rows.items()
        return tuple(name for name, row in rows if len(row) > 2 and row[2].get("interpolation") and "[]" not in name)

    def __contains__(self, key: str) -> bool:
        return self.get(key) is not None

    def get(self, key: str) -> Key | None:
        """The key that `key` names, with indices (`tasksets[0].path`), or None.

        A key below an open one gives a Key of its own name that takes any value.
        """
        if key not in self._got:
            if len(self._got) >= _MOST_KEPT:
                self._got.clear()
            self._got[key] = self._look_up(key)
        return self._got[key]

    def _look_up(self, key: str) -> Key | None:
        name = self.canonical(key)
        if name in self.keys:
            return self.keys[name]
        dot = name.rfind(".")
        while dot > 0:
            above = name[:dot]
            if above in self.keys:
                return Key(key, open=True, plus_only=self._adds) if self.keys[above].open else None
            dot = name.rfind(".", 0, dot)
        return None

    def open_above(self, key: str) -> str:
        """The open key that `key` stands below, which takes any name; empty where there is none."""
        if self.canonical(key) in self.keys or self.get(key) is None:
            return ""
        above = key.rpartition(".")[0]
        while above and self.canonical(above) not in self.keys:
            above = above.rpartition(".")[0]
        return above

    def canonical(self, key: str) -> str:
        """`key` as a catalogue writes it: `tasksets[0].path` is `tasksets[].path`, `inputs.x.path` `inputs<*>.path`."""
        name = _INDEX.sub("[]", key) if "[" in key else key
        if name in self.keys:
            return name
        for name_above in self._named:
            if name.startswith(name_above + "."):
                first, dot, inner = name[len(name_above) + 1 :].partition(".")
                own = f"{name_above}.{first}"
                # ROLL's teacher is one worker, or several with names
                if dot and own not in self._prefixes and own not in self.keys:
                    return self.canonical(f"{name_above}<*>.{inner}")
        return name

    def is_node(self, key: str) -> bool:
        """True when keys stand below `key` (which may have indices)."""
        if "[" not in key and not self._named:
            return key in self._prefixes
        name = self.canonical(key)
        above, _, last = name.rpartition(".")
        return name in self._prefixes or (bool(last) and f"{above}<*>" in self._prefixes)

    def value_above(self, key: str) -> Key | None:
        """The key of a plain value or a list that `key` stands below, as if it were a mapping; None where there is none."""
        above = key.rpartition(".")[0]
        while above:
            entry = self.keys.get(self.canonical(above))
            if entry is not None and not self.is_node(above):
                return None if entry.open or {"any", "dict"} & set(entry.type.split("|")) else entry
            above = above.rpartition(".")[0]
        return None

    def names(self, key: str) -> tuple[str, ...]:
        """The names that `key` takes in this release (losses, estimators, workflows); user code may register more."""
        if key not in self._choices:
            if len(self._choices) >= _MOST_KEPT:
                self._choices.clear()
            self._choices[key] = self._names_of(self.canonical(key))
        return self._choices[key]

    def _names_of(self, name: str) -> tuple[str, ...]:
        ends = [end for end in self._registered if name == end or name.endswith("." + end)]
        if not ends:
            return ()
        default = self.default(name)
        builtin = [default] if isinstance(default, str) else []
        return tuple(sorted({*self._registered[max(ends, key=len)], *builtin}))

    def default(self, key: str) -> Value:
        """The default of `key`, with interpolations resolved; None when there is none or no such key."""
        entry = self.get(key)
        return entry.default if entry else None

    def prefixes(self) -> frozenset[str]:
        """Every node above a key: `actor_rollout_ref`, `actor_rollout_ref.actor`, ..."""
        return self._prefixes

    def strict(self, key: str) -> bool:
        """True when an unknown `key` is refused here even as `+key`: a dataclass is built from the first known node above it."""
        above = (key[:end] for end in range(len(key) - 1, 0, -1) if key[end] == ".")
        node = next((name for name in above if name in self.keys or name in self._prefixes), "")
        built = not key.startswith("algorithm.") and node not in _NEVER_BUILT and f"{node}._target_" in self.keys
        return built or registry.framework(self.framework).adds_nothing

    def of_a_fork(self, key: str) -> bool:
        """True for a key of a section that this program does not have, where its loader takes such sections."""
        section, dot, _ = key.partition(".")
        return bool(dot) and self.family == "verl" and section not in self._prefixes

    @cached_property
    def _prefixes(self) -> frozenset[str]:
        prefixes: set[str] = set()
        for name in self.keys:
            dot = name.rfind(".")
            while dot > 0 and name[:dot] not in prefixes:
                prefixes.add(name[:dot])
                dot = name.rfind(".", 0, dot)
        return frozenset(prefixes)

    @cached_property
    def _named(self) -> tuple[str, ...]:
        return tuple({name[: name.rfind("<*>")] for name in self.keys if "<*>" in name})


def folder(framework: str) -> Path:
    """Return the folder that holds the catalogues of a framework."""
    return Path(__file__).parent / framework / "keys"


@cache
def load(framework: str, release: str | None = None, trainer: str = "") -> Catalogue:
    """The catalogue of a release (newest when None) and trainer. Raises UsageError when there is none.

    Each is read once: all of them take 20 MB.
    """
    known = registry.framework(framework)
    number = registry.release(known, release)
    variant = trainer or known.trainer
    if variant not in known.trainers_of(number):
        have = ", ".join(known.trainers_of(number))
        raise UsageError(f"{known.title} {number} has no trainer {trainer!r}; known: {have}")
    return _catalogue(known.name, number, variant)


@cache
def _catalogue(name: str, release: str, trainer: str) -> Catalogue:
    known = registry.framework(name)
    data = _file(name, release, known.backend(trainer))
    keys = data["keys"]
    if trainer in known.recipes:  # its file holds only what differs
        keys = {**keys, **_file(name, release, trainer)["keys"]}
    functions = data.get("arguments"), data.get("any_name")
    return Catalogue(name, release, trainer, keys, data["names"], data.get("template"), *functions)


def _file(framework: str, release: str, trainer: str) -> dict[str, Any]:
    stem = f"{release}-{trainer}" if trainer else release
    data: dict[str, Any] = json.loads((folder(framework) / f"{stem}.json").read_bytes())
    return data
