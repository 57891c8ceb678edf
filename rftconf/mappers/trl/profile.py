"""Facts about TRL's keys that the table does not hold: main keys, units, names of parameters."""

from __future__ import annotations

from rftconf.base.ledger import Decision
from rftconf.mappers.profiles import Profile, counted
from rftconf.mappers.program import Program

MAIN_KEYS = {
    "cluster.nodes": "num_machines",
    "stage.placement.actor.gpus": "num_processes",
    "stage.placement.actor.backend": "distributed_type",
    "stage.placement.rollout.engine": "use_vllm",
    "stage.placement.layout": "vllm_mode",
    "stage.placement.rollout.tp": "vllm_tensor_parallel_size",
    "stage.batch.prompts_per_rollout": "generation_batch_size",
    "stage.batch.sequences_per_update": "gradient_accumulation_steps",
    "stage.batch.micro.sequences_per_rank": "per_device_train_batch_size",
    "stage.algorithm.advantage": "scale_rewards",
    "stage.algorithm.std_scope": "scale_rewards",
    "stage.algorithm.policy_loss.family": "loss_type",
    "stage.algorithm.policy_loss.clip_low": "epsilon",
    "stage.algorithm.policy_loss.clip_high": "epsilon_high",
    "stage.algorithm.loss_agg": "loss_type",
    "stage.algorithm.kl_loss.enabled": "beta",
    "stage.algorithm.kl_loss.coef": "beta",
    "stage.optim.actor.schedule": "lr_scheduler_type",
    "stage.optim.actor.warmup_updates": "warmup_steps",
    "stage.run_length.rollouts": "max_steps",
    "stage.run_length.epochs": "num_train_epochs",
    "stage.cadence.save_rollouts": "save_steps",
    "stage.cadence.eval_rollouts": "eval_steps",
    "stage.model_options.lora.rank": "lora_r",
    "stage.model_options.lora.alpha": "lora_alpha",
    "stage.data.train[].uri": "dataset_name",
    "identity.loggers": "report_to",
    "identity.resume_path": "resume_from_checkpoint",
}
UNITS = {
    **counted("completions a process", "per_device_train_batch_size", "per_device_eval_batch_size"),
    **counted("completions", "generation_batch_size"),
    **counted("passes of every process", "gradient_accumulation_steps", "steps_per_generation"),
    **counted("answers a prompt", "num_generations", "num_generations_eval"),
    **counted("optimizer updates", "max_steps", "save_steps", "eval_steps", "warmup_steps", "logging_steps"),
    **counted("processes", "num_processes", "vllm_tensor_parallel_size"),
    **counted("machines", "num_machines"),
}

PROGRAM = Program(
    "deepspeed",
    by_tokens=False,
    zero_stages=(2, 3),
    bounds_context=True,
    decisions=(
        Decision(
            "reward_funcs",
            "Python functions score the answers: each takes prompts, completions and the columns beside `prompt`, by their names, "
            "as lists, and returns a list of numbers",
            (
                "name functions as module.function",
                "or accuracy_reward of releases that have it, which compares with the column `solution`",
            ),
        ),
    ),
)
"""Stages of the launcher's files: trl/accelerate_configs. What functions are given: trl/trainer/grpo_trainer.py, _calculate_rewards."""

PROFILE = Profile(
    tables={("trl", ""): ("table", "TRL")},
    metrics=True,
    adapter=True,
    main_keys=MAIN_KEYS,
    units=UNITS,
    program=PROGRAM,
)
