"""A rule looks at a subject: one stage of a run as plan values, with the words and places the file has for them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from functools import cached_property, lru_cache
from typing import TYPE_CHECKING, Any

from rftconf.base.diagnostics import Label
from rftconf.base.span import Place, Span
from rftconf.base.symbols import is_symbolic
from rftconf.lint import references
from rftconf.lint.account import budget_of, setup_of
from rftconf.load.effective import live_leaves, stages_of
from rftconf.load.fork import reader_of, translation_of
from rftconf.load.stage import facts_of, read_as_written
from rftconf.load.withhold_secrets import without_secrets
from rftconf.mappers.native import Cell, Native
from rftconf.mappers.reading import Reading
from rftconf.plan.index import fields
from rftconf.plan.origin import Origin
from rftconf.report.values import render_value
from rftconf.schemas import registry, versions
from rftconf.schemas.edits import Change
from rftconf.schemas.guess import Guess
from rftconf.text.document import Document, Leaf

if TYPE_CHECKING:
    from rftconf.budget.price import Budget
    from rftconf.budget.roles.roles import Setup

_ROOTS = ("stage.", "identity.", "cluster.", "source.")


@dataclass(frozen=True, slots=True)
class Cluster:
    """The machines that the project names; None where it names nothing."""

    nodes: int | None = None
    gpus_per_node: int | None = None
    gpu: str = ""


@dataclass
class Subject:
    """One stage of one run."""

    document: Document
    best: Guess
    reading: Reading
    leaves: dict[str, Leaf]
    """Written leaves that win, under their own release's names."""
    changes: tuple[Change, ...] = ()
    cluster: Cluster = field(default_factory=Cluster)
    alone: bool = True
    """False where a config of somebody's own lies below the file, so that what it leaves out is not known."""
    _asked: dict[str, Any] = field(default_factory=dict)
    """Values that rules have asked for."""
    _found: dict[str, Leaf | None] = field(default_factory=dict)
    """Leaves that they have asked for."""

    @property
    def framework(self) -> str:
        """The framework's name."""
        return self.best.framework

    @property
    def title(self) -> str:
        """Framework and release as people say them."""
        return f"{registry.framework(self.best.framework).title} {self.best.release}"

    @cached_property
    def fork(self) -> str:
        """The fork whose code reads the file, which may read what the framework does not; empty where there is none."""
        return reader_of(self.document, self.best)

    @cached_property
    def _keys_of_fork(self) -> frozenset[str]:
        """The written keys of which the fork's declaration says itself what they do."""
        if not self.best.dialect:
            return frozenset()
        own = translation_of(self.best, live_leaves(self.document, self.framework))
        return frozenset(own.facts) if own is not None else frozenset()

    def acts_as_released(self, names: Iterable[str]) -> bool:
        """False where the fork does something of its own with one of these keys, which no rule of the framework knows."""
        leaves = (self.leaf(name) for name in names) if self._keys_of_fork else ()
        return not any(leaf is not None and leaf.key in self._keys_of_fork for leaf in leaves)

    @cached_property
    def setup(self) -> Setup | None:
        """The run as its memory sees it, None where too little is known."""
        if not self.alone or self.value("kind") != "rl":
            return None
        nodes = None if self.count("cluster.nodes") else self.cluster.nodes
        each = None if self.count("cluster.gpus_per_node") else self.cluster.gpus_per_node
        return setup_of(self.reading, self.best.release, nodes, each)

    @cached_property
    def budget(self) -> Budget | None:
        """Its memory on the project's GPU, None where too little is known."""
        return budget_of(self.setup, self.cluster.gpu) if self.cluster.gpu and self.setup is not None else None

    @property
    def native(self) -> Native:
        """Every effective native key, in the newest shape."""
        return self.reading.source

    def since(self, release: str) -> bool:
        """True when the file is for `release` or newer."""
        return self.reading.since(release)

    def value(self, name: str) -> Any:
        """Return the value of a plan field (or native key); None also where it is not known."""
        if name not in self._asked:
            self._asked[name] = self._value(name)
        return self._asked[name]

    def _value(self, name: str) -> Any:
        path = self.plan_path(name)
        if not self.alone and not self.written(name):
            return None
        values = self.reading.values
        got = values[path] if path in values else None if path in fields() else self.native.value(name)
        return None if is_symbolic(got) else got

    def behaviour(self, name: str) -> Any:
        """Return what the framework does by a plan field that no key says, so that no other config can say otherwise."""
        return self.reading.values.get(self.plan_path(name))

    def number(self, name: str) -> int | float | None:
        """The value as a number, None when it is none or not known."""
        got = self.value(name)
        return got if isinstance(got, (int, float)) and not isinstance(got, bool) else None

    def count(self, name: str) -> int | None:
        """The value as a positive whole number, else None."""
        got = self.value(name)
        return got if isinstance(got, int) and not isinstance(got, bool) and got > 0 else None

    def unknown(self, name: str) -> bool:
        """True when the file gives a value that only the shell or the environment knows."""
        return is_symbolic(self.reading.values.get(self.plan_path(name)))

    def written(self, name: str) -> bool:
        """True when the file itself gives the value."""
        return self.leaf(name) is not None

    def leaf(self, name: str) -> Leaf | None:
        """The leaf that gives a plan field or native key, None for a default."""
        if name not in self._found:
            self._found[name] = self._leaf(name)
        return self._found[name]

    def key(self, name: str) -> str:
        """The key for it in the words of the file's own framework and release."""
        leaf = self.leaf(name)
        if leaf is not None:
            return leaf.key
        origin = self.reading.origins.get(self.plan_path(name))
        native = origin.keys[0] if origin is not None and origin.keys else name
        return self._old_name(native)

    def says(self, name: str) -> str:
        """`key=value` as the file has it, or `key (default value)`."""
        leaf = self.leaf(name)
        if leaf is not None:
            return f"{leaf.key}={render_value(leaf.value)}"
        origin = self.reading.origins.get(self.plan_path(name))
        native = origin.keys[0] if origin is not None and origin.keys else name
        got = self.native.value(native)
        got = self.reading.values.get(self.plan_path(name)) if got is None else got
        return f"{self._old_name(native)} (default {render_value(got)})"

    def items(self, name: str) -> Iterable[int]:
        """Indices of a plan list."""
        return range(self.reading.items(self.plan_path(name)))

    def written_keys(self) -> Iterator[tuple[str, Leaf]]:
        """Every written leaf under its newest name."""
        return self.native.leaves()

    def place(self, names: Iterable[str]) -> Place:
        """Return the place of the value for the first of `names` that the file writes; else where it would stand."""
        candidates = list(names)
        for name in candidates:
            leaf = self.leaf(name)
            if leaf is not None:
                return leaf.place
        return self._near(self.key(candidates[0])) if candidates else self.start

    def labels(self, names: Iterable[str]) -> tuple[Label, ...]:
        """The further written keys, and the variables that values came from."""
        leaves = [leaf for name in names for leaf in (self.leaf(name),) if leaf is not None]
        if len(leaves) <= 1 and not any(leaf.via for leaf in leaves):
            return ()
        labels = [Label(leaf.place, f"{leaf.key} is {render_value(leaf.value)}") for leaf in leaves[1:]]
        labels += [Label(via.place, f"{via.name} is set here") for leaf in leaves for via in leaf.via]
        first = leaves[0].place if leaves else None
        return tuple(dict.fromkeys(label for label in labels if label.place != first))

    def referred_to(self, key: str) -> bool:
        """True where another value takes the one of `key`, so that it cannot be left out."""
        return references.is_among(key, self._referred)

    @cached_property
    def _referred(self) -> frozenset[str]:
        return references.names_in(self.document.leaves)

    @cached_property
    def start(self) -> Place:
        """The launch, or the first leaf."""
        if self.document.launch is not None:
            return self.document.launch.place
        leaves = self.document.leaves
        return leaves[0].key_place if leaves else Place(self.document.name, Span(0, 0, 1, 1))

    def _near(self, key: str) -> Place:
        parts = key.split(".")
        for size in range(len(parts) - 1, 0, -1):
            prefix = ".".join(parts[:size]) + "."
            leaf = next((leaf for name, leaf in self.leaves.items() if name.startswith(prefix)), None)
            if leaf is not None:
                return leaf.key_place
        return self.start

    def plan_path(self, name: str) -> str:
        """Return the path of a plan field that a rule names; of a native key one that nothing has."""
        return _path_of(name)

    def _leaf(self, name: str) -> Leaf | None:
        origin: Origin | None = self.reading.origins.get(self.plan_path(name))
        native = self.reading.source
        for key in (name,) if origin is None or not origin.keys else origin.keys:
            cell = native.cells.get(key)
            leaf = cell.leaf if cell is not None and cell.leaf is not None else native.first_below.get(key)
            if leaf is not None:
                return leaf
        return self.leaves.get(name)

    def _old_name(self, key: str) -> str:
        known = registry.framework(self.framework)
        if self.best.release == known.newest:
            return key
        cells = {key: Cell(self.native.value(key))}
        flat = versions.downgrade(self.framework, cells, self.best.release, trainer=self.best.trainer).flat
        return next(iter(flat), key)


@lru_cache(maxsize=20_000)
def _path_of(name: str) -> str:
    """The plan's path for a field that a rule names; of a native key one that nothing has."""
    return name if name.startswith(_ROOTS) else f"stage.{name}"


def subjects(document: Document, best: Guess, cluster: Cluster, *, alone: bool = True) -> Iterator[Subject]:
    """One subject per stage. What cannot be read because of a value has a finding of that value's."""
    leaves = live_leaves(document, best.framework)
    facts = facts_of(document, best)
    for _, part in stages_of(without_secrets(leaves, document.secrets)[0]):
        stage = read_as_written(best, part, facts, alone=alone)
        yield Subject(document, best, stage.reading, part, stage.changes, cluster, alone=alone)
