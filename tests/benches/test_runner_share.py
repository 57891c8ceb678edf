"""The share of real configs that the runner executes is the runner's own word, and no agentic config is among them."""

from __future__ import annotations

import pytest

from benches.runner_share import LADDER, OTHER, TURNS, Config, capability, judge, judged, table, text
from rftconf.load.load import load
from rftconf.text.read.read import read
from rftconf.text.source import Source
from tests.corpus import corpora
from tests.runner.test_job import plan
from tests.sources import CORPUS


def test_a_config_with_variables_for_paths_runs() -> None:
    words = "data.train_files=$DATA actor_rollout_ref.model.path=$MODEL reward.custom_reward_function.path=$REWARD"
    keys = " ".join(
        word for word in _words().split() if word.split("=")[0] not in {w.split("=")[0] for w in words.split()}
    )
    document = read(Source("run.sh", f"python3 -m verl.trainer.main_ppo {keys} {words}\n"))
    config = judge(Config("a", "b"), load(document, framework="verl", release="0.9.1").plan)
    assert (config.accepted, config.kind, config.reasons) == (True, "single", [])


def _words() -> str:
    from tests.runner.test_job import KEYS

    return " ".join(f"{key}={value}" for key, value in KEYS.items())


def test_the_ladder_counts_what_each_capability_adds() -> None:
    ran = judge(Config("ran", "g"), plan())
    blocked = judge(Config("blocked", "g"), plan(actor_rollout_ref__actor__policy_loss__loss_mode="kl_cov"))
    turns = judge(Config("turns", "g"), plan(actor_rollout_ref__rollout__agent__default_agent_loop="tool_agent"))
    values = table([ran, blocked, turns])
    assert (values["accepted_single_turn"], values["single_turn"], values["accepted_rl"], values["rl"]) == (1, 2, 1, 3)
    steps = {step["capability"]: step for step in values["ladder"]}
    assert (steps["losses and advantages"]["lacks_alone"], steps[TURNS]["lacks_alone"]) == (1, 1)
    assert values["ladder"][-1] == {"capability": OTHER, "single_turn": 2, "rl": 3, "lacks": 0, "lacks_alone": 0}
    assert text(values).startswith("1 of 2 single-turn RL configs run with no other flag than paths (50 %)")


@pytest.mark.parametrize(
    ("sentence", "name"),
    [
        ("stage.placement.actor.backend: is 'megatron'; the runner executes fsdp", "placement chosen anew"),
        ("extensions.roll.reward_clip: is 10: changes what is learned", "masks, clips and whitening of ROLL's"),
        ("stage.data.train[].workflow: is 'math_workflow', and the runner", "rewards as the framework has them"),
        ("stage.data.train[].workflow: is 'alfworld_workflow', and the runner", TURNS),
        ("nobody thought of this", OTHER),
    ],
)
def test_what_a_refusal_would_need(sentence: str, name: str) -> None:
    assert capability(sentence) == name
    assert name == OTHER or name in dict(LADDER)


@pytest.mark.skipif(not CORPUS.is_dir(), reason="no corpus of upstream examples beside the project")
def test_no_agentic_config_of_the_projects_is_accepted() -> None:
    """By their names: what their own folders call agentic, multi-turn or tools."""
    marks = (
        "agent",
        "multiturn",
        "multi_turn",
        "tool",
        "search_r1",
        "sokoban",
        "frozen",
        "webshop",
        "alfworld",
        "retool",
        "deepeyes",
    )
    form = [
        (Config(real.name, group), real.document(), real.framework, real.release)
        for group, reals in corpora().items() for real in reals if any(mark in real.name.lower() for mark in marks)
    ]  # fmt: skip
    assert form
    assert [config.name for config in judged(form) if config.accepted] == []


def test_a_model_that_sees_of_no_known_type_does_not_count() -> None:
    configs = [
        (Config(real.name, group), real.document(), real.framework, real.release)
        for group, reals in corpora().items() for real in reals if "minicpmo2_6" in real.name or "qwen2_5_vl-7b.sh" in real.name
    ]  # fmt: skip
    accepted = {config.name.rpartition("/")[2]: config.accepted for config in judged(configs)}
    assert accepted.get("run_qwen2_5_vl-7b.sh", True)
    assert not accepted.get("run_minicpmo2_6.sh", False)


def test_types_of_models_that_the_table_does_not_have_are_taken_by_name() -> None:
    configs = [
        (Config(real.name, group), real.document(), real.framework, real.release)
        for group, reals in corpora().items() for real in reals if "glm41v" in real.name
    ]  # fmt: skip
    assert all(config.accepted for config in judged(configs))
