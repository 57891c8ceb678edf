"""What a run of a fork is: its counts in the plan, its keys in the ledger, and nothing dead that it may read."""

from __future__ import annotations

from pathlib import Path

import pytest

from rftconf.base.ledger import Ledger, State
from rftconf.base.symbols import Expr
from rftconf.convert.convert import Options, convert_loaded
from rftconf.lint import engine
from rftconf.load.load import load
from rftconf.load.loaded import Loaded
from rftconf.verbs.open_input import open_document
from rftconf.verbs.read_arguments import Reading


def read(tmp_path: Path, text: str, name: str = "run.sh") -> Loaded:
    path = tmp_path / name
    path.write_text(text, encoding="utf-8")
    return load(open_document(str(path), Reading()), rows=1000)


def launch(program: str, *overrides: str) -> str:
    common = (
        "data.train_files=train.parquet",
        "data.val_files=test.parquet",
        "actor_rollout_ref.model.path=Qwen/Qwen3-4B",
    )
    lines = " \\\n    ".join((f"python3 -m {program}", *common, *overrides))
    return f"#!/bin/bash\n{lines}\n"


def ledger_of(loaded: Loaded, to: str = "trinity") -> Ledger:
    return convert_loaded(loaded, to, Options()).ledger


def states(ledger: Ledger) -> dict[str, State]:
    return {line.key: line.state for line in ledger.sources}


SEARCH = (
    "data.train_batch_size=64",
    "actor_rollout_ref.rollout.name=vllm",
    "actor_rollout_ref.rollout.n_agent=4",
    "actor_rollout_ref.actor.ppo_mini_batch_size=128",
    "actor_rollout_ref.actor.state_masking=true",
    "algorithm.adv_estimator=grpo",
    "algorithm.no_think_rl=false",
    "max_turns=3",
    "retriever.url=http://127.0.0.1:1/retrieve",
)


def test_search_r1_counts_its_mini_batch_in_samples(tmp_path: Path) -> None:
    loaded = read(tmp_path, launch("verl.trainer.main_ppo", *SEARCH))
    assert loaded.guess.dialect == "search-r1"
    values = loaded.stages[0].values
    assert values["stage.batch.responses_per_prompt"] == 4
    assert values["stage.batch.sequences_per_update"] == 128
    assert values["stage.batch.prompts_per_rollout"] == 64


def test_what_only_the_fork_has_is_said_with_what_it_does(tmp_path: Path) -> None:
    loaded = read(tmp_path, launch("verl.trainer.main_ppo", *SEARCH))
    new_states = states(ledger_of(loaded))
    assert new_states["max_turns"] is State.NO_COUNTERPART
    assert new_states["algorithm.no_think_rl"] is State.DEFAULT
    assert new_states["retriever.url"] is State.EXTENSION
    assert new_states["actor_rollout_ref.rollout.n_agent"] is State.EXACT
    assert {"max_turns", "actor_rollout_ref.actor.state_masking"} <= set(loaded.plan.beyond)
    assert "algorithm.no_think_rl" not in loaded.plan.beyond


EASYR1 = """
data:
  train_files: train.parquet
  val_files: test.parquet
  max_prompt_length: 1024
  max_response_length: 1024
  rollout_batch_size: 512
algorithm:
  adv_estimator: grpo
  disable_kl: false
  use_kl_loss: {loss}
  kl_penalty: low_var_kl
  kl_coef: 0.01
worker:
  actor:
    global_batch_size: 128
    micro_batch_size_per_device_for_update: 4
    clip_ratio_high: 0.28
    loss_avg_mode: token
    model:
      model_path: Qwen/Qwen2.5-7B-Instruct
    optim:
      lr: 1.0e-6
  rollout:
    n: 5
  reward:
    reward_function: ./reward.py:score
trainer:
  total_epochs: 2
  n_gpus_per_node: 8
  val_freq: 5
"""


@pytest.mark.parametrize("loss", ["true", "false"])
def test_easyr1_is_read_in_its_own_words(tmp_path: Path, loss: str) -> None:
    loaded = read(tmp_path, EASYR1.format(loss=loss), "config.yaml")
    assert loaded.guess.dialect == "easyr1"
    values = loaded.stages[0].values
    assert values["stage.batch.prompts_per_rollout"] == 512
    assert values["stage.batch.responses_per_prompt"] == 5
    assert values["stage.batch.sequences_per_update"] == 640
    kl = {path: value for path, value in values.items() if path.startswith("stage.algorithm.") and value == 0.01}
    assert len(kl) == 1
    assert ("reward" in next(iter(kl))) is (loss == "false")
    unknown = [line.key for line in ledger_of(loaded).sources if line.state is State.UNKNOWN]
    assert unknown == []


def test_nothing_is_dead_in_a_program_that_is_not_the_frameworks(tmp_path: Path) -> None:
    overrides = (
        "data.train_batch_size=64",
        "actor_rollout_ref.rollout.name=vllm",
        "actor_rollout_ref.rollout.n=4",
        "actor_rollout_ref.actor.ppo_mini_batch_size=64",
        "algorithm.adv_estimator=grpo",
        "algorithm.kl_ctrl.kl_coef=0.001",
        "critic.optim.lr=1e-5",
        "actor_rollout_ref.actor.kl_loss_type=k1",
    )
    own = states(ledger_of(read(tmp_path, launch("verl.trainer.main_ppo", *overrides))))
    assert own["algorithm.kl_ctrl.kl_coef"] is State.DEAD_IN_SOURCE
    ledger = ledger_of(read(tmp_path, launch("my_agent.main_ppo", *overrides)))
    assert State.DEAD_IN_SOURCE not in states(ledger).values()
    line = next(line for line in ledger.sources if line.key == "algorithm.kl_ctrl.kl_coef")
    assert line.state is State.UNKNOWN
    assert "my_agent.main_ppo may read it" in line.reason


def test_a_key_that_hydra_would_refuse_shows_a_fork(tmp_path: Path) -> None:
    overrides = (
        "data.train_batch_size=64",
        "actor_rollout_ref.actor.ppo_mini_batch_size=64",
        "actor_rollout_ref.rollout.name=vllm",
        "algorithm.kl_ctrl.kl_coef=0.001",
        "data.loop_kind=2",
    )
    new_states = states(ledger_of(read(tmp_path, launch("verl.trainer.main_ppo", *overrides))))
    assert new_states["algorithm.kl_ctrl.kl_coef"] is State.UNKNOWN
    assert new_states["data.loop_kind"] is State.UNKNOWN


def test_a_condition_that_was_read_in_the_forks_code_is_no_loss(tmp_path: Path) -> None:
    text = launch("verl.trainer.main_ppo", *SEARCH, "critic.optim.lr=1e-5")
    line = next(line for line in ledger_of(read(tmp_path, text)).sources if line.key == "critic.optim.lr")
    assert line.state is State.DEFAULT
    assert "Search-R1" in line.reason


def test_check_knows_the_forks_keys(tmp_path: Path) -> None:
    path = tmp_path / "run.sh"
    path.write_text(launch("verl.trainer.main_ppo", *SEARCH), encoding="utf-8")
    codes = {diagnostic.code for diagnostic in engine.check(open_document(str(path), Reading()))}
    assert codes.isdisjoint({"KEY001", "KEY005", "KEY011", "KEY012"})


def test_a_forks_program_takes_arguments_in_its_own_way(tmp_path: Path) -> None:
    (tmp_path / "base.yaml").write_text(EASYR1.format(loss="true"), encoding="utf-8")
    text = (
        "python3 -m verl.trainer.main config=base.yaml worker.rollout.n=8 "
        'worker.rollout.val_override_config=\'{"n":2,"temperature":0.5}\'\n'
    )
    values = read(tmp_path, text).stages[0].values
    assert values["stage.batch.prompts_per_rollout"] == 512
    assert values["stage.batch.responses_per_prompt"] == 8
    assert 0.5 in values.values()


def test_absolute_zero_trains_on_all_types_of_tasks_at_once(tmp_path: Path) -> None:
    """main_azr_ppo writes its own mini-batch: tasks of each type, written and solved, are one update."""
    keys = (
        "data.train_batch_size=64",
        "actor_rollout_ref.actor.ppo_mini_batch_size=128",
        "azr.problem_types=['code_i','code_o']",
    )
    values = read(tmp_path, launch("absolute_zero_reasoner.main_azr_ppo", *keys)).stages[0].values
    assert values["stage.batch.prompts_per_rollout"] == 64 * 2 * 2
    assert values["stage.batch.sequences_per_update"] == 64 * 2 * 2
    solved = read(tmp_path, launch("absolute_zero_reasoner.main_azr_ppo", *keys, "azr.train_propose=False"))
    assert solved.stages[0].values["stage.batch.sequences_per_update"] == 64 * 2


def test_rllm_makes_one_update_of_a_batch_that_is_smaller_and_names_its_services_keys(tmp_path: Path) -> None:
    keys = (
        "rllm/backend=tinker",
        "rllm.algorithm.adv_estimator=grpo",
        "training.group_size=4",
        "data.train_batch_size=8",
    )
    values = read(tmp_path, launch("examples.mine.train", *keys)).stages[0].values
    assert values["stage.batch.responses_per_prompt"] == 4
    assert values["stage.batch.sequences_per_update"] == 8 * 4


def test_rollpacker_makes_one_update_of_what_a_period_yields(tmp_path: Path) -> None:
    """base_worker takes all that a rank has, whatever micro-batch x accumulation says."""
    path = tmp_path / "packed.yaml"
    path.write_text(
        "rollout_batch_size: 64\nnum_return_sequences_in_group: 4\nmax_prompts_ratio: 1.25\npretrain: small\nnum_gpus_per_node: 8\n"
        "actor_train:\n  device_mapping: list(range(0,8))\n  strategy_args: {strategy_name: megatron_train}\n"
        "  training_args: {per_device_train_batch_size: 1, gradient_accumulation_steps: 256}\n"
        "actor_infer: {device_mapping: 'list(range(0,8))', strategy_args: {strategy_name: vllm}}\n"
        "rewards: {math: {world_size: 1}}\n"
    )
    loaded = load(open_document(str(path), Reading()))
    assert loaded.guess.dialect == "rollpacker"
    assert loaded.stages[0].values["stage.batch.sequences_per_update"] == 256


DEEPSCALER = (
    "data.train_batch_size=128",
    "actor_rollout_ref.actor.ppo_mini_batch_size=64",
    "actor_rollout_ref.actor.use_kl_loss=True",
    "actor_rollout_ref.actor.fsdp_config.grad_offload=False",
    "actor_rollout_ref.rollout.n=16",
    "actor_rollout_ref.rollout.n_val=4",
    "actor_rollout_ref.rollout.val_temperature=0.6",
    "algorithm.adv_estimator=grpo",
    "algorithm.kl_ctrl.kl_coef=0.001",
)


def test_deepscaler_evaluates_with_several_sampled_answers(tmp_path: Path) -> None:
    loaded = read(tmp_path, launch("verl.trainer.main_ppo", *DEEPSCALER))
    assert (loaded.guess.dialect, loaded.release) == ("deepscaler", "0.2.0")
    values = loaded.stages[0].values
    assert values["stage.batch.sequences_per_update"] == 64 * 16
    assert values["stage.sampling.eval.responses"] == 4
    assert values["stage.sampling.eval.temperature"] == 0.6
    assert State.UNKNOWN not in states(ledger_of(loaded)).values()


def test_the_keys_of_easyr1_as_they_were_called_at_first(tmp_path: Path) -> None:
    text = (
        "data: {train_files: a@train, val_files: a@test, rollout_batch_size: 64, system_prompt: think}\n"
        "worker:\n"
        "  actor:\n"
        "    {global_batch_size: 32, clip_ratio: 0.25, entropy_coeff: 0.002, use_kl_loss: true, kl_loss_coef: 0.02,\n"
        "     model: {model_path: org/small}, offload: {param_offload: true}}\n"
        "  rollout: {n: 4, max_num_seqs: 512}\n"
        "  reward: {compute_score: r1v}\n"
        "trainer: {total_episodes: 3, n_gpus_per_node: 8, remove_previous_ckpt: false}\n"
    )
    loaded = read(tmp_path, text, "run.yaml")
    assert loaded.guess.dialect == "easyr1"
    values = loaded.stages[0].values
    assert values["stage.run_length.epochs"] == 3
    assert (values["stage.algorithm.policy_loss.clip_low"], values["stage.algorithm.policy_loss.clip_high"]) == (
        0.25,
        0.25,
    )
    new_states = states(ledger_of(loaded, "roll"))
    assert State.UNKNOWN not in new_states.values()
    assert new_states["data.system_prompt"] is State.NO_COUNTERPART


STEPWISE = (
    "data.train_batch_size=16",
    "actor_rollout_ref.rollout.name=vllm",
    "actor_rollout_ref.actor.ppo_mini_batch_size=256",
    "actor_rollout_ref.actor.use_invalid_action_penalty=True",
    "algorithm.adv_estimator=grpo",
    "env.rollout.n=8",
    "trainer.n_gpus_per_node=2",
    "trainer.nnodes=1",
)


def test_where_each_step_of_an_episode_is_a_sample_an_update_is_no_number_of_episodes(tmp_path: Path) -> None:
    """verl-agent, agent_system/multi_turn_rollout: 128 episodes are as many samples as they have steps, and 256 of those an update."""
    loaded = read(tmp_path, launch("verl.trainer.main_ppo", *STEPWISE))
    assert loaded.guess.dialect == "verl-agent"
    assert isinstance(loaded.stages[0].values["stage.batch.sequences_per_update"], Expr)
    conversion = convert_loaded(loaded, "trinity", Options())
    questions = {choice for decision in conversion.ledger.decisions for choice in decision.choices}
    assert "--assume steps_per_episode=N" in questions
    assert "actor_rollout_ref.actor.ppo_mini_batch_size=256" in convert_loaded(loaded, "verl", Options()).text
    path = tmp_path / "run.sh"
    new_loaded = load(open_document(str(path), Reading()), rows=1000, assume={"steps_per_episode": "8"})
    assert new_loaded.stages[0].values["stage.batch.sequences_per_update"] == 32
    assert "train_batch_size: 32" in convert_loaded(new_loaded, "trinity", Options()).text
