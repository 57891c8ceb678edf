"""Interpolations over a flat config, by OmegaConf's rules; what an environment alone knows stays a variable."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from rftconf.base.diagnostics import Diagnostic, Severity
from rftconf.base.record import record
from rftconf.base.symbols import Expr, Now, Text, Value, Var, text
from rftconf.text import keys
from rftconf.text.document import Leaf
from rftconf.text.key_tree import Path, Tree, path_of
from rftconf.text.omegaconf.functions import Function, UnresolvedError, apply
from rftconf.text.omegaconf.grammar import InterpolationSyntaxError, as_text, evaluate, evaluate_element

MISSING = "???"
"""OmegaConf's mark of a value that must be given."""
MAX_CHAIN = 40
"""Keys that one value may lead through."""
MAX_CHARS = 100_000
"""Length of one resolved text."""
MAX_LOOKUPS = 10_000
"""Keys that the interpolations of one file may lead to, each counted once where it gives a value; a release's own config has some hundred."""
_OF_THE_WAY = frozenset({"SYN401", "SYN406"})
"""Problems that depend on where the way began; others are those of the key that has them."""
MAX_ENTRIES = 5_000
"""A list or mapping that interpolations make has no more; the largest real one has some hundred."""
_PART = re.compile(r"\.?([^.\[\]]+)|\[([^\[\]]*)\]")


@record
class Resolved:
    """A value without interpolations and the keys it led through; with a `problem`, the value as written."""

    value: Value
    through: tuple[str, ...] = ()
    code: str = ""
    problem: str = ""


class Resolver:
    """Resolves keys of `values` (dotted keys to values), `defaults` below them.

    `oc.env` gives the value in `environment`, else its default, else the variable as a symbol. `functions` are those
    that the framework registers itself.
    """

    def __init__(
        self,
        values: Mapping[str, Value],
        environment: Mapping[str, Value] | None = None,
        defaults: Tree | None = None,
        functions: Mapping[str, Function] | None = None,
    ) -> None:
        self.environment = environment or {}
        self.functions = functions or {}
        self.asked: set[Path] = set()
        """Every path that was looked at on the way to a value."""
        self._own = Tree(values)
        self._defaults = defaults or Tree({})
        self._known: dict[Path, tuple[Value, tuple[str, ...]]] = {}
        self._entries: dict[int, tuple[int, Value]] = {}
        """How many entries a list or mapping has, by its identity; it is kept, so that no other one gets that."""
        self._failed: dict[Path, UnresolvedError] = {}
        self._lookups = 0
        self._chain: list[Path] = []
        self._through: list[dict[str, None]] = [{}]

    def resolve(self, key: str) -> Resolved:
        """The value at `key`, all interpolations in it resolved. Problems are told, not raised."""
        if key not in self._own.flat and key not in self._defaults.flat:
            return Resolved(None, (), "SYN402", f"there is no key {key}")
        resolved = self.resolve_value(self._written(key), key)
        if resolved.problem:
            self._failed[path_of(key)] = UnresolvedError(resolved.code, resolved.problem)
        return resolved

    def resolve_value(self, value: Value, key: str) -> Resolved:
        """`value` as if it stood at `key`."""
        if not may_interpolate(value):
            return Resolved(value)
        path = path_of(key)
        self._chain, self._through = [path], [{}]
        try:
            plain = self._plain(value, path)
            self._measure(plain)
        except UnresolvedError as error:
            return Resolved(value, tuple(self._through[0]), error.code, error.message)
        return Resolved(plain, tuple(self._through[0]))

    def _plain(self, value: Value, path: Path) -> Value:
        if isinstance(value, str):
            return self._string(value, path)
        if isinstance(value, Text):
            return text(*(as_text(self._string(p, path)) if isinstance(p, str) else p for p in value.parts))
        if isinstance(value, list):
            return [self._plain(v, (*path, str(i))) for i, v in enumerate(value)]
        if isinstance(value, dict):
            return {k: self._plain(v, (*path, k)) for k, v in value.items()}
        return value

    def _string(self, value: str, path: Path) -> Value:
        try:
            evaluated = evaluate(value, _Scope(self, path))
        except InterpolationSyntaxError as error:
            where = f"character {error.offset + 1} of the text"
            raise UnresolvedError("SYN403", f"the interpolation cannot be parsed: {error.message} ({where})") from error
        if isinstance(evaluated, str) and len(evaluated) > MAX_CHARS:
            raise UnresolvedError("SYN406", f"the text grows beyond {MAX_CHARS} characters")
        return evaluated

    def _written(self, key: str) -> Value:
        return self._own.flat[key] if key in self._own.flat else self._defaults.flat[key]

    def _key(self, path: Path) -> str | None:
        return self._own.keys[path] if path in self._own.keys else self._defaults.keys.get(path)

    def _names_in(self, path: Path) -> dict[str, None]:
        return {**self._defaults.inner.get(path, {}), **self._own.inner.get(path, {})}

    def at(self, path: Path) -> Value:
        """The resolved value at `path`, a subtree included. Raises UnresolvedError."""
        self.asked.add(path)
        if path in self._known:
            value, through = self._known[path]
            self._through[-1].update(dict.fromkeys(through))
            return value
        if path in self._failed and path not in self._chain:
            known = self._failed[path]
            raise UnresolvedError(known.code, known.message)
        if path in self._chain:
            chain = [".".join(p) for p in [*self._chain[self._chain.index(path) :], path]]
            raise UnresolvedError("SYN401", f"the interpolation leads in a circle: {' → '.join(chain)}")
        if len(self._chain) >= MAX_CHAIN:
            raise UnresolvedError("SYN406", f"the interpolation leads through more than {MAX_CHAIN} keys")
        self._lookups += 1
        if self._lookups > MAX_LOOKUPS:
            raise UnresolvedError("SYN406", f"the interpolations of this file lead to more than {MAX_LOOKUPS:,} keys")
        self._chain.append(path)
        self._through.append({})
        try:
            value = self._looked_up(path)
        except UnresolvedError as error:
            if error.code not in _OF_THE_WAY:
                self._failed[path] = error
            raise
        finally:
            self._chain.pop()
            through = tuple(self._through.pop())
            self._through[-1].update(dict.fromkeys(through))
        self._measure(value)
        self._known[path] = (value, through)
        return value

    def _measure(self, value: Value) -> int:
        """Count a value's entries. Parts that several values share are counted each time, but looked at once.

        Raises UnresolvedError beyond MAX_ENTRIES.
        """
        if not isinstance(value, (list, dict)):
            return 1
        if id(value) not in self._entries:
            parts = value.values() if isinstance(value, dict) else value
            count = 1 + sum(map(self._measure, parts))
            if count > MAX_ENTRIES:
                raise UnresolvedError("SYN406", f"the value grows beyond {MAX_ENTRIES:,} entries")
            self._entries[id(value)] = (count, value)
        return self._entries[id(value)][0]

    def _looked_up(self, path: Path) -> Value:
        key = self._key(path)
        if key is not None:
            self._through[-1][key] = None
            value = self._plain(self._written(key), path)
            if isinstance(value, dict):  # the default `x: {}`, and `x.a` written
                return value | {name: self.at((*path, name)) for name in self._own.inner.get(path, {})}
            return value
        if names := self._names_in(path):
            if all(name.isdecimal() for name in names) and self._is_list(path):
                return [self.at((*path, name)) for name in names]
            return {name: self.at((*path, name)) for name in names}
        if any(self._key(path[:depth]) is not None for depth in range(1, len(path))):
            return _entry(self.at(path[:-1]), path)
        raise UnresolvedError("SYN402", f"there is no key {'.'.join(path)}")

    def _is_list(self, path: Path) -> bool:
        """True where the keys write an index behind `path`: `[0]`."""
        below = path
        while (key := self._key(below)) is None:
            below = (*below, next(iter(self._names_in(below))))
        return isinstance(keys.segments(key)[len(path)], int)


def _entry(container: Value, path: Path) -> Value:
    """The entry of a list or mapping that is one leaf."""
    name = path[-1]
    if isinstance(container, dict) and name in container:
        return container[name]
    if isinstance(container, list) and re.fullmatch(r"\d{1,9}", name) and int(name) < len(container):
        return container[int(name)]
    raise UnresolvedError("SYN402", f"there is no key {'.'.join(path)}")


@dataclass(frozen=True, slots=True)
class _Scope:
    """Lookups as seen from the value at `path`."""

    resolver: Resolver
    path: Path

    def node(self, path: str) -> Value:
        absolute = self._absolute(path)
        value = self.resolver.at(absolute)
        if isinstance(value, str) and value == MISSING:
            raise UnresolvedError("SYN405", f"{'.'.join(absolute)} must be given; it is {MISSING}")
        return value

    def _absolute(self, path: str) -> Path:
        parts = tuple(name or bracketed for name, bracketed in _PART.findall(path.lstrip(".")))
        dots = len(path) - len(path.lstrip("."))
        if dots > len(self.path):
            raise UnresolvedError("SYN402", f"{path} leads above the top of the config")
        return (*self.path[: len(self.path) - dots], *parts) if dots else parts

    def call(self, name: str, args: list[Value]) -> Value:
        if name == "oc.env" and 1 <= len(args) <= 2:
            return self._env(args)
        if name == "oc.select" and 1 <= len(args) <= 2 and isinstance(args[0], str):
            return self._select(args[0], args[1] if len(args) == 2 else None)
        if name == "oc.decode" and len(args) == 1:
            return self._decode(args[0])
        if name == "oc.create" and len(args) == 1:
            return args[0]
        if name == "oc.deprecated" and 1 <= len(args) <= 2 and isinstance(args[0], str):
            return self.node(args[0])
        if name == "now" and len(args) == 1 and isinstance(args[0], str):
            return Now(args[0])
        if name in self.resolver.functions:
            return apply(name, self.resolver.functions[name], args)
        raise UnresolvedError(
            "SYN404",
            f"the resolver {name} with {len(args)} argument{'s' * (len(args) != 1)} is not one of OmegaConf's own",
        )

    def _env(self, args: list[Value]) -> Value:
        variable = args[0]
        if not isinstance(variable, str):
            raise UnresolvedError("SYN404", "oc.env takes the name of a variable")
        if variable in self.resolver.environment:
            return self.resolver.environment[variable]
        if len(args) == 1:
            return Var(variable)
        return args[1] if args[1] is None or isinstance(args[1], Expr) else str(args[1])

    def _select(self, path: str, default: Value) -> Value:
        try:
            return self.node(path)
        except UnresolvedError as error:
            if error.code not in {"SYN402", "SYN405"}:
                raise
            return default

    def _decode(self, value: Value) -> Value:
        if not isinstance(value, str):
            return value
        try:
            return evaluate_element(value, self)
        except InterpolationSyntaxError as error:
            raise UnresolvedError("SYN403", f"oc.decode cannot parse its text: {error.message}") from error


def resolve_leaves(
    leaves: Iterable[Leaf],
    defaults: Tree | None = None,
    environment: Mapping[str, Value] | None = None,
    functions: Mapping[str, Function] | None = None,
) -> tuple[dict[str, Resolved], tuple[Diagnostic, ...]]:
    """Each leaf's key to its resolved value, `defaults` filling what the leaves leave out, and what went wrong."""
    last = {leaf.key: leaf for leaf in leaves}
    resolver = Resolver({key: leaf.value for key, leaf in last.items()}, environment, defaults, functions)
    values = {key: resolver.resolve(key) for key in last}
    diagnostics = tuple(
        Diagnostic(resolved.code, Severity.ERROR, resolved.problem, last[key].place)
        for key, resolved in values.items()
        if resolved.problem
    )
    return values, diagnostics


def may_interpolate(value: Value) -> bool:
    """True where `value` has something to resolve."""
    if isinstance(value, str):
        return "${" in value
    if isinstance(value, Text):
        return any(isinstance(part, str) and "${" in part for part in value.parts)
    if isinstance(value, dict):
        return any(map(may_interpolate, value.values()))
    return isinstance(value, list) and any(map(may_interpolate, value))
