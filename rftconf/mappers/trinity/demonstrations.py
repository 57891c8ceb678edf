"""Trinity's `mix` strategy: a share of every train batch are demonstrations of a data set, and no answers of the policy's."""

from __future__ import annotations

from math import ceil
from typing import Any

from rftconf.base.symbols import Expr
from rftconf.mappers.context import ReadContext, WriteContext
from rftconf.mappers.trinity.algorithms import arguments

G, DEMOS = "stage.batch.sequences_per_update", "stage.batch.demonstrations_per_update"
STRATEGY, SIZE = "algorithm.sample_strategy", "buffer.train_batch_size"
SHARE = f"{STRATEGY}_args.expert_data_ratio"
MIXES = ("mix", "mix_chord")
"""Algorithm classes whose strategy is `mix` where the config names none (algorithm/algorithm.py)."""


def read_demonstrations(r: ReadContext, taken: Any) -> Any:
    """Count the policy's own answers in a train batch; the rest are demonstrations (mix_sample_strategy.py)."""
    named = r.native(STRATEGY)
    mixes = named == "mix" if named is not None else r.native("algorithm.algorithm_type") in MIXES
    share = arguments(r, "sample_strategy").get("expert_data_ratio", 0.5)
    if not mixes or taken is None or isinstance(share, bool) or not isinstance(share, (int, float, Expr)):
        return taken
    demos = share * taken if isinstance(share, Expr) or isinstance(taken, Expr) else ceil(share * taken)
    if isinstance(demos, int) and demos >= taken:
        r.note(
            f"a train batch of {taken} has no place for answers beside demonstrations ({SHARE}): read as answers alone"
        )
        return taken
    r.set(DEMOS, demos, SHARE, SIZE, how="the share of a train batch that comes from the demonstrations, rounded up")
    return taken - demos


def with_demonstrations(w: WriteContext, update: Any) -> tuple[Any, tuple[str, ...]]:
    """The size of a train batch, and the plan fields that it stands for."""
    demos = w.plan(DEMOS)
    return (update, (G,)) if demos is None else (update + demos, (G, DEMOS))
