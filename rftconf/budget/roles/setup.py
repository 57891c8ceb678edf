"""Reads off a plan what its memory depends on: which role trains, scores or generates what, on how many GPUs."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import TYPE_CHECKING, Any, TypeVar

from rftconf.base.errors import UsageError
from rftconf.base.record import record
from rftconf.base.symbols import Expr
from rftconf.budget.facts.models import Model, find, resolve
from rftconf.budget.roles.engine_roles import engine_roles, unpriced_gpus
from rftconf.budget.roles.roles import EngineRole, Setup, TrainerRole
from rftconf.budget.roles.runtimes import runtime_of
from rftconf.budget.roles.symbolic_values import Values
from rftconf.budget.roles.trainer_roles import Frame, trainer_roles
from rftconf.budget.terms.engine import Engine
from rftconf.plan.kinds import WITH_ROLLOUTS, WITHOUT_ROLLOUTS

if TYPE_CHECKING:
    from rftconf.plan.model import Plan, Stage


@record
class BudgetRequest:
    """Wishes of the command line beside a plan. `trainer`: whose code trains, if not the framework's own; its newest counts."""

    nodes: int | None = None
    gpus_per_node: int | None = None
    model: str | None = None
    date: str | None = None
    mean_tokens: int | None = None
    trainer: str = ""


MOST_NODES, MOST_GPUS_PER_NODE = 10_000, 256
"""No cluster is larger; every GPU is looked at on its own."""


def setup_of(plan: Plan, request: BudgetRequest) -> Setup:
    """Read a plan. Raises UsageError for what is missing or symbolic, with the option that gives it."""
    stage = next((s for s in reversed(plan.stages) if s.kind in WITH_ROLLOUTS), plan.stages[-1])
    values = Values()
    nodes, per_node = bounded(*_cluster(plan, stage, request, values))
    longest = _longest(stage, values)
    _checked(request, longest)
    model = _model(stage, request, values)
    framework, release = str(values.text(plan.source.framework) or ""), values.text(plan.source.release)
    frame = _frame(plan, stage, request, longest, nodes * per_node)
    trainers = trainer_roles(stage, model, frame, values)
    engines = _engines(plan, stage, model, frame, trainers, values)
    values.refuse_unknown()
    update = values.count(stage.batch.sequences_per_update, "sequences_per_update", needed=False)
    if model.architecture.extra:
        values.note("the vision tower's weights are counted; the activations of images are not, and come on top")
    notes = dict.fromkeys((*([model.note] if model.note else []), *values.notes))
    return Setup(
        framework,
        release,
        nodes,
        per_node,
        frame.layout,
        model,
        trainers,
        engines,
        longest,
        update,
        stage.batch.uneven_tail in ("pad", "copy", "drop", "short"),
        tuple(notes),
        unpriced_gpus(stage, values),
        0 if engines else _trainer_answers(stage, framework, trainers, values),
        stage.kind not in WITHOUT_ROLLOUTS,
    )


def _frame(plan: Plan, stage: Stage, request: BudgetRequest, longest: int, total: int) -> Frame:
    framework = plan.source.framework if isinstance(plan.source.framework, str) else ""
    release = plan.source.release if isinstance(plan.source.release, str) else None
    runtime = runtime_of(framework)
    leaves = stage.kind in WITH_ROLLOUTS or _native(plan.extensions, "is_offload_states", bool) is True
    return Frame(
        trainer=request.trainer or runtime.code,
        when=None if request.trainer else request.date or release,
        longest=longest,
        mean=request.mean_tokens,
        total=total,
        layout=str(stage.placement.layout or "colocated"),
        leaves=runtime.leaves and leaves,
        sleeps=runtime.trainers_sleep and stage.placement.actor.offload.param is True,
        pads=runtime.pads,
        scores=runtime.always_scores and stage.kind in WITH_ROLLOUTS,
        cpu_optimizer=_native(plan.extensions, "optimizer_cpu_offload", bool) is True,
        head_share=_share_of_answers(stage, longest) if runtime.answers_alone else 1.0,
    )


def _trainer_answers(stage: Stage, framework: str, trainers: tuple[TrainerRole, ...], values: Values) -> int:
    """Count the answers that each process of the trainer writes at once, where no engine does."""
    if not runtime_of(framework).trainer_writes or stage.kind not in WITH_ROLLOUTS or not trainers:
        return 0
    prompts = values.count(stage.batch.prompts_per_rollout, "prompts_per_rollout", needed=False) or 1
    answers = values.count(stage.batch.responses_per_prompt, "responses_per_prompt", needed=False) or 1
    return -(-prompts * answers // trainers[0].job.gpus)


def _share_of_answers(stage: Stage, longest: int) -> float:
    """The part of a longest sequence that is its answer, with the token before it."""
    answer = stage.length.response_max_tokens
    return min((answer + 1) / longest, 1.0) if isinstance(answer, int) else 1.0


def _engines(
    plan: Plan, stage: Stage, model: Model, frame: Frame, trainers: tuple[TrainerRole, ...], values: Values
) -> tuple[EngineRole, ...]:
    """Engines and further models; where a trainer that has all GPUs may train alone, it leaves them to another program."""
    runtime = runtime_of(str(plan.source.framework))
    separate = runtime.may_train_alone and frame.layout != "colocated"
    if separate and trainers and trainers[0].job.gpus >= frame.total:
        return ()
    if runtime.trainer_writes and stage.placement.rollout.engine == "hf" and trainers:
        return ()
    engine_list = engine_roles(stage, model, frame.longest, frame.total, frame.layout, trainers, values)
    return tuple(
        replace(role, engine=_tuned(role.engine, plan.extensions, runtime.sleeps_if), parked=frame.leaves)
        for role in engine_list
    )


def _tuned(engine: Engine, own: Any, sleeps_if: str) -> Engine:
    """The engine with what a config says to it by its own names; an engine that must not free its cache never sleeps, nor
    does one without the switch `sleeps_if` where there is such a switch."""
    allowed = not sleeps_if or _native(own, sleeps_if, bool) is True
    cache, block = _native(own, "kv_cache_dtype", str), _native(own, "block_size", int)
    return replace(
        engine,
        sleeps=engine.sleeps and allowed and _native(own, "free_cache_engine", bool) is not False,
        cache_bytes=1 if cache is not None and cache.startswith("fp8") else engine.cache_bytes,
        block_tokens=block or engine.block_tokens,
    )


T = TypeVar("T", bool, int, str)


def _native(data: Any, name: str, kind: type[T], above: str = "") -> T | None:
    """Return the value of that name, or of a key that ends so, in what only the source framework understands; None where
    it is absent. `above` is the key that `data` stands below."""
    for key, value in data.items() if isinstance(data, dict) else ():
        path = f"{above}.{key}"
        if path.endswith(f".{name}") and type(value) is kind:
            return value
        flag = _native(value, name, kind, path)
        if flag is not None:
            return flag
    return None


def _cluster(plan: Plan, stage: Stage, request: BudgetRequest, values: Values) -> tuple[int, int]:
    nodes = request.nodes or values.count(plan.cluster.nodes, "nodes", option="--nodes")
    per_node = request.gpus_per_node or values.count(
        plan.cluster.gpus_per_node, "gpus_per_node", option="--gpus-per-node"
    )
    if not nodes or not per_node:
        roles = [stage.placement.actor.gpus, stage.placement.rollout.gpus]
        known = [gpus for gpus in roles if isinstance(gpus, int)]
        if len(known) == len(roles) and not values.unknown:
            total = max(known) if stage.placement.layout == "colocated" else sum(known)
            per_node = per_node or min(total, 8)
            return nodes or -(-total // per_node), per_node
    values.refuse_unknown()
    if not nodes or not per_node:
        raise UsageError("the plan does not say how large the cluster is: pass --nodes and --gpus-per-node")
    return nodes, per_node


def bounded(nodes: int, per_node: int) -> tuple[int, int]:
    """The same, where a cluster can be that large. Raises UsageError."""
    if nodes > MOST_NODES or per_node > MOST_GPUS_PER_NODE:
        most = f"at most {MOST_NODES} nodes of {MOST_GPUS_PER_NODE} GPUs are priced"
        raise UsageError(f"{nodes} nodes of {per_node} GPUs are no cluster: {most}")
    return nodes, per_node


def _checked(request: BudgetRequest, longest: int) -> None:
    if request.mean_tokens and request.mean_tokens > longest:
        raise UsageError(f"--mean-tokens is {request.mean_tokens}: the longest sequence of this run has {longest}")
    if request.date is not None and not _DATED.fullmatch(request.date):
        raise UsageError(f"--trainer-date {request.date}: a release such as 0.9.1, or a date such as 2026-06-24")


_DATED = re.compile(r"v?\d+([.-]\d+)*")


def _longest(stage: Stage, values: Values) -> int:
    """The longest sequence [tokens]; the whole context where nobody tells how long a prompt may be."""
    length = stage.length
    whole = values.count(length.model_max_tokens, "model_max_tokens", needed=False)
    if whole and isinstance(length.prompt_max_tokens, Expr):
        return whole
    prompt = values.count(length.prompt_max_tokens, "prompt_max_tokens", needed=False)
    response = values.count(length.response_max_tokens, "response_max_tokens", needed=False)
    if prompt and response:
        return prompt + response
    if whole:
        return whole
    values.refuse_unknown()
    raise UsageError("the plan does not say how long a sequence may be (prompt and response, or the whole context)")


def _model(stage: Stage, request: BudgetRequest, values: Values) -> Model:
    if request.model:
        return resolve(request.model)
    path = values.spelled(stage.model.path)
    if not path:
        raise UsageError("the config names no model: pass --model with a name, or a folder that holds its config.json")
    return find(path) or resolve(path)
