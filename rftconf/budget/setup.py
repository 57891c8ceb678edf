"""From a plan to what its memory depends on: which role trains, scores or generates what, on how many GPUs."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from rftconf.budget.engine_roles import engine_roles, unpriced_gpus
from rftconf.budget.models import Model, find, resolve
from rftconf.budget.roles import Setup
from rftconf.budget.trainer_roles import TRAINERS, Frame, trainer_roles
from rftconf.budget.values import Values
from rftconf.errors import UsageError
from rftconf.plan.kinds import WITH_ROLLOUTS

if TYPE_CHECKING:
    from rftconf.plan.model import Plan, Stage


@dataclass(frozen=True, slots=True)
class Asked:
    """What the command line adds to a plan."""

    nodes: int | None = None
    gpus_per_node: int | None = None
    model: str | None = None
    date: str | None = None
    mean_tokens: int | None = None


MOST_NODES, MOST_GPUS_PER_NODE = 10_000, 256
"""No cluster is larger; every GPU is looked at on its own."""


def setup_of(plan: Plan, asked: Asked) -> Setup:
    """Read a plan. Raises UsageError for what is missing or symbolic, with the option that gives it."""
    stage = next((s for s in reversed(plan.stages) if s.kind in WITH_ROLLOUTS), plan.stages[-1])
    values = Values()
    nodes, per_node = _bounded(*_cluster(plan, stage, asked, values))
    longest = _longest(stage, values)
    model = _model(stage, asked, values)
    framework, release = str(values.text(plan.source.framework) or ""), values.text(plan.source.release)
    layout = str(stage.placement.layout or "colocated")
    frame = Frame(
        trainer=TRAINERS.get(framework, framework),
        when=asked.date or release,
        longest=longest,
        mean=asked.mean_tokens,
        total=nodes * per_node,
        layout=layout,
        cpu_optimizer=_switch(plan.extensions, "optimizer_cpu_offload") is True,
    )
    trainers = trainer_roles(stage, model, frame, values)
    engines = engine_roles(stage, model, longest, nodes * per_node, layout, trainers, values)
    if _switch(plan.extensions, "free_cache_engine") is False:
        engines = tuple(replace(role, engine=replace(role.engine, sleeps=False)) for role in engines)
    values.refuse_unknown()
    update = values.count(stage.batch.sequences_per_update, "sequences_per_update", needed=False)
    if model.architecture.extra:
        values.note("the vision tower's weights are counted, the activations of images are not")
    notes = dict.fromkeys((*([model.note] if model.note else []), *values.notes))
    return Setup(
        framework,
        release,
        nodes,
        per_node,
        layout,
        model,
        trainers,
        engines,
        longest,
        update,
        stage.batch.uneven_tail in ("pad", "drop", "short"),
        tuple(notes),
        unpriced_gpus(stage, values),
    )


def _switch(data: Any, name: str) -> bool | None:
    """How a switch of that name stands anywhere in what only the source framework understands; None where it is absent."""
    for key, value in data.items() if isinstance(data, dict) else ():
        if str(key).endswith(name) and isinstance(value, bool):
            return value
        found = _switch(value, name)
        if found is not None:
            return found
    return None


def _cluster(plan: Plan, stage: Stage, asked: Asked, values: Values) -> tuple[int, int]:
    nodes = asked.nodes or values.count(plan.cluster.nodes, "nodes", option="--nodes")
    per_node = asked.gpus_per_node or values.count(
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


def _bounded(nodes: int, per_node: int) -> tuple[int, int]:
    if nodes > MOST_NODES or per_node > MOST_GPUS_PER_NODE:
        most = f"at most {MOST_NODES} nodes of {MOST_GPUS_PER_NODE} GPUs are priced"
        raise UsageError(f"{nodes} nodes of {per_node} GPUs are no cluster: {most}")
    return nodes, per_node


def _longest(stage: Stage, values: Values) -> int:
    length = stage.length
    whole = values.count(length.model_max_tokens, "model_max_tokens", needed=False)
    prompt = values.count(length.prompt_max_tokens, "prompt_max_tokens", needed=False)
    response = values.count(length.response_max_tokens, "response_max_tokens", needed=False)
    if prompt and response:
        return prompt + response
    if whole:
        return whole
    values.refuse_unknown()
    raise UsageError("the plan does not say how long a sequence may be (prompt and response, or the whole context)")


def _model(stage: Stage, asked: Asked, values: Values) -> Model:
    if asked.model:
        return resolve(asked.model)
    path = values.spelled(stage.model.path)
    if not path:
        raise UsageError("the config names no model: pass --model with a name, or a folder that holds its config.json")
    return find(path) or resolve(path)
