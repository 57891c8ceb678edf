"""Two keys say how many prompts a rollout of OpenRLHF has, by release (H81)."""

from __future__ import annotations

from typing import ClassVar

from rftconf.base.record import record
from rftconf.base.symbols import Expr
from rftconf.mappers.context import ReadContext, WriteContext
from rftconf.mappers.openrlhf.folds_batch import PERIOD
from rftconf.mappers.shapes import OfKeys, together


@record
class Prompts(OfKeys):
    """The prompts of a rollout under `size`; those that engines are given `at_once` are a rollout in some releases.

    Up to the release `unread_since` the data loader hands out so many (ppo_trainer.py: prepare_datasets), and only
    `filters` of answers fill a rollout up to its size; since `bound_since` a rollout takes what it needs of them
    (samples_generator.py: generate_samples). Nothing reads them between the two.
    """

    KEYS: ClassVar[tuple[str, ...]] = ("size", "at_once")
    plans: ClassVar[tuple[str, ...]] = (PERIOD,)
    size: str
    at_once: str
    filters: str
    unread_since: str
    bound_since: str

    def read(self, r: ReadContext) -> None:
        """Set the prompts of a rollout, by the key that counts in this release."""
        size, at_once = r.native(self.size), r.native(self.at_once)
        if at_once in (None, 0) or (r.since(self.unread_since) and not r.since(self.bound_since)):
            r.set(PERIOD, size, self.size)
            if at_once not in (None, 0):
                r.inactive[self.at_once] = "nothing reads it from 0.9.1 to 0.9.10"
            return
        smaller = isinstance(size, Expr) or isinstance(at_once, Expr) or at_once < size
        if smaller if r.since(self.bound_since) else r.native(self.filters) is not True:
            r.set(PERIOD, at_once, self.at_once, self.size, how=f"{self.at_once} prompts are a rollout")
            return
        r.set(PERIOD, size, self.size)
        if at_once != size:
            r.beyond[self.at_once] = at_once

    def write(self, w: WriteContext) -> None:
        """Write the prompts of a rollout; engines are given as many at once unless somebody says otherwise."""
        prompts = w.plan(PERIOD)
        if prompts is not None:
            w.put(self.size, prompts, PERIOD, always=True)


PROMPTS = together(
    Prompts(
        "rollout.batch_size",
        "rollout.vllm_generate_batch_size",
        "algo.dynamic_filtering_enable",
        unread_since="0.9.0",
        bound_since="0.10.0",
    ),
    why="samples_generator: num_prompts (H73, H81)",
)
