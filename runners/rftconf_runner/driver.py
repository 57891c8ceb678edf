"""The run, read from top to bottom: draw, score, compare, learn, hand over, validate, save."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from rftconf_runner import consistency_checks
from rftconf_runner.advantage_estimation import credit, lessons_of
from rftconf_runner.batch import drawn_batch
from rftconf_runner.data import Prompts
from rftconf_runner.drawing import Drawing
from rftconf_runner.gpu_sharing import engines_turn
from rftconf_runner.job import Job
from rftconf_runner.keeping import Keeper
from rftconf_runner.metrics import of_updates
from rftconf_runner.places import Places
from rftconf_runner.record import Record
from rftconf_runner.resampling import resampled
from rftconf_runner.score_columns import BadRewardError
from rftconf_runner.updates import (
    critic_updates,
    old_log_probs,
    parts_of,
    policy_updates,
    reference_log_probs,
    values_of,
)
from rftconf_runner.validation import Validator
from rftconf_runner.weight_handover import hand_over


class Run:
    """The periods of a run on one set of places, which hold what `keeper` begins with."""

    def __init__(
        self, job: Job, tokenizer: Any, data: Prompts, places: Places, keeper: Keeper, record: Record, validator: Validator
    ) -> None:  # fmt: skip
        self.job, self.tokenizer, self.places, self.keeper, self.record = job, tokenizer, places, keeper, record
        self.validator = validator
        self.drawing = Drawing(job, data, places.engines, keeper.state.drawn, keeper.state.waiting)
        consistency_checks.same_weights(hand_over(places, keeper.state.period))

    def until(self, stopped: Callable[[], bool]) -> None:
        """Every period that is left, or as many as `stopped` lets pass."""
        keeper, last = self.keeper, self.record.periods
        try:
            self.validator.after(keeper.state.period)
            for period in range(keeper.state.period + 1, last + 1):
                self.period(period)
                self.validator.after(period)
                over = period == last or (keeper.synced() and stopped())
                if over or (keeper.due and keeper.synced()):
                    self.record.enter(period, "save")
                    keeper.save()
                if over:
                    break
        except (consistency_checks.GateError, BadRewardError):
            if keeper.rescues():
                keeper.save()
            raise

    def period(self, period: int) -> None:
        """Draw, score, compare, learn, hand over."""
        job, places, record = self.job, self.places, self.record
        record.enter(period, "generate")
        with engines_turn(job, places):
            self.drawing.fill(record.periods - period + 1)
            batch = drawn_batch(job, self.drawing, places, self.tokenizer, lambda entry: record.enter(period, entry))
        record.enter(period, "update")
        old, parity = old_log_probs(job, places, batch, period)
        reference, kl = reference_log_probs(job, places, batch)
        values = values_of(job, places, batch)
        credited = credit(
            job, batch.samples, batch.rewards, old, reference, values, self.keeper.state.kl_coef, batch.baselines,
            batch.scores, batch.origins, kl,
        )  # fmt: skip
        lessons = lessons_of(batch.samples, credited, old, reference, values)
        lessons = lessons[
            resampled(range(len(lessons)), batch.rewards, job.resampling, (job.shuffle_seed << 32) + period)
        ]
        parts, updated = parts_of(job, lessons, period), list[Any]()
        valued = critic_updates(job, places, lessons, self.keeper.learns)
        for done in policy_updates(job, places, batch, parts, period):
            self.keeper.learns()
            updated.append(done)

        if period % job.every == 0:
            record.enter(period, "sync")
            self.drawing.cut()
            consistency_checks.same_weights(hand_over(places, period))
            self.drawing.go_on()
        record.note(period, batch, parts, self.drawing.numbers(), {**parity, **credited.more, **batch.looks(job)},
                    of_updates(updated, valued))  # fmt: skip
        self.keeper.ends(period, credited.kl or 0.0, self.drawing)
