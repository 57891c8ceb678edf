"""Forks that play: robots, games for two, and agents that learn from a store of earlier steps."""

from __future__ import annotations

from pathlib import Path

from rftconf.base.ledger import State
from tests.dialects.test_forks import launch, ledger_of, read, states

ROBOTS = (
    "data.task_suite_name=libero_10",
    "data.num_trials_per_task=50",
    "data.n_samples=8",
    "data.train_batch_size=64",
    "actor_rollout_ref.actor.ppo_mini_batch_size=128",
    "actor_rollout_ref.actor.traj_mini_batch_size=16",
    "actor_rollout_ref.rollout.name=hf",
    "algorithm.adv_estimator=grpo",
    "critic.ppo_micro_batch_size=8",
)


def test_a_robot_s_group_and_what_its_config_turns_off(tmp_path: Path) -> None:
    loaded = read(tmp_path, launch("verl.trainer.main_ppo", *ROBOTS))
    assert loaded.guess.dialect == "simplevla-rl"
    assert loaded.stages[0].values["stage.batch.responses_per_prompt"] == 8
    new_states = states(ledger_of(loaded))
    assert new_states["data.task_suite_name"] is State.NO_COUNTERPART
    assert new_states["actor_rollout_ref.actor.traj_mini_batch_size"] is State.EXTENSION
    assert new_states["critic.ppo_micro_batch_size"] is State.DEFAULT


def test_a_switch_that_was_read_in_the_fork_s_code_puts_to_sleep_what_it_does_in_the_release(tmp_path: Path) -> None:
    loaded = read(tmp_path, launch("verl_vla.trainer.main_ppo", *ROBOTS, "trainer.val_only=True"))
    assert loaded.guess.dialect == "vla-rl"
    lines = {line.key: line for line in ledger_of(loaded, "roll").sources}
    assert lines["data.train_batch_size"].state is State.DEFAULT
    assert "so it is in vla-rl's code" in lines["data.train_batch_size"].reason


def test_changed_code_that_only_evaluates_says_so_itself(tmp_path: Path) -> None:
    """veRL's own program with a key of nobody's: trainer.val_only is taken at its word, and so is what hangs on it."""
    keys = ("trainer.val_only=True", "data.train_batch_size=64", "algorithm.of_nobody=1")
    lines = {
        line.key: line for line in ledger_of(read(tmp_path, launch("verl.trainer.main_ppo", *keys)), "roll").sources
    }
    assert lines["data.train_batch_size"].state is State.DEAD_IN_SOURCE
    assert "trainer.val_only=True says so here" in lines["data.train_batch_size"].reason


GAME = """
pretrain: Qwen/Qwen3-4B
rollout_batch_size: 128
max_steps: 100
adv_estimator: grpo
add_token_level_kl: false
init_kl_coef: 0.2
actor_train: {training_args: {learning_rate: 1.0e-6}, strategy_args: {strategy_name: megatron_train}, device_mapping: "list(range(0,8))"}
actor_infer: {strategy_args: {strategy_name: vllm}, device_mapping: "list(range(0,8))"}
reference: {strategy_args: {strategy_name: megatron_infer}, device_mapping: "list(range(0,8))"}
custom_envs: {Game: {env_type: game, max_steps_per_traj: 5}}
"""


def test_games_for_two_have_as_many_groups_as_they_say(tmp_path: Path) -> None:
    manager = (
        "train_env_manager: {env_groups: 16, group_size: 8, tags: [Game], n_groups: [16]}\nuse_turn_scores: true\n"
    )
    loaded = read(tmp_path, GAME + manager, "run.yaml")
    assert loaded.guess.dialect == "marshal"
    assert loaded.stages[0].values["stage.batch.responses_per_prompt"] == 8
    new_states = states(ledger_of(loaded))
    assert new_states["use_turn_scores"] is State.NO_COUNTERPART
    assert new_states["init_kl_coef"] is State.DEFAULT  # add_token_level_kl is off, as in the release's code


def test_a_store_of_steps_that_is_off_changes_nothing(tmp_path: Path) -> None:
    manager = "train_env_manager: {num_env_groups: 16, group_size: 8, tags: [Game], num_groups_partition: [16]}\n"
    for on, expected in ((True, State.NO_COUNTERPART), (False, State.DEFAULT)):
        store = f"replay: {{enabled: {str(on).lower()}, capacity: 1000}}\n"
        loaded = read(tmp_path, GAME + manager + store, "run.yaml")
        assert loaded.guess.dialect == "freshness-per"
        assert states(ledger_of(loaded))["replay.capacity"] is expected


def test_a_draft_model_changes_no_answer(tmp_path: Path) -> None:
    keys = ("actor_rollout_ref.rollout.name=vllm", "actor_rollout_ref.rollout.drafter.enable=True")
    loaded = read(tmp_path, launch("verl_speco.main", *keys))
    assert (loaded.guess.dialect, loaded.release) == ("verl-speco", "0.8.0")
    assert states(ledger_of(loaded))["actor_rollout_ref.rollout.drafter.enable"] is State.EXTENSION


def test_gigpo_discounts_steps_and_grpo_does_not(tmp_path: Path) -> None:
    """A key of the framework that acts otherwise in some runs has the release's line in the others."""
    keys = (
        "env.env_name=alfworld",
        "env.rollout.n=8",
        "data.train_batch_size=256",
        "algorithm.gamma=0.95",
        "actor_rollout_ref.rollout.name=vllm",
    )
    lines = {}
    for estimator in ("gigpo", "gae"):
        loaded = read(tmp_path, launch("verl.trainer.main_ppo", *keys, f"algorithm.adv_estimator={estimator}"))
        assert loaded.guess.dialect == "verl-agent"
        lines[estimator] = {line.key: line for line in ledger_of(loaded).sources}["algorithm.gamma"]
    assert "discounts the rewards of an episode's steps" in lines["gigpo"].reason
    assert "discounts the rewards" not in lines["gae"].reason
    assert lines["gae"].state is State.EXACT
