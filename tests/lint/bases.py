"""Configs that are fine, on which the rules' examples stand, and how an example becomes a file."""

from __future__ import annotations

import yaml

from rftconf.lint.examples import block, flags, tree
from rftconf.lint.rule import Example
from rftconf.mappers.native import Cell
from rftconf.schemas import registry, versions
from rftconf.text.document import Document
from rftconf.text.read.read import read
from rftconf.text.source import Source

VERL = (
    "algorithm.adv_estimator=grpo",
    "data.train_files=/data/train.parquet",
    "data.val_files=/data/test.parquet",
    "data.seed=1",
    "data.filter_overlong_prompts=True",
    "data.train_batch_size=256",
    "data.max_prompt_length=512",
    "data.max_response_length=1024",
    "actor_rollout_ref.model.path=Qwen/Qwen2.5-7B-Instruct",
    "actor_rollout_ref.model.use_remove_padding=True",
    "actor_rollout_ref.actor.optim.lr=1e-6",
    "actor_rollout_ref.actor.ppo_mini_batch_size=64",
    "actor_rollout_ref.actor.use_dynamic_bsz=True",
    "actor_rollout_ref.rollout.log_prob_use_dynamic_bsz=True",
    "actor_rollout_ref.rollout.name=vllm",
    "actor_rollout_ref.rollout.n=8",
    "actor_rollout_ref.rollout.tensor_model_parallel_size=2",
    "actor_rollout_ref.rollout.gpu_memory_utilization=0.6",
    "trainer.n_gpus_per_node=8",
    "trainer.nnodes=1",
    "trainer.total_epochs=3",
    "trainer.project_name=demo",
    "trainer.experiment_name=first",
    "trainer.save_freq=20",
    "trainer.test_freq=5",
)
TRINITY = (
    "project=demo",
    "name=first",
    "mode=both",
    "checkpoint_root_dir=/checkpoints",
    "algorithm.algorithm_type=grpo",
    "algorithm.repeat_times=8",
    "algorithm.kl_loss_fn=none",
    "algorithm.optimizer.lr=1e-6",
    "model.model_path=Qwen/Qwen2.5-7B-Instruct",
    "model.max_prompt_tokens=512",
    "model.max_response_tokens=1024",
    "cluster.node_num=1",
    "cluster.gpu_per_node=8",
    "buffer.batch_size=32",
    "buffer.train_batch_size=256",
    "buffer.explorer_input.tasksets[0].name=train",
    "buffer.explorer_input.tasksets[0].storage_type=file",
    "buffer.explorer_input.tasksets[0].path=/data/train",
    "buffer.explorer_input.tasksets[0].data_selector.selector_type=shuffle",
    "buffer.explorer_input.tasksets[0].format.prompt_key=question",
    "buffer.explorer_input.tasksets[0].format.response_key=answer",
    "buffer.explorer_input.default_workflow_type=math_workflow",
    "explorer.eval_interval=50",
    "explorer.rollout_model.engine_num=2",
    "explorer.rollout_model.tensor_parallel_size=2",
    "synchronizer.sync_method=nccl",
    "synchronizer.sync_style=fixed",
    "synchronizer.sync_interval=1",
    "trainer.trainer_type=verl",
    "trainer.save_interval=100",
    "trainer.total_steps=500",
    "monitor.monitor_type=tensorboard",
)
CHATLEARN = (
    "runtime_args.exp_name=demo",
    "runtime_args.train_backend=fsdp",
    "runtime_args.rollout_backend=vllm",
    "runtime_args.task_type=chat",
    "runtime_args.data_path=/data/train.json",
    "runtime_args.eval_data_path=/data/test.json",
    "runtime_args.output_dir=/checkpoints",
    "runtime_args.num_episode=100",
    "runtime_args.sample_per_episode=512",
    "runtime_args.num_inference_per_prompt=8",
    "runtime_args.train_micro_batch_size=8",
    "runtime_args.train_global_batch_size=512",
    "runtime_args.max_replay_episode=1",
    "runtime_args.save_episode_interval=20",
    "runtime_args.log_args_dict.log_dir=/logs",
    "models.policy.load=Qwen/Qwen2.5-7B-Instruct",
    "models.policy.num_gpu=8",
    "models.policy.num_inference_per_prompt=8",
    "models.policy.max_prompt_tokens_length=1024",
    "models.policy.max_response_tokens_length=2048",
    "models.policy_trainer.load=Qwen/Qwen2.5-7B-Instruct",
    "models.policy_trainer.num_gpu=8",
    "models.policy_trainer.trainable=true",
    "models.policy_trainer.optimizer.lr=2e-6",
    "models.ref_policy.load=Qwen/Qwen2.5-7B-Instruct",
    "models.ref_policy.num_gpu=8",
)
ROLL = (
    "exp_name=demo",
    "seed=42",
    "output_dir=/checkpoints",
    "checkpoint_config.type=file_system",
    "checkpoint_config.output_dir=/checkpoints/demo",
    "num_gpus_per_node=8",
    "max_steps=500",
    "save_steps=20",
    "eval_steps=10",
    "rollout_batch_size=64",
    "prompt_length=1024",
    "response_length=2048",
    "num_return_sequences_in_group=8",
    "ppo_epochs=1",
    "adv_estimator=grpo",
    "init_kl_coef=0.0",
    "use_kl_loss=true",
    "kl_loss_coef=0.001",
    "pretrain=Qwen/Qwen2.5-7B-Instruct",
    "validation.data_args.file_name=/data/test.jsonl",
    "validation.generating_args.temperature=0.6",
    "validation.generating_args.top_p=0.95",
    "validation.generating_args.top_k=50",
    "actor_train.training_args.learning_rate=1.0e-6",
    "actor_train.training_args.per_device_train_batch_size=1",
    "actor_train.training_args.gradient_accumulation_steps=64",
    "actor_train.data_args.file_name=/data/train.jsonl",
    "actor_train.data_args.domain_interleave_probs.math=1.0",
    "rewards.math.worker_cls=roll.pipeline.rlvr.rewards.math_rule_reward_worker.MathRuleRewardWorker",
    "rewards.math.tag_included=[math]",
    "rewards.math.world_size=8",
    "actor_train.strategy_args.strategy_name=megatron_train",
    "actor_train.strategy_args.strategy_config.tensor_model_parallel_size=1",
    "actor_train.device_mapping=list(range(0,8))",
    "actor_infer.generating_args.temperature=1.0",
    "actor_infer.generating_args.top_p=1.0",
    "actor_infer.generating_args.top_k=-1",
    "actor_infer.strategy_args.strategy_name=vllm",
    "actor_infer.strategy_args.strategy_config.gpu_memory_utilization=0.8",
    "actor_infer.device_mapping=list(range(0,8))",
    "reference.strategy_args.strategy_name=megatron_infer",
    "reference.device_mapping=list(range(0,8))",
)
TRL = (
    "model_name_or_path=Qwen/Qwen2.5-7B-Instruct",
    "dataset_name=org/rows",
    "reward_funcs=[accuracy_reward]",
    "output_dir=/checkpoints",
    "run_name=first",
    "num_processes=8",
    "per_device_train_batch_size=8",
    "gradient_accumulation_steps=4",
    "num_generations=8",
    "max_completion_length=1024",
    "max_steps=500",
    "learning_rate=1.0e-6",
    "save_steps=50",
    "seed=1",
)
OPENRLHF = (
    "actor.model_name_or_path=Qwen/Qwen2.5-7B-Instruct",
    "actor.num_nodes=1",
    "actor.num_gpus_per_node=8",
    "ref.num_nodes=1",
    "ref.num_gpus_per_node=8",
    "train.colocate_all=true",
    "vllm.num_engines=4",
    "vllm.tensor_parallel_size=2",
    "vllm.gpu_memory_utilization=0.6",
    "vllm.enable_sleep=true",
    "ds.enable_sleep=true",
    "ds.zero_stage=3",
    "ds.packing_samples=true",
    "data.prompt_dataset=org/rows",
    "data.input_key=prompt",
    "data.label_key=answer",
    "data.apply_chat_template=true",
    "data.max_len=2048",
    "rollout.max_new_tokens=1024",
    "rollout.batch_size=128",
    "rollout.n_samples_per_prompt=8",
    "train.batch_size=256",
    "train.micro_batch_size=4",
    "rollout.micro_batch_size=8",
    "train.num_episodes=2",
    "algo.advantage.estimator=group_norm",
    "algo.kl.init_coef=0.001",
    "algo.kl.use_loss=true",
    "algo.kl.estimator=k3",
    "actor.adam.lr=1.0e-6",
    "actor.gradient_checkpointing_enable=true",
    "reward.remote_url=/code/reward_func.py",
    "ckpt.save_steps=20",
    "ckpt.path=/checkpoints",
)
NEMO_RL = (
    "policy.model_name=Qwen/Qwen2.5-7B-Instruct",
    "policy.max_total_sequence_length=2048",
    "policy.train_global_batch_size=256",
    "policy.train_micro_batch_size=4",
    "policy.sequence_packing.enabled=true",
    "policy.sequence_packing.train_mb_tokens=8192",
    "policy.sequence_packing.logprob_mb_tokens=8192",
    "policy.optimizer.kwargs.lr=1.0e-6",
    "policy.dtensor_cfg.activation_checkpointing=true",
    "policy.generation.max_new_tokens=1024",
    "policy.generation.vllm_cfg.tensor_parallel_size=2",
    "policy.generation.vllm_cfg.gpu_memory_utilization=0.6",
    "data.max_input_seq_length=1025",
    "data.train.dataset_name=ResponseDataset",
    "data.train.data_path=/data/train.jsonl",
    "data.train.input_key=question",
    "data.train.output_key=answer",
    "data.train.split_validation_size=0.05",
    "grpo.num_prompts_per_step=128",
    "grpo.num_generations_per_prompt=8",
    "grpo.max_num_steps=200",
    "grpo.max_num_epochs=2",
    "grpo.val_period=20",
    "grpo.use_leave_one_out_baseline=false",
    "loss_fn.reference_policy_kl_penalty=0.001",
    "loss_fn.ratio_clip_max=0.28",
    "checkpointing.checkpoint_dir=/checkpoints",
    "checkpointing.save_period=20",
    "cluster.num_nodes=1",
    "cluster.gpus_per_node=8",
)
BASES = {
    "verl": VERL,
    "trinity": TRINITY,
    "chatlearn": CHATLEARN,
    "roll": ROLL,
    "trl": TRL,
    "openrlhf": OPENRLHF,
    "nemo_rl": NEMO_RL,
}


def base_of(example: Example) -> tuple[str, ...]:
    """The framework's base; OpenRLHF's in the names of the example's release, nearly all of which changed with 0.10.2."""
    base = BASES[example.framework]
    return in_names_of(base, example.release) if example.framework == "openrlhf" and example.release else base


def in_names_of(lines: tuple[str, ...], release: str) -> tuple[str, ...]:
    """Lines of OpenRLHF's newest release in the names of another, without what it has no flag for."""
    cells: dict[str, Cell] = {}
    for line in lines:
        key, _, value = line.partition("=")
        cells[key] = Cell("off" if value == "off" else yaml.safe_load(value))  # YAML's word for false
    flat = versions.downgrade("openrlhf", cells, release).flat
    return tuple(f"{key}={_plain(cell.value)}" for key, cell in flat.items())


def _plain(value: object) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)


def lines_of(example: Example) -> list[str]:
    """The base's lines without those that the example replaces or takes out, then the example's."""
    bare = [line.lstrip("+~").partition("=")[0] for line in example.lines]
    removed = {key for key, line in zip(bare, example.lines, strict=True)}
    base = [line for line in base_of(example) if line.partition("=")[0] not in removed]
    base = [b for b in base if not any(b.startswith((f"{k}.", f"{k}[")) for k in removed)]
    return [*base, *(line for line in example.lines if not line.startswith("~"))]


def as_shell(example: Example) -> str:
    """A launch script."""
    words = " \\\n    ".join(line if "$" in line or '"' not in line else f"'{line}'" for line in lines_of(example))
    return f"#!/usr/bin/env bash\nset -x\n{example.script}\npython3 -m verl.trainer.main_ppo \\\n    {words}\n"


def as_yaml(example: Example) -> str:
    """Nested YAML, values as written."""
    return "\n".join(block(tree(lines_of(example)), 0)) + "\n"


def as_flags(example: Example) -> str:
    """A launch script of flags; one that is false is left out."""
    words = " \\\n    ".join(line for line in flags(lines_of(example)) if not line.startswith("#"))
    command = " ".join(registry.framework(example.framework).command)
    return f"#!/usr/bin/env bash\n{command} \\\n    {words}\n"


def documents(example: Example) -> list[Document]:
    """The example as files: a script and bare overrides for veRL, a script for OpenRLHF, YAML for the others."""
    if example.framework == "verl":
        if example.script:
            return [read(Source("run.sh", as_shell(example)))]
        plain = "\n".join(lines_of(example)) + "\n"
        return [read(Source("run.sh", as_shell(example))), read(Source("run.overrides", plain))]
    if registry.framework(example.framework).switches:
        return [read(Source("run.sh", as_flags(example)))]
    return [read(Source("run.yaml", as_yaml(example)))]
