"""FSDP, both of them: what each GPU keeps of parameters, gradients and optimizer, and what is gathered for a while.

Memory is *reserved* per stream: PyTorch's allocator does not hand memory from one stream to another, and FSDP2 gathers
and reduces on streams of its own. So the largest gathered and the largest reduced group are added, whenever they occur.
"""

from __future__ import annotations

from dataclasses import replace

from rftconf.budget.facts.architecture import Attention, Dense, Experts, LatentAttention, Layers, LinearAttention
from rftconf.budget.terms.term import Term, grouped, term
from rftconf.budget.terms.training_job import Training


def base(job: Training) -> int:
    """Parameters of the model; a value head replaces the language model's."""
    arch = job.architecture
    return arch.parameters - (arch.embedding if job.value_head and not arch.tied else 0)


def adapter_parameters(job: Training) -> int:
    """Parameters of one adapter on every linear layer: rank x (inputs + outputs)."""
    if job.adapter is None:
        return 0
    arch, rank = job.architecture, job.adapter.rank
    return sum(layers.count * rank * _adapted(job, layers.mixer, layers.feed_forward) for layers in arch.layers)


def _adapted(job: Training, mixer: object, feed: object) -> int:
    hidden = job.architecture.hidden
    width = 0
    if isinstance(mixer, Attention):
        width = (hidden + mixer.query) + 2 * (hidden + mixer.key) + (mixer.query + hidden)
    elif isinstance(mixer, LatentAttention):
        rank = mixer.query_rank or hidden
        out = mixer.heads * mixer.value_dim
        width = (rank + mixer.query) + (hidden + mixer.kv_rank) + (mixer.kv_rank + mixer.key + out) + (out + hidden)
    elif isinstance(mixer, LinearAttention):
        width = (hidden + 2 * mixer.key + 2 * mixer.query) + (mixer.query + hidden)
    if isinstance(feed, Experts):
        inside = feed.count * feed.width if job.adapter and job.adapter.experts else 0
        times = feed.count if inside else 0
        return width + 3 * (hidden * times + inside) + (3 * (hidden + feed.shared) if feed.shared else 0)
    return width + 3 * (hidden + getattr(feed, "width", 0))


def weights(job: Training) -> list[Term]:
    """The sharded weights, and adapters where there are any."""
    count, ways, each = base(job), job.ways, job.master_bytes
    if job.offload_parameters:
        terms = [term("weights", "weights", 0, f"0 B; {each} B × {grouped(count)} / {ways} wait in host memory")]
    else:
        terms = [
            term("weights", "weights", each * count / ways, f"{each} B × {grouped(count)} parameters / {ways} GPUs")
        ]
    if job.adapter:
        own, adapter_count = adapter_parameters(job), job.adapter.count
        formula = f"4 B × {adapter_count} × {grouped(own)} parameters / {ways} GPUs; rank {job.adapter.rank}"
        terms.append(term("weights", "adapters", 4 * adapter_count * own / ways, formula))
    return terms


def gradients(job: Training) -> Term:
    """Reduced gradients, sharded; they wait while further micro-batches run."""
    if job.adapter:
        count, what = adapter_parameters(job) * job.adapter.count, "adapter parameters"
    else:
        count, what = base(job), "parameters"
    each, ways = job.master_bytes if not job.adapter else 4, job.ways
    if job.offload_gradients:
        return term("gradients", "gradients", 0, f"0 B; {each} B × {grouped(count)} / {ways} wait in host memory")
    return term("gradients", "gradients", each * count / ways, f"{each} B × {grouped(count)} {what} / {ways} GPUs")


def optimizer(job: Training, *, stepping: bool = False) -> Term:
    """Adam's two moments; offloaded ones are back for the step, unless the weights are not: then the CPU takes it."""
    count = adapter_parameters(job) * job.adapter.trained if job.adapter else base(job)
    each, ways = job.adam_bytes, job.ways
    if job.offload_optimizer and (job.offload_parameters or not stepping):
        return term("optimizer", "Adam states", 0, f"0 B; {each} B × {grouped(count)} / {ways} wait in host memory")
    return term("optimizer", "Adam states", each * count / ways, f"{each} B × {grouped(count)} / {ways} GPUs")


def step_temporary(job: Training) -> Term:
    """A foreach Adam takes the root of all second moments at once: one more fp32 copy of what it updates."""
    count = adapter_parameters(job) * job.adapter.trained if job.adapter else base(job)
    if not job.implementation.foreach:
        return term("optimizer", "step temporaries", 0, "0 B; the optimizer is fused")
    if job.offload_optimizer and job.offload_parameters:
        return term("optimizer", "step temporaries", 0, "0 B; the optimizer works in host memory")
    half, ways = job.adam_bytes // 2, job.ways
    return term("optimizer", "step temporaries", half * count / ways, f"{half} B × {grouped(count)} / {ways} GPUs")


def largest_block(job: Training) -> int:
    """Parameters of the largest layer, which is gathered as a whole: of its experts, those of one expert-parallel GPU."""
    arch = job.architecture
    return max(group.parameters(arch.hidden) - _expert_parameters_of_other_gpus(job, group) for group in arch.layers)


def _expert_parameters_of_other_gpus(job: Training, group: Layers) -> int:
    """Parameters of a layer's experts that other expert-parallel GPUs gather."""
    feed = group.feed_forward
    if job.ep == 1 or not isinstance(feed, Experts):
        return 0
    each = Dense(feed.width, bias=feed.bias).parameters(job.architecture.hidden)
    return each * (feed.count - -(-feed.count // job.ep))


def _all_layers(job: Training) -> int:
    """Parameters of all layers as one GPU gathers them."""
    arch = job.architecture
    return (
        arch.parameters
        - arch.outside
        - sum(group.count * _expert_parameters_of_other_gpus(job, group) for group in arch.layers)
    )


def largest_tensor(job: Training) -> int:
    """Parameters of the largest tensor, as weights are handed on: the embedding, gate and up of a layer, or its experts.

    FSDP gathers a layer's experts as one tensor, Megatron one expert's matrices from all expert-parallel GPUs.
    """
    arch, largest = job.architecture, job.architecture.embedding
    for group in arch.layers:
        feed = group.feed_forward
        own = -(-feed.count // job.ep) if isinstance(feed, Experts) else 1
        copies = (job.megatron.ep if job.backend == "megatron" else own) if isinstance(feed, Experts) else 1
        largest = max(largest, 2 * arch.hidden * feed.width * copies)
    return largest


def head_group(job: Training) -> int:
    """Parameters of the head with the final norm; a tied embedding is the same matrix."""
    return job.architecture.embedding + job.architecture.hidden


def outer_group(job: Training) -> int:
    """Parameters of the outermost group, which stays gathered: FSDP1 has embedding and head in one flat parameter."""
    arch = job.architecture
    return arch.outside - arch.extra if job.backend == "fsdp" else head_group(job)


def gathered(job: Training, *, backward: bool = False) -> list[Term]:
    """Layers gathered in the compute type: the one at work and the one that is fetched meanwhile; and the head.

    Layers that are not resharded after forward all stay; in `backward` the one at work is freed before its gradients go.
    """
    arch, each = job.architecture, job.compute_bytes
    terms: list[Term] = []
    if not job.reshard_after_forward:
        inside = _all_layers(job) - (largest_block(job) if backward else 0)
        terms.append(term("unsharded", "all layers", each * inside, f"{each} B × {grouped(inside)}; not resharded"))
    else:
        size = largest_block(job)
        terms.append(term("unsharded", "two layers", 2 * each * size, f"2 × {each} B × {grouped(size)} parameters"))
    group = outer_group(job)
    if not job.value_head or arch.tied:
        terms.append(term("unsharded", "outermost group", each * group, f"{each} B × {grouped(group)} parameters"))
    return terms


def copied_out(job: Training) -> list[Term]:
    """The start of forward: the outermost group beside the buffer that it was gathered in, and the first layer's."""
    each, group, size = job.compute_bytes, outer_group(job), largest_block(job)
    return [
        term(
            "unsharded",
            "outermost group and its buffer",
            2 * each * group,
            f"2 × {each} B × {grouped(group)} parameters",
        ),
        term("unsharded", "first layer", each * size, f"{each} B × {grouped(size)} parameters"),
    ]


def reducing(job: Training) -> list[Term]:
    """Gradients on their way: of the head and of one layer in the compute type, and that layer's in the reduce type."""
    if not job.trainable:
        return _reducing_adapters(job)
    each, wide, size, group = job.compute_bytes, job.reduce_bytes, largest_block(job), head_group(job)
    return [
        term("unsharded", "head's gradient", each * group, f"{each} B × {grouped(group)}"),
        term("unsharded", "one layer's gradients", each * size, f"{each} B × {grouped(size)}"),
        term("unsharded", "the same to be reduced", wide * size, f"{wide} B × {grouped(size)}"),
        reduced(job),
    ]


def done(job: Training, remaining: int) -> int:
    """Parameters of the layers that backward has left behind when it comes to the last `remaining` ones."""
    arch = job.architecture
    inside = arch.parameters - arch.outside
    return inside - inside * min(remaining, arch.depth) // arch.depth


def first_gradients(job: Training, remaining: int) -> Term:
    """Gradients that the first micro-batch of an update has reduced so far; the outermost group's come last."""
    count, each = (done(job, remaining) if job.trainable else 0), job.master_bytes
    if job.offload_gradients:
        return term(
            "gradients", "gradients so far", 0, f"0 B; {each} B × {grouped(count)} / {job.ways} wait in host memory"
        )
    return term(
        "gradients", "gradients so far", each * count / job.ways, f"{each} B × {grouped(count)} / {job.ways} GPUs"
    )


def averaged(job: Training, remaining: int) -> list[Term]:
    """FSDP2 keeps every layer's reduced gradients until the end of backward where they are averaged over replicas."""
    if job.ways >= job.gpus or job.backend != "fsdp2" or not job.trainable or job.micro_batches == 1:
        return []
    count, each = done(job, remaining), job.reduce_bytes
    formula = f"{each} B × {grouped(count)} / {job.ways} GPUs; averaged over {job.gpus // job.ways} replicas"
    return [term("unsharded", "reduced, to be averaged", each * count / job.ways, formula)]


def reduced(job: Training) -> Term:
    """The largest reduced group, on a stream whose memory nothing else can use."""
    if not job.trainable:
        return term("unsharded", "largest reduced group", 0, "0 B; base weights have no gradients")
    wide, ways, group = job.reduce_bytes, job.ways, max(outer_group(job), largest_block(job))
    return term("unsharded", "largest reduced group", wide * group / ways, f"{wide} B × {grouped(group)} / {ways} GPUs")


def reducing_outer(job: Training) -> list[Term]:
    """The end of backward: the outermost group's gradients in the compute type, and the same to be reduced.

    FSDP2 has an embedding of its own, where it is not the head too: it is reduced while head and gradient still wait.
    """
    each, wide, group = job.compute_bytes, job.reduce_bytes, outer_group(job)
    moving = [
        term("unsharded", "outermost gradients", each * group, f"{each} B × {grouped(group)}"),
        term("unsharded", "the same to be reduced", wide * group, f"{wide} B × {grouped(group)}"),
        *averaged(job, 0),
    ]
    if job.backend == "fsdp" or job.architecture.tied or job.value_head:
        return [*moving, reduced(job)]
    head = head_group(job)
    return [
        term("unsharded", "head, still gathered", each * head, f"{each} B × {grouped(head)} parameters"),
        term("unsharded", "head's gradient", each * head, f"{each} B × {grouped(head)}"),
        *moving,
        replace(reduced(job), name="reduced embedding"),
    ]


def _reducing_adapters(job: Training) -> list[Term]:
    if not job.trains or job.adapter is None:
        return []
    size = adapter_parameters(job) * job.adapter.count / job.architecture.depth
    each = 2 * job.compute_bytes + job.compute_bytes + job.reduce_bytes
    return [term("unsharded", "one layer's adapters", each * size, f"{each} B × {grouped(size)}; gathered and reduced")]
