"""ROLL's bases: small configs of our own in which, between them, every key of a pipeline has something to act on."""

from __future__ import annotations

from typing import Any

from tests.laws.flip_base import Base

TRAIN, INFER, REF, CRITIC = "actor_train", "actor_infer", "reference", "critic"
CONFIG = ".strategy_args.strategy_config."
RLVR: dict[str, Any] = {
    "exp_name": "flips",
    "max_steps": 100,
    "save_steps": 20,
    "eval_steps": 5,
    "num_gpus_per_node": 8,
    "rollout_batch_size": 64,
    "prompt_length": 512,
    "response_length": 1024,
    "num_return_sequences_in_group": 8,
    "adv_estimator": "grpo",
    "init_kl_coef": 0.0,
    "use_kl_loss": True,
    "kl_loss_coef": 0.001,
    "pretrain": "base/model",
    f"{TRAIN}.training_args.learning_rate": 2e-6,
    f"{TRAIN}.training_args.per_device_train_batch_size": 4,
    f"{TRAIN}.training_args.gradient_accumulation_steps": 4,
    f"{TRAIN}.training_args.lr_scheduler_type": "constant_with_warmup",
    f"{TRAIN}.training_args.warmup_steps": 10,
    f"{TRAIN}.data_args.file_name": ["/data/math/train.jsonl"],
    f"{TRAIN}.data_args.messages": "messages",
    f"{TRAIN}.data_args.domain_interleave_probs.math_rule": 1.0,
    f"{TRAIN}.strategy_args.strategy_name": "fsdp2_train",
    f"{TRAIN}.device_mapping": "list(range(0,16))",
    f"{INFER}.generating_args.temperature": 0.9,
    f"{INFER}.strategy_args.strategy_name": "vllm",
    f"{INFER}{CONFIG}gpu_memory_utilization": 0.8,
    f"{INFER}{CONFIG}tensor_parallel_size": 2,
    f"{INFER}.device_mapping": "list(range(0,16))",
    f"{REF}.strategy_args.strategy_name": "fsdp2_infer",
    f"{REF}.device_mapping": "list(range(0,16))",
    "validation.data_args.file_name": ["/data/math/test.jsonl"],
    "validation.generating_args.temperature": 0.6,
    "rewards.math_rule.worker_cls": "own.MathWorker",
    "rewards.math_rule.tag_included": ["math"],
}
MEGATRON = {
    f"{TRAIN}.strategy_args.strategy_name": "megatron_train",
    f"{TRAIN}{CONFIG}tensor_model_parallel_size": 2,
    f"{REF}.strategy_args.strategy_name": "megatron_infer",
    f"{REF}{CONFIG}tensor_model_parallel_size": 2,
}
PPO = {
    "adv_estimator": "gae",
    "num_return_sequences_in_group": 1,
    "rollout_batch_size": 512,
    "use_kl_loss": False,
    "add_token_level_kl": True,
    "init_kl_coef": 0.01,
    "reward_pretrain": "base/value",
    "value_clip": 0.5,
    f"{CRITIC}.training_args.learning_rate": 1e-5,
    f"{CRITIC}.training_args.gradient_accumulation_steps": 4,
    f"{CRITIC}.training_args.per_device_train_batch_size": 8,
    f"{CRITIC}.strategy_args.strategy_name": "fsdp2_train",
    f"{CRITIC}.device_mapping": "list(range(0,16))",
}
ADAPTER = {
    f"{TRAIN}.model_args.lora_target": "q_proj,v_proj",
    f"{TRAIN}.model_args.lora_rank": 16,
    f"{TRAIN}.model_args.lora_alpha": 16,
}
DYNAMIC = {
    f"{TRAIN}.use_dynamic_batching_in_train": True,
    f"{TRAIN}.max_tokens_per_microbatch_in_train": 8192,
    f"{TRAIN}.use_dynamic_batching_in_infer": True,
    f"{TRAIN}.max_tokens_per_microbatch_in_infer": 8192,
    f"{REF}.use_dynamic_batching_in_infer": True,
    f"{REF}.max_tokens_per_microbatch_in_infer": 8192,
}
SFT: dict[str, Any] = {
    "exp_name": "flips",
    "num_gpus_per_node": 8,
    "sequence_length": 2048,
    "pretrain": "base/model",
    "sft_train.training_args.learning_rate": 1e-5,
    "sft_train.training_args.per_device_train_batch_size": 4,
    "sft_train.training_args.gradient_accumulation_steps": 4,
    "sft_train.training_args.num_train_epochs": 2,
    "sft_train.data_args.file_name": ["/data/sft/train.jsonl"],
    "sft_train.strategy_args.strategy_name": "fsdp2_train",
    "sft_train.device_mapping": "list(range(0,8))",
}
AGENTIC: dict[str, Any] = {
    key: value
    for key, value in RLVR.items()
    if not key.startswith(("rewards.", "validation.", f"{TRAIN}.data_args.")) and key != "num_return_sequences_in_group"
} | {
    "rollout_batch_size": 512,
    "train_env_manager.num_env_groups": 64,
    "train_env_manager.group_size": 8,
    "train_env_manager.tags": ["Maze"],
    "train_env_manager.num_groups_partition": [64],
    "custom_envs.Maze.env_type": "maze",
}
DPO: dict[str, Any] = {
    "exp_name": "flips",
    "num_gpus_per_node": 8,
    "sequence_length": 2048,
    "pretrain": "base/model",
    "beta": 0.1,
    "chosen_key": "chosen",
    f"{TRAIN}.training_args.learning_rate": 1e-6,
    f"{TRAIN}.training_args.per_device_train_batch_size": 2,
    f"{TRAIN}.training_args.gradient_accumulation_steps": 4,
    f"{TRAIN}.data_args.file_name": ["/data/pairs/train.jsonl"],
    f"{TRAIN}.strategy_args.strategy_name": "fsdp2_train",
    f"{TRAIN}.device_mapping": "list(range(0,8))",
    f"{REF}.strategy_args.strategy_name": "fsdp2_infer",
    f"{REF}.device_mapping": "list(range(0,8))",
}
JUDGE: dict[str, Any] = {
    "rewards.own.worker_cls": "own.JudgeWorker",
    "rewards.own.judge_model_type": "inference",
    "rewards.own.judge_prompt": "words",
    "rewards.own.tag_included": ["own"],
    "rewards.own.model_args.model_name_or_path": "base/judge",
    "rewards.own.generating_args.max_new_tokens": 256,
    f"rewards.own{CONFIG}max_model_len": 4096,
    f"rewards.own{CONFIG}load_format": "auto",
    "rewards.own.strategy_args.strategy_name": "vllm",
    "rewards.own.device_mapping": "list(range(16,24))",
}
SERVED: dict[str, Any] = {
    "reward_model.name": "served",
    "reward_model.model_args.model_name_or_path": "base/judge",
    "reward_model.generating_args.max_new_tokens": 256,
    f"reward_model{CONFIG}context_length": 4096,
    f"reward_model{CONFIG}mem_fraction_static": 0.7,
    "reward_model.strategy_args.strategy_name": "sglang",
    "reward_model.device_mapping": "list(range(16,24))",
}
STUDENT: dict[str, Any] = {
    key.replace(TRAIN, "student_train").replace(INFER, "student_infer"): value
    for key, value in RLVR.items()
    if not key.startswith(f"{REF}.") and key not in ("adv_estimator", "use_kl_loss", "kl_loss_coef", "init_kl_coef")
} | {
    "is_pure_opd": True,
    "student_train.model_args.model_name_or_path": "base/model",
    "student_infer.model_args.model_name_or_path": "base/model",
    "teacher.model_args.model_name_or_path": "base/teacher",
    "teacher.strategy_args.strategy_name": "fsdp2_infer",
    "teacher.device_mapping": "list(range(0,16))",
    "teacher.opd_kl_coef": 0.5,
}
OF_STUDENTS = {key.replace(TRAIN, "student_train").replace(REF, "teacher"): value for key, value in MEGATRON.items()}
ROLLOUTS: dict[str, Any] = {
    key: value
    for key, value in RLVR.items()
    if not key.startswith(
        (f"{REF}.", f"{TRAIN}.training", f"{TRAIN}.strategy", f"{TRAIN}.device", f"{TRAIN}.data_args.domain")
    )
} | {"max_steps": 0, f"{INFER}{CONFIG}load_format": "auto", "validation.generating_args.num_return_sequences": 4}
SERVICE = {
    "rewards.own.judge_model_type": "api",
    "rewards.own.judge_model_name": "judge",
    "rewards.own.judge_api_url": "https://judge.example",
}
ROLL = (
    Base("grpo", RLVR, "rlvr", "0.2.1"),
    Base("grpo with Megatron", RLVR | MEGATRON, "rlvr"),
    Base("ppo with a critic", RLVR | PPO, "rlvr", "0.2.1"),
    Base("adaptive KL with a critic", RLVR | PPO | {"target_kl": 0.1}, "rlvr", "0.2.1"),
    Base("megatron with a critic", RLVR | PPO | MEGATRON | {f"{CRITIC}.strategy_args.strategy_name": "megatron_train"}, "rlvr"),
    Base("lora", RLVR | ADAPTER, "rlvr", "0.2.1"),
    Base("dynamic", RLVR | DYNAMIC, "rlvr", "0.2.1"),
    Base("dynamic with a critic", RLVR | PPO | DYNAMIC | {f"{CRITIC}.use_dynamic_batching_in_infer": True,
         f"{CRITIC}.use_dynamic_batching_in_train": True, f"{CRITIC}.max_tokens_per_microbatch_in_infer": 8192,
         f"{CRITIC}.max_tokens_per_microbatch_in_train": 8192}, "rlvr", "0.2.1"),
    Base("clip range, dual", RLVR | {"use_pg_clip_range": True, "dual_clip_loss": True, "pg_clip_low": 0.1}, "rlvr", "0.2.1"),
    Base("normalised rewards", RLVR | {"adv_estimator": "reinforce", "norm_mean_type": "group", "norm_std_type": "group"}, "rlvr", "0.2.1"),
    Base("sglang", {k: v for k, v in RLVR.items() if "gpu_memory" not in k and "tensor_parallel" not in k} | {f"{INFER}.strategy_args.strategy_name": "sglang",
         f"{INFER}{CONFIG}mem_fraction_static": 0.7}, "rlvr", "0.2.1"),
    Base("wandb", RLVR | {"track_with": "wandb", "tracker_kwargs.project": "flips"}, "rlvr", "0.2.1"),
    Base("one update a period", RLVR | {"rollout_batch_size": 32}, "rlvr", "0.2.1"),
    Base("own models", RLVR | {f"{r}.model_args.model_name_or_path": "base/own" for r in (TRAIN, INFER, REF)}, "rlvr", "0.2.1"),
    Base("ActorPGWorker", RLVR | {f"{TRAIN}.worker_cls": "roll.pipeline.rlvr.actor_pg_worker.ActorPGWorker"}, "rlvr", "0.2.1"),
    Base("filter", RLVR | {"rewards.math_rule.query_filter_config.type": "std_filter"}, "rlvr", "0.2.1"),
    Base("ratio of warm-up", RLVR | {f"{TRAIN}.training_args.warmup_steps": 0}, "rlvr", "0.2.1"),
    Base("context", {k: v for k, v in RLVR.items() if k != "response_length"} | {"sequence_length": 1536}, "rlvr", "0.2.1"),
    Base("sft", SFT, "sft", "0.2.1"),
    Base("sft, validated", SFT | {"validation.data_args.file_name": ["/data/sft/test.jsonl"]}, "sft", "0.2.1"),
    Base("sft, dynamic", SFT | {"sft_train.use_dynamic_batching_in_train": True, "sft_train.max_tokens_per_microbatch_in_train": 8192}, "sft",
         "0.2.1"),
    Base("sft with Megatron", SFT | {"sft_train.strategy_args.strategy_name": "megatron_train"}, "sft"),
    Base("sft lora", SFT | {k.replace(TRAIN, "sft_train"): v for k, v in ADAPTER.items()}, "sft", "0.2.1"),
    Base("agentic", AGENTIC, "agentic", "0.2.1"),
    Base("agentic with a critic", AGENTIC | {k: v for k, v in PPO.items() if k not in ("rollout_batch_size", "num_return_sequences_in_group")},
         "agentic", "0.2.1"),
    Base("agentic with sglang", {k: v for k, v in AGENTIC.items() if "gpu_memory" not in k} | {f"{INFER}.strategy_args.strategy_name": "sglang",
         f"{INFER}{CONFIG}mem_fraction_static": 0.7}, "agentic", "0.2.1"),
    Base("agentic, megatron critic", AGENTIC | {k: v for k, v in PPO.items() if k not in ("rollout_batch_size", "num_return_sequences_in_group")}
         | MEGATRON | {f"{CRITIC}.strategy_args.strategy_name": "megatron_train"}, "agentic"),
    Base("agentic with Megatron", AGENTIC | MEGATRON, "agentic"),
    Base("dpo", DPO, "dpo", "0.2.1"),
    Base("dpo with Megatron", DPO | MEGATRON, "dpo"),
    Base("judge", RLVR | JUDGE, "rlvr", "0.2.1"),
    Base("judge without an engine", {k: v for k, v in (RLVR | JUDGE).items() if f"own{CONFIG}" not in k}
         | {"rewards.own.strategy_args.strategy_name": "hf_infer"}, "rlvr", "0.2.1"),
    Base("judge on the trainer's GPUs", RLVR | JUDGE | {f"{INFER}.device_mapping": "list(range(0,8))",
         "rewards.own.device_mapping": "list(range(8,16))"}, "rlvr", "0.2.1"),
    Base("judge of a service", RLVR | {"rewards.own.worker_cls": "own.JudgeWorker", **SERVICE}, "rlvr", "0.2.1"),
    Base("reward model, served", RLVR | SERVED, "rlvr"),
    Base("clip range with Megatron", RLVR | MEGATRON | {"pg_clip_low": 0.1}, "rlvr"),
    Base("rollouts alone", ROLLOUTS, "rlvr", "0.2.1"),
    Base("student", STUDENT, "rlvr", "0.2.1"),
    Base("student with Megatron", STUDENT | OF_STUDENTS, "rlvr", "0.2.1"),
    Base("student lora", STUDENT | {k.replace(TRAIN, "student_train"): v for k, v in ADAPTER.items()}, "rlvr", "0.2.1"),
    Base("student, dynamic", STUDENT | {k.replace(TRAIN, "student_train").replace(REF, "teacher"): v for k, v in DYNAMIC.items()}, "rlvr", "0.2.1"),
    Base("student, other engine and worker", {k: v for k, v in STUDENT.items() if "gpu_memory" not in k and "tensor_parallel" not in k}
         | {"student_infer.strategy_args.strategy_name": "sglang", f"student_infer{CONFIG}mem_fraction_static": 0.7,
            "student_train.worker_cls": "roll.pipeline.rlvr.actor_pg_worker.ActorPGWorker", "student_train.training_args.warmup_steps": 0},
         "rlvr", "0.2.1"),
)  # fmt: skip
