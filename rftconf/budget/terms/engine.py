"""A rollout engine (vLLM, SGLang) on one GPU: weights, profiled activations, graphs, KV cache; awake and asleep."""

from __future__ import annotations

from rftconf.base.record import record
from rftconf.budget.facts.architecture import Architecture, Dense, Experts
from rftconf.budget.facts.gpus import Gpu
from rftconf.budget.terms.kv_cache import CacheShape, block_bytes, blocks, concurrency
from rftconf.budget.terms.term import Term, grouped, term, total

GIB = 1 << 30
GRAPHS = 600 << 20
"""CUDA graphs of all capture sizes; vLLM logs 0.4 to 0.8 GiB for models of 7B to 70B."""
NCCL = 300 << 20
"""Buffers of a communicator with other GPUs (channels × rings × 4 MiB)."""
CONTEXT = 500 << 20
"""A CUDA context with its modules loaded, per process."""
RESIDUE = {1: 0.77, 2: 2.4, 4: 4.0, 8: 7.0}
"""GiB that a sleeping engine keeps, by TP: measured 0.77 at TP1, 2.4 to 7.4 at TP2, 7.0 at TP8."""


@record
class Engine:
    """One engine replica as a GPU sees it; lengths in tokens, `fraction` is the share of the GPU it may use.

    `cache_bytes` per cached number, 0 for those of the weights.
    """

    architecture: Architecture
    tp: int = 1
    pp: int = 1
    ep: int = 1
    dp: int = 1
    name: str = "vllm"
    fraction: float = 0.9
    dtype_bytes: int = 2
    max_model_tokens: int = 4096
    max_batched_tokens: int = 8192
    max_num_seqs: int = 256
    eager: bool = False
    sleeps: bool = False
    cache_bytes: int = 0
    block_tokens: int = 16
    prefix_cache: bool = True

    @property
    def gpus(self) -> int:
        """GPUs of one replica."""
        return self.tp * self.pp * self.dp

    @property
    def shape(self) -> CacheShape:
        """Return the sizes that the arithmetic of the KV cache takes."""
        return CacheShape(
            self.architecture,
            self.tp,
            self.pp,
            block_tokens=1 if self.name == "sglang" else self.block_tokens,
            dtype_bytes=self.cache_bytes or self.dtype_bytes,
            max_model_tokens=self.max_model_tokens,
            max_batched_tokens=self.max_batched_tokens,
            steps_in_flight=self.pp,
            prefix_cache=self.prefix_cache,
        )


def weights(engine: Engine) -> Term:
    """Weights of one GPU: TP divides all but norms, PP the layers, EP x DP spreads experts; TP pads the vocabulary."""
    arch = engine.architecture
    experts = sum(
        g.count * g.feed_forward.count * Dense(g.feed_forward.width).parameters(arch.hidden)
        for g in arch.layers
        if isinstance(g.feed_forward, Experts)
    )
    layers = arch.parameters - arch.outside
    ways = engine.tp * engine.dp if engine.ep > 1 else engine.tp
    inside = ((layers - experts) / engine.tp + experts / ways) / engine.pp
    outside = arch.embedding * (1 if arch.tied or engine.pp > 1 else 2) + arch.extra
    formula = (
        f"{engine.dtype_bytes} B × ({grouped(layers - experts)} / {engine.tp} TP"
        + (f" + {grouped(experts)} in experts / {ways}" if experts else "")
        + (f") / {engine.pp} PP" if engine.pp > 1 else ")")
        + f" + {engine.dtype_bytes} B × {grouped(outside)} outside / {engine.tp} TP"
    )
    return term("weights", "engine weights", engine.dtype_bytes * (inside + outside / engine.tp), formula)


def profiled(engine: Engine) -> Term:
    """The largest forward: a full step's tokens through one layer, and fp32 logits of one row per sequence."""
    arch, tokens = engine.architecture, engine.max_batched_tokens
    inner = 0
    for group in arch.layers:
        feed = group.feed_forward
        width = 3 * feed.width if isinstance(feed, Dense) else feed.per_token * (3 * feed.width + 2 * arch.hidden)
        inner = max(inner, width // engine.tp)
    layer = 2 * tokens * (4 * arch.hidden + inner)
    rows = min(engine.max_num_seqs, tokens)
    sampled = rows * arch.vocabulary * 10
    formula = (
        f"max(2 B × {grouped(tokens)} tokens × (4 × {arch.hidden} + {inner}), "
        f"10 B × {rows} sequences × {grouped(arch.vocabulary)} entries)"
    )
    return term("activations", "profiled forward", max(layer, sampled), formula)


def graphs(engine: Engine) -> Term:
    """CUDA graphs, captured after the cache is allocated and so on top of the share."""
    if engine.eager:
        return term("residue", "CUDA graphs", 0, "0 B; enforce_eager: none are captured")
    return term("residue", "CUDA graphs", GRAPHS, f"{GRAPHS >> 20} MiB; all capture sizes")


def communicators(engine: Engine) -> Term:
    """Buffers between the GPUs of a replica."""
    pairs = 0 if engine.gpus == 1 else 1
    return term("context", "engine NCCL", pairs * NCCL, f"{pairs} × {NCCL >> 20} MiB")


def available(engine: Engine, gpu: Gpu) -> int:
    """Bytes left for the KV cache of one GPU: share x total, less weights, profiled forward and what is not PyTorch's.

    SGLang's share (`mem_fraction_static`) is of weights and cache alone.
    """
    if engine.name == "sglang":
        return int(engine.fraction * gpu.usable) - weights(engine).size
    used = [weights(engine), profiled(engine), communicators(engine)]
    return int(engine.fraction * gpu.usable) - total(used) - CONTEXT


def awake(engine: Engine, gpu: Gpu) -> list[Term]:
    """The engine generating."""
    room = available(engine, gpu)
    shape = engine.shape
    count = blocks(shape, room)
    each = block_bytes(shape)
    return [
        weights(engine),
        profiled(engine),
        term("kv_cache", "KV cache", count * each, f"{grouped(count)} blocks × {grouped(each)} B"),
        graphs(engine),
        communicators(engine),
        term("context", "engine's CUDA context", CONTEXT, f"{CONTEXT >> 20} MiB"),
    ]


def asleep(engine: Engine) -> list[Term]:
    """Memory left on the GPU while a trainer works there: graphs, buffers and context; all of it without sleep mode."""
    known = max(size for size in RESIDUE if size <= engine.tp)
    size = int(RESIDUE[known] * GIB)
    return [term("residue", "sleeping engine", size, f"{RESIDUE[known]} GiB; measured at TP{known}")]


def requests_at_once(engine: Engine, gpu: Gpu) -> float:
    """Full-length requests that one replica's cache holds."""
    return concurrency(engine.shape, available(engine, gpu))
