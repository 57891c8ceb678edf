"""From a document to a plan: which framework and release, effective keys, rows, one stage at a time."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

from rftconf.dataset_rows import count_rows
from rftconf.diagnostics import Diagnostic, Severity
from rftconf.effective import deletions, effective, live_leaves, stages_of
from rftconf.errors import RefusedError, UnreadableError
from rftconf.ledger import State
from rftconf.mappers.native import nodes_above
from rftconf.mappers.reading import Reading
from rftconf.mappers.rows import Table
from rftconf.mappers.tables import reason_for, table_of
from rftconf.misfits import STUMBLES, placed, refuse_sizes
from rftconf.plan.derive import derive
from rftconf.plan.kinds import WITH_ROLLOUTS, WITHOUT_ROLLOUTS
from rftconf.plan.origin import Origin
from rftconf.recognise import recognise
from rftconf.schemas import catalogue, registry, versions
from rftconf.schemas.edits import Change
from rftconf.schemas.guess import Guess
from rftconf.secrets import is_secret
from rftconf.text.document import Document, Leaf
from rftconf.typed import refuse_unfit, run_of, unfit

if TYPE_CHECKING:
    from rftconf.plan.model import Plan


@dataclass(slots=True)
class StageRead:
    """One stage as read: flat plan values with origins, and what its rows had to say."""

    name: str | None
    reading: Reading
    changes: tuple[Change, ...] = ()

    @property
    def values(self) -> dict[str, Any]:
        """Flat plan paths to values."""
        return self.reading.values

    @property
    def origins(self) -> dict[str, Origin]:
        """Flat plan paths to origins."""
        return self.reading.origins


@dataclass(slots=True)
class Loaded:
    """A document understood: the plan, and everything a conversion needs to account for each leaf."""

    document: Document
    guess: Guess
    table: Table
    stages: list[StageRead]
    diagnostics: tuple[Diagnostic, ...] = ()
    extensions: dict[str, Any] = field(default_factory=dict)
    secrets: frozenset[str] = frozenset()

    _plan: Plan | None = None

    @property
    def plan(self) -> Plan:
        """The typed plan, made when first asked for: a conversion works on the flat values alone."""
        if self._plan is None:
            self._plan = _assemble(
                self.guess, self.stages, self.extensions, list(beyond(self.guess, self.stages, self.extensions))
            )
        return self._plan

    @property
    def framework(self) -> str:
        """The source framework's name."""
        return self.guess.framework

    @property
    def release(self) -> str:
        """The source release."""
        return self.guess.release

    @property
    def origins(self) -> dict[str, Origin]:
        """Origins of the last stage (the one that a single-run target gets)."""
        return self.stages[-1].origins

    @property
    def notes(self) -> tuple[str, ...]:
        """What the rows had to say, over all stages."""
        return tuple(dict.fromkeys(note for stage in self.stages for note in stage.reading.notes))


def main_stage(loaded: Loaded) -> StageRead:
    """The stage that a single-run target gets: the last one that trains with reinforcement learning, else the last."""
    return next((s for s in reversed(loaded.stages) if s.values.get("stage.kind") in WITH_ROLLOUTS), loaded.stages[-1])


def load(
    document: Document,
    *,
    framework: str | None = None,
    release: str | None = None,
    rows: int | None = None,
    assume: Mapping[str, str] | None = None,
) -> Loaded:
    """Understand a document as a plan. `assume`: what a person says of a fork (`mini_batch=samples`).

    Raises UnreadableError when the document has errors or no leaf, UsageError for unknown names.
    """
    _refuse_unreadable(document)
    found = recognise(document, framework, release)
    table = table_of(found.framework)
    leaves = live_leaves(document, found.framework)
    _refuse_older_configs(found, leaves)
    secrets = frozenset(leaf.key for key, leaf in leaves.items() if is_secret(key, leaf.value))
    leaves = {key: leaf for key, leaf in leaves.items() if leaf.key not in secrets}
    launch = document.launch
    told: dict[str, Any] = {"starter": launch.starter if launch else {}, "assumed": dict(assume or {})}
    told |= {"program": launch.program if launch else "", "shipped": launch.shipped if launch else ""}
    told["environment"] = document.environment
    told |= {} if rows is None else {"rows": rows}
    stages = []
    for name, part in stages_of(leaves):
        with _told_of_arguments(document), placed(found.framework, found.release, found.trainer, part):
            stages.append(_read_stage(table, found, part, name, told))
            refuse_unfit(stages[-1].reading)
    stages[-1].reading.notes += deletions(document, found)
    extensions = _extensions(stages, secrets)
    return Loaded(document, found, table, stages, document.diagnostics, extensions, secrets)


@contextmanager
def _told_of_arguments(document: Document) -> Iterator[None]:
    """An empty text where a number belongs is most often an argument of the script that was not given."""
    try:
        yield
    except UnreadableError as error:
        lacking = next((d for d in document.diagnostics if d.code == "SYN509"), None)
        if lacking is not None:
            error.message += f" ({lacking.code}: the script is not given all its arguments; {lacking.help})"
        raise


def _refuse_unreadable(document: Document) -> None:
    errors = [d for d in document.diagnostics if d.severity is Severity.ERROR]
    if errors:
        first = errors[0]
        span = first.place.span if first.place else None
        more = f" (and {len(errors) - 1} more)" if len(errors) > 1 else ""
        file = first.place.file if first.place else document.name
        raise UnreadableError(
            f"{first.code} {first.message}{more}", file=file, line=span.line if span else 0, col=span.col if span else 0
        )
    if not document.leaves:
        raise UnreadableError("there is no config in this file", file=document.name)


def _refuse_older_configs(found: Guess, leaves: Mapping[str, Leaf]) -> None:
    """Sections that only a config of another kind has: its keys mean something else."""
    known = registry.framework(found.framework)
    refused = ((key, why) for key in leaves if (why := known.unread_sections.get(key.split(".")[0])))
    for key, why in refused:
        raise RefusedError(f"{key} is not read: {why}", choices=(known.instead,))


def _read_stage(
    table: Table,
    found: Guess,
    leaves: Mapping[str, Leaf],
    name: str | None,
    told: Mapping[str, Any],
) -> StageRead:
    native, changes = effective(found, leaves, shipped=told["shipped"], environment=told["environment"])
    if table.kind_of is not None:
        table = table_of(found.framework, table.kind_of(native, told["program"]))
    reading = Reading(table, native, count_rows=count_rows)
    reading.facts.update(told)
    try:
        reading.read_all()
    except STUMBLES as error:
        for first in unfit(reading):
            raise first.error() from error
        raise
    _refuse_nothing(reading)
    refuse_sizes(reading)
    if reading.values.get("stage.kind") not in WITHOUT_ROLLOUTS:  # samples have one length
        derive(reading.values, reading.origins)
    for change in changes:
        if change.lossy and change.became:
            reading.note(f"{change.key}: {change.why}")
    if name is not None:
        reading.set("stage.name", name, "stages[].stage_name")
    return StageRead(name, reading, changes)


def _refuse_nothing(reading: Reading) -> None:
    """A period without prompts, or an update without sequences, is a run that counts in another way."""
    for name in ("prompts_per_rollout", "responses_per_prompt", "sequences_per_update", "passes"):
        path = f"stage.batch.{name}"
        value = reading.values.get(path)
        if value is None and path in reading.origins:
            _refuse_null(reading, reading.origins[path].keys)
        if isinstance(value, (int, float)) and value <= 0:
            key = reading.origins[path].keys[0]
            raise RefusedError(
                f"{key}={reading.native(key)}: {name.replace('_', ' ')} would be {value}",
                choices=("a positive number",),
            )


def _refuse_null(reading: Reading, keys: Sequence[str]) -> None:
    """A null in a key that has to be a number, and nothing else says the number."""
    known = catalogue.load(reading.source.framework, reading.release, reading.trainer)
    for key in keys:
        cell = reading.source.cells.get(key)
        leaf = cell.leaf if cell is not None else None
        if leaf is None or leaf.value is not None:
            continue
        own = known.get(leaf.key)
        if own is not None and not own.optional and own.default is not None:
            raise reading.misfit(key, f"expects {own.type}, and null is not one")


def _extensions(stages: list[StageRead], secrets: frozenset[str]) -> dict[str, Any]:
    """Live keys without a row, verbatim, for a target of the same framework; and those that say more than fields hold."""
    kept: dict[str, Any] = {}
    for stage in stages:
        used = {key for origin in stage.origins.values() for key in origin.keys} | stage.reading.inactive.keys()
        for key, leaf in stage.reading.source.leaves():
            if key in used or leaf.key in secrets or not used.isdisjoint(nodes_above(key)):
                continue
            reason = reason_for(stage.reading.table, key)
            if reason is None or reason.state in (State.EXTENSION, State.NO_COUNTERPART):
                kept[key] = stage.reading.source.cells[key].value
        kept |= stage.reading.beyond
    return kept


def beyond(found: Guess, stages: list[StageRead], extensions: Mapping[str, Any]) -> Iterator[str]:
    """Names of extensions that change the mathematics: what says more than a field holds, and live ones whose reason says so,
    with values that are not the default."""
    known = catalogue.load(found.framework, found.release, found.trainer)
    for stage in stages:
        cells = stage.reading.source.cells
        yield from stage.reading.beyond
        for key, value in extensions.items():
            reason = reason_for(stage.reading.table, known.canonical(key)) if key in cells else None
            if reason is None or reason.state is not State.NO_COUNTERPART:
                continue
            own = known.get(key)
            if not versions.dead(found.framework, found.release, key) and (own is None or value != own.default):
                yield key


def _assemble(found: Guess, stages: list[StageRead], extensions: dict[str, Any], unsaid: list[str]) -> Plan:
    from rftconf.plan.model import Plan

    runs = [run_of(stage.reading) for stage in stages]
    first = runs[0]
    source = {"framework": found.framework, "release": found.release}
    return Plan.model_validate(
        {
            "source": source,
            "identity": first.identity,
            "cluster": first.cluster,
            "stages": [run.stage for run in runs],
            "extensions": {found.framework: {k: _plain(v) for k, v in extensions.items()}} if extensions else {},
            "beyond": sorted(set(unsaid)),
        }
    )


def _plain(value: Any) -> Any:
    from rftconf.plan.fields import dump_symbol
    from rftconf.plan.symbols import Expr

    if isinstance(value, Expr):
        return dump_symbol(value)
    if isinstance(value, list):
        return [_plain(v) for v in value]
    return {k: _plain(v) for k, v in value.items()} if isinstance(value, dict) else value


def with_origins(loaded: Loaded) -> dict[str, Origin]:
    """All origins, stage by stage, under the plan's own paths."""
    found: dict[str, Origin] = {}
    for index, stage in enumerate(loaded.stages):
        for path, origin in stage.origins.items():
            found[path.replace("stage.", f"stages[{index}].", 1) if path.startswith("stage.") else path] = replace(
                origin
            )
    return found
