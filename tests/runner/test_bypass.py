"""veRL's bypass mode: the ratio is of the engine's log-probs, and corrections look at the weights that learn."""

from __future__ import annotations

from math import inf, log

import pytest
from rftconf_runner.job import Correction, Rejection
from rftconf_runner.job_reader import job_of
from rftconf_runner.refusals import refusals
from rftconf_runner.rejections import rejections_of

from rftconf.plan.model import Plan
from tests.runner.test_job import plan

KEY = "algorithm__rollout_correction__"
LIKELIHOOD = {"loss_type": "reinforce", "rollout_is": "sequence", "rollout_is_threshold": "2.0"}


def bypassing(**words: str) -> Plan:
    """A plan of this mode; `actor` below stands for keys of the actor."""
    return plan(**{KEY + "bypass_mode": "True"} | {KEY + name: value for name, value in words.items()})


def refused(whole: Plan) -> list[str]:
    return [refusal.path.removeprefix("stage.") for refusal in refusals(whole)]


def test_the_likelihood_is_weighed_by_the_weights_that_learn() -> None:
    whole = bypassing(**LIKELIHOOD)
    assert refused(whole) == []
    job = job_of(whole)
    assert (job.family, job.old) == ("gpg", "engine")
    assert job.correction == Correction("sequence", 2.0, 0.0, normalize=False, now=True)


def test_rejections_beside_the_clipped_loss() -> None:
    whole = bypassing(rollout_is="token")
    words = {"rollout_is": "token", "rollout_rs": "token_k1,seq_max_k2", "rollout_rs_threshold": "0.6_1.6,2.5"}
    whole.stages[0].algorithm.rollout_correction = words
    assert refused(whole) == []
    job = job_of(whole)
    assert (job.family, job.correction) == ("ppo", None)
    bounds = Rejection("token", "k1", log(0.6), log(1.6)), Rejection("max", "k2", -inf, 2.5)
    assert job.rejections == bounds


@pytest.mark.parametrize(
    ("words", "threshold"),
    [("token_k4", "1.5"), ("seq_max_k1", "1.5"), ("token_sum_k1", "1.5"), ("geometric", "1.5"), ("seq_token_k1", "1.5"),
     ("token_k2", "0.5_1.5"), ("token_k1", "-1"), ("token_k1,token_k2", "1,2,3"), ("token_k1", "None")],
)  # fmt: skip
def test_what_is_no_rejection_of_verls(words: str, threshold: str) -> None:
    with pytest.raises(ValueError, match=r"."):
        rejections_of({"rollout_rs": words, "rollout_rs_threshold": threshold})


def test_bounds_that_are_not_said_are_each_others_reciprocals() -> None:
    assert rejections_of({"rollout_rs": "seq_mean_k1", "rollout_rs_threshold": 1.25}) == (
        Rejection("mean", "k1", log(1 / 1.25), log(1.25)),
    )


def test_a_loss_that_verls_mode_overwrites_is_refused() -> None:
    whole = bypassing(**LIKELIHOOD)
    whole.stages[0].algorithm.policy_loss.family = "gspo"
    assert "algorithm.policy_loss.family" in refused(whole)


def test_rejected_tokens_leave_a_number_that_only_one_mean_has() -> None:
    """Other means divide by what is left of an answer, or of a micro-batch (core_algos.agg_loss)."""
    whole = bypassing(rollout_rs="token_k1", rollout_rs_threshold="1.5")
    whole.stages[0].algorithm.loss_agg = "seq-mean-token-mean"
    assert refused(whole) == ["algorithm.loss_agg"]


def test_a_mean_weight_is_of_a_whole_update() -> None:
    whole = bypassing(**LIKELIHOOD, rollout_is_batch_normalize="True")
    stage = whole.stages[0]
    stage.batch.micro.dynamic, stage.batch.micro.sequences_per_rank = False, stage.batch.sequences_per_update
    assert refused(whole) == []
    assert job_of(whole).correction == Correction("sequence", 2.0, 0.0, normalize=True, now=True)
    stage.batch.micro.sequences_per_rank = 1
    assert refused(whole) == ["algorithm.rollout_correction"]


def test_before_these_releases_nothing_of_it_is_executed() -> None:
    whole = bypassing(**LIKELIHOOD)
    whole.source.release = "0.6.1"
    assert "algorithm.rollout_correction" in refused(whole)
