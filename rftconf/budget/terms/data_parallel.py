"""Data parallelism without FSDP: each process holds the whole model (DDP), or DeepSpeed's ZeRO stage shards some of it.

What DeepSpeed keeps and when was read in deepspeed/runtime/zero (stage_1_and_2.py, stage3.py) and compared with peaks of
TRL's own trainer on an H100 (benches/trl_peaks.py).
"""

from __future__ import annotations

from dataclasses import replace

from rftconf.budget.terms import activations
from rftconf.budget.terms import fsdp_sharding as sharding
from rftconf.budget.terms import lm_head as head
from rftconf.budget.terms.fsdp_phases import workspace
from rftconf.budget.terms.term import Term, grouped, term, total
from rftconf.budget.terms.training_job import Training

BACK_ENDS = frozenset({"ddp", "zero"})
"""Back ends of a trainer that are accounted here."""
BUCKET = 500_000_000
"""Numbers that a reduction takes at once unless the config says (`reduce_bucket_size`)."""
LIVE = 1_000_000_000
"""Gathered parameters that stage 3 keeps at once unless the config says (`stage3_max_live_parameters`)."""
SUB_GROUP = 1_000_000_000
"""Parameters that stage 3 steps at once unless the config says (`sub_group_size`)."""
HALF, FULL, MOMENTS = 2, 4, 8
"""Bytes of a number that DeepSpeed computes in, of its copy for the optimizer, and of Adam's two moments for it."""


def _trained(job: Training) -> int:
    """Parameters that have gradients."""
    return sharding.adapter_parameters(job) * job.adapter.trained if job.adapter else sharding.base(job)


def _ways(job: Training, stage: int) -> int:
    """Over how many GPUs a state is spread that `stage` and those above it shard."""
    return job.gpus if job.backend == "zero" and job.zero_stage >= stage else 1


def weights(job: Training) -> list[Term]:
    """The weights of one GPU, and adapters."""
    count, ways, each = sharding.base(job), _ways(job, 3), job.master_bytes
    if job.offload_parameters:
        size, formula = 0.0, f"0 B; {each} B × {grouped(count)} / {ways} wait in host memory"
    else:
        size, formula = each * count / ways, f"{each} B × {grouped(count)} parameters / {ways} GPUs"
    terms = [term("weights", "weights", size, formula)]
    if job.adapter:
        own = sharding.adapter_parameters(job) * job.adapter.count
        terms.append(
            term("weights", "adapters", FULL * own, f"4 B × {grouped(own)} parameters; rank {job.adapter.rank}")
        )
    return terms


def optimizer(job: Training) -> Term:
    """Adam's moments in the parameters' type; under DeepSpeed in fp32, with an fp32 copy of the weights."""
    count, ways = _trained(job), _ways(job, 1)
    each = FULL + MOMENTS if job.backend == "zero" else MOMENTS if job.adapter else 2 * job.master_bytes
    name = "fp32 weights and Adam states" if job.backend == "zero" else "Adam states"
    if job.offload_optimizer:
        return term("optimizer", name, 0, f"0 B; {each} B × {grouped(count)} / {ways} wait in host memory")
    return term("optimizer", name, each * count / ways, f"{each} B × {grouped(count)} parameters / {ways} GPUs")


def buffers(job: Training) -> list[Term]:
    """The reduction of gradients keeps buffers for good: DDP a copy of all gradients, stage 3 one bucket."""
    count = _trained(job)
    if job.backend == "zero":
        size = min(BUCKET, count) if job.zero_stage == 3 else 0
        return [term("unsharded", "reduce bucket", HALF * size, f"2 B × {grouped(size)} numbers")] if size else []
    if job.gpus == 1:
        return []
    each = FULL if job.adapter else job.master_bytes
    return [term("gradients", "DDP's buckets", each * count, f"{each} B × {grouped(count)} parameters")]


def states(job: Training) -> list[Term]:
    """List all that stays between steps: no gradients, but those that stage 3 keeps room for."""
    terms = weights(job)
    if not job.trains:
        return terms
    room = [gradients(job)] if job.backend == "zero" and job.zero_stage == 3 else []
    return [*terms, optimizer(job), *room, *buffers(job)]


def gradients(job: Training) -> Term:
    """Gradients when backward is over: whole below stage 2."""
    count, ways = _trained(job), _ways(job, 2)
    each = HALF if job.backend == "zero" else FULL if job.adapter else job.master_bytes
    if job.offload_gradients:
        return term("gradients", "gradients", 0, f"0 B; {each} B × {grouped(count)} / {ways} wait in host memory")
    return term("gradients", "gradients", each * count / ways, f"{each} B × {grouped(count)} parameters / {ways} GPUs")


def _with_gradients(job: Training) -> list[Term]:
    terms = states(job)
    return terms if any(entry.name == "gradients" for entry in terms) else [*terms, gradients(job)]


def _before_backward(job: Training) -> list[Term]:
    """States, and gradients of earlier micro-batches."""
    return _with_gradients(job) if job.micro_batches > 1 else states(job)


def gathered(job: Training) -> list[Term]:
    """Weights in the type that they are computed in: stage 3's gathered ones, or the copies that autocast makes of fp32 ones."""
    inside, layer = sharding.base(job), sharding.largest_block(job)
    if job.backend == "zero":
        size = min(inside, LIVE) if job.zero_stage == 3 else 0
        return [term("unsharded", "gathered weights", HALF * size, f"2 B × {grouped(size)} parameters")] if size else []
    if job.master_bytes == HALF:
        return []
    count = layer if job.checkpointing or not job.trainable else inside
    return [term("unsharded", "autocast's copies", HALF * count, f"2 B × {grouped(count)} parameters")]


def at_loss(job: Training) -> list[Term]:
    """The end of forward and the start of backward."""
    saved = activations.checkpoints(job) if job.checkpointing else activations.saved_activations(job)
    parts = [saved, head.around(job), head.logits(job), head.hole(job), *_head_gradient(job), workspace()]
    return [*_before_backward(job), *gathered(job), *parts]


def _head_gradient(job: Training) -> list[Term]:
    """A head in tiles sums its gradient in fp32."""
    if job.implementation.head.full or not job.trainable:
        return []
    count = job.architecture.embedding
    return [term("unsharded", "head's gradient", FULL * count, f"4 B × {grouped(count)} parameters")]


def at_layer(job: Training, depth: int | None = None) -> list[Term]:
    """The backward of a layer; `depth` layers are left with it, and the gradients of the others are there."""
    saved = [activations.saved_activations(job, depth)]
    if job.checkpointing:
        saved = [activations.checkpoints(job, depth), activations.block(job)]
    before = _before_backward(job) if depth is None else _with_gradients(job)
    return [*before, *gathered(job), *saved, *_reducing(job), workspace()]


def _reducing(job: Training) -> list[Term]:
    """Gradients on their way: a layer's in the type that is computed in, or the bucket of a stage below 3."""
    if not job.trainable:
        return []
    if job.backend == "zero" and job.zero_stage in (1, 2):
        size = min(BUCKET, sharding.base(job))
        return [term("unsharded", "reduce bucket", HALF * size, f"2 B × {grouped(size)} numbers")]
    size = sharding.largest_block(job)
    return [term("unsharded", "one layer's gradients", HALF * size, f"2 B × {grouped(size)} parameters")]


def at_step(job: Training) -> list[Term]:
    """The optimizer's step: DeepSpeed makes fp32 gradients of its part, below stage 3 of a flat copy of them."""
    terms = _with_gradients(job)
    if job.backend == "zero" and not job.offload_optimizer:
        own = _trained(job) / _ways(job, 1)
        size = min(own, SUB_GROUP) if job.zero_stage == 3 else own
        terms.append(term("optimizer", "fp32 gradients", FULL * size, f"4 B × {grouped(size)} parameters"))
        if job.zero_stage in (1, 2):
            terms.append(term("optimizer", "flat gradients", HALF * own, f"2 B × {grouped(own)} parameters"))
        else:
            terms += gathered(job)
    return [*terms, workspace()]


def update(job: Training) -> tuple[str, list[Term]]:
    """The worst moment of an update and what it is called."""
    moments = {
        "loss": at_loss(job),
        "layer backward": at_layer(job),
        "first layers' backward": at_layer(job, min(2, job.architecture.depth)),
        "optimizer step": at_step(job),
    }
    return max(moments.items(), key=lambda moment: total(moment[1]))


def scoring(job: Training) -> list[Term]:
    """A forward for log-probabilities without gradients."""
    logits = head.logits(job, backward=False)
    return [*states(job), *gathered(replace(job, checkpointing=True)), activations.inference(job), logits, workspace()]


def generating(job: Training, tokens: int, token_bytes: int) -> list[Term]:
    """The trainer's own model writes answers: keys and values of all `tokens` [`token_bytes` each], weights as computed in."""
    each = grouped(token_bytes)
    cache = term("kv_cache", "keys and values", token_bytes * tokens, f"{each} B × {grouped(tokens)} tokens")
    count = sharding.base(job)
    terms = [*states(job), cache, workspace()]
    if job.zero_stage < 3 if job.backend == "zero" else job.master_bytes == HALF or not job.trainable:
        return terms  # the weights are whole, and of the type that is computed in
    return [*terms, term("unsharded", "weights to write with", HALF * count, f"2 B × {grouped(count)} parameters")]
