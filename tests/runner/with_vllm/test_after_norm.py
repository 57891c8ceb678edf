"""ROLL's way from rewards to advantages, by numbers that are worked out by hand."""

from __future__ import annotations

from dataclasses import replace
from math import inf, sqrt

import pytest

pytest.importorskip("torch", reason="needs the runner's environment (make runner-env)")
from rftconf_runner.advantage_estimation import credit
from rftconf_runner.job import Job, KlPenalty
from rftconf_runner.job_reader import job_of
from rftconf_runner.sequences import Sample

from tests.runner.test_job import plan

SAMPLES = [Sample((1,), (5, 6), 0), Sample((1,), (7, 8), 0)]
"""Two answers of two tokens to one prompt."""
OLD, REFERENCE = [(-1.0, -1.0)] * 2, [(-1.5, -1.0), (-1.0, -1.0)]
"""The first answer's first token has a KL of 0.5 (k1)."""


def job(**changes: object) -> Job:
    base = replace(job_of(plan()), prompts=1, responses=2, kl_reward=KlPenalty("k1", 1.0), after_norm=True)
    return replace(base, **changes)  # type: ignore[arg-type]


def advantages(new_job: Job) -> list[list[float]]:
    credited = credit(new_job, SAMPLES, (1.0, 0.0), OLD, REFERENCE, [], 1.0)
    return [[round(value, 4) for value in row] for row in credited.advantages.tolist()]


def test_the_kl_is_taken_from_what_is_normalized() -> None:
    """H27: {1, 0} is ±0.7071, and the first token has 0.5 less; subtracted before, the penalty would vanish in {0.5, 0}."""
    half = 1 / sqrt(2)
    first, second = advantages(job())
    assert first == pytest.approx([half - 0.5, half], abs=1e-4)
    assert second == pytest.approx([-half, -half], abs=1e-4)
    before = advantages(job(after_norm=False))
    assert before[0] == pytest.approx([half, half], abs=1e-4)


def test_rewards_are_clipped_as_an_answers_and_as_tokens() -> None:
    """The clip leaves 0.6 of 0.7071, and of the first token's -0.5 no less than -0.4 when the clip is 0.4."""
    assert advantages(job(reward_clip=0.6)) == [[0.1, 0.6], [-0.6, -0.6]]
    assert advantages(job(reward_clip=0.4)) == [[0.0, 0.4], [-0.4, -0.4]]


def test_advantages_are_clipped_last() -> None:
    assert advantages(job(advantage_clip=0.3)) == [[0.2071, 0.3], [-0.3, -0.3]]
    assert advantages(job(advantage_clip=0.0)) == [[0.0, 0.0], [0.0, 0.0]]


def test_returns_are_discounted_to_each_token() -> None:
    """A half of what comes after: the last token's 0.7071 is 0.3536 for the first, less its own 0.5."""
    first, _ = advantages(job(gamma=0.5))
    assert first == pytest.approx([0.5 / sqrt(2) - 0.5, 1 / sqrt(2)], abs=1e-4)
    assert job().reward_clip == inf
