"""A training job is described as far as its memory needs: the inputs of every trainer formula."""

from __future__ import annotations

from dataclasses import field
from math import ceil

from rftconf.base.record import record
from rftconf.budget.facts.architecture import Architecture
from rftconf.budget.facts.implementations import Implementation


@record
class MegatronSizes:
    """Megatron's parallel sizes, and what it recomputes.

    `recompute_modules` count where `recompute` is selective; where it is full, `recompute_block` layers of a stage (None:
    all) are recomputed, in units of `recompute_unit`. `chunks` are the layers of each virtual stage where a layout says so.
    """

    tp: int = 1
    pp: int = 1
    vpp: int = 1
    cp: int = 1
    ep: int = 1
    etp: int = 1
    sequence_parallel: bool = True
    distributed_optimizer: bool = True
    recompute: str = "none"
    recompute_modules: frozenset[str] = frozenset()
    recompute_block: int | None = None
    recompute_unit: int = 1
    first_stage_layers: int | None = None
    last_stage_layers: int | None = None
    chunks: tuple[int, ...] = ()


@record
class Adapter:
    """Low-rank adapters: `count` of them are held, `trained` of those have optimizer states."""

    rank: int = 0
    count: int = 1
    trained: int = 1
    experts: bool = True


@record
class Training:
    """One role that trains or scores. Sizes in bytes per parameter; tokens are those of one micro-batch on one rank.

    `shard` is over how many GPUs parameters are spread, `replicas` how often that is repeated (HSDP).
    `tokens` counts before Ulysses divides them over `sp` GPUs; `sequences` is how many rows they are. `ep` is over how
    many GPUs FSDP's experts are spread before they are sharded: a layer is gathered with its share of them only.
    `zero_stage` counts under DeepSpeed. `stream_bytes` are those of a hidden state between layers, and `head_share` is the
    share of a sequence's tokens that the head sees.
    """

    architecture: Architecture
    implementation: Implementation
    gpus: int
    tokens: int
    micro_batches: int = 2
    shard: int = 0
    sp: int = 1
    ep: int = 1
    backend: str = "fsdp2"
    zero_stage: int = 3
    stream_bytes: int = 2
    head_share: float = 1.0
    trains: bool = True
    value_head: bool = False
    master_bytes: int = 4
    compute_bytes: int = 2
    reduce_bytes: int = 4
    adam_bytes: int = 8
    offload_parameters: bool = False
    offload_gradients: bool = False
    offload_optimizer: bool = False
    checkpointing: bool = True
    offload_activations: bool = False
    reshard_after_forward: bool = True
    entropy: bool = False
    fused_head: bool = False
    adapter: Adapter | None = None
    megatron: MegatronSizes = field(default_factory=MegatronSizes)

    @property
    def ways(self) -> int:
        """Over how many GPUs each parameter is spread."""
        return self.shard or self.gpus

    @property
    def local_tokens(self) -> int:
        """Tokens of a micro-batch that one GPU works on, rounded up."""
        return -(-self.tokens // self.sp)

    @property
    def head_tokens(self) -> int:
        """Tokens of a micro-batch that the head sees on one GPU, rounded up."""
        return ceil(self.local_tokens * self.head_share)

    @property
    def trainable(self) -> bool:
        """True when the base weights themselves get gradients."""
        return self.trains and self.adapter is None
