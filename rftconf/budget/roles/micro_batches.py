"""Micro-batches as a config says them, and how many tokens and rounds they come to on so many ranks."""

from __future__ import annotations

from dataclasses import replace

from rftconf.base.record import record
from rftconf.budget.terms.training_job import Training


@record
class Micro:
    """A micro-batch of one rank: `rows` sequences of `each` tokens, or, where `rows` is None, filled up to `limit` tokens.

    `path` is where the plan has it. `update` sequences make an update of all ranks, None where nobody says.
    """

    path: str
    longest: int
    each: int
    rows: int | None = None
    limit: int | None = None
    update: int | None = None

    @property
    def leaf(self) -> str:
        """The path of the number that sets its size."""
        return f"{self.path}.{'tokens_per_rank' if self.rows is None else 'sequences_per_rank'}"

    @property
    def size(self) -> int:
        """That number: tokens or sequences."""
        return (self.limit or self.longest) if self.rows is None else self.rows

    def of(self, size: int) -> Micro:
        """The same with another size."""
        return replace(self, limit=size) if self.rows is None else replace(self, rows=size)

    def share(self, ranks: int) -> int | None:
        """Tokens of an update on one rank, at least one whole sequence."""
        return max(-(-self.update // ranks) * self.each, self.longest) if self.update else None

    def tokens(self, ranks: int) -> int:
        """Tokens of one micro-batch; dynamic ones hold one whole sequence, and no more than a rank's share of an update."""
        if self.rows is not None:
            return self.rows * self.each
        share = self.share(ranks)
        return max(min(self.limit or self.longest, share or self.limit or self.longest), self.longest)

    def rounds(self, ranks: int, stages: int) -> int:
        """Micro-batches of an update on one rank; as many as pipeline stages where the size of an update is not known."""
        if not self.update:
            return stages
        return max(-(-self.update * self.each // (ranks * self.tokens(ranks))), 1)


def ranks_of(job: Training) -> int:
    """Data-parallel ranks: how many micro-batches are worked on at once."""
    m = job.megatron
    return max(job.gpus // (m.tp * m.pp * m.cp if job.backend == "megatron" else job.sp), 1)


def updating(job: Training, micro: Micro) -> Training:
    """The job with that micro-batch in its updates."""
    ranks = ranks_of(job)
    return replace(job, tokens=micro.tokens(ranks), micro_batches=micro.rounds(ranks, job.megatron.pp))


def scoring(job: Training, micro: Micro) -> Training:
    """The job with that micro-batch in its forwards."""
    return replace(job, tokens=micro.tokens(ranks_of(job)))
