"""The run, read from top to bottom: draw, score, compare, learn, hand over."""

from __future__ import annotations

import random
import time
from collections.abc import Callable
from itertools import islice
from pathlib import Path

from transformers import AutoTokenizer

from rftconf_runner import checkpoint, gates
from rftconf_runner.checkpoint import State
from rftconf_runner.credit import Credit, credit, next_coef
from rftconf_runner.data import Prompts
from rftconf_runner.job import Job
from rftconf_runner.metrics import Metrics
from rftconf_runner.places import call, generate, hand_over, placed, rows, write
from rftconf_runner.reward import scored
from rftconf_runner.sequences import Lesson, Row, Sample, ragged


def train(job: Job, folder: Path, start: Path | None = None, stopped: Callable[[], bool] = lambda: False) -> None:
    """Run every rollout period of `job`, or those after the checkpoint `start`; metrics and checkpoints go to `folder`.

    Where `stopped` says so, the period is the last one.
    """
    tokenizer = AutoTokenizer.from_pretrained(job.tokenizer)
    data = Prompts(job, tokenizer)
    state = checkpoint.state_of(start) if start else State(0, job.kl_reward.coef if job.kl_reward else 0.0)
    batches, periods = islice(data.batches(job.prompts), state.period, None), data.periods()
    places, metrics = placed(job, start), Metrics(folder, state.period)
    if start:
        gates.same_weights(hand_over(places, state.period))

    for period in range(state.period + 1, periods + 1):
        began = time.monotonic()
        prompts = [prompt for prompt in next(batches) for _ in range(job.responses)]
        answers = generate(places.engines, prompts, job, period)
        samples = [Sample(p.tokens, a.tokens, a.version) for p, a in zip(prompts, answers, strict=True)]
        texts = tokenizer.batch_decode([sample.answer for sample in samples], skip_special_tokens=True)
        rewards = scored(places.scorer, [(p.source, t, p.truth, p.extra) for p, t in zip(prompts, texts, strict=True)])
        drawn = time.monotonic()
        old = rows(places.ranks, "old_log_probs", samples)
        parity = gates.parity([answer.log_probs for answer in answers], old, job.dtype)
        reference = rows(places.ranks, "reference_log_probs", samples) if job.compares else []
        values = rows(places.critics, "values", samples)
        credited = credit(job, samples, rewards, old, reference, values, state.kl_coef)
        lessons = _lessons(samples, credited, old, reference, values)
        valued = [call(places.critics, "update", part) for part in _critic_updates(job, lessons)]
        updated = []
        if not job.critic or period > job.critic.warmup:
            parts = _updates(_order(job, lessons, period), job.update)
            updated = [call(places.ranks, "update", part) for part in parts]
            gates.first_ratio(max(one.ratio_gap for one in updated[0]))
        learned = time.monotonic()
        gates.same_weights(hand_over(places, period))
        kl_coef = next_coef(job.kl_reward, state.kl_coef, credited.kl, job.sequences) if job.kl_reward else 0.0
        state = State(period, kl_coef)
        last = period == periods or stopped()
        if last or (job.save_every and period % job.save_every == 0):
            checkpoint.save(checkpoint.name(folder, period), state, lambda to: write(places, tokenizer, to))
        metrics.log(
            period=period, reward=sum(rewards) / len(rewards), kl=credited.kl, parity=parity,
            lag=max(period - 1 - sample.version for sample in samples), tokens=sum(len(s.answer) for s in samples),
            **metrics.of_updates(updated, valued), rollout_seconds=drawn - began, update_seconds=learned - drawn,
            sync_seconds=time.monotonic() - learned,
        )  # fmt: skip
        if last:
            break


def _lessons(
    samples: list[Sample], credited: Credit, old: list[Row], reference: list[Row], values: list[Row]
) -> list[Lesson]:
    gains, returns = (ragged(of, credited.mask) for of in (credited.advantages, credited.returns))
    nothing: list[Row] = [()] * len(samples)
    columns = (samples, gains, old, reference or nothing, values or nothing, returns)
    return [Lesson(*row) for row in zip(*columns, strict=True)]


def _order(job: Job, lessons: list[Lesson], period: int) -> list[Lesson]:
    """Every pass over the period, shuffled where the plan says so and there is more than one update to shuffle into."""
    found = []
    for number in range(job.passes):
        one = list(lessons)
        if job.shuffles and job.update < job.sequences:
            random.Random(f"{job.shuffle_seed}/{period}/{number}").shuffle(one)  # noqa: S311 - an order, no secret
        found += one
    return found


def _critic_updates(job: Job, lessons: list[Lesson]) -> list[list[Lesson]]:
    return _updates(lessons * job.critic.passes, job.critic.update) if job.critic else []


def _updates(lessons: list[Lesson], size: int) -> list[list[Lesson]]:
    return [lessons[at : at + size] for at in range(0, len(lessons), size)]
