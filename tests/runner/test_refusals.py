"""What is executed as the plan says it, or refused by field: losses over a length, fractions, names, impossible places."""

from __future__ import annotations

from fractions import Fraction

import pytest
from rftconf_runner.aggregations import AGGREGATIONS, OVER_LENGTH
from rftconf_runner.job_reader import job_of
from rftconf_runner.refusals import refusals

from rftconf.base.symbols import Var
from tests.runner.test_job import EVERYTHING, plan

SUM_NORM = {"actor_rollout_ref__actor__loss_agg_mode": "seq-mean-token-sum-norm"}


def test_each_meaning_of_the_loss_over_a_length() -> None:
    """One name in every release of veRL, two words in the plan (H61)."""
    for release, word in (("0.9.1", "seq-mean-sum-over-len"), ("0.6.1", "sum-over-len")):
        new_plan = plan(**SUM_NORM, release=release)
        assert [refusal for refusal in refusals(new_plan) if "loss_agg" in refusal.path] == []
        assert (job_of(new_plan).aggregation, job_of(new_plan).divisor) == (word, 16)


@pytest.mark.parametrize("word", sorted(AGGREGATIONS - OVER_LENGTH))
def test_every_other_aggregation_is_a_word_of_the_plan(word: str) -> None:
    new_plan = plan(actor_rollout_ref__actor__loss_agg_mode=word)
    assert (refusals(new_plan), new_plan.stages[0].algorithm.loss_agg) == ([], word)


def test_the_policy_waits_without_a_critic_too() -> None:
    """veRL updates the actor when `critic_warmup <= step`, counted from 1, whatever the estimator (H20)."""
    new_plan = plan(trainer__critic_warmup="5")
    assert (refusals(new_plan), job_of(new_plan).warmup, job_of(new_plan).critic) == ([], 4, None)


@pytest.mark.parametrize(
    "path", ["optim.actor.warmup_updates", "optim.actor.updates_per_tick", "algorithm.critic.warmup_rollouts"]
)
def test_a_fraction_of_what_is_counted_is_not_rounded(path: str) -> None:
    new_plan = plan()
    *parents, last = path.split(".")
    node: object = new_plan.stages[0]
    for name in parents:
        node = getattr(node, name)
    setattr(node, last, Fraction(9, 4))
    with pytest.raises(ValueError, match=rf"stage\.{path} = 9/4, no whole number"):
        job_of(new_plan)


def test_how_far_ahead_is_counted_exactly() -> None:
    new_plan = plan(data__train_batch_size="100", actor_rollout_ref__actor__ppo_mini_batch_size="100")
    new_plan.stages[0].sync.run_ahead_rollouts = 0.29
    assert job_of(new_plan).ahead == 29


@pytest.mark.parametrize(("place", "path"), [("uri", "uri"), ("split", "split"), ("keys.response", "keys.response")])
def test_a_symbol_in_a_data_set_is_named(place: str, path: str) -> None:
    new_plan = plan()
    node: object = new_plan.stages[0].data.train[0]
    *parents, last = place.split(".")
    for name in parents:
        node = getattr(node, name)
    setattr(node, last, Var("DATA"))
    with pytest.raises(ValueError, match=rf"stage\.data\.train\[\]\.{path} = DATA"):
        job_of(new_plan)


def test_a_data_set_without_a_place_is_open() -> None:
    new_plan = plan()
    new_plan.stages[0].data.train[0].uri = None
    with pytest.raises(ValueError, match=r"leaves open: stage\.data\.train\[\]\.uri"):
        job_of(new_plan)


@pytest.mark.parametrize("name", ["pp", "dp", "ep"])
def test_engines_are_divided_by_tensors_only(name: str) -> None:
    new_plan = plan()
    setattr(new_plan.stages[0].placement.rollout, name, 2)
    assert [refusal.path for refusal in refusals(new_plan)] == [f"stage.placement.rollout.{name}"]


def test_epochs_alone_end_a_run() -> None:
    new_plan = plan(trainer__total_training_steps="null", trainer__total_epochs="3")
    assert (refusals(new_plan), job_of(new_plan).rollouts, job_of(new_plan).epochs) == ([], 0, 3)


def test_a_fixed_penalty_may_have_what_an_adaptive_one_reads() -> None:
    new_plan = plan(
        algorithm__use_kl_in_reward="True", algorithm__kl_ctrl__horizon="5000", algorithm__kl_ctrl__target_kl="0.2"
    )
    assert refusals(new_plan) == []
    adaptive = plan(
        algorithm__use_kl_in_reward="True", algorithm__kl_ctrl__type="adaptive", algorithm__kl_ctrl__target_kl="0"
    )
    assert [refusal.path for refusal in refusals(adaptive)] == ["stage.algorithm.kl_reward.target"]


TRUNCATED = {"actor_rollout_ref__rollout__top_p": "0.9"}
AT_TEMPERATURE = {"actor_rollout_ref__rollout__temperature": "0.7"}


@pytest.mark.parametrize(
    ("changes", "refused"),
    [
        ({}, False),
        (AT_TEMPERATURE, True),
        ({"algorithm__rollout_correction__rollout_is": "token"}, True),
        ({"algorithm__rollout_correction__bypass_mode": "True"}, True),
    ],
)
def test_answers_from_less_than_the_whole_distribution(changes: dict[str, str], refused: bool) -> None:
    """The engine's log-probs are of all tokens then, at temperature 1: enough to compare, and nothing to learn from."""
    new_plan = plan(**TRUNCATED, **changes)
    assert ("stage.sampling.train.top_p" in [refusal.path for refusal in refusals(new_plan)]) is refused
    assert job_of(new_plan).truncates
    assert not job_of(plan(**changes)).truncates


@pytest.mark.parametrize(
    ("arguments", "refused"), [({"overlong_buffer_cfg": 5}, True), ({"overlong_buffer_cfg": {"enable": False}}, False)]
)
def test_a_block_that_is_none(arguments: dict[str, object], refused: bool) -> None:
    new_plan = plan()
    new_plan.stages[0].reward.manager, new_plan.stages[0].reward.manager_args = "dapo", arguments
    assert (["stage.reward.manager_args"] if refused else []) == [refusal.path for refusal in refusals(new_plan)]


def test_single_values_of_a_models_config_are_executed_and_blocks_are_not() -> None:
    single = plan(**{"+actor_rollout_ref__model__override_config__max_position_embeddings": "32768"})
    assert (refusals(single), job_of(single).overrides) == ([], {"max_position_embeddings": 32768})
    block = plan(**{"+actor_rollout_ref__model__override_config__rope_scaling__factor": "2.0"})
    (refused,) = refusals(block)
    assert refused.path == "stage.model.config_overrides"
    assert "rope_scaling is {factor: 2.0}" in refused.why


def test_a_run_that_goes_on_from_another_frameworks_checkpoint_is_refused() -> None:
    begun = plan(trainer__resume_mode="resume_path", trainer__resume_from_path="/d/global_step_20")
    (refused,) = refusals(begun)
    assert (refused.path, "/d/global_step_20" in refused.why) == ("identity.resume", True)
    assert refusals(plan(trainer__resume_mode="disable")) == []


@pytest.mark.parametrize("name", ["actor_rollout_ref__model__path", "critic__model__path"])
def test_a_model_by_no_name_is_refused(name: str) -> None:
    (refused,) = refusals(plan(**{**EVERYTHING, name: "''"}))
    assert refused.path == ("stage.model.critic_path" if name.startswith("critic") else "stage.model.path")
    assert "is empty" in refused.why


def test_a_manager_of_batches_needs_a_function_of_batches() -> None:
    """veRL's BatchRewardManager hands lists to its function, and the default one takes single answers."""
    of = plan()
    of.stages[0].reward.manager = "batch"
    assert refusals(of) == []
    assert job_of(of).rewards[0].batched
    of.stages[0].reward.function_path = of.stages[0].reward.function_name = None
    assert "stage.reward.manager" in [refusal.path for refusal in refusals(of)]
