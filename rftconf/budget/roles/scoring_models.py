"""Further models that answer with a forward of their own instead of an engine: reward models, judges, teachers."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rftconf.budget.facts.implementations import GENERIC, MEGATRON
from rftconf.budget.roles.symbolic_values import Values
from rftconf.budget.terms import fsdp_phases as trainer
from rftconf.budget.terms import fsdp_sharding as sharding
from rftconf.budget.terms import megatron
from rftconf.budget.terms.term import Term, grouped, term
from rftconf.budget.terms.training_job import MegatronSizes, Training

if TYPE_CHECKING:
    from rftconf.budget.facts.models import Model
    from rftconf.plan.model import Auxiliary

SERVED = frozenset({"vllm", "sglang", "trtllm"})
"""Engines with a cache of their own; every other strategy is a forward."""


def scores_by_forward(extra: Auxiliary) -> bool:
    """True where no engine serves the model. veRL's reward workers before 0.7 name neither engine nor sizes of one."""
    if extra.engine is None:
        return extra.tp is None and extra.role in ("reward", "teacher")
    return extra.engine not in SERVED


def scorer(extra: Auxiliary, model: Model, label: str, longest: int, gpus: int, values: Values) -> Training:
    """The forward: bf16 weights, whole on every GPU for `hf`, spread for the others.

    A reward model has a value head; where its worker has no engine to name, FSDP streams its weights from host memory.
    """
    rows = values.count(extra.sequences_per_pass, f"{label}.sequences_per_pass", needed=False) or 1
    tp, pp = (values.count(getattr(extra, key), f"{label}.{key}", needed=False) or 1 for key in ("tp", "pp"))
    sized = extra.engine == "megatron"
    alone = extra.engine in ("hf", "hf_infer")
    return Training(
        architecture=model.architecture,
        implementation=MEGATRON[-1] if sized else GENERIC[-1],
        gpus=gpus,
        tokens=rows * (longest + answer_tokens_text(extra)),
        shard=pp if alone else gpus,
        backend="megatron" if sized else "fsdp",
        trains=False,
        value_head=extra.role == "reward",
        master_bytes=2,
        offload_parameters=extra.engine is None,
        megatron=MegatronSizes(tp=tp, pp=pp, etp=tp) if sized else MegatronSizes(),
    )


def scoring(job: Training, answer: int = 0) -> list[Term]:
    """One forward; a judge that writes its `answer` keeps keys and values of all tokens meanwhile, and one row of logits."""
    if job.backend == "megatron":
        return megatron.scoring(job)
    if not answer:
        return [t for t in trainer.scoring(job) if job.ways > 1 or t.part != "unsharded"]
    each = cached(job)
    kv_cache = term(
        "kv_cache", "cached keys and values", each * job.tokens, f"{grouped(each)} B × {grouped(job.tokens)} tokens"
    )
    return [*(t for t in trainer.scoring(job) if t.part not in ("unsharded", "logits")), kv_cache]


def cached(job: Training) -> int:
    """Bytes that one token leaves in the caches of all layers [B]."""
    from rftconf.budget.terms.kv_cache import CacheShape, token_bytes

    return token_bytes(CacheShape(job.architecture))


def resident(job: Training) -> list[Term]:
    """The weights that a scoring role keeps on the GPU between its turns."""
    if job.backend == "megatron":
        return [t for t in megatron.states(job, job.megatron.pp - 1) if t.part == "weights"]
    return sharding.weights(job)


def answer_tokens_text(extra: Auxiliary) -> int:
    """Tokens of an answer in words."""
    return extra.response_max_tokens if extra.role == "judge" and isinstance(extra.response_max_tokens, int) else 0
