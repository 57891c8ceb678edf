"""Modes in which a Trinity config is only half of a run, or no run of training at all."""

from __future__ import annotations

from rftconf.mappers.context import ReadContext
from rftconf.mappers.rows import Dialect
from rftconf.plan.kinds import WITH_ROLLOUTS

TOGETHER = "give the config of the whole run, as mode: both"
HALVES = {
    "explore": (
        "mode explore is the explorer alone: it writes experiences to buffer.explorer_output and trains nothing",
        (TOGETHER, "or mode: bench, to evaluate only"),
    ),
    "serve": ("mode serve answers requests of other programs and trains nothing", (TOGETHER,)),
    "train": (
        "mode train with a reinforcement-learning algorithm is the trainer alone: its experiences come from another process",
        (TOGETHER,),
    ),
}
"""Mode to why it is not converted; supervised stages and benchmarks have tables of their own."""


def half_of_a_run(r: ReadContext) -> Dialect | None:
    """The mode, where it starts half of a run."""
    mode = r.native("mode", "both")
    if mode == "train" and r.plan("stage.kind") not in WITH_ROLLOUTS:
        return None
    half = HALVES.get(mode) if isinstance(mode, str) else None
    return Dialect(*half) if half is not None else None
