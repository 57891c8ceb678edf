"""Keys that nobody reads: refused by name, unless a line of the table says why they change nothing."""

from __future__ import annotations

import pytest
from rftconf_runner.extension_fields import leave_out
from rftconf_runner.ignorable_keys import HARMLESS, SURELY, unlisted
from rftconf_runner.job_reader import job_of
from rftconf_runner.refusals import refusals

import rftconf
from rftconf.load.load import load
from rftconf.plan.model import Plan
from rftconf.text.read.read import read
from rftconf.text.source import Source
from tests.runner.test_job import plan

AGENTIC = {
    "+max_turns": "4",
    "+searching__url": "http://127.0.0.1:8000/retrieve",
    "actor_rollout_ref__rollout__agent__agent_loop_config_path": "/d/loops.yaml",
    "actor_rollout_ref__actor__fsdp_config__qat__enable": "True",
}


@pytest.mark.parametrize("key", AGENTIC)
def test_a_key_that_makes_another_run_is_refused_by_name(key: str) -> None:
    name = key.lstrip("+").replace("__", ".")
    new_plan = plan(**{key: AGENTIC[key]})
    assert [refusal.path for refusal in refusals(new_plan)] == [f"extensions.verl.{name}"]
    leave_out(new_plan, name)
    assert refusals(new_plan) == []


@pytest.mark.parametrize(
    ("key", "value", "field"),
    [
        ("agent__default_agent_loop", "tool_agent", "loop"),
        ("multi_turn__tool_config_path", "/d/tools.yaml", "tools"),
        ("multi_turn__max_assistant_turns", "5", "assistant_max"),
    ],
)
def test_answers_of_several_turns_are_refused(key: str, value: str, field: str) -> None:
    new_plan = plan(**{f"actor_rollout_ref__rollout__{key}": value})
    assert [refusal.path for refusal in refusals(new_plan)] == [f"stage.turns.{field}"]


def test_a_forks_own_code_is_not_guessed() -> None:
    """Search-R1 draws in turns, whatever its keys say."""
    new_plan = plan(**{"+actor_rollout_ref__rollout__n_agent": "5"})
    assert [(refusal.path, "Search-R1" in refusal.why) for refusal in refusals(new_plan)] == [("source.fork", True)]
    leave_out(new_plan, "source.fork")
    assert refusals(new_plan) == []


def test_a_pattern_leaves_several_out() -> None:
    new_plan = plan(**{"+searching__url": "http://127.0.0.1", "+searching__topk": "3"})
    leave_out(new_plan, "searching.*")
    assert refusals(new_plan) == []


@pytest.mark.parametrize(
    ("key", "value"),
    [
        ("actor_rollout_ref__rollout__agent__default_agent_loop", "single_turn_agent"),
        ("actor_rollout_ref__rollout__multi_turn__max_assistant_turns", "null"),
        ("actor_rollout_ref__actor__fsdp_config__qat__enable", "False"),
        ("trainer__log_val_generations", "10"),
        ("data__truncation", "left"),
        ("data__return_raw_chat", "True"),
        ("global_profiler__tool", "torch"),
        ("actor_rollout_ref__rollout__calculate_log_probs", "True"),
    ],
)
def test_what_changes_nothing_is_not(key: str, value: str) -> None:
    """A default, what nothing in that release reads, and lines of the table."""
    assert refusals(plan(**{key: value})) == []


@pytest.mark.parametrize("word", ["rollout.mode=sync", "rollout.mode=async", "nccl_timeout=1200"])
def test_words_of_older_releases_about_how_and_how_long_are_none(word: str) -> None:
    """Single answers are the same whether the engine is called as a server or not (veRL 0.5: agent_loop, vllm_rollout_spmd)."""
    key, value = f"actor_rollout_ref.{word}".split("=")
    text = "python3 -m verl.trainer.main_ppo algorithm.adv_estimator=grpo \\\n"
    run = rftconf.read(f"{text} {key}={value}\n", framework="verl", release="0.5.0")
    assert any(key in text for text in run.plan.extensions["verl"])
    assert [refusal for refusal in refusals(run.plan) if key in refusal.path] == []


def test_a_critic_that_is_not_there_has_no_words() -> None:
    assert refusals(plan(critic__model__tiled_mlp__enabled="True", critic__model__override_config__x="1")) == []


@pytest.mark.parametrize(("template", "refused"), [("qwen2_5", False), ("native", False), ("longcot_V3", True)])
def test_a_chat_template_of_rolls_is_the_tokenizers_own_or_refused(template: str, refused: bool) -> None:
    text = (
        f"rollout_batch_size: 8\nglobal_template: {template}\nactor_train: {{model_args: {{model_name_or_path: /m}}}}\n"
    )
    new_plan = load(read(Source("run.yaml", text)), framework="roll", release="0.3.0").plan
    assert ("global_template" in [key for _, key, _, _ in unlisted(new_plan)]) is refused


def test_every_line_says_why_and_no_line_takes_all() -> None:
    for table in (*HARMLESS.values(), *SURELY.values()):
        for line in table:
            assert line.why
            assert line.keys
            assert not {"*", "*.*"} & {*line.keys}


def test_a_framework_without_a_table_is_refused() -> None:
    assert len(list(unlisted(Plan(extensions={"other": {"a": 1}})))) == 1


@pytest.mark.parametrize(
    ("key", "value"),
    [
        ("data.sampler.class_path", "pkg://samplers"),
        ("data.datagen.path", "/d/made.py"),
    ],
)
def test_what_the_newest_release_has_no_more_is_refused_where_it_acted(key: str, value: str) -> None:
    new_plan = plan(release="0.7.1", **{key.replace(".", "__"): value})
    assert [refusal.path for refusal in refusals(new_plan)] == [f"extensions.verl.{key}"]
    leave_out(new_plan, key)
    assert refusals(new_plan) == []


def test_what_did_nothing_before_it_went_is_not_in_the_way() -> None:
    assert refusals(plan(release="0.7.1", trainer__use_legacy_worker_impl="auto")) == []
    assert refusals(plan(release="0.8.0", trainer__use_legacy_worker_impl="disable")) == []


def test_an_adapter_without_a_rank_is_trained_by_the_workers_of_0_7_alone() -> None:
    name = {"actor_rollout_ref__model__lora_adapter_path": "/d/adapter"}
    older, newer = plan(release="0.7.1", **name), plan(**name)
    assert (refusals(older), refusals(newer)) == ([], [])
    adapter = job_of(older).lora
    assert adapter is not None
    assert (adapter.rank, adapter.path) == (0, "/d/adapter")
    assert job_of(newer).lora is None


@pytest.mark.parametrize(
    ("tokenizer", "refused"), [("/m", []), ("/another", ["extensions.verl.reward_model.model.input_tokenizer"])]
)
def test_a_reward_models_input_tokenizer_is_the_policys(tokenizer: str, refused: list[str]) -> None:
    """veRL 0.6.1 _switch_chat_template decodes the policy's tokens by it."""
    of = plan()
    of.extensions.setdefault("verl", {})["reward_model.model.input_tokenizer"] = tokenizer
    assert [refusal.path for refusal in refusals(of)] == refused


@pytest.mark.parametrize(
    ("mode", "update", "refused"), [("R2", "8", False), ("R2", "4", True), ("R3", "8", True), ("disabled", "4", False)]
)
def test_routes_are_those_of_the_only_updates_own_weights(mode: str, update: str, refused: bool) -> None:
    """veRL's R2 records the routes of compute_log_prob and takes them in update_actor; R3's are the engine's."""
    of = plan(actor_rollout_ref__actor__ppo_mini_batch_size=update)
    of.extensions.setdefault("verl", {})["actor_rollout_ref.actor.megatron.router_replay.mode"] = mode
    assert bool(refusals(of)) == refused


@pytest.mark.parametrize(("release", "refused"), [("0.6.1", True), ("0.7.1", False)])
def test_engine_workers_take_one_mean_over_the_update(release: str, refused: bool) -> None:
    """veRL 0.7.1 workers/utils/losses.py divides by the tokens of the global batch; 0.6.1 has no such number."""
    of = plan(release=release)
    of.stages[0].algorithm.loss_norm_scope = "micro_batch_mean"
    of.extensions.setdefault("verl", {})["trainer.use_legacy_worker_impl"] = "disable"
    paths = [refusal.path for refusal in refusals(of)]
    assert ("extensions.verl.trainer.use_legacy_worker_impl" in paths) == refused
    if not refused:
        assert job_of(of).norm_scope == "update"
        of.stages[0].algorithm.critic.enabled = True  # whose own mean nobody looked at
        assert "extensions.verl.trainer.use_legacy_worker_impl" in [refusal.path for refusal in refusals(of)]
