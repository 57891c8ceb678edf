"""Micro-batches of the critic and the reference, whose ranks may be other ones than the actor's."""

from __future__ import annotations

from typing import Any

from rftconf.base.record import record
from rftconf.mappers.codecs import counts
from rftconf.mappers.rates import data_parallel, sequence_gpus, size_of
from rftconf.plan.units import Rates, Unit


@record
class counts_of(counts):  # noqa: N801 - reads as a word in the tables
    """A micro-batch of a role: over all of its ranks, or of the GPUs that share a sequence of it."""

    role: str = "critic"

    def convert(self, value: Any, context: Any, source: Unit, target: Unit) -> Any:
        """`value` from one unit to another by the ranks of the role."""
        return Rates({unit: self._worth(context, unit) for unit in (source, target)}).convert(value, source, target)

    def _worth(self, context: Any, unit: Unit) -> Any:
        """Return the number of sequences, or tokens of a rank, that one `unit` is worth in the role."""
        megatron = context.backend == "megatron"
        if unit is Unit.SEQUENCES_PER_RANK:
            return data_parallel(context, megatron=megatron, role=self.role)
        if unit is Unit.TOKENS_PER_GPU:
            if context.backend == "torchtitan":  # its engine counts the tokens of a tensor-parallel group
                return size_of(context, self.role, "mesh.tp")
            return sequence_gpus(context, megatron=megatron, role=self.role)
        return 1


CRITIC_TOTAL = counts_of(Unit.SEQUENCES)
CRITIC_TOKENS = counts_of(Unit.TOKENS_PER_GPU)
REFERENCE_TOKENS = counts_of(Unit.TOKENS_PER_GPU, role="reference")
