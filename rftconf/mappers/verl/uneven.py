"""Updates that the ranks of veRL's older supervised program cannot share."""

from __future__ import annotations

from fractions import Fraction

from rftconf.base.errors import RefusedError
from rftconf.mappers.context import WriteContext
from rftconf.mappers.rates import data_parallel, refuse_torn_ranks


def refuse_uneven(w: WriteContext) -> None:
    """fsdp_sft_trainer: _normalize_config_bsz asserts that each rank has a whole share of train_batch_size."""
    update, gpus = w.plan("stage.batch.sequences_per_update"), w.plan("stage.placement.actor.gpus")
    if not isinstance(update, int) or not isinstance(gpus, int):
        return
    ranks = data_parallel(w, megatron=False)
    if not isinstance(ranks, (int, Fraction)):
        return
    refuse_torn_ranks(w, gpus, ranks)
    if update % int(ranks):
        per, whole = Fraction(gpus) / ranks, int(ranks)
        fewer = (some for some in range(min(whole, update), 0, -1) if update % some == 0)
        near = {update // whole * whole, (update // whole + 1) * whole} - {0}
        raise RefusedError(
            f"{update} samples an update cannot be shared by {whole} data-parallel ranks; veRL's FSDP program stops at it",
            choices=(f"{next(fewer) * per} GPUs", *(f"{some} samples an update" for some in sorted(near))),
        )
