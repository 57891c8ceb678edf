"""Numbers that no run can have are refused by field, before anything starts."""

from __future__ import annotations

from fractions import Fraction

import pytest
from rftconf_runner.refusals import refusals
from rftconf_runner.refusals_of_numbers import OF_CRITIC, RANGES
from rftconf_runner.value_text import render_plan_value

from rftconf.plan.index import fields
from tests.runner.test_job import plan

ACTOR, ROLLOUT = "actor_rollout_ref__actor__", "actor_rollout_ref__rollout__"
IMPOSSIBLE = {
    "sampling.train.temperature": (f"{ROLLOUT}temperature", ("0", "-1")),
    "sampling.train.top_p": (f"{ROLLOUT}top_p", ("0", "1.5")),
    "sampling.train.top_k": (f"{ROLLOUT}top_k", ("-3",)),
    "placement.rollout.seed": (f"{ROLLOUT}seed", ("-3",)),
    "placement.rollout.gpu_memory_fraction": (f"{ROLLOUT}gpu_memory_utilization", ("0", "2")),
    "optim.actor.lr": (f"{ACTOR}optim__lr", ("-3", "1e400")),
    "optim.actor.weight_decay": (f"{ACTOR}optim__weight_decay", ("-3",)),
    "optim.actor.grad_clip": (f"{ACTOR}optim__clip_grad", ("0", "-3")),
    "batch.micro.sequences_per_rank": (f"{ACTOR}ppo_micro_batch_size_per_gpu", ("0", "-3")),
    "algorithm.policy_loss.clip_low": (f"{ACTOR}clip_ratio_low", ("-3",)),
    "algorithm.policy_loss.dual_clip_c": (f"{ACTOR}clip_ratio_c", ("1.0", "0")),
    "length.response_max_tokens": ("data__max_response_length", ("0", "-3", "99999999999999999999")),
    "run_length.rollouts": ("trainer__total_training_steps", ("0", "-3")),
    "cadence.save_rollouts": ("trainer__save_freq", ("-3",)),
}
POSSIBLE = {
    f"{ROLLOUT}temperature": "0.6", f"{ROLLOUT}top_k": "20", f"{ROLLOUT}top_p": "0.95", f"{ACTOR}optim__clip_grad": "1e400",
    f"{ACTOR}entropy_coeff": "-0.01", f"{ACTOR}clip_ratio_low": "0", f"{ACTOR}optim__lr": "0", "trainer__save_freq": "-1",
}  # fmt: skip


@pytest.mark.parametrize("path", IMPOSSIBLE)
def test_impossible_numbers_are_refused(path: str) -> None:
    key, values = IMPOSSIBLE[path]
    for value in values:
        assert f"stage.{path}" in {refusal.path for refusal in refusals(plan(**{key: value}))}, value


@pytest.mark.parametrize("key", POSSIBLE)
def test_unusual_numbers_are_not(key: str) -> None:
    assert refusals(plan(**{key: POSSIBLE[key]})) == []


def test_every_range_is_of_a_field_that_holds_numbers() -> None:
    for path in {**RANGES, **OF_CRITIC}:
        assert {"int", "float"} & {*fields()[f"stage.{path}"].kinds}, path


def test_a_quotient_is_said_as_one() -> None:
    assert render_plan_value(Fraction(4, 3)) == "4/3"
    assert render_plan_value({"len": None}) == "{len: null}"
