"""Forks of ChatLearn that count in another way: noticed, explained, and not converted as they stand."""

from __future__ import annotations

from rftconf.mappers.context import ReadContext
from rftconf.mappers.rates import sizes_of_larger_update
from rftconf.mappers.rows import Dialect


def dialect(r: ReadContext) -> Dialect | None:
    """An update that no episode fills: the engine divides one by the other and trains zero times."""
    sizes = sizes_of_larger_update(r)
    if sizes is None:
        return None
    update, period = sizes
    why = (
        f"runtime_args.train_global_batch_size={update} is more than sample_per_episode={period}: ChatLearn would make no update at all; "
        "a fork may count prompts there"
    )
    choices = (
        f"a train_global_batch_size of at most {period}",
        "sample_per_episode in samples: prompts x num_inference_per_prompt",
    )
    return Dialect(why, choices)
