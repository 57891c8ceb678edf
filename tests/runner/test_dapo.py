"""DAPO's parts and the importance weights: how a plan's blocks are read, and refused."""

from __future__ import annotations

import pytest
from rftconf_runner.dapo import overlong_penalty, varies
from rftconf_runner.job import Correction, Shaping
from rftconf_runner.job_reader import job_of
from rftconf_runner.refusals import refusals

from rftconf.plan.model import Filter, Plan
from tests.runner.test_job import plan

SHAPED = {
    "reward__reward_manager__name": "dapo",
    "+reward__reward_kwargs__overlong_buffer_cfg__enable": "True",
    "+reward__reward_kwargs__overlong_buffer_cfg__len": "4",
    "+reward__reward_kwargs__overlong_buffer_cfg__penalty_factor": "0.5",
    "+reward__reward_kwargs__overlong_buffer_cfg__log": "False",
    "+reward__reward_kwargs__max_resp_len": "16",
}


def refused(whole: Plan) -> list[str]:
    return [refusal.path.removeprefix("stage.") for refusal in refusals(whole)]


@pytest.mark.parametrize(("tokens", "penalty"), [(1, 0.0), (12, 0.0), (14, -0.25), (16, -0.5), (18, -0.75)])
def test_long_answers_are_punished_from_the_buffer_on(tokens: int, penalty: float) -> None:
    assert overlong_penalty(tokens, Shaping(4, 16, 0.5)) == penalty


@pytest.mark.parametrize(
    ("metrics", "threshold", "teaches"),
    [
        ([0.1] * 16, 0.0, False),
        ([0.0, 1.0], 0.0, True),
        ([1.0], 0.0, True),
        ([0.0, 0.1], 0.5, False),
        ([0.3, 0.3], -1.0, True),
    ],
)
def test_a_group_without_spread_teaches_nothing(metrics: list[float], threshold: float, teaches: bool) -> None:
    assert varies(metrics, threshold) is teaches


def test_numbers_of_a_dapo_job() -> None:
    whole = plan(
        algorithm__filter_groups__enable="True",
        algorithm__filter_groups__metric="acc",
        actor_rollout_ref__actor__clip_ratio_high="0.28",
        **SHAPED,
    )
    assert refused(whole) == []
    job = job_of(whole)
    assert (job.refill, job.refill_threshold, job.shaping) == ("acc", 0.0, Shaping(4, 16, 0.5))
    assert (job.clip_low, job.clip_high, job.aggregation) == (0.2, 0.28, "token-mean")


def test_the_shaping_of_another_manager_is_no_shaping() -> None:
    whole = plan(**SHAPED | {"reward__reward_manager__name": "naive"})
    assert refused(whole) == ["reward.manager_args"]
    assert job_of(whole).shaping is None


@pytest.mark.parametrize(
    ("key", "value"),
    [
        ("overlong_buffer_cfg__len", "17"),
        ("overlong_buffer_cfg__len", "0"),
        ("overlong_buffer_cfg__other", "1"),
        ("other", "1"),
    ],
)
def test_a_shaping_that_cannot_be(key: str, value: str) -> None:
    assert refused(plan(**SHAPED | {f"+reward__reward_kwargs__{key}": value})) == ["reward.manager_args"]


def test_a_shaping_that_is_no_number_is_refused_and_not_guessed() -> None:
    whole = plan(**SHAPED | {"+reward__reward_kwargs__max_resp_len": "${LONGEST}"})
    assert refused(whole) == ["reward.manager_args"]


def test_filters_that_are_not_executed() -> None:
    whole = plan()
    whole.stages[0].algorithm.filters = [Filter(kind="zero_std", metric="reward", action="drop")]
    assert refused(whole) == ["algorithm.filters"]
    whole.stages[0].algorithm.filters = [Filter(kind="zero_std", metric="reward", action="refill")] * 2
    assert refused(whole) == ["algorithm.filters"]


def test_numbers_of_a_run_ahead() -> None:
    whole = plan(algorithm__rollout_correction__rollout_is="token")
    sync = whole.stages[0].sync
    sync.run_ahead_rollouts, sync.every_rollouts, sync.in_flight = 1.5, 2, "finish"
    assert refused(whole) == []
    job = job_of(whole)
    assert (job.ahead, job.every, job.old) == (12, 2, "trainer")
    assert job.correction == Correction("token", 2.0, 0.0, normalize=False)


@pytest.mark.parametrize(("threshold", "bounds"), [("3.5", (3.5, 0.0)), ("0.5_5.0", (5.0, 0.5))])
def test_thresholds_of_importance_weights(threshold: str, bounds: tuple[float, float]) -> None:
    key = "algorithm__rollout_correction__"
    job = job_of(plan(**{key + "rollout_is": "sequence", key + "rollout_is_threshold": threshold}))
    assert job.correction is not None
    assert (job.correction.upper, job.correction.lower) == bounds


def test_weights_against_the_engines_own_log_probs() -> None:
    """Since 0.7 veRL looks at them alone there (compute_policy_loss_bypass_mode); before it they are refused."""
    words = {"algorithm__rollout_correction__rollout_is": "token", "algorithm__rollout_correction__bypass_mode": "True"}
    assert refused(plan(**words)) == []
    assert job_of(plan(**words)).correction is None
    whole = plan(**words)
    whole.source.release = "0.6.1"
    assert refused(whole) == ["sync.old_logprob"]
    whole.stages[0].algorithm.rollout_correction = None
    assert refused(whole) == []
    assert job_of(whole).old == "engine"


def test_all_passes_over_an_update_before_the_next() -> None:
    whole = plan(actor_rollout_ref__actor__ppo_epochs="2")
    whole.stages[0].batch.pass_order = "per_update"
    assert refused(whole) == []
    assert (job_of(whole).passes, job_of(whole).sweeps) == (2, False)
