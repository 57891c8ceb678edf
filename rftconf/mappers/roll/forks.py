"""Forks of ROLL that count in another way: noticed, explained, and not converted as they stand."""

from __future__ import annotations

from rftconf.mappers.context import ReadContext
from rftconf.mappers.rates import sizes_of_larger_update
from rftconf.mappers.roll.conditions import RL
from rftconf.mappers.rows import Dialect


def dialect(r: ReadContext) -> Dialect | None:
    """An update that no period fills: base_worker asserts that a rank's sequences are whole updates; the agentic pipeline
    fills the period up before (agentic_pipeline.adjust_batch)."""
    sizes = sizes_of_larger_update(r) if RL.test(r) and r.trainer != "agentic" else None
    if sizes is None:
        return None
    update, period = sizes
    why = (
        f"an update takes {update} sequences (micro-batch x accumulation x data-parallel ranks), and a rollout period yields {period}: "
        "ROLL stops at its first update (H7); a fork may count the micro-batch or the accumulation otherwise"
    )
    return Dialect(why, (f"a gradient_accumulation_steps that makes at most {period} sequences an update",))
