"""What veRL's own checks want although nothing reads it: written so that a run starts, never read."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rftconf.mappers.rows import Fold

if TYPE_CHECKING:
    from rftconf.mappers.reading import Reading
    from rftconf.mappers.writing import Writing

MICRO = {
    "actor_rollout_ref.ref.log_prob_micro_batch_size_per_gpu": "stage.batch.reference.sequences_per_rank",
    "actor_rollout_ref.actor.ppo_micro_batch_size_per_gpu": "stage.batch.micro.sequences_per_rank",
}


def _read(r: Reading) -> None:
    del r


def _write(w: Writing) -> None:
    """Megatron workers up to 0.7 check fixed micro-batches even where batches are filled by tokens (RULES 1.2, 1.4)."""
    if w.backend != "megatron" or w.since("0.8.0") or w.plan("stage.batch.micro.dynamic") is not True:
        return
    for key, plan in MICRO.items():
        if w.plan(plan) is None:
            w.put(
                key,
                1,
                always=True,
                how=f"checked, but not used with dynamic batches, by the Megatron workers of {w.release}",
            )


NEEDS = Fold((), (), _read, _write, "megatron_workers: validation")
