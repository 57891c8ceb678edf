"""What is converted and judged: the golden cases, and real configs where a corpus lies beside the project."""

from __future__ import annotations

import os
import shlex
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from rftconf.schemas.registry import framework
from rftconf.text import toml
from tests.conformance.environment import GOLDEN, TARGETS, Target
from tests.corpus import Real

SAMPLE_SIZE = 4
"""How many configs of each corpus are judged per target, unless RFTCONF_CONFORMANCE_ALL is set."""

DECISIONS = {
    "continue_from_checkpoint": "false",
    "algorithm.kl_penalty_fn": "k1",
    "algorithm.kl_loss_fn": "k2",
    "explorer.rollout_model.extra_engine_args.max_num_batched_tokens": "16384",
    "trainer.max_token_len_per_gpu": "16384",
    "cluster.gpu_per_node": "8",
    "actor_rollout_ref.actor.ppo_mini_batch_size": "32",
    "trainer.v1.separate_async.parameter_sync_step": "1",
    "data.max_response_length": "1024",
    "model.max_response_tokens": "1024",
    "buffer.train_batch_size": "768",
    "run_name": "run",
    "output_dir": "/tmp/there",
    "beta": "0.001",
    "algo.kl.init_coef": "0.001",
    "reward_funcs": "[accuracy_reward]",
    "dataset_name": "organisation/data",
    "model_name_or_path": "Qwen/Qwen2.5-7B-Instruct",
    "reward.remote_url": "/code/reward.py",
    "data.prompt_dataset": "/data/train",
    "eval.dataset": "/data/test",
    "data.max_len": "4096",
    "actor.model_name_or_path": "Qwen/Qwen2.5-7B-Instruct",
    "algo.advantage.estimator": "reinforce",
    "data.train_files": "/data/train.parquet",
    "data.val_files": "/data/test.parquet",
    "data.max_prompt_length": "512",
    "data.train_batch_size": "64",
    "actor_rollout_ref.model.path": "Qwen/Qwen2.5-7B-Instruct",
    "actor_rollout_ref.actor.fsdp_config.model_dtype": "fp32",
    "actor_rollout_ref.actor.fsdp_config.dtype": "bfloat16",
    "trainer.trainer_config.actor_rollout_ref.actor.fsdp_config.model_dtype": "fp32",
    "trainer.trainer_config.actor_rollout_ref.actor.fsdp_config.dtype": "bfloat16",
    "trainer.resume_from_path": "/tmp/there/global_step_20",
    "resume_from_checkpoint": "false",
    "actor_rollout_ref.actor.optim.lr_warmup_steps": "10",
    "algorithm.optimizer.lr_warmup_steps": "10",
    "model.max_prompt_tokens": "512",
    "models.policy.max_prompt_tokens_length": "512",
    "trainer.param_offload": "false",
    "trainer.optimizer_offload": "false",
    "synchronizer.sync_interval": "1",
    "name": "run",
    "pretrain": "Qwen/Qwen2.5-7B-Instruct",
    "exp_name": "run",
    "max_steps": "100",
    "checkpoint_config.output_dir": "/tmp/there",
    "actor_train.data_args.file_name": "/data/train.jsonl",
    "actor_train.training_args.warmup_steps": "10",
    "actor_train.strategy_args.strategy_name": "fsdp2_train",
    "actor_train.strategy_args.strategy_config.param_dtype": "bf16",
    "runtime_args.exp_name": "run",
    "runtime_args.log_args_dict.log_dir": "/tmp/there",
    "runtime_args.output_dir": "/tmp/there",
    "runtime_args.sample_per_episode": "128",
    "runtime_args.train_global_batch_size": "64",
    "runtime_args.train_micro_batch_size": "1",
    "prompt_length": "512",
    "save_steps": "100",
    "trainer.save_interval": "100",
    "runtime_args.save_episode_interval": "100",
    "runtime_args.eval_episode_interval": "100",
    "buffer.batch_size": "64",
    "rollout_batch_size": "64",
    "actor_rollout_ref.actor.fsdp_config.param_offload": "false",
    "actor_rollout_ref.actor.fsdp_config.optimizer_offload": "false",
    "trainer.default_local_dir": "/tmp/there",
    "trainer.experiment_name": "run",
    "trainer.save_freq": "100",
    "actor_rollout_ref.rollout.name": "vllm",
    "explorer.rollout_model.engine_type": "vllm",
    "actor_rollout_ref.actor.policy_loss.loss_mode": "vanilla",
    "actor_rollout_ref.actor.optim.lr_scheduler_type": "constant",
    "actor_rollout_ref.actor.optim.warmup_style": "constant",
    "critic.optim.warmup_style": "constant",
    "critic.optim.lr_scheduler_type": "constant",
    "optim.lr_scheduler_type": "constant",
    "optim.lr_scheduler": "cosine",
    "algorithm.adv_estimator": "grpo",
    "adv_estimator": "grpo",
    "importance_sampling": "token",
    "distillation.distillation_loss.loss_mode": "k1",
    "kl_penalty": "kl",
    "algorithm.optimizer.lr_scheduler_type": "constant",
    "algorithm.optimizer.warmup_style": "constant",
    "trainer.trainer_config.actor_rollout_ref.actor.ppo_micro_batch_size_per_gpu": "1",
    "trainer.trainer_config.actor_rollout_ref.rollout.log_prob_micro_batch_size_per_gpu": "1",
    "trainer.trainer_config.actor_rollout_ref.ref.log_prob_micro_batch_size_per_gpu": "1",
    "trainer.trainer_config.critic.ppo_micro_batch_size_per_gpu": "1",
    **{
        f"trainer.trainer_config.critic.{engine}.{size}": "1"
        for engine in ("fsdp", "megatron")
        for size in ("micro_batch_size_per_gpu", "infer_micro_batch_size_per_gpu")
    },
    "model.model_path": "Qwen/Qwen2.5-7B-Instruct",
    "model.critic_model_path": "Qwen/Qwen2.5-7B-Instruct",
    "trainer.trainer_config.critic.optim.lr_scheduler_type": "constant",
    "algorithm.algorithm_type": "grpo",
    "algorithm.policy_loss_fn": "opmd",
    "trainer.total_steps": "100",
    "models.policy.load": "/models/hf",
    "models.policy_trainer.tokenizer_model": "/models/hf",
    "models.ref_policy.tokenizer_model": "/models/hf",
    "models.policy_trainer.num_gpu": "8",
    "models.ref_policy.num_gpu": "8",
    "buffer.explorer_input.tasksets.path": "/data/train.parquet",
    "buffer.explorer_input.eval_tasksets.path": "/data/test.parquet",
    "actor_infer.strategy_args.strategy_name": "vllm",
    "actor_train.model_args.lora_target": "q_proj,k_proj,v_proj,o_proj,gate_proj,up_proj,down_proj",
    "actor_infer.model_args.lora_target": "q_proj,k_proj,v_proj,o_proj,gate_proj,up_proj,down_proj",
    "actor_train.device_mapping": "list(range(0,8))",
    "actor_infer.device_mapping": "list(range(0,8))",
    "reference.device_mapping": "list(range(0,8))",
    "actor_train.training_args.gradient_accumulation_steps": "1",
    "explorer.eval_interval": "100",
    "runtime_args.num_episode": "100",
    "runtime_args.train_backend": "fsdp",
    "checkpoint_root_dir": "/tmp/there",
    "runtime_args.data_path": "/data/train.parquet",
    "runtime_args.eval_data_path": "/data/test.parquet",
    "models.policy_trainer.load": "/models/mcore",
    "models.ref_policy.load": "/models/mcore",
    "actor_train.data_args.domain_interleave_probs.math": "0.5",
    "actor_train.data_args.domain_interleave_probs.code": "0.5",
    "runtime_args.data_checkpoint_path": "/tmp/there",
    "decoder_first_pipeline_num_layers": "11",
    "decoder_last_pipeline_num_layers": "11",
    "max_tokens_per_gpu": "16384",
    "max_tokens_per_microbatch_in_infer": "16384",
    "max_token_in_packing": "16384",
    "infer_batch_size": "1",
    "lora_rank": "8",
    "lora_r": "8",
    "ds.lora.rank": "8",
    "lora_alpha": "16",
    "lr_warmup_ratio": "0.1",
    "data.max_samples": "4096",
    "steps_per_generation": "1",
    "num_processes": "8",
    "eval_steps": "100",
    "response_length": "1024",
    "gpu_memory_utilization": "0.6",
    "context_parallel_size": "1",
    "buffer.total_steps": "100",
    "gradient_accumulation_steps": "1",
    "rewards.*.strategy_args.strategy_name": "hf_infer",
    "rewards.*.worker_cls": "roll.pipeline.rlvr.rewards.math_rule_reward_worker.MathRuleRewardWorker",
}
"""What somebody would decide where a conversion leaves a value open (`???`)."""


@dataclass(frozen=True, slots=True)
class Case:
    """One golden conversion: its input, for which releases it holds, and the options it is made with."""

    name: str
    source: Path
    to: str
    releases: tuple[str, ...]
    options: tuple[str, ...]
    expected: tuple[Path, ...]


def read_case(folder: Path) -> Case:
    """The case in `folder`: `case.toml`, one `input.*`, one or more `expected.*`."""
    facts = toml.loads((folder / "case.toml").read_text())
    to = framework(facts["to"])
    releases = facts.get("releases") or [facts.get("to_release") or to.newest]
    options = facts.get("options", [])
    words = shlex.split(options) if isinstance(options, str) else [str(word) for word in options]
    (source,) = folder.glob("input.*")
    expected = tuple(sorted(folder.glob("expected.*")))
    return Case(folder.name, source, to.name, tuple(releases), tuple(words), expected)


@cache
def golden_cases() -> tuple[Case, ...]:
    """Every golden conversion; none when the folder is missing."""
    accepted = [read_case(file.parent) for file in sorted(GOLDEN.glob("*/case.toml"))]
    # ROLL always asks which worker gives the reward, so its cases are open ones; DECISIONS closes them.
    cases = [read_case(file.parent) for file in sorted(GOLDEN.parent.glob("open/roll-*/case.toml"))]
    return (*accepted, *(case for case in cases if case.to == "roll"))


@cache
def open_cases() -> tuple[Case, ...]:
    """Every golden conversion that leaves a question open, which DECISIONS closes."""
    return tuple(read_case(file.parent) for file in sorted(GOLDEN.parent.glob("open/*/case.toml")))


def golden_pairs() -> list[tuple[Target, Case]]:
    """Each case with each judge of its releases."""
    return [
        (target, case)
        for target in TARGETS
        for case in golden_cases()
        if target.framework == case.to and target.release in case.releases
    ]


def thinned(reals: Sequence[Real]) -> list[Real]:
    """Evenly spread over the corpus, so that every family of examples is met."""
    if os.environ.get("RFTCONF_CONFORMANCE_ALL") or len(reals) <= SAMPLE_SIZE:
        return list(reals)
    return [reals[index * len(reals) // SAMPLE_SIZE] for index in range(SAMPLE_SIZE)]
