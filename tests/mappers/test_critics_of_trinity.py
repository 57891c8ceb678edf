"""A run needs more to start than its plan says: sizes for a critic's engine, a bridge that knows adapters, a schedule that the release has."""

from __future__ import annotations

import pytest

from rftconf.base.ledger import State
from rftconf.convert.convert import Conversion, convert
from rftconf.text.read.read import read
from rftconf.text.source import Source

PPO = (
    "python3 -m verl.trainer.main_ppo algorithm.adv_estimator=gae data.train_batch_size=64 data.train_files=/d/t.parquet"
    " data.val_files=/d/v.parquet data.max_prompt_length=512 data.max_response_length=512 actor_rollout_ref.model.path=/m/q"
    " actor_rollout_ref.actor.ppo_mini_batch_size=64 actor_rollout_ref.actor.ppo_micro_batch_size_per_gpu=4"
    " actor_rollout_ref.rollout.log_prob_micro_batch_size_per_gpu=4 actor_rollout_ref.rollout.name=vllm"
    " critic.model.path=/m/q critic.ppo_micro_batch_size_per_gpu=2 +critic.fsdp.use_dynamic_bsz=False +critic.fsdp.micro_batch_size_per_gpu=2"
    " +critic.fsdp.infer_micro_batch_size_per_gpu=2 critic.model.enable_gradient_checkpointing=False"
    " trainer.total_training_steps=10 trainer.n_gpus_per_node=8 trainer.nnodes=1"
)
ROLL = (
    "pretrain: /m/q\nrollout_batch_size: 64\nnum_return_sequences_in_group: 8\nmax_steps: 10\nprompt_length: 512\n"
    "response_length: 512\nadv_estimator: grpo\nactor_train:\n"
    "  model_args: {lora_rank: 8, lora_alpha: 8, lora_target: all-linear}\n"
    "  training_args: {per_device_train_batch_size: 4, gradient_accumulation_steps: 16, lr_scheduler_type: cosine}\n"
    "  strategy_args: {strategy_name: TRAINER}\n  device_mapping: list(range(0,8))\n  data_args: {file_name: [/d/a.jsonl]}\n"
    "actor_infer:\n  strategy_args: {strategy_name: vllm}\n  device_mapping: list(range(0,8))\n"
    "rewards:\n  math_rule: {worker_cls: a.b.C, tag_included: [x]}\n"
)
CRITIC = "trainer.trainer_config.critic."
CHECKPOINTING = CRITIC + "model.enable_gradient_checkpointing"


def written(text: str, to: str, release: str) -> dict[str, object]:
    return {line.key: line.value for line in done(text, to, release).ledger.targets}


def done(text: str, to: str, release: str) -> Conversion:
    return convert(read(Source("run.sh" if text.startswith("python3") else "run.yaml", text)), to, to_release=release)


def test_the_engine_of_a_critic_hears_its_micro_batches() -> None:
    """Trinity-RFT 0.6.0 trainer/verl/trainer.py leaves the engine's sizes empty; veRL's prepare_micro_batches multiplies them."""
    keys = written(PPO, "trinity", "0.6.0")
    assert keys[CRITIC + "ppo_micro_batch_size_per_gpu"] == 2
    assert keys[CRITIC + "fsdp.micro_batch_size_per_gpu"] == 2
    assert keys[CRITIC + "fsdp.infer_micro_batch_size_per_gpu"] == 2
    assert not [key for key in written(PPO, "trinity", "0.5.2") if ".fsdp." in key]


def test_what_the_trainer_decides_of_a_critic_s_model_is_not_written() -> None:
    """Trinity-RFT 0.6.0 trainer/verl/trainer.py: HFModelConfig(enable_gradient_checkpointing=True)."""
    assert CHECKPOINTING not in written(PPO, "trinity", "0.6.0")
    lost = done(PPO, "trinity", "0.6.0").ledger.sources
    (line,) = [source for source in lost if source.key == "critic.model.enable_gradient_checkpointing"]
    assert line.state is State.NO_COUNTERPART
    assert written(PPO, "trinity", "0.5.2")[CHECKPOINTING] is False


@pytest.mark.parametrize("release", ["0.4.1", "0.5.2", "0.6.0"])
def test_the_schedule_of_a_critic_on_megatron_has_a_key_of_its_own(release: str) -> None:
    """trainer/verl/config: _build_critic_optimizer_config fills lr_decay_style and min_lr on Megatron, where nobody told them."""
    megatron = PPO.replace("verl.trainer.main_ppo", "verl.trainer.main_ppo --config-name=ppo_megatron_trainer")
    megatron = megatron.replace(" +critic.fsdp", " +critic.megatron").replace(
        " critic.model.enable_gradient_checkpointing=False", ""
    )
    for style, schedule in (("linear", "linear"), ("constant", None)):
        text = f"{megatron} critic.optim.lr_decay_style={style} critic.optim.min_lr=1e-7"
        keys = written(text, "trinity", release)
        assert keys.get(CRITIC + "optim.lr_decay_style") == schedule
        assert keys.get(CRITIC + "optim.min_lr") == (1e-7 if schedule else None)
        assert CRITIC + "optim.lr_scheduler_type" not in keys


def test_the_lowest_rate_of_a_critic_on_megatron_is_a_share_of_its_rate_on_fsdp() -> None:
    """trainer/verl/config: an FSDP critic's min_lr_ratio is 0.01 where nobody writes it, Megatron's min_lr of veRL 0.0."""
    megatron = PPO.replace("verl.trainer.main_ppo", "verl.trainer.main_ppo --config-name=ppo_megatron_trainer")
    megatron = (
        megatron.replace(" +critic.fsdp", " +critic.megatron")
        + " model_engine=other actor_rollout_ref.actor.strategy=megatron critic.optim.lr=2e-5"
    )
    for least, share in (("0.0", 0.0), ("1e-6", pytest.approx(0.05))):
        script = Source("run.sh", f"{megatron} critic.optim.lr_decay_style=cosine critic.optim.min_lr={least}")
        ledger = convert(read(script), "trinity", framework="verl", release="0.9.1", to_release="0.6.0").ledger
        keys = {line.key: line.value for line in ledger.targets}
        assert keys[CRITIC + "optim.min_lr_ratio"] == share


@pytest.mark.parametrize(("release", "older"), [("0.7.1", True), ("0.8.0", True), ("0.9.1", False)])
def test_adapters_on_megatron_get_the_bridge_that_knows_them(release: str, older: bool) -> None:
    """veRL 0.8.0 workers/config/megatron_peft.py: get_peft_cls asserts Megatron-Bridge."""
    keys = written(ROLL.replace("TRAINER", "megatron_train"), "verl", release)
    assert (keys.get("actor_rollout_ref.actor.megatron.vanilla_mbridge") is False) is older


@pytest.mark.parametrize(("release", "reads"), [("0.2.0", False), ("0.3.0", False), ("0.4.1", True)])
def test_no_floor_is_written_for_a_decay_that_is_not_there(release: str, reads: bool) -> None:
    """veRL 0.3.0 workers/fsdp_workers.py builds get_constant_schedule_with_warmup alone."""
    text = ROLL.replace("TRAINER", "fsdp2_train")
    text = text.replace(
        "lr_scheduler_type: cosine", "lr_scheduler_type: cosine_with_min_lr, lr_scheduler_kwargs: {min_lr_rate: 0.1}"
    )
    keys = written(text, "verl", release)
    assert reads or "actor_rollout_ref.actor.optim.min_lr_ratio" not in keys
