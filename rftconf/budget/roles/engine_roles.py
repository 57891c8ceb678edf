"""Rollout engines and models that answer during rollout, as a plan has them."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from rftconf.budget.facts.models import Model, find
from rftconf.budget.roles.roles import EngineRole, TrainerRole
from rftconf.budget.roles.scoring_models import answer_tokens_text, scorer, scores_by_forward
from rftconf.budget.roles.symbolic_values import DTYPE_BYTES, Values, shared_size
from rftconf.budget.terms.engine import Engine
from rftconf.plan.kinds import WITHOUT_ROLLOUTS

if TYPE_CHECKING:
    from rftconf.plan.model import Auxiliary, Stage


def engine_roles(
    stage: Stage, model: Model, longest: int, total: int, layout: str, trainers: tuple[TrainerRole, ...], values: Values
) -> tuple[EngineRole, ...]:
    """The rollout engines, and models that answer during rollout."""
    rollout = stage.placement.rollout
    if stage.kind in WITHOUT_ROLLOUTS:
        return _teachers(stage, model, longest, total, trainers, values)
    sizes = {
        key: values.count(getattr(rollout, key), f"rollout.{key}", needed=False) or 1
        for key in ("tp", "dp", "pp", "ep")
    }
    fraction = rollout.gpu_memory_fraction
    engine = Engine(
        model.architecture,
        **sizes,
        name=str(values.text(rollout.engine) or "vllm"),
        fraction=float(fraction) if isinstance(fraction, (int, float)) else 0.9,
        dtype_bytes=DTYPE_BYTES.get(str(values.text(rollout.dtype) or "bfloat16").lower(), 2),
        max_model_tokens=values.count(stage.length.model_max_tokens, "model_max_tokens", needed=False) or longest,
        max_batched_tokens=values.count(rollout.max_batched_tokens, "rollout.max_batched_tokens", needed=False) or 8192,
        max_num_seqs=values.count(rollout.max_num_seqs, "rollout.max_num_seqs", needed=False) or 256,
        eager=rollout.enforce_eager is True,
        sleeps=layout == "colocated",
        prefix_cache=rollout.prefix_cache is not False,
    )
    if not isinstance(fraction, (int, float)):
        values.note("rollout: no memory fraction known, taken as the engine's own default 0.9")
    gpus = values.count(shared_size(rollout.gpus, layout), "rollout.gpus", needed=False)
    if gpus is None:
        gpus = total if layout == "colocated" or not trainers else max(total - trainers[0].job.gpus, engine.gpus)
    extras = stage.placement.auxiliary
    roles = [EngineRole("rollout", engine, gpus, path="stage.placement.rollout")]
    for index, extra in enumerate(extras):
        if extra.engine == "external":
            continue  # a service has its own GPUs
        label = values.text(extra.name) or f"{extra.role or 'auxiliary'}{index if len(extras) > 1 else ''}"
        label = f"{label}{index}" if any(role.name == label for role in roles) else label
        role = _auxiliary(extra, label, engine, gpus if _shares(extra, layout) else None, longest, values)
        roles += [replace(role, path=f"stage.placement.auxiliary[{index}]")] if role else []
    return tuple(roles)


def _teachers(
    stage: Stage, model: Model, longest: int, total: int, trainers: tuple[TrainerRole, ...], values: Values
) -> tuple[EngineRole, ...]:
    """Teachers of a distillation run score batches with a forward, on the student's GPUs or their own."""
    roles: list[EngineRole] = []
    student = trainers[0].job.gpus if trainers else total
    for index, extra in enumerate(stage.placement.auxiliary):
        if extra.role == "teacher" and extra.engine != "external":
            shared = student if _shares(extra, "colocated") else None
            label = values.text(extra.name) or "teacher"
            role = _auxiliary(extra, label, Engine(model.architecture), shared, longest, values)
            roles += [replace(role, path=f"stage.placement.auxiliary[{index}]")] if role else []
    return tuple(roles)


def unpriced_gpus(stage: Stage, values: Values) -> int:
    """GPUs that further models have to themselves, where their size is in no table."""
    extras = () if stage.kind in WITHOUT_ROLLOUTS else stage.placement.auxiliary
    separate = [extra for extra in extras if not _shares(extra, str(stage.placement.layout or "colocated"))]
    return sum(extra.gpus for extra in separate if isinstance(extra.gpus, int) and _model(extra, values) is None)


def _shares(extra: Auxiliary, layout: str) -> bool:
    """A plan that does not say shares where engines and trainer do."""
    return layout == "colocated" if extra.own_pool is None else extra.own_pool is not True


def _model(extra: Auxiliary, values: Values) -> Model | None:
    path = values.spelled(extra.path)
    return find(path) if path else None


def _auxiliary(
    extra: Auxiliary, label: str, like: Engine, shared: int | None, longest: int, values: Values
) -> EngineRole | None:
    """A further model; `shared` GPUs where it has none of its own and is not told how many."""
    own = _model(extra, values)
    if own is None:
        path = values.spelled(extra.path)
        values.note(f"{label}: model {path or 'not named'} is not in the table and is left out of the account")
        return None
    beside = tuple(str(name) for name in extra.colocate_with) if isinstance(extra.colocate_with, list) else ()
    own_gpus = values.count(extra.gpus, f"{label}.gpus", needed=False)
    if scores_by_forward(extra):
        gpus = own_gpus or shared or 1
        forward = scorer(extra, own, label, longest, gpus, values)
        answer = answer_tokens_text(extra)
        lone = replace(like, architecture=own.architecture, tp=1, dp=1, pp=1, ep=1)
        rows = values.count(extra.sequences_per_pass, f"{label}.sequences_per_pass", needed=False) or 1
        return EngineRole(label, lone, gpus, shared is None, beside, forward, answer, rows=rows)
    return _served(extra, label, replace(like, architecture=own.architecture), (own_gpus, shared), beside, values)


def _served(
    extra: Auxiliary,
    label: str,
    like: Engine,
    sizes: tuple[int | None, int | None],
    beside: tuple[str, ...],
    values: Values,
) -> EngineRole:
    """A further model on engines like the rollout's; `sizes` are the GPUs asked for, and those it would share."""
    (own_gpus, shared), share = sizes, extra.gpu_memory_fraction
    longest = values.count(extra.model_max_tokens, f"{label}.model_max_tokens", needed=False)
    engine = replace(
        like,
        tp=values.count(extra.tp, f"{label}.tp", needed=False) or 1,
        dp=values.count(extra.dp, f"{label}.dp", needed=False) or 1,
        pp=values.count(extra.pp, f"{label}.pp", needed=False) or 1,
        fraction=float(share) if isinstance(share, (int, float)) else like.fraction,
        max_model_tokens=longest or like.max_model_tokens,
        max_num_seqs=values.count(extra.max_num_seqs, f"{label}.max_num_seqs", needed=False) or like.max_num_seqs,
        eager=like.eager if extra.enforce_eager is None else extra.enforce_eager is True,
        name=values.text(extra.engine) or like.name,
        sleeps=shared is not None,
    )
    gpus = own_gpus or (engine.gpus if shared is None else shared)
    return EngineRole(label, engine, gpus, shared is None, beside)
