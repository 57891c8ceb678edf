"""Losses and advantages that are another thing in another framework, or beside other terms: executed or refused by name."""

from __future__ import annotations

import pytest
from rftconf_runner.job_reader import job_of
from rftconf_runner.refusals import refusals

from rftconf.load.load import load
from rftconf.plan.model import Plan
from rftconf.text.read.read import read
from rftconf.text.source import Source
from tests.runner.test_job import plan

FAMILY, SCOPE = "stage.algorithm.policy_loss.family", "stage.algorithm.loss_norm_scope"
MODE = "actor_rollout_ref__actor__policy_loss__loss_mode"


def of_trinity(kind: str, words: str = "") -> Plan:
    text = f"""mode: both
algorithm:
  algorithm_type: {kind}
  repeat_times: 4
{words}
model: {{model_path: /m, max_prompt_tokens: 16, max_response_tokens: 16}}
cluster: {{node_num: 1, gpu_per_node: 8}}
buffer: {{batch_size: 8, total_steps: 5, explorer_input: {{taskset: {{name: t, path: /d, rollout_args: {{temperature: 1.0}}}}}}}}
"""
    return load(read(Source("config.yaml", text)), framework="trinity", release="0.6.0").plan


def refused(new_plan: Plan) -> dict[str, str]:
    return {refusal.path: refusal.why for refusal in refusals(new_plan)}


@pytest.mark.parametrize("kind", ["opmd", "topr", "sppo", "rec"])
def test_trinitys_losses_are_executed_for_trinity(kind: str) -> None:
    new_plan = of_trinity(kind)
    assert not {path for path in refused(new_plan) if "policy_loss" in path or "advantage" in path}
    new_plan.source.framework = "roll"
    assert refused(new_plan)[FAMILY].endswith("the runner executes Trinity's")


def test_arguments_of_a_loss_reach_it_and_others_are_refused() -> None:
    words = "  policy_loss_fn_args: {epsilon_low: 0.1, epsilon_high: 0.3, clip_mode: ring, weight: none}"
    new_plan = of_trinity("rec", words)
    keys = {path for path in refused(new_plan) if "policy_loss_fn_args" in path}
    assert keys == {"extensions.trinity.algorithm.policy_loss_fn_args.clip_mode"}


def test_sapo_is_another_loss_in_trinity() -> None:
    """There the gate is a weight without gradient on the log-likelihood (sapo_policy_loss.py)."""
    assert refused(of_trinity("sapo"))[FAMILY].startswith("is 'sapo_detached'; the runner executes ")


def test_sapo_takes_one_mean_in_verl() -> None:
    means = {"actor_rollout_ref__actor__loss_agg_mode": "seq-mean-token-mean"}
    assert refused(plan(**{MODE: "sapo"}, **means)) == {}
    assert job_of(plan(**{MODE: "sapo"}, **means)).loss_words == {"tau_pos": 1.0, "tau_neg": 1.05}
    assert refused(plan(**{MODE: "sapo"})) == {}
    beside = plan(**{MODE: "sapo", "actor_rollout_ref__actor__use_kl_loss": "True"})
    assert set(refused(beside)) == {"extensions.verl.actor_rollout_ref.actor.loss_agg_mode"}


@pytest.mark.parametrize("kind", ["dppo_tv", "dppo_kl"])
def test_dppo_reads_a_second_bound(kind: str) -> None:
    assert refused(plan(**{MODE: kind})) == {}
    assert job_of(plan(**{MODE: kind})).dual == 3.0


def test_dro_has_a_number_of_its_own() -> None:
    new_plan = plan(**{MODE: "dro", "actor_rollout_ref__actor__policy_loss__dro_beta": "0.5"})
    assert refused(new_plan) == {}
    assert job_of(new_plan).loss_words["dro_beta"] == 0.5
    assert job_of(new_plan).loss_words.keys() >= {"tau_pos"}


def test_means_of_micro_batches_are_added_up_where_the_loss_knows_no_update() -> None:
    """veRL's geo_mean since 0.8; other terms are means over the update there, and the runner divides all terms alike."""
    new_plan = plan(**{MODE: "geo_mean"})
    assert refused(new_plan) == {}
    assert job_of(new_plan).norm_scope == "micro_batch_sum"
    beside = plan(**{MODE: "geo_mean", "actor_rollout_ref__actor__entropy_coeff": "0.1"})
    assert SCOPE in refused(beside)
