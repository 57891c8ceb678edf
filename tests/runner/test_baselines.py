"""ReMax's baseline: which answer it is, by release and by how engines are called, and what takes part in it."""

from __future__ import annotations

from typing import Any

import pytest
from rftconf_runner.job_reader import job_of
from rftconf_runner.refusals import refusals

from tests.runner.test_job import plan

REMAX, MODE = {"algorithm__adv_estimator": "remax"}, "actor_rollout_ref__rollout__mode"


@pytest.mark.parametrize(
    ("release", "baseline"),
    [
        ("0.4.1", "greedy"),
        ("0.6.1", "greedy"),
        ("0.7.1", "drawn"),
        ("0.8.0", "greedy"),
        ("0.9.1", "greedy"),
    ],
)
def test_a_baseline_is_what_the_release_draws(release: str, baseline: str) -> None:
    new_plan = plan(release=release, **REMAX)
    assert [refusal for refusal in refusals(new_plan) if "advantage" in refusal.path] == []
    assert (job_of(new_plan).advantage, job_of(new_plan).baseline) == ("remax", baseline)


@pytest.mark.parametrize("mode", ["sync", "async"])
def test_a_way_to_call_engines_that_decides_the_baseline(mode: str) -> None:
    """Before 0.7 one value of `mode` answers greedily, and the plan does not keep which it was."""
    new_plan = plan(release="0.6.1", **REMAX, **{MODE: mode})
    assert [refusal.path for refusal in refusals(new_plan)].count("stage.algorithm.advantage") == 1


def test_no_baseline_without_remax() -> None:
    assert job_of(plan()).baseline == ""


@pytest.mark.parametrize("source", [{"framework": "trinity"}, {"release": None}])
def test_nobody_guesses_a_baseline(source: dict[str, Any]) -> None:
    new_plan = plan(**REMAX)
    for name, value in source.items():
        setattr(new_plan.source, name, value)
    (refused,) = [refusal for refusal in refusals(new_plan) if "advantage" in refusal.path]
    assert "does not say which answer that is" in refused.why
