"""Forward keeps activations for backward; they are counted tensor by tensor, per token of a micro-batch on one GPU."""

from __future__ import annotations

from rftconf.budget.facts.architecture import Attention, Dense, Experts, LatentAttention, Layers
from rftconf.budget.terms.term import Term, grouped, term
from rftconf.budget.terms.training_job import Training

BF16, FP32 = 2, 4


def checkpoints(job: Training, depth: int | None = None) -> Term:
    """The input of every checkpointed layer: bytes x hidden x layers x tokens, or nothing when it waits in host memory."""
    hidden, layers, tokens = job.architecture.hidden, depth or job.architecture.depth, job.local_tokens
    if job.offload_activations:
        return term("activations", "checkpoints", 0, f"0 B; {layers} layers' inputs wait in host memory")
    each = job.stream_bytes
    size = each * hidden * layers * tokens
    return term(
        "activations", "checkpoints", size, f"{each} B × {hidden} hidden × {layers} layers × {grouped(tokens)} tokens"
    )


def block(job: Training) -> Term:
    """One layer between its recomputation and its backward: all it saves, and the gradients of its feed-forward part."""
    worst = max(job.architecture.layers, key=lambda layers: _saved(job, layers) + _gradients(job, layers))
    saved, gradients = _saved(job, worst), _gradients(job, worst)
    tokens = job.local_tokens
    formula = f"({grouped(saved)} B saved + {grouped(gradients)} B of gradients) × {grouped(tokens)} tokens; one layer"
    return term("activations", "recomputed layer", (saved + gradients) * tokens, formula)


def kept_by(job: Training, layers: Layers) -> int:
    """Bytes per token that wait without checkpointing; a mixture layer also keeps its tokens as they are dispatched."""
    feed = layers.feed_forward
    dispatched = BF16 * feed.per_token * job.architecture.hidden if isinstance(feed, Experts) else 0
    return _saved(job, layers) + dispatched - dropped(job, layers)


def dropped(job: Training, layers: Layers) -> int:
    """Bytes per token that Megatron's selective recomputation gives back, module by module.

    `core_attn` gives nothing back: fused attention keeps no scores.
    """
    m, feed = job.megatron, layers.feed_forward
    if job.backend != "megatron" or m.recompute != "selective":
        return 0
    saved = 2 * BF16 * job.architecture.hidden if "layernorm" in m.recompute_modules else 0
    if isinstance(layers.mixer, LatentAttention) and "mla_up_proj" in m.recompute_modules:
        saved += BF16 * (layers.mixer.query + layers.mixer.key + layers.mixer.heads * layers.mixer.value_dim)
    if isinstance(feed, Dense):
        return saved + (_feed_forward(layers) if "mlp" in m.recompute_modules else 0)
    if "moe" in m.recompute_modules:
        return saved + _feed_forward(layers) + BF16 * feed.per_token * job.architecture.hidden
    saved += BF16 * 2 * feed.per_token * feed.width if "moe_act" in m.recompute_modules else 0
    return saved + (BF16 * 4 * feed.shared if "shared_experts" in m.recompute_modules else 0)


def again(job: Training) -> Term:
    """Activations that selective recomputation brings back for the one layer whose backward runs."""
    most = max(dropped(job, layers) for layers in job.architecture.layers)
    tokens, m = job.local_tokens, job.megatron
    formula = f"{grouped(most)} B × {grouped(tokens)} tokens / {m.cp} CP / {m.tp} TP; one layer"
    return term("activations", "recomputed modules", most * tokens / m.cp / m.tp, formula)


def saved_activations(job: Training, depth: int | None = None) -> Term:
    """Without checkpointing every layer's saved tensors wait, or those of the `depth` layers that backward has left."""
    tokens, arch = job.local_tokens, job.architecture
    saved = sum(layers.count * kept_by(job, layers) for layers in arch.layers) * (depth or arch.depth) // arch.depth
    return term("activations", "saved by all layers", saved * tokens, f"{grouped(saved)} B × {grouped(tokens)} tokens")


def inference(job: Training) -> Term:
    """A forward without gradients keeps one layer's temporaries: its input, output and the widest inner tensors."""
    arch, tokens = job.architecture, job.local_tokens
    inner = max(_widest(layers) for layers in arch.layers)
    per_token = BF16 * (3 * arch.hidden + inner)
    formula = f"2 B × (3 × {arch.hidden} + {inner}) × {grouped(tokens)} tokens"
    return term("activations", "one layer's temporaries", per_token * tokens, formula)


def _widest(layers: Layers) -> int:
    feed = layers.feed_forward
    width = 3 * feed.width if isinstance(feed, Dense) else feed.per_token * 3 * feed.width + 3 * feed.shared
    return max(width, 2 * layers.mixer.query + 2 * layers.mixer.key)


def _saved(job: Training, layers: Layers) -> int:
    """Bytes per token that the layer saves for its backward."""
    return _norms(job) + _mixer(job, layers) + _feed_forward(layers)


def _norms(job: Training) -> int:
    """Two norms of the hidden size, and the sum between them.

    Eager: the fp32 copy 4, the normalised value 2 (only when the norm's weight is trained), the result 2. Hidden states in
    fp32 need no copy; the normalised value is fp32 then, and the result is cast for what follows.
    """
    eager, stream = job.implementation.norms == "eager", job.stream_bytes
    copied = FP32 if stream == BF16 else 0
    each = copied + (stream if job.trainable else 0) + BF16 if eager else BF16
    return (2 * each + stream) * job.architecture.hidden


def _mixer(job: Training, layers: Layers) -> int:
    """Queries, keys and values as attention gets them, its output, and what norms of queries and keys keep."""
    mixer = layers.mixer
    if isinstance(mixer, LatentAttention):
        values = mixer.heads * mixer.value_dim
        latent = 2 * (mixer.query_rank + mixer.kv_rank) + mixer.rope_dim
        return BF16 * (mixer.query + mixer.key + 2 * values + latent)
    if not isinstance(mixer, Attention):
        # query, key, value and gate before and after the convolution, and the output before and after its norm
        return BF16 * (2 * (2 * mixer.key + 2 * mixer.query) + 2 * mixer.query)
    # Ulysses repeats key/value heads until every rank has one
    repeated = max(job.sp // mixer.kv_heads, 1) if job.backend != "megatron" else 1
    core = BF16 * (2 * mixer.query + 2 * mixer.key * repeated) + (BF16 * mixer.query if mixer.gated else 0)
    if not mixer.norm:
        return core
    eager = job.implementation.norms == "eager"
    each = FP32 + (BF16 if job.trainable else 0) if eager else BF16
    return core + each * (mixer.query + mixer.key)


def _feed_forward(layers: Layers) -> int:
    """Gate, its activation, up and their product; routed tokens pass once per expert they visit."""
    feed = layers.feed_forward
    if isinstance(feed, Dense):
        return BF16 * feed.width * (4 if feed.gated else 2)
    return BF16 * 4 * (feed.per_token * feed.width + feed.shared)


def _gradients(job: Training, layers: Layers) -> int:
    """Gradients alive with all of that: of the layer's output and of the feed-forward part's inner tensors."""
    hidden, feed = job.architecture.hidden, layers.feed_forward
    if isinstance(feed, Dense):
        return BF16 * (hidden + feed.width * (3 if feed.gated else 2))
    return BF16 * hidden + _routed(job, feed)


def _routed(job: Training, feed: Experts) -> int:
    """Copies of routed hidden states, saved ones and gradients (`Implementation.routed`); an adapter adds its output."""
    hidden = job.architecture.hidden
    copies = job.implementation.routed + (1 if job.adapter else 0)
    inner = feed.width if job.adapter else 0
    return BF16 * feed.per_token * (copies * hidden + inner)
