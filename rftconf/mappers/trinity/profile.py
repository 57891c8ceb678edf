"""Facts about Trinity-RFT's keys that the tables do not hold: gates, units, names in the studio's form."""

from __future__ import annotations

from rftconf.base.ledger import Decision
from rftconf.mappers.profiles import Profile, counted
from rftconf.mappers.program import Program

_TASKS, _EVALS = "buffer.explorer_input.tasksets[]", "buffer.explorer_input.eval_tasksets[]"
TABLES = {
    ("trinity", ""): ("table", "TRINITY"),
    ("trinity", "eval"): ("table_eval", "TRINITY_BENCH"),
    ("trinity", "sft"): ("table_sft", "TRINITY_SFT"),
    ("trinity", "dpo"): ("table_dpo", "TRINITY_DPO"),
}

MAIN_KEYS = {
    "stage.batch.prompts_per_rollout": "buffer.batch_size",
    "stage.batch.sequences_per_update": "buffer.train_batch_size",
    "stage.sync.every_rollouts": "synchronizer.sync_interval",
    "stage.sync.run_ahead_rollouts": "synchronizer.sync_offset",
    "stage.run_length.rollouts": "buffer.total_steps",
    "stage.run_length.epochs": "buffer.total_epochs",
    "stage.algorithm.advantage": "algorithm.advantage_fn",
    "stage.algorithm.gamma": "algorithm.advantage_fn_args.gamma",
    "stage.algorithm.lam": "algorithm.advantage_fn_args.lam",
    "stage.algorithm.policy_loss.family": "algorithm.policy_loss_fn",
    "stage.algorithm.policy_loss.clip_low": "algorithm.policy_loss_fn_args.clip_range_low",
    "stage.algorithm.policy_loss.clip_high": "algorithm.policy_loss_fn_args.clip_range_high",
    "stage.algorithm.loss_agg": "algorithm.loss_agg_mode",
    "stage.algorithm.kl_loss.estimator": "algorithm.kl_loss_fn",
    "stage.algorithm.kl_loss.coef": "algorithm.kl_loss_fn_args.kl_coef",
    "stage.algorithm.kl_reward.estimator": "algorithm.kl_penalty_fn",
    "stage.algorithm.kl_reward.coef": "algorithm.kl_penalty_fn_args.kl_coef",
    "stage.algorithm.entropy_coef": "algorithm.entropy_loss_fn_args.entropy_coef",
    "stage.data.train[].uri": f"{_TASKS}.path",
    "stage.data.train[].split": f"{_TASKS}.split",
    "stage.data.eval[].uri": f"{_EVALS}.path",
    "stage.data.eval[].split": f"{_EVALS}.split",
    "stage.model_options.lora.rank": "model.lora_configs[].lora_rank",
    "stage.model_options.lora.alpha": "model.lora_configs[].lora_alpha",
}

UNITS = {
    **counted("prompts", "buffer.batch_size"),
    **counted("sequences", "buffer.train_batch_size"),
    **counted("epochs", "buffer.total_epochs"),
    **counted("train steps", "buffer.total_steps", "trainer.total_steps", "trainer.critic_warmup",
               "synchronizer.sync_interval", "synchronizer.sync_offset"),
    **counted("explore steps", "explorer.eval_interval"),
    **counted("answers a prompt", "algorithm.repeat_times"),
    **counted("tokens", "model.min_response_tokens"),
    **counted("engines", "explorer.rollout_model.engine_num", "explorer.auxiliary_models[].engine_num"),
    **counted("GPUs", "explorer.rollout_model.tensor_parallel_size", "trainer.ulysses_sequence_parallel_size",
               "explorer.auxiliary_models[].tensor_parallel_size",
               *(f"trainer.megatron.{name}" for name in (
                   "tensor_model_parallel_size", "pipeline_model_parallel_size", "context_parallel_size",
                   "expert_model_parallel_size", "expert_tensor_parallel_size"))),
    **counted("seconds", "synchronizer.sync_timeout", "explorer.max_timeout"),
}  # fmt: skip

PROGRAM = Program(
    "fsdp",
    decisions=(
        Decision(
            "buffer.explorer_input.tasksets[0].default_workflow_type",
            "a workflow asks the model and scores its answers",
            ("math_workflow", "math_boxed_workflow", "a workflow or reward class of your own"),
        ),
        Decision(
            "buffer.explorer_input.tasksets[0].format",
            "Trinity-RFT reads the columns named here, `question` and `answer` where none are",
            ("check prompt_key and response_key",),
        ),
    ),
)

PROFILE = Profile(
    tables=TABLES, gates=True, adapter=True, metrics=True, main_keys=MAIN_KEYS, units=UNITS, program=PROGRAM
)
