"""Facts about ChatLearn's keys that the tables do not hold: gates, units, names in the studio's form."""

from __future__ import annotations

from rftconf.base.ledger import Decision
from rftconf.mappers.profiles import Profile, below, counted
from rftconf.mappers.program import Program

_TRAINER, _POLICY = "models.policy_trainer", "models.policy"
TABLES = {("chatlearn", ""): ("table", "CHATLEARN")}

MAIN_KEYS = {
    "stage.algorithm.kl_loss.coef": f"{_TRAINER}.kl_coef",
    "stage.algorithm.entropy_coef": f"{_TRAINER}.entropy_coef",
    "stage.batch.micro.dynamic": f"{_TRAINER}.packing",
    "stage.batch.micro.sequences_per_rank": "runtime_args.train_micro_batch_size",
    "stage.batch.micro.tokens_per_rank": f"{_TRAINER}.max_token_in_packing",
    "stage.length.prompt_max_tokens": "models.policy.max_prompt_tokens_length",
    "stage.length.response_max_tokens": "models.policy.max_response_tokens_length",
    "stage.length.model_max_tokens": "models.policy.seq_length",
    "stage.model.path": "models.policy.load",
    "stage.model.tokenizer_path": f"{_TRAINER}.tokenizer_model",
    "stage.optim.actor.min_lr": f"{_TRAINER}.optimizer.min_lr",
    "stage.data.train[].uri": "runtime_args.data_path",
    "stage.data.eval[].uri": "runtime_args.eval_data_path",
    "stage.placement.actor.gpus": f"{_TRAINER}.num_gpu",
    "stage.placement.rollout.gpus": "models.policy.num_gpu",
}

UNITS = {
    **counted("rollout periods", "runtime_args.num_episode"),
    **counted("passes", "runtime_args.num_training_epoch"),
    **counted("sequences per data-parallel rank", "runtime_args.train_micro_batch_size"),
    **counted("tokens", f"{_TRAINER}.max_token_in_packing", f"{_POLICY}.max_prompt_tokens_length",
               f"{_POLICY}.max_response_tokens_length", f"{_POLICY}.seq_length"),
    **counted("GPUs", f"{_TRAINER}.num_gpu", f"{_POLICY}.num_gpu", f"{_POLICY}.tensor_model_parallel_size",
               f"{_TRAINER}.ulysses_sequence_parallel_size"),
    **counted("answers a prompt", f"{_POLICY}.num_inference_per_prompt"),
}  # fmt: skip

PARAMETERS = {
    "taskset_args": ("runtime_args.data_shuffle", f"{_POLICY}.temperature", f"{_POLICY}.top_p"),
    "eval_tasksets": ("runtime_args.eval_data_path", f"{_POLICY}.eval_temperature", f"{_POLICY}.eval_top_p"),
    "engine_num": (f"{_POLICY}.num_gpu",),
    "trainer_type": (f"{_TRAINER}.num_gpu",),
    "clip_range_in_policy_loss_fn": below(_TRAINER, "neg_clip_ratio", "pos_clip_ratio", "final_clip_ratio"),
    "monitor_type": below("runtime_args.log_args_dict", "enable_wandb", "enable_tensorboard"),
    **{name: (f"{_TRAINER}.{name}",) for name in (
        "recompute_granularity", "recompute_modules", "recompute_method", "recompute_num_layers")},
    "training_args": (f"{_TRAINER}.packing", f"{_TRAINER}.gradient_checkpointing"),
}  # fmt: skip

PROGRAM = Program(
    "fsdp2",
    rollouts=(200, "num_episode of ChatLearn, scripts/fsdp_vllm/train_fsdp_vllm_qwen3_8b_grpo.sh"),
    opens_evaluation=True,
    decisions=(
        Decision(
            "models.reward",
            "ChatLearn's rule reward chooses by the data_source of a row",
            ("check that rule_reward.py knows your data_source", "or add your reward to it"),
        ),
        Decision(
            "runtime_args.data_path",
            "rows need the columns prompt, data_source and reward_model.ground_truth",
            ("check the files",),
        ),
    ),
)

PROFILE = Profile(
    tables=TABLES,
    gates=True,
    adapter=True,
    metrics=True,
    main_keys=MAIN_KEYS,
    units=UNITS,
    parameters=PARAMETERS,
    program=PROGRAM,
)
