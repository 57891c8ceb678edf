"""veRL's optimal token baseline: which plans with it run."""

from __future__ import annotations

import pytest
from rftconf_runner.job_reader import job_of
from rftconf_runner.refusals import refusals

from tests.runner.test_job import plan

NAMED = {"algorithm__adv_estimator": "optimal_token_baseline"}


def refused(**changes: str) -> list[str]:
    return [refusal.path.removeprefix("stage.") for refusal in refusals(plan(**NAMED, **changes))]


def test_old_log_probs_are_computed_before_the_update() -> None:
    """They are a part of the advantage, also where a period is one update."""
    assert refused() == []
    assert not job_of(plan(**NAMED)).old_in_update


@pytest.mark.parametrize("words", [{"rollout_is": "token"}, {"bypass_mode": "True"}])
def test_what_verls_function_weighs_by_or_has_no_squares_of(words: dict[str, str]) -> None:
    changes = {f"algorithm__rollout_correction__{name}": value for name, value in words.items()}
    assert refused(**changes) == ["algorithm.advantage"]


def test_another_frameworks_is_not_known() -> None:
    whole = plan(**NAMED)
    whole.source.framework = "roll"
    assert "stage.algorithm.advantage" in [refusal.path for refusal in refusals(whole)]
