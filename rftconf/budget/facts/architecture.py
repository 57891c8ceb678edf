"""A decoder's parts and equations give its number of parameters; nothing here knows a file or a GPU."""

from __future__ import annotations

from typing import Literal

from rftconf.base.record import record


@record
class Attention:
    """Softmax attention with grouped key/value heads.

    `norm` is where queries and keys are normalised: per head (Qwen3), over the whole width (OLMo 2), or not at all.
    `window` is the sliding window [tokens], 0 for full attention. `gated` doubles the query projection (Qwen3-Next).
    """

    heads: int
    kv_heads: int
    head_dim: int
    qkv_bias: bool = False
    out_bias: bool = False
    norm: Literal["", "head", "width"] = ""
    gated: bool = False
    sinks: bool = False
    window: int = 0

    @property
    def query(self) -> int:
        """Width of the queries."""
        return self.heads * self.head_dim

    @property
    def key(self) -> int:
        """Width of the keys, which is that of the values too."""
        return self.kv_heads * self.head_dim

    def parameters(self, hidden: int) -> int:
        """Weights, biases and norms of one layer's attention."""
        inner = self.query * (2 if self.gated else 1) + 2 * self.key
        norms = {"": 0, "head": 2 * self.head_dim, "width": self.query + self.key}[self.norm]
        biases = (inner if self.qkv_bias else 0) + (hidden if self.out_bias else 0)
        return hidden * inner + self.query * hidden + biases + norms + (self.heads if self.sinks else 0)

    def cached_values(self) -> int:
        """Numbers that one token leaves in the KV cache of one layer, over all tensor parallel ranks."""
        return 2 * self.key


@record
class LatentAttention:
    """Multi-head latent attention (DeepSeek V2): keys and values from one small latent vector.

    `query_rank` 0 means that queries are projected directly. `indexer` counts a sparse indexer's parameters.
    """

    heads: int
    query_rank: int
    kv_rank: int
    nope_dim: int
    rope_dim: int
    value_dim: int
    indexer: int = 0
    window: int = 0

    @property
    def query(self) -> int:
        """Width of the queries."""
        return self.heads * (self.nope_dim + self.rope_dim)

    @property
    def key(self) -> int:
        """Width of the expanded keys; the values are `heads * value_dim` wide."""
        return self.query

    def parameters(self, hidden: int) -> int:
        """Weights and norms of one layer's attention."""
        rank = self.query_rank
        queries = hidden * rank + rank + rank * self.query if rank else hidden * self.query
        latent = hidden * (self.kv_rank + self.rope_dim) + self.kv_rank
        expand = self.kv_rank * self.heads * (self.nope_dim + self.value_dim)
        return queries + latent + expand + self.heads * self.value_dim * hidden + self.indexer

    def cached_values(self) -> int:
        """The latent vector and the rotary key; every tensor parallel rank keeps all of it."""
        return self.kv_rank + self.rope_dim


@record
class LinearAttention:
    """Gated DeltaNet (Qwen3-Next, Qwen3.5): a state of fixed size instead of keys and values per token.

    `state_bytes` per number of the recurrent state; 0 means the engine's cache type.
    """

    key_heads: int
    value_heads: int
    key_dim: int
    value_dim: int
    kernel: int
    state_bytes: int = 0
    window: int = 0

    @property
    def query(self) -> int:
        """Width of the values, the widest of what flows through."""
        return self.value_heads * self.value_dim

    @property
    def key(self) -> int:
        """Width of the keys."""
        return self.key_heads * self.key_dim

    def parameters(self, hidden: int) -> int:
        """Projections (query, key, value, gate; two per head), convolution, decay, norm, output."""
        conv = (2 * self.key + self.query) * self.kernel
        inputs = hidden * (2 * self.key + 2 * self.query + 2 * self.value_heads)
        return inputs + conv + 2 * self.value_heads + self.value_dim + self.query * hidden

    def cached_values(self) -> int:
        """Nothing grows with the number of tokens."""
        return 0

    def state(self, tp: int, each: int) -> int:
        """Bytes of one request's state on one of `tp` GPUs: the convolution's last inputs, and a matrix per head."""
        convolved = (2 * self.key + self.query) // tp * (self.kernel - 1)
        return each * convolved + (self.state_bytes or each) * (self.value_heads // tp) * self.value_dim * self.key_dim


@record
class Dense:
    """A feed-forward block; `gated` ones have three matrices."""

    width: int
    gated: bool = True
    bias: bool = False

    def parameters(self, hidden: int) -> int:
        """Weights and biases."""
        matrices = 3 if self.gated else 2
        return matrices * hidden * self.width + (((matrices - 1) * self.width + hidden) if self.bias else 0)

    def active(self, hidden: int) -> int:
        """All of it works on every token."""
        return self.parameters(hidden)


@record
class Experts:
    """A mixture of experts: `per_token` of `count` experts of `width`, and `shared` width that every token passes.

    `router_bias` is a learned or balancing bias per expert; `shared_gate` a gate on the shared expert (Qwen2-MoE).
    """

    count: int
    per_token: int
    width: int
    shared: int = 0
    shared_gate: bool = False
    router_bias: bool = False
    bias: bool = False

    def _common(self, hidden: int) -> int:
        router = hidden * self.count + (self.count if self.router_bias else 0)
        return router + 3 * hidden * self.shared + (hidden if self.shared_gate else 0)

    def parameters(self, hidden: int) -> int:
        """Router, shared part and all experts."""
        return self._common(hidden) + self.count * Dense(self.width, bias=self.bias).parameters(hidden)

    def active(self, hidden: int) -> int:
        """Router, shared part and the experts that one token visits."""
        return self._common(hidden) + self.per_token * Dense(self.width, bias=self.bias).parameters(hidden)


Mixer = Attention | LatentAttention | LinearAttention
FeedForward = Dense | Experts


@record
class Layers:
    """`count` equal layers. `norms` counts vectors of the hidden size (a LayerNorm with bias counts two)."""

    count: int
    mixer: Mixer
    feed_forward: FeedForward
    norms: int = 2

    def parameters(self, hidden: int) -> int:
        """Parameters of one such layer."""
        return self.mixer.parameters(hidden) + self.feed_forward.parameters(hidden) + self.norms * hidden


@record
class Architecture:
    """A decoder: embeddings, groups of equal layers, a final norm and a head that may share the embedding.

    `extra` counts parameters beside the decoder (vision tower), which training and serving hold as well; `draft` those
    of a multi-token-prediction layer that the checkpoint has and that neither loads.
    `family` is the model_type of its config.json. `capped` logits go through a tanh before the loss.
    """

    family: str
    hidden: int
    vocabulary: int
    layers: tuple[Layers, ...]
    tied: bool = False
    final_norms: int = 1
    max_tokens: int = 0
    extra: int = 0
    draft: int = 0
    capped: bool = False

    @property
    def depth(self) -> int:
        """Number of decoder layers."""
        return sum(group.count for group in self.layers)

    @property
    def embedding(self) -> int:
        """Parameters of one embedding (or head) matrix."""
        return self.vocabulary * self.hidden

    @property
    def outside(self) -> int:
        """Parameters outside the decoder layers."""
        return self.embedding * (1 if self.tied else 2) + self.final_norms * self.hidden + self.extra

    @property
    def parameters(self) -> int:
        """All parameters, each tied matrix once."""
        return self.outside + sum(group.count * group.parameters(self.hidden) for group in self.layers)

    @property
    def active(self) -> int:
        """Parameters that work on one token."""
        idle = sum(
            group.count * (group.feed_forward.parameters(self.hidden) - group.feed_forward.active(self.hidden))
            for group in self.layers
        )
        return self.parameters - idle

    @property
    def largest(self) -> Layers:
        """The kind of layer with the most parameters."""
        return max(self.layers, key=lambda group: group.parameters(self.hidden))

    @property
    def heads(self) -> int:
        """Attention heads, the fewest of any kind of layer with softmax attention."""
        return min(group.mixer.heads for group in self.layers if not isinstance(group.mixer, LinearAttention))

    @property
    def kv_heads(self) -> int:
        """Key/value heads, the fewest of any kind of layer; a latent vector counts as one."""
        heads = [group.mixer.kv_heads for group in self.layers if isinstance(group.mixer, Attention)]
        return min(heads, default=1)

    @property
    def experts(self) -> int:
        """Experts of a mixture layer, 0 for a dense model."""
        return max((g.feed_forward.count for g in self.layers if isinstance(g.feed_forward, Experts)), default=0)
