"""A staged run for a framework without stages: several runs in order, each from the checkpoint of the one before."""

from __future__ import annotations

import copy
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from rftconf.base.errors import RefusedError
from rftconf.base.ledger import LOSSES, Change, Decision, Ledger, SourceLine, State, TargetLine
from rftconf.base.symbols import Expr, Value, Var, text
from rftconf.convert.convert import Conversion, Options, convert_stage
from rftconf.convert.learning.learning import in_order
from rftconf.convert.questions.apply_answers import drop_answered_decisions
from rftconf.convert.questions.decisions import once_each
from rftconf.convert.questions.questions import Question, questions_of
from rftconf.convert.stage_launcher import LAUNCHER, WAYS, Start, script
from rftconf.load.loaded import Loaded
from rftconf.load.stage import StageRead
from rftconf.mappers.reading import Reading
from rftconf.mappers.tables import table_of
from rftconf.plan.kinds import WITH_ROLLOUTS
from rftconf.plan.origin import Kind, Origin
from rftconf.schemas import registry
from rftconf.schemas.framework import Framework

MODEL, CONTENTS, EXPORT = "stage.model.path", "stage.checkpoint.contents", "stage.checkpoint.hf_export"
NAME, ROOT = "identity.experiment", "identity.checkpoint_root"
SAVED = "stage.cadence.save_rollouts"


@dataclass(frozen=True, slots=True)
class Step:
    """One run of the series: its file, and where it leaves weights for the next one."""

    file: str
    stage: str
    conversion: Conversion
    start: Start


@dataclass(frozen=True, slots=True)
class Series:
    """All files of a staged run, in order, the launcher last; `ledger` accounts for the whole source."""

    steps: tuple[Step, ...]
    launcher: str
    ledger: Ledger
    hand_over: tuple[Decision, ...] = ()
    """Questions about what one run leaves for the next, under the names of their files."""

    @property
    def questions(self) -> tuple[Question, ...]:
        """Return the questions of all runs, under their files' names; one that all runs read comes once."""
        questions = [
            replace(question, name=_own_name(step, question.name))
            for step in self.steps
            for question in questions_of(step.conversion.ledger, tuple(_of_the_step(step, self.steps)))
        ]
        questions += questions_of(
            self.ledger, tuple(decision for decision in self.ledger.decisions if decision in self.hand_over)
        )
        return tuple({question.name: question for question in questions}.values())

    @property
    def files(self) -> Iterator[tuple[str, str]]:
        """File name and text."""
        yield from ((step.file, step.conversion.text) for step in self.steps)
        yield LAUNCHER, self.launcher


def is_series(loaded: Loaded, to: str) -> bool:
    """True for a staged run and a target that has no stages."""
    return len(loaded.stages) > 1 and registry.framework(to).name != loaded.framework


def convert_series(loaded: Loaded, to: str, options: Options) -> Series:
    """Convert every stage. Raises RefusedError, with the stage's name, where one has no faithful target."""
    framework = registry.framework(to)
    steps: list[Step] = []
    for number, stage in enumerate(loaded.stages):
        last = number == len(loaded.stages) - 1
        ready = _prepared(stage, loaded.stages[number - 1] if number else None, framework.family, last=last)
        try:
            done = convert_stage(loaded, ready, framework, _options_of(number, stage, options), alone=False)
        except RefusedError as error:
            raise RefusedError(f"stage {stage.name}: {error}", choices=error.choices) from error
        if framework.family in WAYS:  # else it is refused below, by the reason of a stage before its own
            steps.append(_step(number, stage, done))
    _refuse_by_path(framework)
    hand_over = _about_adapters(loaded, steps)
    ledger = drop_answered_decisions(_ledger(loaded, steps, hand_over), options.answers)
    return Series(tuple(steps), script(framework.family, [step.start for step in steps]), ledger, tuple(hand_over))


def _refuse_by_path(framework: Framework) -> None:
    if framework.family not in WAYS:
        raise RefusedError(
            f"the runs of {framework.title} do not hand over checkpoints by path: convert the stages one by one"
        )


def _file_stem(number: int, stage: StageRead) -> str:
    name = re.sub(r"[^\w.-]+", "-", str(stage.name))
    return f"{number + 1:02d}-{name}"


def _options_of(number: int, stage: StageRead, options: Options) -> Options:
    """The options of one run: of the answers its own, and those to what all runs read."""
    stem = f"{_file_stem(number, stage)}."
    own = {
        name.partition(": ")[2] if name.startswith(stem) else name: answer
        for name, answer in options.answers.items()
        if name.startswith((stem, "$"))
    }
    settings = {answer.to: answer.value for answer in own.values() if answer.to in ("layout", "rollout-gpus")}
    layout, gpus = settings.get("layout"), settings.get("rollout-gpus")
    return replace(
        options,
        answers=own,
        layout=str(layout) if layout is not None else options.layout,
        rollout_gpus=int(str(gpus)) if gpus is not None else options.rollout_gpus,
    )


def checkpoint_variable(stage: StageRead) -> str:
    """The environment variable through which a stage's checkpoint reaches the next one."""
    return f"{re.sub(r'[^0-9A-Za-z]+', '_', str(stage.name)).strip('_').upper() or 'STAGE'}_CHECKPOINT"


def _prepared(stage: StageRead, before: StageRead | None, family: str, *, last: bool) -> StageRead:
    """The stage as a run of its own: its name in the folder's, its start from `before`, weights for the next one."""
    reading = copy.copy(stage.reading)
    reading.values, reading.origins = dict(stage.values), dict(stage.origins)
    by_root = family in WAYS and not WAYS[family].names_are_folders
    _name_apart(stage, reading, ROOT if by_root else NAME)
    if before is not None:
        variable = checkpoint_variable(before)
        reading.values[MODEL] = Var(variable)
        how = f"instead the last checkpoint of stage {before.name}, set by {LAUNCHER}"
        keys = stage.origins[MODEL].keys if MODEL in stage.origins else ()
        reading.origins[MODEL] = Origin(Kind.DERIVED, keys, how)
    if not last:
        _export(stage, reading)
    return StageRead(stage.name, reading, stage.changes)


def _name_apart(stage: StageRead, reading: Reading, path: str) -> None:
    """Each run leaves its checkpoints in a folder of its own: by its name, or where names are no folders by the root."""
    name = stage.values.get(path) or ("checkpoints" if path == ROOT else None)
    if name is None:
        return
    reading.values[path] = text(str(name) if not isinstance(name, Expr) else name, f"/{stage.name}")
    was = stage.origins[path] if path in stage.origins else Origin(Kind.DERIVED, ())
    what = "root" if path == ROOT else "name"
    reading.origins[path] = replace(was, kind=Kind.DERIVED, how=f"<{what}>/<stage>, as the stages do")


def _export(stage: StageRead, reading: Reading) -> None:
    """The next stage starts from weights in Hugging Face's format."""
    how = "the next stage starts from weights in Hugging Face's format"
    contents = stage.values.get(CONTENTS) or ["model", "optimizer", "extra"]
    if isinstance(contents, list) and "hf_model" not in contents:
        keys = stage.origins[CONTENTS].keys if CONTENTS in stage.origins else ()
        reading.values[CONTENTS] = [*contents, "hf_model"]
        reading.origins[CONTENTS] = Origin(Kind.DERIVED, keys, how)
    if stage.values.get(EXPORT) == "never":
        reading.values[EXPORT] = "always"
        reading.origins[EXPORT] = Origin(Kind.DERIVED, stage.origins[EXPORT].keys, how)


def _step(number: int, stage: StageRead, done: Conversion) -> Step:
    family = registry.framework(done.ledger.target_framework).family
    folder, exported = _FOLDERS[family](stage, done)
    file, kind = f"{_file_stem(number, stage)}{done.file_suffix}", str(stage.values.get("stage.kind"))
    start = Start(file, str(stage.name), kind, folder, exported, checkpoint_variable(stage))
    return Step(file, str(stage.name), done, start)


def _verl_folder(stage: StageRead, done: Conversion) -> tuple[Value, str]:
    written = {line.key: line.value for line in done.lines}
    project, experiment = (written.get(f"trainer.{key}_name") for key in ("project", "experiment"))
    default = text("checkpoints/", _part(project), "/", _part(experiment))
    table = table_of(done.ledger.target_framework, stage.values.get("stage.kind"))
    exported = table.exported if done.ledger.target_release != "0.4.1" else ""
    return written.get("trainer.default_local_dir", default), exported


def _roll_folder(stage: StageRead, done: Conversion) -> tuple[Value, str]:
    """Every role copies its checkpoint to `<root>/<time>/checkpoint-<step>`, the trained model's weights at its top."""
    del stage
    written = {line.key: line.value for line in done.lines}
    return written["checkpoint_config.output_dir"], ""


_FOLDERS: Mapping[str, Callable[[StageRead, Conversion], tuple[Value, str]]] = {
    "verl": _verl_folder,
    "roll": _roll_folder,
}
"""Functions that name the folder of a run's checkpoints, and the folder of the weights in one of them."""


def _part(value: Value) -> str | Var:
    return value if isinstance(value, Var) else str(value)


def _ledger(loaded: Loaded, steps: list[Step], hand_over: Sequence[Decision]) -> Ledger:
    """One account of the source over all runs; target keys carry the name of their file."""
    lines: dict[str, SourceLine] = {}
    for step, stage in zip(steps, loaded.stages, strict=True):
        mine = {leaf.key for _, leaf in stage.reading.source.leaves()}
        others = {leaf.key for stage in loaded.stages for _, leaf in stage.reading.source.leaves()} - mine
        for line in step.conversion.ledger.sources:
            if line.key not in others:
                named = replace(line, targets=tuple(f"{step.file}: {target}" for target in line.targets))
                lines[line.key] = _worse(lines[line.key], named) if line.key in lines else named
    order = [leaf.key for leaf in loaded.document.leaves]
    sources = tuple(_stage_name_as_file(lines[key]) for key in dict.fromkeys(order) if key in lines)
    first = steps[0].conversion.ledger
    return Ledger(
        first.source_framework,
        first.source_release,
        registry.framework(first.target_framework).family,
        first.target_release,
        sources,
        tuple(_target(step, line) for step in steps for line in step.conversion.ledger.targets),
        once_each([*_decisions_of_steps(steps), *hand_over]),
        tuple(dict.fromkeys(f"{step.stage}: {note}" for step in steps for note in step.conversion.ledger.notes)),
        _learning(steps),
        answered=tuple(
            dict.fromkeys(
                replace(decision, key=_own_name(step, decision.key))
                for step in steps
                for decision in step.conversion.ledger.answered
            )
        ),
    )


def _learning(steps: list[Step]) -> tuple[Change, ...]:
    """Return the changes of the learning in any of the runs, the runs in order within a tier."""
    changes = (
        replace(change, says=f"{step.stage}: {change.says[0].lower()}{change.says[1:]}")
        for step in steps
        for change in step.conversion.ledger.learning
    )
    return in_order(list(changes))


def _target(step: Step, line: TargetLine) -> TargetLine:
    return replace(line, key=f"{step.file}: {line.key}")


def _stage_name_as_file(line: SourceLine) -> SourceLine:
    """A stage's name is the name of its file and folder."""
    if not line.key.endswith(".stage_name"):
        return line
    return replace(line, state=State.DERIVED, reason="names the run's file, and its folder below the whole run's")


def _worse(first_line: SourceLine, other_line: SourceLine) -> SourceLine:
    order = list(State)
    lost = first_line.state in LOSSES or other_line.state in LOSSES
    worse = (max if lost else min)(first_line, other_line, key=lambda line: order.index(line.state))
    reason = "; ".join(dict.fromkeys(line.reason for line in (first_line, other_line) if line.reason))
    return replace(worse, targets=(*first_line.targets, *other_line.targets), reason=reason)


def _decisions_of_steps(steps: list[Step]) -> list[Decision]:
    return [
        replace(decision, key=_own_name(step, decision.key)) for step in steps for decision in _of_the_step(step, steps)
    ]


def _own_name(step: Step, key: str) -> str:
    """A question's name among those of all runs; variables are those of all."""
    return key if key.startswith("$") else f"{step.file}: {key}"


def _of_the_step(step: Step, steps: Sequence[Step]) -> list[Decision]:
    """Return the decisions about one run; those on values that the launcher hands over are left out."""
    handed = {step.start.variable for step in steps[:-1]}
    return [decision for decision in step.conversion.ledger.decisions if decision.key.removeprefix("$") not in handed]


def _about_adapters(loaded: Loaded, steps: list[Step]) -> list[Decision]:
    """Return decisions for stages that train an adapter, or save nothing for the next stage to start from."""
    decisions = []
    for stage, step in list(zip(loaded.stages, steps, strict=True))[:-1]:
        if stage.values.get("stage.model_options.lora.rank"):
            why = f"stage {stage.name} trains an adapter: merge it into the weights before the next stage starts from them"
            decisions.append(
                Decision(f"{step.file}: checkpoint", why, ("merge the adapter", "or name it to the next stage"))
            )
        if stage.values.get("stage.kind") in WITH_ROLLOUTS and not stage.values.get(SAVED):
            why = f"stage {stage.name} saves nothing, and the next stage starts from its last checkpoint"
            decisions.append(Decision(f"{step.file}: trainer.save_freq", why, ("a number of rollout periods above 0",)))
    return decisions
