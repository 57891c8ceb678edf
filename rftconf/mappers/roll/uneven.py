"""Batches that ROLL's loader or its first update stops at: refused, with numbers that it takes (H4, H7, H10)."""

from __future__ import annotations

from fractions import Fraction

from rftconf.base.errors import RefusedError
from rftconf.mappers.context import WriteContext
from rftconf.mappers.rates import refuse_torn_ranks
from rftconf.plan.kinds import WITH_ROLLOUTS

B, N = "stage.batch.prompts_per_rollout", "stage.batch.responses_per_prompt"
MOST_TRIED = 100_000
"""Numbers that are tried for one that divides; no batch and no cluster is larger."""


def refuse_uneven(w: WriteContext, update: int, ranks: int | Fraction) -> None:
    """ROLL asserts that a period is whole updates and an update whole ranks (H7, H10)."""
    gpus, prompts = w.plan("stage.placement.actor.gpus"), w.plan(B)
    refuse_torn_ranks(w, gpus, ranks)
    if update % int(ranks):
        per = Fraction(gpus) / ranks
        feeds = [g for g in range(min(gpus, MOST_TRIED), 0, -1) if not g % per and not update % Fraction(g, per)]
        raise RefusedError(
            f"{update} sequences an update cannot be shared by {int(ranks)} data-parallel ranks; ROLL's micro-batches are whole on every rank (H4)",
            choices=tuple(f"{g} trainer GPUs" for g in feeds[:6]),
        )
    refuse_uneven_period(w, update, ranks)
    rolls = w.plan("stage.kind") in WITH_ROLLOUTS and isinstance(prompts, int)
    if rolls and w.plan("stage.placement.actor.backend") == "megatron" and Fraction(prompts) % ranks:
        raise RefusedError(
            f"{prompts} prompts a rollout period cannot be shared by {int(ranks)} data-parallel ranks; ROLL's Megatron counts prompts (H10)",
            choices=tuple(
                f"{p} prompts a period"
                for p in (int(prompts // ranks * ranks), int((prompts // ranks + 1) * ranks))
                if p
            ),
        )


def refuse_uneven_period(w: WriteContext, update: int, ranks: int | Fraction) -> None:
    """Whatever the ranks are, a period is a whole number of updates; `ranks` divide those that are proposed."""
    prompts, n = w.plan(B), w.plan(N)
    if w.plan("stage.kind") not in WITH_ROLLOUTS or not isinstance(prompts, int) or not isinstance(n, int):
        return
    total = prompts * n
    if total % update:
        near = sorted(
            (d for d in range(1, min(total, MOST_TRIED) + 1) if total % d == 0 and Fraction(d) % ranks == 0),
            key=lambda d: abs(d - update),
        )
        raise RefusedError(
            f"{total} sequences a rollout period ({prompts} prompts x {n}) are no whole number of updates of {update}; ROLL asserts it (H7)",
            choices=tuple(f"{d} sequences an update" for d in sorted(near[:6])),
        )
