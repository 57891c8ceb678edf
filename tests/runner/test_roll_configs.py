"""Single keys of ROLL's configs: variants of its losses, an engine's own context, rollouts that are written down, types of gradients."""

from __future__ import annotations

import pytest
from rftconf_runner.job_reader import job_of
from rftconf_runner.refusals import refusals

from rftconf.load.load import load
from rftconf.plan.model import Plan
from rftconf.text.read.read import read
from rftconf.text.source import Source
from tests.runner.test_after_norm import ROLL
from tests.runner.test_job import plan

FAMILY, DUAL = "stage.algorithm.policy_loss.family", "stage.algorithm.policy_loss.dual_clip_c"


def roll(more: str = "", *, actor: str = "", engine: str = "") -> Plan:
    """The plan of the config with further lines at its top, of its trainer and of its engine."""
    text = ROLL.replace("actor_train:\n", "actor_train:\n" + "".join(f"  {line}\n" for line in actor.splitlines()))
    text = text.replace("{strategy_name: vllm}", f"{{strategy_name: vllm, strategy_config: {{{engine}}}}}")
    return load(read(Source("run.yaml", text + more)), release="0.3.0").plan


def variant(name: str, more: str = "") -> Plan:
    return roll(actor=f"worker_cls: roll.pipeline.rlvr.actor_pg_worker.ActorPGWorker\npg_variant: {name}\n{more}")


def refused(of: Plan) -> dict[str, str]:
    return {refusal.path: refusal.why for refusal in refusals(of)}


@pytest.mark.parametrize(("name", "family"), [("topr", "topr_by_reward"), ("tis", "tis"), ("kimi15", "kimi15")])
def test_variants_of_rolls_losses_are_executed_for_roll(name: str, family: str) -> None:
    new_plan = variant(name)
    assert not {path for path in refused(new_plan) if "policy_loss" in path}
    assert job_of(new_plan).family == family
    of_verl = plan()
    of_verl.stages[0].algorithm.policy_loss.family = family
    assert "the runner executes ROLL's" in refused(of_verl)[FAMILY]


def test_weights_of_good_and_bad_answers_are_those_of_the_config() -> None:
    words = job_of(variant("topr", "topr_positive_weight: 0.5\ntopr_negative_weight: 2.0")).loss_words
    assert (words["topr_positive_weight"], words["topr_negative_weight"]) == (0.5, 2.0)


def test_gspo_of_roll_is_clipped_twice_and_refused_where_tokens_have_advantages_of_their_own() -> None:
    """`ActorWorker.loss_func` bounds bad answers of either ratio; its gradient goes through the mean of the log-ratios."""
    gspo = "importance_sampling: seq\ndual_clip_loss: true\npg_clip: 0.2\n"
    new_plan = roll(gspo)
    assert not {FAMILY, DUAL} & {*refused(new_plan)}
    assert job_of(new_plan).dual == pytest.approx(1.4)
    within = roll(gspo + "add_token_level_kl: true\ninit_kl_coef: 0.1\n")
    assert "differ within an answer" in refused(within)[FAMILY]


def test_reinforce_of_roll_is_executed() -> None:
    new_plan = roll()
    new_plan.stages[0].algorithm.advantage = "reinforce"
    assert "stage.algorithm.advantage" not in refused(new_plan)


def test_an_engines_shorter_context_ends_answers_and_has_to_take_every_prompt() -> None:
    """ROLL asks for `response_length` tokens whatever the context is, and vLLM ends an answer where its own is over."""
    path = "stage.length.model_max_tokens"
    new_plan = roll(engine="max_model_len: 24")
    assert path not in refused(new_plan)
    job = job_of(new_plan)
    assert job.longest == 24
    assert [job.cuts(12, length) for length in (11, 12)] == [False, True]
    assert path in refused(roll(engine="max_model_len: 16"))
    assert job_of(roll()).longest == 32
    of_verl = plan()
    of_verl.stages[0].length.model_max_tokens = 24
    assert path in refused(of_verl)


def test_rollouts_that_are_written_down_are_learned_from_and_recorded_ones_are_refused() -> None:
    path = "extensions.roll.rollout_mock."
    assert not {name for name in refused(roll("rollout_mock: {enable: true, mode: dump}\n")) if name.startswith(path)}
    assert path + "mode" in refused(roll("rollout_mock: {enable: true, mode: mock}\n"))


def test_gradients_are_added_up_in_the_type_of_the_config() -> None:
    text = ROLL.replace(
        "{strategy_name: fsdp2_train}", "{strategy_name: fsdp2_train, strategy_config: {reduce_dtype: bf16}}"
    )
    new_plan = load(read(Source("run.yaml", text)), release="0.3.0").plan
    assert not {path for path in refused(new_plan) if "reduce_dtype" in path}
    assert job_of(new_plan).added == "bfloat16"
