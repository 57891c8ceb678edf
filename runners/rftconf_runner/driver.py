"""The run, read from top to bottom: draw, score, compare, learn, hand over, save."""

from __future__ import annotations

import random
import time
from collections import Counter
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from transformers import AutoTokenizer

from rftconf_runner import checkpoint, gates
from rftconf_runner.batch import Batch, drawn_batch
from rftconf_runner.checkpoint import State
from rftconf_runner.credit import credit, lessons_of, next_coef
from rftconf_runner.data import Prompts
from rftconf_runner.drawing import Drawing
from rftconf_runner.faults import Faults
from rftconf_runner.job import Job
from rftconf_runner.ledger import Ledger
from rftconf_runner.metrics import Metrics, of_updates
from rftconf_runner.places import Places, call, hand_over, rows, write
from rftconf_runner.reward import BadRewardError
from rftconf_runner.sequences import Lesson
from rftconf_runner.supervision import supervised
from rftconf_runner.trackers import Tracker
from rftconf_runner.watch import Watch


def train(
    job: Job,
    folder: Path,
    start: Path | None = None,
    stopped: Callable[[], bool] = lambda: False,
    watch: Watch | None = None,
    trackers: Sequence[Tracker] = (),
    living: Places | None = None,
) -> Places:
    """Run every rollout period of `job`, or those after the checkpoint `start`; metrics and checkpoints go to `folder`.

    Where `stopped` says so, the period is the last one. Where a process dies, the run goes on from its last checkpoint.
    Engines of `living` are used again; what the run ended on is given back.
    """
    tokenizer, watch = AutoTokenizer.from_pretrained(job.tokenizer), watch or Watch()
    data = Prompts(job, tokenizer)
    watch.periods = data.periods()

    def attempt(places: Places, start: Path | None, faults: Faults) -> None:
        run = Run(job, folder, tokenizer, data, places, start, watch, faults, trackers)
        run.until(stopped)

    places = supervised(job, folder, start, watch, attempt, living)
    watch.close()
    return places


class Run:
    """The periods of a run on one set of places, which hold the state of `start`."""

    def __init__(
        self, job: Job, folder: Path, tokenizer: Any, data: Prompts, places: Places, start: Path | None, watch: Watch,
        faults: Faults, trackers: Sequence[Tracker],
    ) -> None:  # fmt: skip
        self.job, self.folder, self.tokenizer, self.places, self.watch, self.faults = (
            job, folder, tokenizer, places, watch, faults
        )  # fmt: skip
        self.state = checkpoint.state_of(start) if start else State(0, job.kl_reward.coef if job.kl_reward else 0.0, 0)
        self.saved, self.learning = self.state.period, False
        self.metrics, self.ledger = (
            Metrics(folder, self.state.period, watch, trackers),
            Ledger(folder, self.state.period),
        )
        self.drawing = Drawing(job, data, places.engines, self.state.drawn, self.state.waiting)
        gates.same_weights(hand_over(places, self.state.period))

    def until(self, stopped: Callable[[], bool]) -> None:
        """Every period that is left, or as many as `stopped` lets pass.

        Saved is only what the engines hold too, or they could not be given the same weights again.
        """
        due = False
        try:
            for period in range(self.state.period + 1, self.watch.periods + 1):
                self.period(period)
                synced, last = period % self.job.every == 0, period == self.watch.periods
                due |= bool(self.job.save_every and period % self.job.save_every == 0) or stopped()
                if last or (due and synced):
                    self.save(period)
                    due = False
                if last or (synced and stopped()):
                    break
        except (gates.GateError, BadRewardError):
            if not self.learning and self.state.period > self.saved and self.state.period % self.job.every == 0:
                self.save(self.state.period)  # what was learned before is whole
            raise

    def period(self, period: int) -> None:
        """Draw, score, compare, learn, hand over."""
        job, places, watch = self.job, self.places, self.watch
        began = time.monotonic()
        self.enter(period, "generate")
        wanted = min(job.prompts + job.ahead, (watch.periods - period + 1) * job.prompts)
        self.drawing.launch(wanted - len(self.drawing))
        batch = drawn_batch(job, self.drawing, places.scorer, self.tokenizer, lambda phase: self.enter(period, phase))
        samples, drawn = batch.samples, time.monotonic()

        self.enter(period, "update")
        old = [one.drawn for one in samples] if job.old == "engine" else rows(places.ranks, "old_log_probs", samples)
        fresh = batch.fresh(old, period - 1) if job.old != "engine" else ([], [])
        parity = {"parity": gates.parity(*fresh, job.dtype)} if fresh[0] else {}
        reference = rows(places.ranks, "reference_log_probs", samples) if job.compares else []
        values = rows(places.critics, "values", samples)
        credited = credit(job, samples, batch.rewards, old, reference, values, self.state.kl_coef)
        lessons = lessons_of(samples, credited, old, reference, values)
        self.learning = bool(job.critic)
        valued = [call(places.critics, "update", part) for part in _critic_updates(job, lessons)]
        parts = _updates(job, lessons, period) if not job.critic or period > job.critic.warmup else []
        updated = []
        for part in parts:
            updated.append(call(places.ranks, "update", part))
            self.learning = True
            _first_ratio(job, batch, max(one.ratio_gap for one in updated[0]), period)
        learned = time.monotonic()

        if period % job.every == 0:
            self.enter(period, "sync")
            gates.same_weights(hand_over(places, period))
        waiting, synced = self.drawing.left(), time.monotonic()
        penalty, state = job.kl_reward, self.state
        kl_coef = next_coef(penalty, state.kl_coef, credited.kl, job.sequences) if penalty else 0.0
        lags = Counter(period - 1 - sample.version for sample in samples)
        self.ledger.note(period, [[one.sample.number for one in part] for part in parts], batch, self.drawing.numbers())
        self.metrics.log(
            period=period, reward=sum(batch.rewards) / len(batch.rewards), kl=credited.kl, **parity, lag=max(lags),
            lags={str(lag): lags[lag] for lag in sorted(lags)}, tokens=batch.tokens, refused=len(batch.refused),
            **credited.more, **of_updates(updated, valued), rollout_seconds=drawn - began,
            update_seconds=learned - drawn, sync_seconds=synced - learned,
        )  # fmt: skip
        self.state, self.learning = State(period, kl_coef, self.drawing.drawn, waiting), False

    def save(self, period: int) -> None:
        """A checkpoint of the state after `period`."""
        self.enter(period, "save")
        to = checkpoint.name(self.folder, period)
        checkpoint.save(to, self.state, lambda folder: write(self.places, self.tokenizer, folder))
        self.saved = period

    def enter(self, period: int, phase: str) -> None:
        """Say so, and let a test's fault strike."""
        self.watch.enter(period, phase)
        self.faults.fire(period, phase)


def _first_ratio(job: Job, batch: Batch, gap: float, period: int) -> None:
    """Against the engine's log-probs it is 1 only where the engine had the trainer's weights, and as near as parity."""
    if job.old != "engine":
        gates.first_ratio(gap)
    elif all(sample.version == period - 1 for sample in batch.samples):
        gates.first_ratio(gap, gates.PARITY_RATIO[job.dtype])


def _updates(job: Job, lessons: list[Lesson], period: int) -> list[list[Lesson]]:
    """Every pass over the period, shuffled where the plan says so and there is more than one update to shuffle into; or
    all passes over an update before the next."""
    found = []
    for number in range(job.passes if job.sweeps else 1):
        one = list(lessons)
        if job.shuffles and job.update < job.sequences:
            random.Random(f"{job.shuffle_seed}/{period}/{number}").shuffle(one)  # noqa: S311 - an order, no secret
        found += _cut(one, job.update)
    return found if job.sweeps else [part for part in found for _ in range(job.passes)]


def _critic_updates(job: Job, lessons: list[Lesson]) -> list[list[Lesson]]:
    return _cut(lessons * job.critic.passes, job.critic.update) if job.critic else []


def _cut(lessons: list[Lesson], size: int) -> list[list[Lesson]]:
    return [lessons[at : at + size] for at in range(0, len(lessons), size)]
