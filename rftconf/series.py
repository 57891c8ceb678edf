"""A staged run for a framework without stages: several runs in order, each from the checkpoint of the one before (row 11.2)."""

from __future__ import annotations

import copy
import re
from collections.abc import Iterator
from dataclasses import dataclass, replace

from rftconf.convert import Conversion, Options, convert_stage
from rftconf.decisions import once_each
from rftconf.errors import RefusedError
from rftconf.ledger import LOSSES, Decision, Ledger, SourceLine, State, TargetLine
from rftconf.load import Loaded, StageRead
from rftconf.mappers.tables import table_of
from rftconf.plan.origin import Kind, Origin
from rftconf.plan.symbols import Value, Var, text
from rftconf.schemas import registry
from rftconf.text import emit_shell

MODEL, CONTENTS, NAME = "stage.model.path", "stage.checkpoint.contents", "identity.experiment"
SAVED = "stage.cadence.save_rollouts"
LAUNCHER = "run.sh"
NEWEST = """\
newest() { # the last checkpoint below a run's folder
  find "$1" -maxdepth 1 -type d -name 'global_step_*' | sort -V | tail -n 1
}
"""


@dataclass(frozen=True, slots=True)
class Step:
    """One run of the series: its file, and where it leaves weights for the next one."""

    file: str
    stage: str
    conversion: Conversion
    folder: Value
    exported: str
    """Below the newest checkpoint of `folder`: the weights in Hugging Face's format."""


@dataclass(frozen=True, slots=True)
class Series:
    """All files of a staged run, in order, the launcher last; `ledger` accounts for the whole source."""

    steps: tuple[Step, ...]
    launcher: str
    ledger: Ledger

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
    asked = registry.framework(to)
    if asked.family != "verl":
        raise RefusedError(f"a staged run as several runs of {asked.title} is not written yet")
    steps: list[Step] = []
    for number, stage in enumerate(loaded.stages):
        last = number == len(loaded.stages) - 1
        ready = _prepared(stage, loaded.stages[number - 1] if number else None, last=last)
        try:
            done = convert_stage(loaded, ready, asked, options, alone=False)
        except RefusedError as error:
            raise RefusedError(f"stage {stage.name}: {error}", choices=error.choices) from error
        steps.append(_step(number, stage, done))
    return Series(tuple(steps), _launcher(steps), _ledger(loaded, steps))


def checkpoint_variable(stage: StageRead) -> str:
    """The environment variable through which a stage's checkpoint reaches the next one."""
    return f"{re.sub(r'[^0-9A-Za-z]+', '_', str(stage.name)).strip('_').upper() or 'STAGE'}_CHECKPOINT"


def _prepared(stage: StageRead, before: StageRead | None, *, last: bool) -> StageRead:
    """The stage as a run of its own: its name in the folder's, its start from `before`, weights for the next one."""
    reading = copy.copy(stage.reading)
    reading.values, reading.origins = dict(stage.values), dict(stage.origins)
    name = stage.values.get(NAME)
    if name is not None:
        reading.values[NAME] = text(str(name) if not isinstance(name, Var) else name, f"/{stage.name}")
        reading.origins[NAME] = replace(stage.origins[NAME], kind=Kind.DERIVED, how="<name>/<stage>, as the stages do")
    if before is not None:
        variable = checkpoint_variable(before)
        reading.values[MODEL] = Var(variable)
        how = f"instead the last checkpoint of stage {before.name}, set by {LAUNCHER}"
        keys = stage.origins[MODEL].keys if MODEL in stage.origins else ()
        reading.origins[MODEL] = Origin(Kind.DERIVED, keys, how)
    contents = stage.values.get(CONTENTS) or ["model", "optimizer", "extra"]
    if not last and isinstance(contents, list) and "hf_model" not in contents:
        keys = stage.origins[CONTENTS].keys if CONTENTS in stage.origins else ()
        reading.values[CONTENTS] = [*contents, "hf_model"]
        reading.origins[CONTENTS] = Origin(
            Kind.DERIVED, keys, "the next stage starts from weights in Hugging Face's format"
        )
    return StageRead(stage.name, reading, stage.changes)


def _step(number: int, stage: StageRead, done: Conversion) -> Step:
    name = re.sub(r"[^\w.-]+", "-", str(stage.name))
    written = {line.key: line.value for line in done.lines}
    project, experiment = (written.get(f"trainer.{key}_name") for key in ("project", "experiment"))
    default = text("checkpoints/", _part(project), "/", _part(experiment))
    folder = written.get("trainer.default_local_dir", default)
    table = table_of(done.ledger.target_framework, stage.values.get("stage.kind"))
    exported = table.exported if done.ledger.target_release != "0.4.1" else ""
    return Step(f"{number + 1:02d}-{name}{done.file_suffix}", str(stage.name), done, folder, exported)


def _part(value: Value) -> str | Var:
    return value if isinstance(value, Var) else str(value)


def _launcher(steps: list[Step]) -> str:
    """A script that runs the steps and hands each checkpoint over; what it is given goes to the last run."""
    out = [
        "#!/usr/bin/env bash",
        "# Written by rftconf: the stages in order, each from the last checkpoint of the one before.",
        "set -euo pipefail",
        'here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)',
        "",
        NEWEST,
    ]
    for step, following in zip(steps, [*steps[1:], None], strict=True):
        if following is None:
            out.append(f'bash "$here/{step.file}" "$@"')
            continue
        variable = _variable_of(step)
        folder = emit_shell.word(step.folder)
        out += [
            f'bash "$here/{step.file}"',
            f"latest=$(newest {folder})",
            f'[[ -n $latest ]] || {{ echo "stage {step.stage} left no checkpoint in" {folder} >&2; exit 1; }}',
            f'export {variable}="$latest{"/" + step.exported if step.exported else ""}"',
            "",
        ]
    return "\n".join(out) + "\n"


def _variable_of(step: Step) -> str:
    stages = step.conversion.loaded.stages
    return checkpoint_variable(next(stage for stage in stages if str(stage.name) == step.stage))


def _ledger(loaded: Loaded, steps: list[Step]) -> Ledger:
    """One account of the source over all runs; target keys carry the name of their file."""
    found: dict[str, SourceLine] = {}
    for step, stage in zip(steps, loaded.stages, strict=True):
        mine = {leaf.key for _, leaf in stage.reading.source.leaves()}
        others = {leaf.key for other in loaded.stages for _, leaf in other.reading.source.leaves()} - mine
        for line in step.conversion.ledger.sources:
            if line.key not in others:
                named = replace(line, targets=tuple(f"{step.file}: {target}" for target in line.targets))
                found[line.key] = _worse(found[line.key], named) if line.key in found else named
    order = [leaf.key for leaf in loaded.document.leaves]
    sources = tuple(_named(found[key]) for key in dict.fromkeys(order) if key in found)
    first = steps[0].conversion.ledger
    return Ledger(
        first.source_framework,
        first.source_release,
        registry.framework(first.target_framework).family,
        first.target_release,
        sources,
        tuple(_target(step, line) for step in steps for line in step.conversion.ledger.targets),
        once_each([*_asked(steps), *_about_adapters(loaded, steps)]),
        tuple(dict.fromkeys(f"{step.stage}: {note}" for step in steps for note in step.conversion.ledger.notes)),
    )


def _target(step: Step, line: TargetLine) -> TargetLine:
    return replace(line, key=f"{step.file}: {line.key}")


def _named(line: SourceLine) -> SourceLine:
    """A stage's name is the name of its file and folder."""
    if not line.key.endswith(".stage_name"):
        return line
    return replace(line, state=State.DERIVED, reason="names the run's file, and its folder below the whole run's")


def _worse(one: SourceLine, other: SourceLine) -> SourceLine:
    order = list(State)
    lost = one.state in LOSSES or other.state in LOSSES
    worse = (max if lost else min)(one, other, key=lambda line: order.index(line.state))
    reason = "; ".join(dict.fromkeys(line.reason for line in (one, other) if line.reason))
    return replace(worse, targets=(*one.targets, *other.targets), reason=reason)


def _asked(steps: list[Step]) -> list[Decision]:
    handed = {_variable_of(step) for step in steps[:-1]}
    return [
        replace(decision, key=f"{step.file}: {decision.key}")
        for step in steps
        for decision in step.conversion.ledger.decisions
        if not any(f"${name} is read" in decision.why for name in handed)
    ]


def _about_adapters(loaded: Loaded, steps: list[Step]) -> list[Decision]:
    """What is handed over besides whole weights, and where nothing is saved."""
    asked = []
    for stage, step in list(zip(loaded.stages, steps, strict=True))[:-1]:
        if stage.values.get("stage.model_options.lora.rank"):
            why = f"stage {stage.name} trains an adapter: merge it into the weights before the next stage starts from them"
            asked.append(
                Decision(f"{step.file}: checkpoint", why, ("merge the adapter", "or name it to the next stage"))
            )
        if stage.values.get("stage.kind") == "rl" and not stage.values.get(SAVED):
            why = f"stage {stage.name} saves nothing, and the next stage starts from its last checkpoint"
            asked.append(Decision(f"{step.file}: trainer.save_freq", why, ("a number of rollout periods above 0",)))
    return asked
