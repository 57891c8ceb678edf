"""This module says, before a run starts, why its plan was placed anew and what is where instead."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from rftconf.base.symbols import formula
from rftconf.budget.placing.back_end import own_gpus, roles
from rftconf.budget.placing.place import place_plan
from rftconf.plan.trainer_numbers import DECAYED, LEARNED
from rftconf.report.screen import joined
from rftconf.verbs import output as out

if TYPE_CHECKING:
    from rftconf.budget.placing.back_end import Gpus
    from rftconf.budget.placing.place import PlacedPlan
    from rftconf.load.loaded import Loaded
    from rftconf.plan.model import Auxiliary, Plan, Rollout, Worker
    from rftconf.report.screen import Screen

SAID = ("cluster.", "stage.placement.", "stage.optim.")
"""Prefixes of paths that the table's rows sum up; the options of memory below them have lines of their own."""
ONE_BY_ONE = (".offload.", ".offload_policy", ".gpu_memory_fraction", ".sequences_per_pass", ".layout")
Row = tuple[str, str, str]


def placed_here(loaded: Loaded, gpus: Gpus, screen: Screen | None, *, as_placed: bool) -> PlacedPlan | None:
    """Return the plan as it runs on these GPUs; None, with a report, where it does not. Changes are reported on `screen`, if there is one."""
    placement = place_plan(loaded.plan, gpus)
    if placement.reasons and as_placed:
        out.report(refused_text(placement))
        return None
    if placement.reasons and screen is not None:
        out.report(anew_text(loaded.plan, placement, screen))
    if placement.memory and placement.memory.verdict == "does not fit":
        out.report(too_large_text(placement))
        return None
    return placement


def anew_text(before: Plan, placement: PlacedPlan, screen: Screen) -> str:
    """Write the reasons and a table of old and new values."""
    rows = [row for row in _rows(before, placement) if row[1] != row[2]]
    wide, old = (max((len(row[column]) for row in rows), default=0) for column in (0, 1))
    return joined(
        [
            screen.style(f"placed anew, for {placement.gpus}", "bold"),
            *(f"  because: {why}" for why in placement.reasons),
            *(f"  {name:<{wide}}  {was:<{old}}  ->  {now}" for name, was, now in rows),
            *(f"  carried over: {what}" for what in _carried(placement.plan)),
            *([f"  memory: {placement.memory.text}"] if placement.memory else []),
            *(f"  note: {note}" for note in placement.notes),
            f"  what is learned stays as it is{', except as the notes say' if placement.notes else ''}",
        ]
    )


def refused_text(placement: PlacedPlan) -> str:
    """Write why a run does not start where --as-placed forbids another placement."""
    return joined([*(f"not as it is placed: {why}" for why in placement.reasons),
                   "--as-placed runs no other placement; without it the plan is placed anew"])  # fmt: skip


def too_large_text(placement: PlacedPlan) -> str:
    """Write that no placement on these GPUs holds the run."""
    text = placement.memory.text if placement.memory else ""
    return joined([f"no placement on {placement.gpus} holds this run: {text}", "--gpus N places it on others"])


def _rows(before: Plan, placement: PlacedPlan) -> Iterator[Row]:
    after = placement.plan
    old, new = before.stages[0], after.stages[0]
    yield "GPUs", str(own_gpus(before) or "not said"), str(own_gpus(after) or "not said")
    workers = roles(new)
    for name, worker in roles(old).items():
        yield name, _trainer(worker), _trainer(workers[name])
        yield f"{name} computes in", _types(worker), _types(workers[name])
    yield "engines", _engines(old.placement.rollout), _engines(new.placement.rollout)
    for old_model, new_model in zip(old.placement.auxiliary, new.placement.auxiliary, strict=True):
        yield f"{old_model.name or old_model.role or 'further model'}", _served(old_model), _served(new_model)
    for move in placement.moves:
        if not move.path.startswith(SAID) or any(part in move.path for part in ONE_BY_ONE):
            yield move.path.removeprefix("stage."), _value(move.old), _value(move.new)


def _carried(plan: Plan) -> Iterator[str]:
    """Yield what the source's back end does by default and the new one is told to do."""
    for name in LEARNED:
        if (getattr(plan.stages[0].optim, name).extra or {}).get(DECAYED):
            yield f"{name}'s weights decay as Megatron has it, matrices alone"


def _trainer(worker: Worker) -> str:
    sizes = worker.megatron if worker.backend == "megatron" else worker.mesh
    size_texts = [f"{name.upper()}{_value(size)}" for name in ("tp", "pp", "vpp", "cp", "ep", "etp")
            if (size := getattr(sizes, name, None)) not in (None, 1)]  # fmt: skip
    if worker.sp not in (None, 1):
        size_texts.append(f"SP{_value(worker.sp)}")
    return " ".join(
        [_value(worker.backend), *size_texts, *([] if worker.gpus is None else [f"on {_value(worker.gpus)} GPUs"])]
    )


def _types(worker: Worker) -> str:
    own = worker.megatron.dtype if worker.backend == "megatron" else worker.compute_dtype
    return _value(own)


def _engines(rollout: Rollout) -> str:
    sizes = [f"{name.upper()}{_value(size)}" for name in ("tp", "pp", "dp", "ep")
             if (size := getattr(rollout, name)) not in (None, 1, False)]  # fmt: skip
    return " ".join(
        [_value(rollout.engine), *sizes, *([] if rollout.gpus is None else [f"on {_value(rollout.gpus)} GPUs"])]
    )


def _served(auxiliary: Auxiliary) -> str:
    sizes = [
        f"{name.upper()}{_value(size)}"
        for name in ("tp", "pp", "dp")
        if (size := getattr(auxiliary, name)) not in (None, 1)
    ]
    return " ".join(
        [_value(auxiliary.engine), *sizes, *([] if auxiliary.gpus is None else [f"on {_value(auxiliary.gpus)} GPUs"])]
    )


def _value(value: Any) -> str:
    return "-" if value is None else value if isinstance(value, str) else formula(value)
