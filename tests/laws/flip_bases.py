"""Small configs of our own in which, between them, every key has something to act on. Flat keys, plain values."""

from __future__ import annotations

import os
from typing import Any

import pytest

from rftconf.schemas import registry
from tests.laws.flip_base import Base, fixed_by_engine
from tests.laws.flip_bases_roll import ROLL

ARR = "actor_rollout_ref"
VERL_GRPO: dict[str, Any] = {
    "algorithm.adv_estimator": "grpo",
    "data.train_files": "/data/math/train.parquet",
    "data.val_files": "/data/math/test.parquet",
    "data.train_batch_size": 256,
    "data.max_prompt_length": 512,
    "data.max_response_length": 1024,
    f"{ARR}.model.path": "base/model",
    f"{ARR}.actor.optim.lr": 2e-6,
    f"{ARR}.actor.ppo_mini_batch_size": 64,
    f"{ARR}.actor.use_dynamic_bsz": True,
    f"{ARR}.actor.use_kl_loss": True,
    f"{ARR}.rollout.name": "vllm",
    f"{ARR}.rollout.n": 8,
    f"{ARR}.rollout.tensor_model_parallel_size": 2,
    "trainer.nnodes": 2,
    "trainer.n_gpus_per_node": 8,
    "trainer.total_epochs": 3,
    "trainer.total_training_steps": 100,
    "trainer.save_freq": 20,
    "trainer.test_freq": 5,
}
STATIC = {
    f"{ARR}.actor.use_dynamic_bsz": False,
    f"{ARR}.actor.ppo_micro_batch_size_per_gpu": 4,
    f"{ARR}.rollout.log_prob_use_dynamic_bsz": False,
    f"{ARR}.rollout.log_prob_micro_batch_size_per_gpu": 4,
    f"{ARR}.ref.log_prob_use_dynamic_bsz": False,
    f"{ARR}.ref.log_prob_micro_batch_size_per_gpu": 4,
}
CRITIC = {
    "algorithm.adv_estimator": "gae",
    f"{ARR}.actor.use_kl_loss": False,
    "algorithm.use_kl_in_reward": True,
    f"{ARR}.rollout.n": 1,
    "critic.model.path": "base/value",
    "critic.optim.lr": 2e-5,
}
REWARD_MODEL = {
    "reward.reward_model.enable": True,
    "reward.reward_model.model_path": "base/judge",
    "reward.reward_model.rollout.name": "vllm",
    "reward.reward_model.enable_resource_pool": True,
    "reward.reward_model.n_gpus_per_node": 4,
    "reward.reward_model.nnodes": 1,
}

D = "distillation."
TAUGHT = {
    f"{D}enabled": True,
    f"{D}distillation_loss.loss_mode": "kl",
    f"{D}distillation_loss.use_task_rewards": False,
    f"{D}distillation_loss.use_policy_gradient": True,
    f"{D}n_gpus_per_node": 8,
    f"{D}nnodes": 1,
    f"{D}teacher_models.teacher_model.model_path": "base/teacher",
    f"{D}teacher_models.teacher_model.inference.name": "vllm",
    f"{ARR}.actor.use_kl_loss": False,
}
COSINE = {f"{ARR}.actor.optim.lr_scheduler_type": "cosine", f"{ARR}.actor.optim.lr_warmup_steps": 10}
VERL = (
    Base("grpo", VERL_GRPO, "fsdp"),
    Base("ppo with a critic", VERL_GRPO | CRITIC | {"critic.use_dynamic_bsz": True}, "fsdp"),
    Base("static micro-batches", VERL_GRPO | STATIC, "fsdp"),
    Base("static micro-batches with a critic",
         VERL_GRPO | CRITIC | STATIC | {"critic.use_dynamic_bsz": False, "critic.ppo_micro_batch_size_per_gpu": 4}, "fsdp"),
    Base("megatron", VERL_GRPO | {f"{ARR}.actor.strategy": "megatron", f"{ARR}.actor.megatron.tensor_model_parallel_size": 2}, "megatron"),
    Base("megatron with a critic", VERL_GRPO | CRITIC | {f"{ARR}.actor.strategy": "megatron"}, "megatron"),
    Base("engine's fixed micro-batches of a critic", VERL_GRPO | CRITIC | fixed_by_engine("fsdp"), "fsdp", "0.8.0"),
    Base("megatron, fixed critic", VERL_GRPO | CRITIC | fixed_by_engine("megatron") | {f"{ARR}.actor.strategy": "megatron"}, "megatron", "0.8.0"),
    Base("megatron, decaying", VERL_GRPO | CRITIC | {f"{ARR}.actor.strategy": "megatron", f"{ARR}.actor.optim.lr_decay_style": "cosine",
         "critic.optim.lr_decay_style": "cosine"}, "megatron"),
    Base("megatron, validation samples", VERL_GRPO | {f"{ARR}.actor.strategy": "megatron",
         f"{ARR}.rollout.val_kwargs.temperature": 0.7, f"{ARR}.rollout.val_kwargs.do_sample": True}, "megatron"),
    Base("lora", VERL_GRPO | {f"{ARR}.model.lora_rank": 32, f"{ARR}.model.lora_alpha": 32}, "fsdp"),
    Base("adaptive KL", VERL_GRPO | CRITIC | {"algorithm.kl_ctrl.type": "adaptive"}, "fsdp"),
    Base("cosine", VERL_GRPO | COSINE, "fsdp"),
    Base("cosine with a critic", VERL_GRPO | CRITIC | COSINE | {"critic.optim.lr_scheduler_type": "cosine"}, "fsdp"),
    Base("sum norm", VERL_GRPO | {f"{ARR}.actor.loss_agg_mode": "seq-mean-token-sum-norm"}, "fsdp"),
    Base("sapo", VERL_GRPO | {f"{ARR}.actor.policy_loss.loss_mode": "sapo"}, "fsdp", "0.7.1"),
    Base("one update a period", VERL_GRPO | {f"{ARR}.actor.ppo_mini_batch_size": 256}, "fsdp"),
    Base("reward model", VERL_GRPO | REWARD_MODEL, "fsdp", "0.7.1"),
    Base("custom reward", VERL_GRPO | {"reward.custom_reward_function.path": "score.py"}, "fsdp", "0.7.1"),
    Base("corrected", VERL_GRPO | {"algorithm.rollout_correction.rollout_is": "token"}, "fsdp", "0.7.0"),
    Base("group filter", VERL_GRPO | {"algorithm.filter_groups.enable": True, "algorithm.filter_groups.metric": "reward"}, "fsdp", "0.5.0"),
    Base("separate engines", VERL_GRPO | {"trainer.v1.trainer_mode": "separate_async", f"{ARR}.hybrid_engine": False,
         f"{ARR}.rollout.nnodes": 1, f"{ARR}.rollout.n_gpus_per_node": 8, f"{ARR}.rollout.checkpoint_engine.backend": "nccl",
         "trainer.v1.separate_async.parameter_sync_step": 4}, "fsdp", "0.9.0"),
    Base("engines that run ahead", VERL_GRPO | {"trainer.v1.trainer_mode": "colocate_async"}, "fsdp", "0.9.0"),
    Base("shuffled", VERL_GRPO | CRITIC | {f"{ARR}.actor.shuffle": True, "critic.shuffle": True}, "fsdp"),
    Base("validation samples", VERL_GRPO | {f"{ARR}.rollout.val_kwargs.temperature": 0.7,
         f"{ARR}.rollout.val_kwargs.do_sample": True}, "fsdp"),
    Base("taught", VERL_GRPO | TAUGHT, "fsdp", "0.9.1"),
    Base("validation alone", VERL_GRPO | {"trainer.val_only": True, f"{ARR}.rollout.val_kwargs.n": 4}, "fsdp"),
    Base("resumed", VERL_GRPO | {"trainer.resume_mode": "resume_path", "trainer.resume_from_path": "/ckpt/global_step_20"}, "fsdp"),
)  # fmt: skip

DECAYS = {
    "veomni": {f"{role}.optim.lr_scheduler_type": "cosine" for role in (f"{ARR}.actor", "critic")},
    "torchtitan": {f"{role}.optim.decay_type": "cosine" for role in (f"{ARR}.actor", "critic")},
}
"""How the rate decays with the engines that have a config of their own."""
ENGINES = tuple(
    base
    for engine, decays in DECAYS.items()
    for base in (
        Base(engine, VERL_GRPO, engine, "0.7.1"),
        Base(f"{engine} with a critic", VERL_GRPO | CRITIC, engine, "0.7.1"),
        Base(f"{engine}, static micro-batches with a critic",
             VERL_GRPO | CRITIC | STATIC | {"critic.use_dynamic_bsz": False, "critic.ppo_micro_batch_size_per_gpu": 4}, engine, "0.7.1"),
        Base(f"{engine}, engine's fixed micro-batches of a critic", VERL_GRPO | CRITIC | fixed_by_engine(engine), engine, "0.8.0"),
        Base(f"{engine}, decaying", VERL_GRPO | CRITIC | decays, engine, "0.7.1"),
        Base(f"{engine}, validation samples", VERL_GRPO | {f"{ARR}.rollout.val_kwargs.temperature": 0.7,
             f"{ARR}.rollout.val_kwargs.do_sample": True}, engine, "0.7.1"),
    )
)  # fmt: skip
LITE = (Base("megatron lite", VERL_GRPO | {"model_engine": "mlite"}, "fsdp", "0.9.1"),)

OWN_ENGINES = {"rollout.nnodes": 1, "rollout.n_gpus_per_node": 8}
STREAMED = VERL_GRPO | OWN_ENGINES | {"rollout.total_rollout_steps": 51200}
BEHIND = VERL_GRPO | OWN_ENGINES
MEGATRON = {f"{ARR}.actor.strategy": "megatron"}
RECIPES = (
    Base("fully asynchronous", STREAMED, "fully_async", "0.7.1"),
    Base("fully asynchronous, megatron", STREAMED | MEGATRON, "fully_async_megatron", "0.7.1"),
    Base("one step off", BEHIND, "one_step_off", "0.7.1"),
    Base("one step off, megatron", BEHIND | MEGATRON, "one_step_off_megatron", "0.7.1"),
)

TASK, EVAL = "buffer.explorer_input.tasksets[0]", "buffer.explorer_input.eval_tasksets[0]"
TRINITY_GRPO: dict[str, Any] = {
    "project": "flips",
    "name": "base",
    "algorithm.algorithm_type": "grpo",
    "algorithm.repeat_times": 8,
    "algorithm.optimizer.lr": 2e-6,
    "model.model_path": "base/model",
    "model.max_prompt_tokens": 512,
    "model.max_response_tokens": 1024,
    "cluster.node_num": 2,
    "cluster.gpu_per_node": 8,
    "buffer.batch_size": 64,
    "buffer.train_batch_size": 512,
    "buffer.total_steps": 100,
    f"{TASK}.name": "math",
    f"{TASK}.storage_type": "file",
    f"{TASK}.path": "/data/math",
    f"{TASK}.split": "train",
    f"{EVAL}.name": "test",
    f"{EVAL}.path": "/data/math",
    f"{EVAL}.split": "test",
    "explorer.rollout_model.engine_num": 4,
    "explorer.rollout_model.tensor_parallel_size": 2,
    "explorer.eval_interval": 20,
    "synchronizer.sync_method": "nccl",
    "synchronizer.sync_style": "fixed",
    "synchronizer.sync_interval": 4,
    "trainer.save_interval": 40,
    "trainer.total_steps": 100,
}
PPO = {
    "algorithm.algorithm_type": "ppo",
    "algorithm.kl_penalty_fn": "k1",
    "algorithm.kl_penalty_fn_args.kl_coef": 0.002,
}
ACTOR = "trainer.trainer_config.actor_rollout_ref.actor"
HELPER = {
    "explorer.auxiliary_models[0].model_path": "base/judge",
    "explorer.auxiliary_models[0].engine_num": 1,
    "explorer.auxiliary_models[0].tensor_parallel_size": 2,
    "explorer.rollout_model.engine_num": 3,
}
BENCH: dict[str, Any] = {
    "mode": "bench",
    **{key: value for key, value in TRINITY_GRPO.items() if key.startswith(("model.", "cluster.", "explorer."))},
    "buffer.explorer_input.eval_tasksets[0].path": "/data/aime",
    "buffer.explorer_input.eval_tasksets[0].split": "test",
    "buffer.explorer_input.eval_tasksets[0].repeat_times": 4,
    "explorer.rollout_model.engine_num": 8,
}
TRINITY = (
    Base("grpo", TRINITY_GRPO),
    Base("ppo", TRINITY_GRPO | PPO),
    Base("adaptive KL", TRINITY_GRPO | PPO | {"algorithm.kl_penalty_fn_args.adaptive": True}),
    Base("static micro-batches", TRINITY_GRPO | {"trainer.use_dynamic_bsz": False}),
    Base("megatron", TRINITY_GRPO | {"trainer.trainer_strategy": "megatron", "trainer.megatron.tensor_model_parallel_size": 2}, since="0.6.0"),
    Base("megatron with a critic", TRINITY_GRPO | PPO | {"trainer.trainer_strategy": "megatron"}, since="0.6.0"),
    Base("megatron, static micro-batches with a critic", TRINITY_GRPO | PPO | {"trainer.trainer_strategy": "megatron",
         "trainer.use_dynamic_bsz": False, "trainer.trainer_config.critic.optim.lr_decay_style": "cosine"}, since="0.6.0"),
    Base("lora", TRINITY_GRPO | {"model.lora_configs[0].lora_rank": 16, "synchronizer.sync_method": "checkpoint"}),
    Base("cosine", TRINITY_GRPO | {"algorithm.optimizer.lr_scheduler_type": "cosine", "algorithm.optimizer.lr_warmup_steps": 20}),
    Base("cosine critic", TRINITY_GRPO | PPO | {"trainer.trainer_config.critic.optim.lr_scheduler_type": "cosine"}),
    Base("two data sets", TRINITY_GRPO | {"buffer.explorer_input.tasksets[1].path": "/data/code", "buffer.explorer_input.tasksets[1].name": "code"}),
    Base("helper", TRINITY_GRPO | HELPER),
    Base("sapo", TRINITY_GRPO | {"algorithm.policy_loss_fn": "sapo"}, since="0.5.0"),
    Base("sum norm", TRINITY_GRPO | {"algorithm.loss_agg_mode": "seq-mean-token-sum-norm"}, since="0.4.0"),
    Base("filtered", TRINITY_GRPO | {"algorithm.advantage_fn_args.std_threshold": 0.0}, since="0.4.0"),
    Base("static critic", TRINITY_GRPO | PPO | {"trainer.use_dynamic_bsz": False}),
    Base("shuffled", TRINITY_GRPO | PPO | {f"{TASK}.data_selector.selector_type": "shuffle",
         f"{ACTOR}.shuffle": True, "trainer.trainer_config.critic.shuffle": True}),
    Base("epochs", {k: v for k, v in TRINITY_GRPO.items() if not k.endswith("total_steps")} | {"buffer.total_epochs": 3}),
    Base("entropy", TRINITY_GRPO | {"algorithm.entropy_loss_fn_args.entropy_coef": 0.01}),
    Base("benchmark", BENCH),
    Base("swanlab", TRINITY_GRPO | {"monitor.monitor_type": "swanlab"}, since="0.3.3"),
    Base("sglang", TRINITY_GRPO | {"explorer.rollout_model.engine_type": "sglang"}, since="0.6.0"),
    Base("tinker", TRINITY_GRPO | {"model.tinker.enable": True}, since="0.4.1"),
    Base("form B", TRINITY_GRPO | {"synchronizer.explorer_sync_interval": 1, "synchronizer.trainer_sync_interval": 1}, since="0.5.0"),
)  # fmt: skip
MODELS = "models"
CHATLEARN_GRPO: dict[str, Any] = {
    "runtime_args.train_backend": "fsdp",
    "runtime_args.rollout_backend": "vllm",
    "runtime_args.exp_name": "base",
    "runtime_args.colocation": ["policy", "policy_trainer", "ref_policy"],
    "runtime_args.output_dir": "/out",
    "runtime_args.data_path": "/data/math/train.jsonl",
    "runtime_args.eval_data_path": "/data/math/test.jsonl",
    "runtime_args.num_episode": 100,
    "runtime_args.sample_per_episode": 2048,
    "runtime_args.train_global_batch_size": 512,
    "runtime_args.train_micro_batch_size": 4,
    "runtime_args.num_inference_per_prompt": 8,
    "runtime_args.save_episode_interval": 20,
    "runtime_args.eval_episode_interval": 5,
    "runtime_args.max_replay_episode": 1,
    "runtime_args.log_args_dict.log_dir": "/out",
    f"{MODELS}.policy_trainer.trainable": True,
    f"{MODELS}.policy_trainer.num_gpu": 16,
    f"{MODELS}.policy_trainer.load": "base/model",
    f"{MODELS}.policy_trainer.kl_coef": 0.001,
    f"{MODELS}.policy_trainer.train_micro_batch_size": 4,
    f"{MODELS}.policy_trainer.generation_batch_size": 4,
    f"{MODELS}.ref_policy.num_gpu": 16,
    f"{MODELS}.ref_policy.load": "base/model",
    f"{MODELS}.ref_policy.generation_batch_size": 4,
    f"{MODELS}.policy.num_gpu": 16,
    f"{MODELS}.policy.load": "base/model",
    f"{MODELS}.policy.num_inference_per_prompt": 8,
    f"{MODELS}.policy.tensor_model_parallel_size": 2,
    f"{MODELS}.policy.max_prompt_tokens_length": 512,
    f"{MODELS}.policy.max_response_tokens_length": 1024,
    f"{MODELS}.policy.generation_batch_size": 128,
}
PACKED = {f"{MODELS}.{model}.packing": True for model in ("policy_trainer", "ref_policy")}
MCORE = {
    "runtime_args.train_backend": "megatron",
    f"{MODELS}.policy_trainer.load": "base/mcore",
    f"{MODELS}.ref_policy.load": "base/mcore",
    **{f"{MODELS}.{model}.tensor_model_parallel_size": 2 for model in ("policy_trainer", "ref_policy")},
    f"{MODELS}.policy_trainer.optimizer.lr": 2e-6,
    f"{MODELS}.policy_trainer.optimizer.min_lr": 2e-6,
    f"{MODELS}.policy_trainer.tokenizer_model": "base/model",
    f"{MODELS}.ref_policy.tokenizer_model": "base/model",
    **{
        f"{MODELS}.{model}.max_{what}_tokens_length": size
        for model in ("policy_trainer", "ref_policy")
        for what, size in (("prompt", 512), ("response", 1024))
    },
}
CHATLEARN = (
    Base("grpo", CHATLEARN_GRPO, "fsdp"),
    Base("packed", CHATLEARN_GRPO | PACKED, "fsdp"),
    Base("megatron", CHATLEARN_GRPO | MCORE, "megatron"),
    Base("megatron, packed", CHATLEARN_GRPO | MCORE | PACKED, "megatron"),
    Base("megatron, resumed", CHATLEARN_GRPO | MCORE | {"runtime_args.data_checkpoint_path": "/out/data"}, "megatron"),
    Base("resumed", CHATLEARN_GRPO | {"runtime_args.data_checkpoint_path": "/out/data"}, "fsdp"),
    Base("separate engines", CHATLEARN_GRPO | {"runtime_args.colocation": ["policy_trainer", "ref_policy"]}, "fsdp"),
)
BASES = {"verl": (*VERL, *RECIPES), "trinity": TRINITY, "roll": ROLL, "chatlearn": CHATLEARN}
FLIPPED = {**BASES, "verl": (*BASES["verl"], *ENGINES, *LITE)}
"""The bases in which every leaf is flipped; round trips of the engines with a config of their own are not yet laws."""
OTHER_FRAMEWORKS = {
    framework: [target for target in registry.FRAMEWORKS if target != registry.framework(framework).family]
    for framework in FLIPPED
}
"""Every framework but a config's own is a target."""


def bases_in_turn(part: int) -> list[Any]:
    """One base in `part` with its framework, as parameters of a test; all of them with RFTCONF_EVERY_FLIP=1."""
    step = 1 if os.environ.get("RFTCONF_EVERY_FLIP") else part
    return [
        pytest.param(framework, base, id=f"{framework}-{base.name}")
        for framework, bases in FLIPPED.items()
        for base in bases[::step]
    ]
