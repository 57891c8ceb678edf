"""vLLM's arithmetic of KV blocks and of how many full-length requests fit (v1/core/kv_cache_utils.py, 0.32)."""

from __future__ import annotations

from rftconf.base.record import record
from rftconf.budget.facts.architecture import Architecture, Attention, LatentAttention, LinearAttention

STATE = -1
"""The window of a kind of layer that keeps a state of fixed size instead of keys and values."""
ALIGNED = 16
"""The smallest block that attention kernels take [tokens]."""


@record
class CacheShape:
    """The layout of an engine's cache. `dtype_bytes` per cached number, `max_batched_tokens` scheduled in one step.

    `prefix_cache` makes recurrent layers keep one state more per request: the last one that a prefix may start from.
    """

    architecture: Architecture
    tp: int = 1
    pp: int = 1
    block_tokens: int = 16
    dtype_bytes: int = 2
    max_model_tokens: int = 4096
    max_batched_tokens: int = 8192
    steps_in_flight: int = 1
    prefix_cache: bool = True

    @property
    def depth(self) -> int:
        """Layers with a cache of the fullest pipeline stage (`get_pp_indices`: what is left over goes to the middle)."""
        cached = sum(g.count for g in self.architecture.layers if not isinstance(g.mixer, LinearAttention))
        return -(-cached // self.pp)

    @property
    def tokens(self) -> int:
        """Tokens of a block: as asked, or so many that the state of a recurrent layer fits into the same bytes."""
        state = max((m.state(self.tp, 2) for m in _mixers(self) if isinstance(m, LinearAttention)), default=0)
        each = token_bytes_of_layer(self)
        step = max(ALIGNED, self.block_tokens)
        return max(self.block_tokens, step * -(-state // (step * each))) if state and each else self.block_tokens


def _mixers(shape: CacheShape) -> tuple[object, ...]:
    return tuple(group.mixer for group in shape.architecture.layers)


def token_bytes_of_layer(shape: CacheShape) -> int:
    """Bytes of one token in one layer on one GPU: the widest of all kinds of layers.

    Key/value heads are divided by TP but never below one; a latent vector is whole on every GPU.
    """
    widest = 0
    for mixer in _mixers(shape):
        if isinstance(mixer, Attention):
            widest = max(widest, 2 * max(1, mixer.kv_heads // shape.tp) * mixer.head_dim)
        elif isinstance(mixer, LatentAttention):
            widest = max(widest, mixer.cached_values())
    return widest * shape.dtype_bytes


def page_bytes(shape: CacheShape) -> int:
    """Bytes of one block in one layer on one GPU."""
    return token_bytes_of_layer(shape) * shape.tokens


def token_bytes(shape: CacheShape) -> int:
    """Bytes of one token in all layers that cache it."""
    return sum(g.count for g in shape.architecture.layers if not isinstance(g.mixer, LinearAttention)) * (
        token_bytes_of_layer(shape)
    )


def groups(shape: CacheShape) -> tuple[int, tuple[tuple[int, int], ...]]:
    """Layers of a group, and per kind of layer its window (0: full attention, STATE: none) and its number of groups.

    All groups have equally many layers: as many as the rarest kind has, or the commonest where that is under 1.5 times.
    """
    counts: dict[int, int] = {}
    for group in shape.architecture.layers:
        kind = STATE if isinstance(group.mixer, LinearAttention) else group.mixer.window
        counts[kind] = counts.get(kind, 0) + group.count
    few, many = min(counts.values()), max(counts.values())
    size = many if many < 1.5 * few else few
    return size, tuple((window, -(-count // size)) for window, count in counts.items())


def block_bytes(shape: CacheShape) -> int:
    """Bytes of one block over the layers of a group; all groups draw from one pool of such blocks."""
    size, kinds = groups(shape)
    layers = shape.depth if len(kinds) == 1 and kinds[0][1] == 1 else -(-size // shape.pp)
    return layers * page_bytes(shape)


def blocks(shape: CacheShape, available: int) -> int:
    """Blocks that fit into `available` bytes of one GPU."""
    return max(available, 0) // block_bytes(shape)


def blocks_per_request(shape: CacheShape) -> int:
    """Blocks that a request of the greatest length holds at most.

    Sliding layers keep a window and what is in flight; recurrent ones a state, or two with a prefix cache.
    """
    needed = 0
    for window, number in groups(shape)[1]:
        tokens, extra = shape.max_model_tokens, 0
        if window == STATE:
            tokens, extra = 0, 2 if shape.prefix_cache else 1
        elif window:
            flight = shape.steps_in_flight * shape.max_batched_tokens
            tokens, extra = min(window - 1 + flight, shape.max_model_tokens), 1
        needed += number * (-(-tokens // shape.tokens) + extra)
    return needed


def concurrency(shape: CacheShape, available: int) -> float:
    """Requests of the greatest length that fit at once; below 1 the engine refuses to start."""
    return blocks(shape, available) / blocks_per_request(shape)


def smallest(shape: CacheShape) -> int:
    """Bytes below which not one full-length request fits; one more block is the pool's own."""
    return (blocks_per_request(shape) + 1) * block_bytes(shape)
