"""One side of a comparison: a plan, and where each of its values was said."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from rftconf.base.ledger import State
from rftconf.base.span import Place
from rftconf.load.loaded import Loaded
from rftconf.load.stage import StageRead
from rftconf.mappers.native import nodes_above
from rftconf.mappers.outcomes import UNSET
from rftconf.mappers.paths import without_indices
from rftconf.mappers.rows import natives_of
from rftconf.mappers.tables import reason_for
from rftconf.plan.flat import flat_stages
from rftconf.plan.origin import Kind
from rftconf.schemas import catalogue, registry, versions

if TYPE_CHECKING:
    from rftconf.plan.model import Plan

_ROLE = re.compile(r"stage\.placement\.\w+\.")


@dataclass(frozen=True, slots=True)
class Statement:
    """The origin of a value: `kind` as in `plan.origin`, the keys as the user spelt them, their places, and the way."""

    kind: Kind
    keys: tuple[tuple[str, Place | None], ...] = ()
    how: str = ""
    asked: tuple[str, ...] = ()
    """Every key that was looked at, under its newest name."""
    release: str = ""
    """Framework and release whose default it is; empty for what the file says."""


class Does:
    """Tells what a framework does about plan fields that nobody set; by itself, of a framework that nothing is known of."""

    def value_of(self, path: str) -> tuple[Any, Statement] | None:
        """Return the framework's own value of a field without a key, and what says so; None where it is not known."""
        del path
        return None

    def reason_without_value(self, path: str) -> str:
        """Tell why nobody says a field's value; empty where nothing is known of it."""
        del path
        return ""


@dataclass(frozen=True, slots=True)
class Idle:
    """A key that is written and does nothing, and why."""

    key: str
    place: Place
    why: str


@dataclass(frozen=True, slots=True)
class Side:
    """A run as one of the two. `stages` are flat values, `said` the origins beside them."""

    name: str
    framework: str
    release: str
    plan: Plan
    stages: Sequence[Mapping[str, Any]]
    said: Sequence[Mapping[str, Statement]]
    idle: tuple[Idle, ...] = ()
    own: Mapping[str, Any] = field(default_factory=dict)
    """Keys that only their framework understands, verbatim."""
    does: Sequence[Does] = ()
    """By stage, what the framework does about a plan field that it has no key for."""

    @property
    def family(self) -> str:
        """The framework's family, which users mean by its name."""
        return registry.framework(self.framework).family

    @property
    def title(self) -> str:
        """Framework and release for people."""
        return f"{registry.framework(self.framework).title} {self.release}"


def side(name: str, loaded: Loaded, *others: Loaded) -> Side:
    """A side from one file, or from several that together are one staged run."""
    parts = (loaded, *others)
    plans = [part.plan for part in parts]
    plan = plans[0].model_copy(update={"stages": [stage for plan in plans for stage in plan.stages]})
    statements = [statements_of(stage, part.framework, part.release) for part in parts for stage in part.stages]
    idle = tuple(dict.fromkeys(idle for part in parts for idle in _idle(part)))
    asleep = {idle.key for idle in idle}
    own = {key: value for part in parts for key, value in part.extensions.items() if key not in asleep}
    does = [DoesWithoutKey(stage, part.framework, part.release) for part in parts for stage in part.stages]
    return Side(name, loaded.framework, loaded.release, plan, flat_stages(plan), statements, idle, own, does)


class DoesWithoutKey(Does):
    """Tells what a framework's table says of the plan fields that a stage's config does not set."""

    def __init__(self, stage: StageRead, framework: str, release: str) -> None:
        self._stage, self._title = stage, _title(framework, release)

    def value_of(self, path: str) -> tuple[Any, Statement] | None:
        """Return the framework's own value, if its table has one and the run has the role."""
        role = _ROLE.match(path)
        if role is not None and not any(path.startswith(role[0]) for path in self._stage.values):
            return None
        cannot = self._stage.reading.table.lacking(path)
        if cannot is None or cannot.behaves is UNSET:
            return None
        value = cannot.behaves(self._stage.reading, path) if callable(cannot.behaves) else cannot.behaves
        if value in (UNSET, None):
            return None
        return value, Statement(Kind.DEFAULT, (), cannot.why, (), self._title)

    def reason_without_value(self, path: str) -> str:
        """Tell what the table says of a field that it has no key for, else why its keys say nothing here."""
        reading = self._stage.reading
        cannot = reading.table.lacking(path)
        if cannot is not None:
            return cannot.why
        origin = self._stage.origins.get(path)
        keys = origin.keys if origin is not None else self._keys_of(path)
        asleep = next((reading.inactive[key] for key in keys if key in reading.inactive), "")
        if asleep or not keys:
            return asleep or (origin.how if origin is not None else "")
        more = f" or {len(keys) - 1} more of its keys" if len(keys) > 1 else ""
        return f"nothing sets {keys[0]}{more}, and {self._title} has no value of its own"

    def _keys_of(self, path: str) -> tuple[str, ...]:
        """The keys from which the framework's table reads a field."""
        table = self._stage.reading.table
        rows = (table.rows[index] for index in table.feeding.get(without_indices(path), ()))
        return tuple(dict.fromkeys(key for row in rows for key in natives_of(row)))


def _title(framework: str, release: str) -> str:
    return f"{registry.framework(framework).title} {release}"


def statements_of(stage: StageRead, framework: str, release: str) -> dict[str, Statement]:
    """Path to why its value is there, in a stage of a run of this framework and release."""
    title = _title(framework, release)
    statements = {}
    spelt: dict[str, tuple[str, Place | None]] = {}
    for path, origin in stage.origins.items():
        written = []
        for key in origin.keys:
            if key not in spelt:
                spelt[key] = _spelt(stage, key)
            written += [spelt[key]] if spelt[key][1] is not None else []
        silent = origin.kind is Kind.DEFAULT or not written
        keys = tuple(written) or tuple((key, None) for key in origin.keys)
        statements[path] = Statement(origin.kind, keys, origin.how, origin.keys, title if silent else "")
    return statements


def _spelt(stage: StageRead, key: str) -> tuple[str, Place | None]:
    """A key as the user spelt it, and where."""
    cell = stage.reading.source.cells.get(key)
    leaf = cell.leaf if cell is not None and cell.leaf is not None else stage.reading.source.first_below.get(key)
    return (leaf.key, leaf.place) if leaf is not None else (key, None)


def _idle(loaded: Loaded) -> Iterator[Idle]:
    for stage in loaded.stages:
        reading = stage.reading
        used = {key for origin in stage.origins.values() for key in origin.keys}
        for key, leaf in reading.source.leaves():
            why = _why_idle(loaded, stage, key, leaf.key, used=key in used or not used.isdisjoint(nodes_above(key)))
            if why is not None:
                yield Idle(leaf.key, leaf.place, why)


def _why_idle(loaded: Loaded, stage: StageRead, key: str, name: str, *, used: bool) -> str | None:
    reading = stage.reading
    above = next((reading.inactive[node] for node in (key, *nodes_above(key)) if node in reading.inactive), None)
    why = above or versions.dead(loaded.framework, loaded.release, name, loaded.guess.trainer)
    if why is not None or used:
        return why
    known = catalogue.load(loaded.framework, loaded.release, loaded.guess.trainer)
    if reading.source.cells[key].unread or (known.get(name) is None and not known.of_a_fork(name)):
        return f"{registry.framework(loaded.framework).title} {loaded.release} has no such key"
    reason = reason_for(reading.table, known.canonical(key), loaded.release)
    return reason.why if reason is not None and reason.state is State.DEAD_IN_SOURCE else None
