"""The size of micro-batches that a plan leaves open: chosen where the loss is one mean over the update, and asked for elsewhere."""

from __future__ import annotations

import pytest
from rftconf_runner.job import Micro
from rftconf_runner.job_reader import job_of
from rftconf_runner.micro_reader import chosen_micro
from rftconf_runner.refusals import refusals

from tests.runner.test_job import plan

OPEN = {"actor_rollout_ref__actor__ppo_micro_batch_size_per_gpu": "null"}


def test_one_sequence_where_the_loss_is_a_mean_over_the_update() -> None:
    """veRL 0.9.1 takes token-mean over the whole mini-batch (core_algos.agg_loss with global_batch_info)."""
    of = plan(**OPEN)
    assert of.stages[0].algorithm.loss_norm_scope == "update"
    assert refusals(of) == []
    assert job_of(of).micro == Micro(1, 0)
    assert "micro-batches of one sequence" in chosen_micro(of.stages[0], job_of(of).micro)


def test_a_size_that_is_given_stays() -> None:
    of = plan()
    assert job_of(of).micro == Micro(64, 0)
    assert chosen_micro(of.stages[0], job_of(of).micro) == ""


def test_a_mean_over_each_micro_batch_is_asked_for_its_size() -> None:
    """veRL 0.6.1's actor takes the mean of each micro-batch by itself (dp_actor.update_policy)."""
    of = plan(release="0.6.1", **OPEN)
    assert of.stages[0].algorithm.loss_norm_scope == "micro_batch_mean"
    with pytest.raises(ValueError, match=r"leaves open: stage\.batch\.micro\.sequences_per_rank"):
        job_of(of)


def test_open_tokens_are_those_of_the_longest_sequence() -> None:
    of = plan()
    micro = of.stages[0].batch.micro
    micro.dynamic, micro.sequences_per_rank, micro.tokens_per_rank = True, None, None
    assert job_of(of).micro == Micro(0, 32, packs=job_of(of).micro.packs)
