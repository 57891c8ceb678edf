"""A release's behaviour where a file is silent is worked out once: its defaults, and those that follow other keys."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cache, cached_property

from rftconf.base.symbols import OpenKey
from rftconf.mappers.native import Cell, Defaults, indexed
from rftconf.schemas import catalogue, versions
from rftconf.schemas.catalogue import Catalogue
from rftconf.schemas.resolvers import functions_for
from rftconf.text.key_tree import Path, Tree, path_of
from rftconf.text.omegaconf.functions import Function
from rftconf.text.omegaconf.interpolation import Resolver


@dataclass
class ReleaseDefaults:
    """The defaults of one release and trainer."""

    known: Catalogue
    defaults: Defaults
    tree: Tree
    """As the release's own config writes them, interpolations unresolved."""

    @cached_property
    def functions(self) -> Mapping[str, Function]:
        """Return the functions of the framework's interpolations."""
        return functions_for(self.known.framework)

    @cached_property
    def _alone(self) -> dict[str, Cell]:
        """Every default that is an interpolation, with its value while the file is silent."""
        cells: dict[str, Cell] = {}
        for name in self.known.interpolated:
            resolver = Resolver({}, defaults=self.tree, functions=self.functions)
            cells[name] = _default(resolver, name)
            for path in (path_of(name), *resolver.asked):
                self._looks_at.setdefault(path, set()).add(name)
        return cells

    @cached_property
    def _looks_at(self) -> dict[Path, set[str]]:
        """Path to the interpolated defaults that depend on what stands there."""
        return {}

    @cached_property
    def _looks_below(self) -> dict[Path, set[str]]:
        """Path to the interpolated defaults that depend on something at or below it."""
        below: dict[Path, set[str]] = {}
        for path, names in self._looks_at.items():
            for depth in range(len(path) + 1):
                below.setdefault(path[:depth], set()).update(names)
        return below

    def following(self, written: Iterable[str], resolver: Resolver) -> dict[str, Cell]:
        """Defaults that have another value than the release's own, because they follow a key that is written."""
        alone = self._alone
        if not alone:
            return {}
        keys = set(written)
        moved: set[str] = set()
        for path in map(path_of, keys):
            moved |= self._looks_below.get(path, set())
            for depth in range(1, len(path)):
                moved |= self._looks_at.get(path[:depth], set())
        cells = {name: _default(resolver, name) for name in alone if name in moved and name not in keys}
        cells |= {name: alone[name] for name in self._apart if name not in moved and name not in keys}
        order = alone if len(cells) > 1 else cells
        return {name: cells[name] for name in order if name in cells and cells[name].value != self.known.default(name)}

    @cached_property
    def _apart(self) -> frozenset[str]:
        """Return the interpolated defaults that differ from the catalogue's also while the file is silent."""
        return frozenset(name for name, cell in self._alone.items() if cell.value != self.known.default(name))


def _default(resolver: Resolver, name: str) -> Cell:
    """A default with what it follows; open where that is a key whose value a person still has to give."""
    done = resolver.resolve(name)
    return Cell(OpenKey(name) if done.problem else done.value)


@cache
def of(framework: str, release: str, trainer: str) -> ReleaseDefaults:
    """The defaults of a release and trainer."""
    known = catalogue.load(framework, release, trainer)
    return ReleaseDefaults(known, indexed(versions.defaults(framework, release, trainer)), Tree(known.written_defaults))
