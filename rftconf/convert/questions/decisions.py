"""A person must decide or should know these things after a conversion."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from rftconf.base.ledger import LOSSES, Decision, TargetLine
from rftconf.base.symbols import (
    formula,
)
from rftconf.convert.ledger.target_ledger import respelt
from rftconf.convert.questions.open_values import is_open
from rftconf.load.loaded import Loaded
from rftconf.load.stage import StageRead
from rftconf.mappers.paths import without_indices
from rftconf.mappers.writing import Writing
from rftconf.plan.acting import awake_and_asleep
from rftconf.plan.derive import HALVED
from rftconf.plan.field_roles import MEASUREMENT
from rftconf.plan.index import role_of
from rftconf.plan.origin import TRACKED, Kind, Origin
from rftconf.schemas import registry
from rftconf.schemas.framework import Framework

MIXING = "stage.data.mixing"
ORDER = ("stage.data.shuffle", "stage.data.seed")
AS_IT_IS = "keep: what is written stays"
"""The answer to a question that has no other."""
TRAINING = ("sft", "dpo", "rl", "distill")


def left_to_fill(lines: list[TargetLine], target: Framework) -> tuple[str, ...]:
    """A warning where the target starts all the same with values that nobody chose."""
    still_open = [line.key for line in lines if is_open(line.value, shell=False)]
    if not still_open or not target.fills_missing:
        return ()
    return (f"fill in every ??? before the run: {target.title} does not stop at one but takes its own default",)


def of_another_main(loaded: Loaded) -> tuple[str, ...]:
    """A warning for programs that add code of their own to the usual main's config."""
    launch, known = loaded.document.launch, registry.framework(loaded.framework)
    declared = loaded.dialect
    if declared is not None:
        stands_on = f"{registry.framework(declared.framework).title} {declared.release}"
        program = f" ({launch.program})" if launch is not None and launch.program else ""
        who = f"{declared.title}{program}, a fork of {stands_on}, reads this config"
        return (f"{who}; rftconf explain dialect:{declared.name} says what it does otherwise",)
    if launch is None or not known.mains or loaded.guess.trainer in known.recipes:
        return ()
    if launch.program.replace("/", ".").removesuffix(".py") in known.mains:
        return ()
    return (
        f"{launch.program} is a program of its own, read as {known.mains[0]}; what its code adds is not in the plan",
    )


def once_each(decisions: list[Decision]) -> tuple[Decision, ...]:
    """One question a key: the later one, which knows why, stands where the first one did. Each has an answer."""
    last = {decision.key: decision for decision in decisions}
    last_decisions = (last[key] for key in dict.fromkeys(decision.key for decision in decisions))
    return tuple(
        decision if decision.choices else replace(decision, choices=(AS_IT_IS,)) for decision in last_decisions
    )


def starts_from(loaded: Loaded, stage: StageRead) -> list[Decision]:
    """Return a decision for a stage that starts from the one before, whose checkpoint no config names."""
    before = [s for s in loaded.stages[: loaded.stages.index(stage)] if s.values.get("stage.kind") in TRAINING]
    if not before:
        return []
    last = before[-1]
    why = f"stage {stage.name} starts from the last checkpoint of stage {last.name} ({last.values.get('stage.kind')}), not from this path"
    return [
        Decision("stage.model.path", why, (f"convert and run stage {last.name} first, then name its checkpoint here",))
    ]


def halved_context(stage: StageRead) -> list[Decision]:
    """Return a decision where the source limits prompt and answer by their sum, in tokens, and each got half of it."""
    path, whole = "stage.length.prompt_max_tokens", "stage.length.model_max_tokens"
    origin = stage.origins.get(path)
    if origin is None or origin.how != HALVED:
        return []
    total = formula(stage.values.get(whole))
    why = (
        f"the source limits prompt and answer together ({', '.join(origin.keys)}={total}): a longer prompt leaves less for "
        f"its answer. Here each has a limit of its own, and half went to each"
    )
    return [Decision(path, why, (f"two limits that fit your prompts and add up to {total}",))]


def unlike(origins: Mapping[str, Origin], writing: Writing) -> list[str]:
    """Plan fields that are written although the target means something else by them, about which a person is asked."""
    paths = [path for path, origin in origins.items() if origin.how in (HALVED, TRACKED)]
    return [path for path in paths if path in writing.outcomes and writing.outcomes[path].targets]


def folders_of_iterations(stage: StageRead, writing: Writing) -> list[Decision]:
    """Return decisions where weights are loaded by Megatron's record of iterations, which other loaders do not read."""
    decisions = []
    for path in unlike(stage.origins, writing):
        origin = stage.origins[path]
        if origin.how == TRACKED and stage.values.get(path) is not None:
            text = formula(stage.values[path])
            why = f"{', '.join(origin.keys)}={text} is {TRACKED}; the folder wanted here holds metadata.json and the shards"
            decisions.append(Decision(path, why, (f"the folder of one iteration below {text}", "or convert the model")))
    return decisions


def under_target_names(decisions: list[Decision], writing: Writing) -> list[Decision]:
    """Decisions about the plan, under the target's own keys."""
    named, names = [], writing.table.respelt(writing)
    for decision in decisions:
        outcome = writing.outcomes.get(decision.key)
        key = outcome.targets[0] if outcome and outcome.targets else respelt(decision.key, names)
        named.append(replace(decision, key=key))
    return named


def _of_no_interest(path: str, kind: str) -> bool:
    """Defaults of data sets, but for the order of rows, what a prompt is, and how answers are sampled."""
    sets = "stage.data.eval[" if kind == "eval" else "stage.data.train["
    of_interest = (
        path in (MIXING, *ORDER)
        or ".sampling." in path
        or (path.startswith(sets) and path.endswith(("prompt_type", "trained_turns")))
    )
    return path.startswith("stage.data.") and not of_interest


def silent_losses(stage: StageRead, writing: Writing) -> tuple[str, ...]:
    """Return differences that no leaf shows: defaults and fixed behaviours that act in the source and that the target lacks."""
    paths, (_, asleep) = [], awake_and_asleep(stage.values)
    for path, outcome in writing.outcomes.items():
        if asleep.why(path) is not None:
            continue
        origin = stage.origins.get(path)
        keys = origin.keys if origin is not None else ()
        if (
            origin is not None
            and origin.kind is Kind.DEFAULT
            and _of_no_interest(path, str(stage.values.get("stage.kind")))
        ):
            continue
        unsaid = outcome.state in LOSSES and outcome.note and not any(stage.reading.written(key) for key in keys)
        if unsaid and role_of(without_indices(path)) in ("", MEASUREMENT) and stage.values.get(path) is not None:
            paths.append(f"{path.removeprefix('stage.')}: {outcome.note}")
    return tuple(dict.fromkeys(paths))


def other_stages(loaded: Loaded, stage: StageRead) -> tuple[str, ...]:
    """Stages that a single-run target does not get, as notes."""
    others = [s for s in loaded.stages if s is not stage]
    return tuple(
        f"stage {s.name} ({s.values.get('stage.kind')}) is a run of its own: "
        + (
            "it scores a checkpoint and leaves none"
            if s.values.get("stage.kind") == "eval"
            else "run it first and start from its checkpoint"
        )
        for s in others
    )
