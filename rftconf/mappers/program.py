"""A new config of a framework needs this beside the recipe; its profile has the entry."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from rftconf.base.ledger import Decision


@dataclass(frozen=True, slots=True)
class Program:
    """`rftconf new` starts a run in one framework so.

    `by_tokens`: micro-batches are filled up to a number of tokens. `rollouts`: the length of a run, with its source,
    where the framework counts no epochs. `parks`: what may wait in host memory, nothing first and what saves most memory
    last. `sequence_gpus`: over how many GPUs a trainer may spread a sequence that is too long for fewer. `zero_stages`: what
    DeepSpeed may shard, least first; no stage but the last has anything wait. `bounds_context`: no prompt is cut or left out, so
    that the engines' context alone bounds a sequence. `values` are what its own examples add. `opens_evaluation`: it opens
    evaluation files even where it evaluates nothing.
    """

    backend: str
    by_tokens: bool = True
    rollouts: tuple[int, str] | None = None
    opens_evaluation: bool = False
    parks: tuple[tuple[str, ...], ...] = ((), ("optimizer",), ("optimizer", "param"))
    sequence_gpus: tuple[int, ...] = (1,)
    zero_stages: tuple[int, ...] = ()
    bounds_context: bool = False
    values: Mapping[str, Any] = field(default_factory=dict)
    decisions: tuple[Decision, ...] = ()
