"""A few files of odd leaves with every run of the tests, and every leaf that was once answered wrongly."""

from __future__ import annotations

from itertools import islice

import pytest

from tests.fuzz.fuzz_tree import Leaves, groups, judge
from tests.fuzz.fuzz_values import ODD, keys_of
from tests.fuzz.leaf_tally import LeafTally
from tests.fuzz.verbs import OF_CONFIGS, OF_DOCUMENTS
from tests.lint.bases import BASES

ONCE_WRONG = (
    ("verl", "reward.reward_model.enable='8'"),
    ("roll", "rewards.some.device_mapping=words"),
    ("verl", f"actor_rollout_ref.actor.optim.warmup_style={'9' * 5000}"),
    ("verl", "actor_rollout_ref.actor.checkpoint.load_contents=[null]"),
    ("verl", "critic.optim.zero_indexed_step=${oc.env:X}"),
    ("roll", "whiten_advantages=gpu"),
    ("trinity", "algorithm.loss_agg_mode=${oc.env:X}"),
    ("chatlearn", "models.policy_trainer.optimizer.adam_beta2=gpu"),
    ("trinity", "stages[0].buffer.explorer_input.tasksets[0].rollout_args.temperature={a: 1}"),
)


@pytest.mark.parametrize(("framework", "change"), ONCE_WRONG, ids=lambda text: text[:60])
def test_what_was_wrong_once_is_answered(framework: str, change: str) -> None:
    tally = LeafTally()
    judge(Leaves(framework, (change,)), tally)
    assert tally.wrong == []
    assert tally.total == len(OF_DOCUMENTS) + len(OF_CONFIGS)


def test_files_of_many_leaves_are_answered_by_every_verb() -> None:
    tally = LeafTally()
    for leaves in islice(groups(seed=7), 0, 40, 20):
        judge(leaves, tally)
    assert tally.wrong == []
    assert tally.hidden < 5
    assert tally.total > 2 * 95 * (len(OF_DOCUMENTS) + len(OF_CONFIGS))


def test_a_leaf_that_its_companions_hide_is_asked_about_alone() -> None:
    """A setting of Hydra itself is no value of the run: it counts as not reached, and nothing else does."""
    tally = LeafTally()
    judge(Leaves("roll", ("seed=1", "hydra=null")), tally)
    assert (tally.files, tally.hidden, tally.wrong) == (2, 1, [])


def test_every_path_has_every_value_once() -> None:
    observed = [(leaves.framework, change) for leaves in groups(seed=1) for change in leaves.changes]
    assert len(observed) == len(set(observed)) == sum(len(keys_of(framework)) for framework in BASES) * len(ODD)
