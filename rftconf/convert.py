"""From a document to another framework's config: plan, placement, rows, releases, ledger, text."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from rftconf.decisions import (
    left_to_fill,
    mark_open,
    of_another_main,
    once_each,
    other_stages,
    silent_losses,
    starts_from,
    under_target_names,
    unresolved,
)
from rftconf.errors import RefusedError
from rftconf.ledger import Decision, Ledger, State, TargetLine
from rftconf.load import Loaded, StageRead, load, main_stage
from rftconf.mappers.keep import keep_as_written
from rftconf.mappers.placing import MEMORY, place
from rftconf.mappers.source_lines import source_lines
from rftconf.mappers.tables import table_of
from rftconf.mappers.target_lines import target_lines
from rftconf.mappers.writing import Outcome, Writing
from rftconf.plan.derive import fill_micro_batches, floor_as_ratio
from rftconf.plan.origin import Kind, Origin
from rftconf.render import emit
from rftconf.schemas import catalogue, registry
from rftconf.schemas.registry import Framework
from rftconf.staged import joined_sources, joined_targets
from rftconf.text.document import Document

if TYPE_CHECKING:
    from collections.abc import Mapping

    from rftconf.adapters.adapt import Adapters
    from rftconf.diagnostics import Diagnostic
    from rftconf.plan.model import Plan


@dataclass(frozen=True, slots=True)
class Options:
    """What a caller may ask of a conversion.

    `form` is `auto`, `A` or `B` (MAPPING row 1.1, Trinity only); `style` is `sh`, `yaml` or `overrides` (veRL only).
    `adapters` is the folder that a script for the data and a stub for the reward go to; the config then names it.
    """

    to_release: str | None = None
    rollout_gpus: int | None = None
    form: str = "auto"
    style: str | None = None
    adapters: str | None = None


@dataclass(frozen=True, slots=True)
class Conversion:
    """The outcome: the target's text, the ledger, and the plan both stand for; `adapters` are files by name."""

    ledger: Ledger
    loaded: Loaded
    text: str
    file_suffix: str
    diagnostics: tuple[Diagnostic, ...] = ()
    lines: tuple[TargetLine, ...] = field(default=())
    adapters: Mapping[str, str] = field(default_factory=dict)

    @property
    def plan(self) -> Plan:
        """The typed plan of the source."""
        return self.loaded.plan


def convert(
    document: Document,
    to: str,
    *,
    framework: str | None = None,
    release: str | None = None,
    to_release: str | None = None,
    rows: int | None = None,
    rollout_gpus: int | None = None,
    form: str = "auto",
    style: str | None = None,
    adapters: str | None = None,
) -> Conversion:
    """Convert a document. Raises RefusedError where no faithful target exists, UnreadableError for bad input."""
    loaded = load(document, framework=framework, release=release, rows=rows)
    return convert_loaded(loaded, to, Options(to_release, rollout_gpus, form, style, adapters))


def convert_loaded(loaded: Loaded, to: str, options: Options) -> Conversion:
    """Convert something that was read already."""
    target = registry.framework(to)
    number = registry.release(target, options.to_release)
    if target.name == loaded.framework and len(loaded.stages) > 1 and options.adapters is None:
        return _keep_stages(loaded, target, number, options)
    stage = main_stage(loaded)
    values, origins = dict(stage.values), dict(stage.origins)
    same = target.name == loaded.framework
    decisions = [] if same else _place(target, number, values, origins, options)
    adapters = _adapt(loaded, target, values, origins, options)
    writing = _write(loaded, stage, target.name, number, values, origins, options)
    _refuse_other_kinds(target, values)
    if adapters is not None:
        adapters.settle(writing.outcomes)
    lines = target_lines(stage.reading.source, writing)
    shell = target.name == "verl" and options.style != "yaml"
    mark_open(lines, writing, shell=shell)
    sources = source_lines(loaded, stage, writing)
    asked = [] if same else writing.table.questions(writing)
    placed = under_target_names([*starts_from(loaded, stage), *decisions], writing)
    placed += adapters.decisions if adapters is not None else []
    decisions = [*unresolved(lines, shell=shell), *placed, *writing.decisions, *asked]
    notes = (*loaded.notes, *other_stages(loaded, stage), *writing.notes, *silent_losses(stage, writing))
    notes = (*of_another_main(loaded), *left_to_fill(lines, target), *notes)
    ledger = Ledger(
        loaded.framework,
        loaded.release,
        target.name,
        number,
        sources,
        tuple(lines),
        once_each(decisions),
        tuple(dict.fromkeys(notes)),
    )
    text, suffix = emit(ledger, writing, options.style)
    files = adapters.files if adapters is not None else {}
    return Conversion(ledger, loaded, text, suffix, loaded.diagnostics, tuple(lines), files)


def _adapt(
    loaded: Loaded, target: Framework, values: dict[str, Any], origins: dict[str, Origin], options: Options
) -> Adapters | None:
    """The adapters that were asked for; the plan to be written then speaks of what they make."""
    if options.adapters is None:
        return None
    from rftconf.adapters.adapt import adapt

    asked = {"source": loaded.framework, "target": target.name, "folder": options.adapters}
    found = adapt(values, **asked, extensions=loaded.extensions)
    found.apply(values, origins)
    return found


def _keep_stages(loaded: Loaded, target: Framework, number: str, options: Options) -> Conversion:
    """Within one framework every stage stays a stage of the same config."""
    writings = [
        _write(loaded, stage, target.name, number, dict(stage.values), dict(stage.origins), options)
        for stage in loaded.stages
    ]
    parts = [target_lines(stage.reading.source, w) for stage, w in zip(loaded.stages, writings, strict=True)]
    sources = joined_sources(loaded, [source_lines(loaded, s, w) for s, w in zip(loaded.stages, writings, strict=True)])
    lines = joined_targets(loaded, parts)
    decisions = [*unresolved(lines, shell=False), *(d for writing in writings for d in writing.decisions)]
    notes = (*left_to_fill(lines, target), *loaded.notes, *(note for writing in writings for note in writing.notes))
    names = (loaded.framework, loaded.release, target.name, number)
    ledger = Ledger(*names, sources, tuple(lines), once_each(decisions), tuple(dict.fromkeys(notes)))
    text, suffix = emit(ledger, writings[-1], options.style)
    return Conversion(ledger, loaded, text, suffix, loaded.diagnostics, tuple(lines))


def _refuse_other_kinds(target: Framework, values: dict[str, Any]) -> None:
    kind = values.get("stage.kind")
    if kind is not None and kind not in table_of(target.name).kinds:
        raise RefusedError(
            f"this is a {kind} run; rftconf writes {' and '.join(table_of(target.name).kinds)} runs for {target.title}",
            choices=("convert the rl stage of a staged config", f"prepare the {kind} run for {target.title} by hand"),
        )


def _place(
    target: Framework, number: str, values: dict[str, Any], origins: dict[str, Origin], options: Options
) -> list[Decision]:
    fill_micro_batches(values, origins)
    floor_as_ratio(values, origins)
    table = table_of(target.name)
    separate = table.separates_since is not None and registry.at_least(target.name, number, table.separates_since)
    return place(table.target, values, origins, rollout_gpus=options.rollout_gpus, may_separate=separate)


def _write(
    loaded: Loaded,
    stage: StageRead,
    to: str,
    number: str,
    values: dict[str, Any],
    origins: dict[str, Origin],
    options: Options,
) -> Writing:
    target = registry.framework(to)
    same = to == loaded.framework
    trainer = _trainer(loaded, target, number, values)
    known = catalogue.load(to, None, trainer)
    writing = Writing(
        table_of(to),
        to,
        number,
        trainer,
        values,
        origins,
        same_framework=same,
        defaults=known.default,
        knows=known.__contains__,
    )
    writing.facts.update(form=options.form, rows=stage.reading.rows(), adapted=options.adapters is not None)
    if same:
        writing.facts["source"] = stage.reading.source
    writing.write_all()
    if MEMORY in origins and origins[MEMORY].kind is Kind.CHOSEN and MEMORY in writing.outcomes:
        writing.outcomes[MEMORY] = Outcome(State.NARROWED, writing.outcomes[MEMORY].targets, origins[MEMORY].how)
    if same:
        keep_as_written(stage.reading.source, stage.origins, writing, loaded.secrets)
    return writing


def _trainer(loaded: Loaded, target: Framework, number: str, values: dict[str, Any]) -> str:
    """The trainer to write for: the plan's back end, and within one framework the source's own program."""
    own = loaded.guess.trainer
    if target.name == loaded.framework and own in target.recipes:
        if own not in target.trainers_of(number):
            raise RefusedError(
                f"{target.title} {number} has no {target.recipes[own].name} program",
                choices=(f"--to-release {target.recipes[own].since} or newer",),
            )
        return own
    backend = values.get("stage.placement.actor.backend")
    return backend if backend in target.trainers else target.trainer


def plan_of(
    document: Document, *, framework: str | None = None, release: str | None = None, rows: int | None = None
) -> Plan:
    """The plan of a document."""
    return load(document, framework=framework, release=release, rows=rows).plan


__all__ = ["Conversion", "Options", "RefusedError", "convert", "convert_loaded", "load", "plan_of"]
