"""A plan can be placed anew on a back end with its GPUs, which names what it lacks of the plan's own placement."""

from __future__ import annotations

from collections.abc import Iterator
from math import gcd
from typing import TYPE_CHECKING, Any, TypeGuard

from rftconf.base.record import record
from rftconf.budget.facts.models import find

if TYPE_CHECKING:
    from rftconf.budget.facts.gpus import Gpu
    from rftconf.plan.model import Plan, Stage, Worker

TRAINERS, ENGINE = ("fsdp", "fsdp2"), "vllm"
"""What trains there, and what draws answers."""
SAME_MODEL = {"megatron": "Megatron", "hf": "Transformers alone"}
"""Other trainers whose mathematics is known, as far as `megatron_words` goes."""
SAME_ANSWERS = {"sglang": "SGLang", "trtllm": "TensorRT-LLM"}
"""Other engines, which draw from the same distribution."""
MESH = ("tp", "pp", "cp", "ep")
ENGINE_SIZES = ("pp", "dp", "ep")


@record
class Gpus:
    """The GPUs to place on. `kind` is None where nobody says which; then memory is not accounted."""

    nodes: int
    per_node: int
    kind: Gpu | None = None

    @property
    def count(self) -> int:
        """The number of all GPUs."""
        return self.nodes * self.per_node

    def __str__(self) -> str:
        kind = f" ({self.kind.name})" if self.kind else ""
        return (
            f"{f'{self.nodes} × ' if self.nodes > 1 else ''}{self.per_node} GPU{'' if self.count == 1 else 's'}{kind}"
        )


def roles(stage: Stage) -> dict[str, Worker]:
    """The roles that hold a model in this stage: without a KL term nobody needs a reference."""
    place, losses = stage.placement, stage.algorithm
    workers = {"actor": place.actor}
    if losses.kl_loss.enabled is True or losses.kl_reward.enabled is True:
        workers["reference"] = place.reference
    if losses.critic.enabled is True:
        workers["critic"] = place.critic
    return workers


def reasons(plan: Plan, gpus: Gpus) -> list[str]:
    """List in words what of the plan's placement the back end does not have; nothing where it can be executed as it is."""
    stage = plan.stages[0]
    return list(dict.fromkeys([*_of_trainers(stage), *_of_engines(stage), *_of_gpus(plan, stage, gpus)]))


def _of_trainers(stage: Stage) -> Iterator[str]:
    yield from _of_sequences(stage)
    for name, worker in roles(stage).items():
        if worker.backend in SAME_MODEL:
            yield (
                f"{name}: trained by {SAME_MODEL[worker.backend]}"
                if name != "reference"
                else (f"reference: computed by {SAME_MODEL[worker.backend]}")
            )
        elif worker.backend in (*TRAINERS, None):
            for size in MESH:
                if more_than_one(getattr(worker.mesh, size)):
                    yield f"{name}: {size.upper()} of {getattr(worker.mesh, size)}"


def _of_sequences(stage: Stage) -> Iterator[str]:
    """Name an SP size that does not divide the GPUs or the model's heads; other roles do as the actor does."""
    actor = stage.placement.actor
    if actor.backend not in TRAINERS or not more_than_one(actor.sp):
        return
    if not is_count(actor.sp) or (is_count(actor.gpus) and actor.gpus % actor.sp):
        yield f"actor: a sequence over {actor.sp} GPUs of {actor.gpus}"
    elif heads(stage) % actor.sp:
        yield f"actor: a sequence over {actor.sp} GPUs, which do not share {heads(stage)} attention heads"


def heads(stage: Stage) -> int:
    """Return the attention heads that an engine's size must divide; 0, which every size divides, for a model that is in no table."""
    path = stage.model.path
    model = find(path) if isinstance(path, str) else None
    mixers = [layer.mixer for layer in model.architecture.layers] if model else []
    return gcd(*(mixer.heads for mixer in mixers if hasattr(mixer, "heads")))


def _of_engines(stage: Stage) -> Iterator[str]:
    rollout = stage.placement.rollout
    if rollout.engine in SAME_ANSWERS:
        yield f"answers are drawn by {SAME_ANSWERS[rollout.engine]}"
    for size in ENGINE_SIZES:
        if more_than_one(getattr(rollout, size)):
            yield f"engines with {size.upper()} of {getattr(rollout, size)}"
    for auxiliary in stage.placement.auxiliary:
        called = auxiliary.name or auxiliary.role or "a further model"
        if auxiliary.engine in SAME_ANSWERS:
            yield f"{called}: served by {SAME_ANSWERS[auxiliary.engine]}"
        for size in ("tp", "pp"):
            if more_than_one(getattr(auxiliary, size)):
                yield f"{called}: {size.upper()} of {getattr(auxiliary, size)}"


def _of_gpus(plan: Plan, stage: Stage, gpus: Gpus) -> Iterator[str]:
    own = own_gpus(plan)
    if own is not None and own.count > gpus.count:
        yield f"{own}; {gpus.count} {'is' if gpus.count == 1 else 'are'} there"
    elif own is not None and own.nodes > gpus.nodes:
        yield f"{own.nodes} nodes; {gpus.nodes} {'is' if gpus.nodes == 1 else 'are'} there"
    place, update = stage.placement, stage.batch.sequences_per_update
    together = place.actor.sp if is_count(place.actor.sp) and place.actor.backend in TRAINERS else 1
    if is_count(update) and is_count(place.actor.gpus) and update % max(place.actor.gpus // together, 1):
        yield f"{place.actor.gpus} trainer GPUs; updates of {update} sequences are not shared by so many ranks"
    if is_count(place.rollout.gpus) and is_count(place.rollout.tp) and place.rollout.gpus % place.rollout.tp:
        yield f"engines of {place.rollout.tp} GPUs on {place.rollout.gpus}"
    if is_count(place.rollout.tp) and place.rollout.tp > gpus.per_node:
        yield f"engines of {place.rollout.tp} GPUs, on nodes of {gpus.per_node}"


def own_gpus(plan: Plan) -> Gpus | None:
    """Return the cluster that the plan is for; None where it does not say, or leaves it open."""
    nodes, per_node = plan.cluster.nodes, plan.cluster.gpus_per_node
    if is_count(nodes) and is_count(per_node):
        return Gpus(nodes, per_node)
    place = plan.stages[0].placement
    if is_count(place.actor.gpus) and is_count(place.rollout.gpus):
        together = place.layout in ("colocated", None)
        counts = (place.actor.gpus, place.rollout.gpus)
        return Gpus(1, max(counts) if together else sum(counts))
    return None


def is_count(value: object) -> TypeGuard[int]:
    """True for a number of things, one or more."""
    return isinstance(value, int) and not isinstance(value, bool) and value > 0


def more_than_one(value: Any) -> bool:
    """True for a size that divides something; what a variable leaves open may."""
    return value is not None and value is not False and value != 1
