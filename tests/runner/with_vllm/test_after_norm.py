"""ROLL's way from rewards to advantages, by numbers that are worked out by hand."""

from __future__ import annotations

from dataclasses import replace
from math import inf, sqrt

import pytest

pytest.importorskip("torch", reason="needs the runner's environment (make runner-env)")
import numpy as np
from rftconf_runner import losses
from rftconf_runner.advantage_estimation import credit, lessons_of
from rftconf_runner.answer_masks import AnswerMasks
from rftconf_runner.job import Job, KlPenalty
from rftconf_runner.job_reader import job_of
from rftconf_runner.lessons import Sample
from rftconf_runner.samples import Lessons, Samples
from rftconf_runner.sequences import counted
from rftconf_runner.updates import parts_of

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


FOUR = [Sample((1,), (5, 6), 0, number) for number in range(4)]


def test_advantages_are_whitened_over_each_domain_by_itself() -> None:
    """Two prompts of two answers: {1, 0} of one domain and {3, 0} of the other are both ±, by a deviation of their own four tokens."""
    whole = job(prompts=2, kl_reward=None, whitens=True, advantage="reinforce")
    rewards, nothing = (1.0, 0.0, 3.0, 0.0), [(0.0, 0.0)] * 4
    origins = ("a", "a", "b", "b")
    of_all = credit(whole, FOUR, rewards, nothing, [], [], 0.0, (), rewards, origins).advantages
    by_domain = credit(
        replace(whole, by_domain=True), FOUR, rewards, nothing, [], [], 0.0, (), rewards, origins
    ).advantages
    unit = sqrt(3) / 2  # 0.5 over the deviation of a sample of two 1 and two 0, 1 / sqrt(3)
    assert by_domain[:, 0].tolist() == pytest.approx([unit, -unit, unit, -unit], abs=1e-5)
    assert of_all[:, 0].tolist() != pytest.approx(by_domain[:, 0].tolist(), abs=1e-2)


def test_a_batchs_deviation_is_of_each_domain_by_itself() -> None:
    """{1, 0} and {3, 0} are each ± half their range, divided by their own deviation: ±0.7071; that of all four is the square root of 2."""
    whole = job(prompts=2, kl_reward=None, scope="batch")
    rewards, nothing, origins = (1.0, 0.0, 3.0, 0.0), [(0.0, 0.0)] * 4, ("a", "a", "b", "b")
    estimates = {
        separates: credit(
            replace(whole, by_domain=separates), FOUR, rewards, nothing, [], [], 0.0, (), rewards, origins
        ).advantages
        for separates in (True, False)
    }
    half = 1 / sqrt(2)
    assert estimates[True][:, 0].tolist() == pytest.approx([half, -half, half, -half], abs=1e-5)
    assert estimates[False][:, 0].tolist() == pytest.approx([half / 2, -half / 2, 1.5 * half, -1.5 * half], abs=1e-5)


def test_masked_answers_teach_nothing_and_are_normalized_with_the_others() -> None:
    """The first group's mean score is 0.5, the second's 1: the second is masked, and what is left is whitened by itself."""
    masked = job(prompts=2, kl_reward=None, masks=AnswerMasks(between=(0.1, 0.95)), whitens=True)
    credited = credit(masked, FOUR, (1.0, 0.0, 1.0, 1.0), [(0.0, 0.0)] * 4, [], [], 0.0, (), (1.0, 0.0, 1.0, 1.0))
    lessons = lessons_of(FOUR, credited, [(0.0, 0.0)] * 4, [], [])
    assert [lesson.teaching for lesson in lessons] == [True, True, False, False]
    unit = sqrt(3) / 2
    assert credited.advantages[:, 0].tolist() == pytest.approx([unit, -unit, 0, 0], abs=1e-5)
    assert credited.more == {"masked_answers": 0.5}
    assert losses.denominator(counted(lessons), "token-mean") == 4
    assert losses.denominator(counted(lessons), "seq-mean-token-mean") == 2


def test_a_period_whose_answers_are_all_masked_has_no_update() -> None:
    each, masked = job(update=1), np.array([False, False])
    lessons = Lessons(Samples.of(FOUR[:2]), {"advantages": np.zeros(2)}, masked, np.zeros(2))
    assert parts_of(each, lessons, 1) == []
    assert len(parts_of(each, replace(lessons, teaching=np.array([False, True])), 1)) == 2 * each.passes
