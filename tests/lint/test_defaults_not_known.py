"""A config on top of another one: what it leaves out is not known, and no condition is decided by it."""

from __future__ import annotations

import pytest

from rftconf.lint import engine
from rftconf.text.read.read import read
from rftconf.text.source import Source

RUN = """\
exp_name: rlvr
num_gpus_per_node: 8
rollout_batch_size: 64
num_return_sequences_in_group: 8
prompt_length: 1024
response_length: 2048
adv_estimator: reinforce
actor_train:
  training_args: {learning_rate: 1.0e-6, per_device_train_batch_size: 1, gradient_accumulation_steps: 32}
  strategy_args: {strategy_name: megatron_train, strategy_config: {tensor_model_parallel_size: 1}}
  device_mapping: list(range(0,8))
actor_infer:
  strategy_args: {strategy_name: vllm, strategy_config: {gpu_memory_utilization: 0.6}}
  device_mapping: list(range(0,8))
reference:
  strategy_args:
    strategy_name: megatron_infer
    strategy_config: {tensor_model_parallel_size: 2, moe_grouped_gemm: true}
  device_mapping: list(range(0,8))
rewards:
  math: {worker_cls: roll.pipeline.rlvr.rewards.math_rule_reward_worker.MathRuleRewardWorker, tag_included: [gsm8k]}
"""
ROLL = engine.Options(framework="roll", release="0.3.0")


def idle(text: str) -> set[str]:
    diagnostics = engine.check(read(Source("run.yaml", text)), ROLL)
    return {finding.key for finding in diagnostics if finding.code == "KEY011" and finding.key.startswith("reference")}


def test_hydras_own_section_leaves_the_defaults_known() -> None:
    """ROLL's init_kl_coef is 0.2 where nothing is written, so there is a reference model."""
    own = "hydra:\n  run: {dir: .}\n"
    assert idle(RUN) == idle(own + RUN) == set()


@pytest.mark.parametrize("own", ["", "hydra:\n  run: {dir: .}\n", "defaults:\n  - ../config/base@_here_\n"])
def test_a_role_that_is_not_loaded_sleeps_whole(own: str) -> None:
    """Whoever drops the strategy's name drops its settings with it: the default strategy reads none of them."""
    assert idle(
        f"{own}{RUN}init_kl_coef: 0.0\nuse_kl_loss: false\nadd_token_level_kl: false\nenable_reference: false\n"
    ) >= {
        "reference.strategy_args.strategy_name",
        "reference.strategy_args.strategy_config.tensor_model_parallel_size",
        "reference.strategy_args.strategy_config.moe_grouped_gemm",
    }


def test_a_default_of_a_file_that_is_not_here_decides_nothing() -> None:
    assert idle("defaults:\n  - ../config/base@_here_\n" + RUN) == set()


def test_a_key_that_others_take_is_no_mistake() -> None:
    """ROLL's loader drops what it does not know, after the values that name it are filled in."""
    text = f"{RUN}my_tokens: 2048\nmy_env:\n  small: {{steps: 3}}\n  large: {{steps: 9}}\nsystem_envs:\n  LONGEST: ${{my_tokens}}\n"
    text += "  STEPS: ${my_env.small.steps}\nstray: 1\n"
    unknown = [f.key for f in engine.check(read(Source("run.yaml", text)), ROLL) if f.code == "KEY001"]
    assert unknown == ["stray"]


def test_an_estimator_may_spare_a_critic_where_the_defaults_are_somebodys_own() -> None:
    """veRL builds a critic for gae, the default, unless critic.enable says otherwise; the config of the run may."""
    script = "python3 -m verl.trainer.main_ppo --config-name=of_my_own distillation.enabled=True algorithm.adv_estimator=grpo"
    script += " distillation.distillation_loss.use_task_rewards=False\n"
    diagnostics = engine.check(read(Source("run.sh", script)), engine.Options("verl", "0.9.1"))
    assert not [f for f in diagnostics if f.code == "KEY011" and f.key == "algorithm.adv_estimator"]
