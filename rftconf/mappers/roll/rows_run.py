"""ROLL rows: identity, model, batches, cadence, sampling, engines."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rftconf.mappers.codecs import counts, off_as, same, words
from rftconf.mappers.roll import conditions as on
from rftconf.mappers.rows import rows_of
from rftconf.plan.units import Unit

if TYPE_CHECKING:
    from rftconf.plan.model import Run
    from rftconf.schemas.roll.model import Roll

row = rows_of["Roll", "Run"]()

DTYPES = words({"bf16": "bfloat16", "fp16": "float16", "fp32": "float32"})

RUN_ROWS = (
    # -- identity -----------------------------------------------------------------------------------------------
    row(lambda c: c.exp_name, lambda p: p.identity.experiment, same, always=True, why="base_config: folder and run name of logs and checkpoints"),
    row(lambda c: c.max_ckpt_to_keep, lambda p: p.stage.checkpoint.keep, off_as((0, None)),
        why="base_pipeline: _cleanup_old_checkpoints, 0 keeps all"),
    # -- batches ------------------------------------------------------------------------------------------------
    row(lambda c: c.actor_train.use_dynamic_batching_in_infer, lambda p: p.stage.batch.log_prob.dynamic, same, when=on.ACTOR, absent=False,
        why="base_worker: compute_log_probs"),
    row(lambda c: c.actor_train.infer_batch_size, lambda p: p.stage.batch.log_prob.sequences_per_rank, counts(Unit.SEQUENCES_PER_RANK),
        when=on.ACTOR, why="base_worker: micro-batch of compute_log_probs"),
    row(lambda c: c.actor_train.max_tokens_per_microbatch_in_infer, lambda p: p.stage.batch.log_prob.tokens_per_rank,
        counts(Unit.TOKENS_PER_RANK), when=on.DYNAMIC_INFER, why="utils/dynamic_batching"),
    row(lambda c: c.reference.use_dynamic_batching_in_infer, lambda p: p.stage.batch.reference.dynamic, same, when=on.REFERENCE, absent=False,
        why="base_worker: compute_log_probs"),
    row(lambda c: c.reference.infer_batch_size, lambda p: p.stage.batch.reference.sequences_per_rank, counts(Unit.SEQUENCES_PER_RANK),
        when=on.REFERENCE, why="base_worker: micro-batch of compute_log_probs"),
    row(lambda c: c.reference.max_tokens_per_microbatch_in_infer, lambda p: p.stage.batch.reference.tokens_per_rank,
        counts(Unit.TOKENS_PER_RANK), when=on.REFERENCE_DYNAMIC, why="utils/dynamic_batching"),
    row(lambda c: c.critic.use_dynamic_batching_in_infer, lambda p: p.stage.batch.critic_infer.dynamic, same, when=on.CRITIC, absent=False,
        why="base_worker: compute_values"),
    row(lambda c: c.critic.infer_batch_size, lambda p: p.stage.batch.critic_infer.sequences_per_rank, counts(Unit.SEQUENCES_PER_RANK),
        when=on.CRITIC, why="base_worker: micro-batch of compute_values"),
    row(lambda c: c.critic.max_tokens_per_microbatch_in_infer, lambda p: p.stage.batch.critic_infer.tokens_per_rank,
        counts(Unit.TOKENS_PER_RANK), when=on.CRITIC_DYNAMIC, why="utils/dynamic_batching"),
    # -- cadence ------------------------------------------------------------------------------------------------
    row(lambda c: c.save_steps, lambda p: p.stage.cadence.save_rollouts, on.SAVE_PERIOD, always=True,
        why="base_pipeline: do_checkpoint, steps counted from 0"),
    row(lambda c: c.eval_steps, lambda p: p.stage.cadence.eval_rollouts, on.EVAL_PERIOD, when=on.EVALUATED, always=True,
        why="rlvr_pipeline: run, step 0 included"),
    row(lambda c: c.actor_train.training_args.save_hf_model, lambda p: p.stage.checkpoint.hf_export, words({False: "never", True: "always"},
        narrowed={"last": (True, "ROLL exports with every checkpoint or never")}), when=on.ACTOR, why="strategies: save_checkpoint"),
    row(lambda c: c.sft_train.training_args.save_hf_model, lambda p: p.stage.checkpoint.hf_export, words({False: "never", True: "always"},
        narrowed={"last": (True, "ROLL exports with every checkpoint or never")}), when=on.SFT, alias=True, why="strategies: save_checkpoint"),
    # -- sampling -----------------------------------------------------------------------------------------------
    row(lambda c: c.actor_infer.generating_args.temperature, lambda p: p.stage.sampling.train.temperature, same, always=True, when=on.RL,
        why="generating_args: default 0.95 (H29)"),
    row(lambda c: c.actor_infer.generating_args.top_p, lambda p: p.stage.sampling.train.top_p, same, always=True, when=on.RL,
        why="generating_args: default 0.7, and log-probabilities are not corrected for it (H29)"),
    row(lambda c: c.actor_infer.generating_args.top_k, lambda p: p.stage.sampling.train.top_k, same, always=True, when=on.RL,
        why="generating_args: default 50 (H29)"),
    row(lambda c: c.actor_infer.generating_args.repetition_penalty, lambda p: p.stage.sampling.train.repetition_penalty, same, when=on.RL,
        why="vllm_strategy: create_sampling_params_for_vllm"),
    row(lambda c: c.validation.generating_args.temperature, lambda p: p.stage.sampling.eval.temperature, same, always=True, when=on.VALIDATED,
        why="rlvr_pipeline: val, same class and defaults as in training (H55)"),
    row(lambda c: c.validation.generating_args.top_p, lambda p: p.stage.sampling.eval.top_p, same, always=True, when=on.VALIDATED,
        why="rlvr_pipeline: val (H55)"),
    row(lambda c: c.validation.generating_args.top_k, lambda p: p.stage.sampling.eval.top_k, same, always=True, when=on.VALIDATED,
        why="rlvr_pipeline: val (H55)"),
    row(lambda c: c.validation.generating_args.repetition_penalty, lambda p: p.stage.sampling.eval.repetition_penalty, same, when=on.VALIDATED,
        why="rlvr_pipeline: val"),
    row(lambda c: c.validation.generating_args.num_return_sequences, lambda p: p.stage.sampling.eval.responses, same, always=True,
        when=on.VALIDATED, why="rlvr_pipeline: val, answers to each validation prompt"),
    # -- model options ------------------------------------------------------------------------------------------
    row(lambda c: c.model_update_buffer_size_mb, lambda p: p.stage.sync.bucket_megabytes, same, when=on.RL,
        why="model_update: size of one bucket of weights"),
    # -- engines ------------------------------------------------------------------------------------------------
    row(lambda c: c.actor_infer.strategy_args.strategy_config.data_parallel_size, lambda p: p.stage.placement.rollout.dp, same,
        default=1, when=on.VLLM, why="vllm_strategy: all engines as one data-parallel group, for experts"),
    row(lambda c: c.actor_infer.strategy_args.strategy_config.pipeline_parallel_size, lambda p: p.stage.placement.rollout.pp, same,
        default=1, when=on.RL, why="worker_config: GPUs of one engine = tp x pp"),
    row(lambda c: c.actor_infer.strategy_args.strategy_config.max_num_seqs, lambda p: p.stage.placement.rollout.max_num_seqs, same,
        default=None, when=on.VLLM, why="passed to the engine as it is"),
    row(lambda c: c.actor_infer.strategy_args.strategy_config.max_running_requests, lambda p: p.stage.placement.rollout.max_num_seqs, same,
        default=None, when=on.SGLANG, alias=True, why="passed to the engine as it is"),
    row(lambda c: c.actor_infer.strategy_args.strategy_config.max_num_batched_tokens,
        lambda p: p.stage.placement.rollout.max_batched_tokens, counts(Unit.TOKENS), default=8192, when=on.VLLM,
        why="vllm_strategy: default 8192"),
    row(lambda c: c.actor_infer.strategy_args.strategy_config.enforce_eager, lambda p: p.stage.placement.rollout.enforce_eager, same,
        default=False, when=on.VLLM, why="vllm_strategy"),
    row(lambda c: c.actor_infer.strategy_args.strategy_config.enable_prefix_caching, lambda p: p.stage.placement.rollout.prefix_cache, same,
        default=True, when=on.VLLM, why="vllm_strategy"),
    row(lambda c: c.actor_infer.strategy_args.strategy_config.enable_chunked_prefill, lambda p: p.stage.placement.rollout.chunked_prefill,
        same, default=None, when=on.VLLM, why="passed to the engine as it is"),
    row(lambda c: c.actor_infer.strategy_args.strategy_config.load_format, lambda p: p.stage.placement.rollout.load_format, same,
        default="dummy", when=on.VLLM, why="vllm_strategy: weights come with the first update"),
    row(lambda c: c.actor_infer.model_args.dtype, lambda p: p.stage.placement.rollout.dtype, DTYPES, when=on.RL,
        why="vllm_strategy, sglang_strategy"),
)  # fmt: skip
