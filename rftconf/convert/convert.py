"""Converts a document to another framework's config: plan, placement, rows, releases, ledger, text."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from rftconf.base.errors import RefusedError
from rftconf.base.ledger import Ledger, State, TargetLine
from rftconf.convert.facts_of_writing import facts_of_writing
from rftconf.convert.fit_to_target import fit_stage
from rftconf.convert.idle_validation import open_validation
from rftconf.convert.join_stages import joined_sources, joined_targets
from rftconf.convert.learning.unnamed_differences import with_unnamed_differences
from rftconf.convert.ledger.source_ledger import source_lines
from rftconf.convert.ledger.target_ledger import target_lines, with_key_of_program
from rftconf.convert.output import emit, starter_of, writes_script
from rftconf.convert.questions.algorithm_questions import about_the_loss, algorithm_first
from rftconf.convert.questions.apply_answers import drop_answered_decisions, with_answers
from rftconf.convert.questions.decisions import (
    folders_of_iterations,
    halved_context,
    left_to_fill,
    of_another_main,
    once_each,
    other_stages,
    silent_losses,
    starts_from,
    under_target_names,
    unlike,
)
from rftconf.convert.questions.open_values import left_open, mark_open
from rftconf.convert.questions.questions import Answer
from rftconf.convert.refusals import refuse_what_stays
from rftconf.convert.same_framework import keep_as_written, put_back
from rftconf.convert.target_trainer import trainer_for
from rftconf.load.load import load, main_stage
from rftconf.load.loaded import Loaded
from rftconf.load.stage import StageRead
from rftconf.mappers.outcomes import Outcome
from rftconf.mappers.placing import MEMORY
from rftconf.mappers.tables import table_of
from rftconf.mappers.writing import Writing
from rftconf.plan.derive import BACKENDS, SHARDED, TRAINED
from rftconf.plan.origin import Kind, Origin
from rftconf.plan.placement import NARROWER
from rftconf.schemas import catalogue, registry
from rftconf.schemas.framework import Framework
from rftconf.text.document import Document

if TYPE_CHECKING:
    from rftconf.base.diagnostics import Diagnostic
    from rftconf.convert.adapters.adapt import Adapters
    from rftconf.plan.model import Plan


FURTHER = "stage.placement.auxiliary["
"""Models beside the policy, whose GPUs a target without turns must choose."""


@dataclass(frozen=True, slots=True)
class Options:
    """Options that a caller may give to a conversion.

    `form` is `auto`, `A` or `B` (Trinity only); `style` is `sh`, `yaml` or `overrides` (veRL; ChatLearn
    takes `sh` and `yaml`).
    `adapters` is the folder that a script for the data and a stub for the reward go to; the config then names it.
    `layout` is `colocated` or `separated`, where the target has both. `answers` are those to questions, by their names.
    """

    to_release: str | None = None
    rollout_gpus: int | None = None
    form: str = "auto"
    style: str | None = None
    adapters: str | None = None
    layout: str | None = None
    answers: Mapping[str, Answer] = field(default_factory=dict)


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
    assume: Mapping[str, str] | None = None,
    layout: str | None = None,
) -> Conversion:
    """Convert a document. Raises RefusedError where no faithful target exists, UnreadableError for bad input."""
    loaded = load(document, framework=framework, release=release, rows=rows, assume=assume)
    return convert_loaded(loaded, to, Options(to_release, rollout_gpus, form, style, adapters, layout))


def convert_loaded(loaded: Loaded, to: str, options: Options) -> Conversion:
    """Convert something that was read already."""
    framework = registry.framework(to)
    stage = main_stage(loaded)
    if framework.name == loaded.framework and len(loaded.stages) > 1 and options.adapters is None:
        return _keep_stages(loaded, framework, registry.release(framework, options.to_release), options)
    return convert_stage(loaded, stage, framework, options)


def convert_stage(
    loaded: Loaded, stage: StageRead, framework: Framework, options: Options, *, alone: bool = True
) -> Conversion:
    """Convert one stage as a run of its own, for the program of the asked framework that starts such runs.

    `alone`: the other stages are not converted beside it, so what they lack is said.
    """
    target = _target_for(loaded, stage, framework, options)
    number = registry.release(target, options.to_release)
    values, origins = dict(stage.values), dict(stage.origins)
    same = target.name == loaded.framework
    refuse_what_stays(loaded.framework, stage.reading.table, target)
    decisions, idle = (
        ([], {})
        if same
        else fit_stage(
            loaded, stage, target, number, values, origins, layout=options.layout, rollout_gpus=options.rollout_gpus
        )
    )
    adapters = _adapt(loaded, target, number, values, origins, options)
    writing = _write(loaded, stage, target.name, number, values, origins, options)
    writing.outcomes |= idle
    if adapters is not None:
        adapters.settle(writing.outcomes)
    shell = writes_script(target.family, options.style)
    lines = _lines_of(stage, writing, options)
    mark_open(lines, writing, shell=shell)
    sources = source_lines(loaded, stage, writing)
    parts = [] if same else [*halved_context(stage), *folders_of_iterations(stage, writing), *open_validation(writing)]
    choices = under_target_names([*(starts_from(loaded, stage) if alone else []), *parts, *decisions], writing)
    questions = [] if same else writing.table.questions(writing)
    questions = adapters.instead_of(questions) if adapters is not None else questions
    asked_too = under_target_names([*writing.decisions, *questions], writing)
    open_ones = left_open(loaded, lines, sources, writing, stage, shell=shell)
    own_losses = about_the_loss(loaded, stage, sources, lines, writing)
    decisions = list(algorithm_first([*own_losses, *open_ones, *choices, *asked_too], writing))
    notes = (
        *of_another_main(loaded),
        *left_to_fill(lines, target),
        *_notes_of_both_sides(loaded, stage, writing, alone=alone),
    )
    names = (loaded.framework, loaded.release, target.name, number)
    ledger = Ledger(*names, sources, tuple(lines), once_each(decisions), tuple(dict.fromkeys(notes)))
    ledger = drop_answered_decisions(with_unnamed_differences(ledger, [stage], writing, options.style), options.answers)
    text, suffix = emit(ledger, writing, options.style)
    files = adapters.files if adapters is not None else {}
    return Conversion(ledger, loaded, text, suffix, loaded.diagnostics, tuple(lines), files)


def _lines_of(stage: StageRead, writing: Writing, options: Options) -> list[TargetLine]:
    lines = with_key_of_program(target_lines(stage.reading.source, writing), writing, options.style)
    return with_answers(lines, writing, options.answers)


def _target_for(loaded: Loaded, stage: StageRead, framework: Framework, options: Options) -> Framework:
    """The program of the asked framework that starts such runs; one that stays what it is stays."""
    own = registry.framework(loaded.framework)
    if framework.name == own.family and stage.reading.table.stays:
        return own
    return registry.program_for(framework, stage.values.get("stage.kind"), options.to_release)


def _notes_of_both_sides(loaded: Loaded, stage: StageRead, writing: Writing, *, alone: bool) -> tuple[str, ...]:
    """Return the notes of both sides' rows, of the stages left out, and of losses that no leaf shows."""
    before = (*loaded.notes, *other_stages(loaded, stage)) if alone else tuple(stage.reading.notes)
    return (*before, *writing.notes, *silent_losses(stage, writing))


def _adapt(
    loaded: Loaded,
    target: Framework,
    release: str,
    values: dict[str, Any],
    origins: dict[str, Origin],
    options: Options,
) -> Adapters | None:
    """The adapters that were asked for; the plan to be written then speaks of what they make."""
    if options.adapters is None:
        return None
    from rftconf.convert.adapters.adapt import adapt

    source = registry.framework(loaded.framework).family
    adapters = adapt(values, source=source, target=target.family, release=release, folder=options.adapters)
    adapters.apply(values, origins)
    return adapters


def _keep_stages(loaded: Loaded, target: Framework, number: str, options: Options) -> Conversion:
    """Within one framework every stage stays a stage of the same config."""
    writings = [
        _write(loaded, stage, target.name, number, dict(stage.values), dict(stage.origins), options)
        for stage in loaded.stages
    ]
    parts = [target_lines(stage.reading.source, w) for stage, w in zip(loaded.stages, writings, strict=True)]
    sources = joined_sources(loaded, [source_lines(loaded, s, w) for s, w in zip(loaded.stages, writings, strict=True)])
    lines = joined_targets(loaded, parts)
    open_decisions = (d for writing in writings for d in writing.decisions)
    decisions = [
        *left_open(loaded, lines, sources, writings[-1], loaded.stages[-1], shell=False),
        *open_decisions,
    ]
    notes = (*left_to_fill(lines, target), *loaded.notes, *(note for writing in writings for note in writing.notes))
    names = (loaded.framework, loaded.release, target.name, number)
    ledger = Ledger(*names, sources, tuple(lines), once_each(decisions), tuple(dict.fromkeys(notes)))
    ledger = with_unnamed_differences(ledger, loaded.stages, writings[-1], options.style)
    text, suffix = emit(ledger, writings[-1], options.style)
    return Conversion(ledger, loaded, text, suffix, loaded.diagnostics, tuple(lines))


def _write(
    loaded: Loaded,
    stage: StageRead,
    to: str,
    number: str,
    values: dict[str, Any],
    origins: dict[str, Origin],
    options: Options,
    *,
    keep: bool = True,
) -> Writing:
    """`keep`: within one framework what is written stays as written."""
    target = registry.framework(to)
    same = to == loaded.framework
    trainer = trainer_for(loaded, target, number, values)
    known = catalogue.load(to, None, trainer)
    writing = Writing(
        stage.reading.table if same else table_of(to, values.get("stage.kind")),
        to,
        number,
        trainer,
        values,
        origins,
        same_framework=same,
        defaults=known.default,
        knows=known.__contains__,
    )
    writing.facts = facts_of_writing(stage, options.form, values.get("stage.model.path"), same_framework=same)
    writing.write_all()
    served = [path for path in writing.outcomes if path.startswith(FURTHER) and path.endswith(".gpus")]
    fitted = (MEMORY, *BACKENDS, *TRAINED, *SHARDED, *(size[0] for size in NARROWER), *served)
    chosen = [path for path in fitted if path in origins and origins[path].kind is Kind.CHOSEN]
    for path in (*chosen, *([] if same else unlike(origins, writing))):
        if path in writing.outcomes:
            writing.outcomes[path] = Outcome(State.NARROWED, writing.outcomes[path].targets, origins[path].how)
    if same and loaded.document.is_plan:
        put_back(loaded.extensions, writing)
    elif same and keep:
        left_open = {finding.leaf.key for finding in stage.reading.value_errors}
        by_line = writes_script(target.family, options.style) and options.style != "overrides"
        named = (by_line, by_line and (not target.spmd_until or bool(starter_of(target, number, writing))))
        keep_as_written(stage.reading.source, stage.origins, writing, left_open, named)
    return writing


def spelt_out(loaded: Loaded, stage: StageRead, to_release: str) -> list[TargetLine]:
    """Every key by which another release of the same framework says what this stage means, defaults left out."""
    values, origins = dict(stage.values), dict(stage.origins)
    options = Options(to_release)
    writing = _write(loaded, stage, loaded.framework, to_release, values, origins, options, keep=False)
    return target_lines(stage.reading.source, writing)


def plan_of(
    document: Document, *, framework: str | None = None, release: str | None = None, rows: int | None = None
) -> Plan:
    """The plan of a document."""
    return load(document, framework=framework, release=release, rows=rows).plan


__all__ = ["Conversion", "Options", "RefusedError", "convert", "convert_loaded", "load", "plan_of"]
