"""PF-PPO: answers are drawn once more by their rewards, where a config of veRL's with a critic says so."""

from __future__ import annotations

import pytest

pytest.importorskip("torch", reason="needs the runner's environment (make runner-env)")
import torch
from rftconf_runner.job_reader import job_of
from rftconf_runner.refusals import refusals
from rftconf_runner.resampling import resampled, weights

from tests.runner.test_job import EVERYTHING, plan

REWARDS = [2.0, -1.0, 0.0, 2.0]


@pytest.mark.parametrize(
    ("way", "expected"),
    [(("pow", 2.0), [4, 1, 0, 4]), (("max_min", 2.0), [1, 1, 0, 1]), (("max_random", 2.0), [0.4, 0.1, 0.1, 0.4])],
)
def test_weights_of_each_way(way: tuple[str, float], expected: list[float]) -> None:
    assert weights(torch.tensor(REWARDS), *way).tolist() == pytest.approx(expected, abs=1e-7)


def test_as_many_are_drawn_and_none_without_a_reward() -> None:
    drawn = resampled("abcd", REWARDS, ("pow", 2.0), 7)
    assert len(drawn) == 4
    assert "c" not in drawn
    assert drawn == resampled("abcd", REWARDS, ("pow", 2.0), 7)
    assert resampled("abcd", REWARDS, None, 7) == [*"abcd"]


def test_the_config_says_so() -> None:
    words = {"algorithm__use_pf_ppo": "True", "+algorithm__pf_ppo__weight_pow": "3.0"}
    with_critic = plan(**EVERYTHING, **words)
    assert refusals(with_critic) == []
    assert job_of(with_critic).resampling == ("pow", 3.0)
    assert job_of(plan(**EVERYTHING)).resampling is None
    assert job_of(plan(**words)).resampling is None
