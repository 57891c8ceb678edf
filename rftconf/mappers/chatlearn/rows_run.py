"""ChatLearn rows: identity, model, lengths, batches, cadence, sampling, engines."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rftconf.mappers.chatlearn import conditions as on
from rftconf.mappers.codecs import counts, same, words
from rftconf.mappers.rows import rows_of
from rftconf.plan.units import Unit

if TYPE_CHECKING:
    from rftconf.plan.model import Run
    from rftconf.schemas.chatlearn.model import Chatlearn

row = rows_of["Chatlearn", "Run"]()

RUN_ROWS = (
    # -- identity -----------------------------------------------------------------------------------------------
    row(lambda c: c.runtime_args.exp_name, lambda p: p.identity.experiment, same, always=True, why="RuntimeConfig.exp_name"),
    row(lambda c: c.runtime_args.log_args_dict.wandb_project, lambda p: p.identity.project, same,
        why="LogConfig: the only place where ChatLearn names a project"),
    # -- batches ------------------------------------------------------------------------------------------------
    row(lambda c: c.runtime_args.sample_per_episode, lambda p: p.stage.batch.prompts_per_rollout, on.WHOLE_PROMPTS, always=True,
        why="environment: samples, so prompts times num_inference_per_prompt"),
    row(lambda c: c.runtime_args.train_global_batch_size, lambda p: p.stage.batch.sequences_per_update, counts(Unit.SEQUENCES),
        always=True, why="engine: samples of one update"),
    row(lambda c: c.runtime_args.num_training_epoch, lambda p: p.stage.batch.passes, same, why="trainer.train: passes over an episode"),
    # -- cadence ------------------------------------------------------------------------------------------------
    row(lambda c: c.runtime_args.save_episode_interval, lambda p: p.stage.cadence.save_rollouts, counts(Unit.ROLLOUTS, off=(0,)),
        always=True, why="engine.save_checkpoint: after k, 2k, ... episodes, 0 never"),
    row(lambda c: c.runtime_args.eval_episode_interval, lambda p: p.stage.cadence.eval_rollouts, counts(Unit.ROLLOUTS, off=(0,)),
        always=True, why="engine.evaluate: 0 never"),
    # -- sync ---------------------------------------------------------------------------------------------------
    row(lambda c: c.models.policy.sync_frequency, lambda p: p.stage.sync.every_rollouts, counts(Unit.ROLLOUTS),
        why="model_manager.sync_parameters: every so many episodes"),
    row(lambda c: c.runtime_args.bucket_size_mb_in_memory_manager, lambda p: p.stage.sync.bucket_megabytes, same,
        why="memory manager: size of one weight bucket"),
    # -- sampling -----------------------------------------------------------------------------------------------
    row(lambda c: c.models.policy.temperature, lambda p: p.stage.sampling.train.temperature, same, always=True, why="engine: _get_sampling_params"),
    row(lambda c: c.models.policy.top_p, lambda p: p.stage.sampling.train.top_p, same, always=True, why="engine: _get_sampling_params"),
    row(lambda c: c.models.policy.top_k, lambda p: p.stage.sampling.train.top_k, same, why="engine: _get_sampling_params"),
    row(lambda c: c.models.policy.repetition_penalty, lambda p: p.stage.sampling.train.repetition_penalty, same,
        why="engine: _get_sampling_params"),
    row(lambda c: c.models.policy.eval_temperature, lambda p: p.stage.sampling.eval.temperature, same, always=True,
        why="engine: _get_sampling_params, a default of its own (H55)"),
    row(lambda c: c.models.policy.eval_top_p, lambda p: p.stage.sampling.eval.top_p, same, always=True,
        why="engine: _get_sampling_params, a default of its own (H55)"),
    row(lambda c: c.models.policy.eval_top_k, lambda p: p.stage.sampling.eval.top_k, same, always=True,
        why="engine: _get_sampling_params, a default of its own (H55)"),
    row(lambda c: c.models.policy.eval_repetition_penalty, lambda p: p.stage.sampling.eval.repetition_penalty, same,
        why="engine: _get_sampling_params"),
    # -- engines ------------------------------------------------------------------------------------------------
    row(lambda c: c.runtime_args.rollout_backend, lambda p: p.stage.placement.rollout.engine,
        words({"vllm": "vllm", "sglang": "sglang"}, narrowed={
            "hf": ("vllm", "ChatLearn generates with vLLM or SGLang only"),
            "trtllm": ("vllm", "ChatLearn generates with vLLM or SGLang only")}),
        always=True, why="GrpoAlgorithm.run: engine class"),
    row(lambda c: c.models.policy.tensor_model_parallel_size, lambda p: p.stage.placement.rollout.tp, same, always=True,
        why="engine: tensor_parallel_size"),
    row(lambda c: c.models.policy.gpu_memory_utilization, lambda p: p.stage.placement.rollout.gpu_memory_fraction, same, always=True,
        why="engine: the trainer needs the rest of the same GPUs unless it is offloaded"),
    row(lambda c: c.models.policy.generation_batch_size, lambda p: p.stage.placement.rollout.max_num_seqs, same, always=True,
        why="engine: max_num_seqs"),
    row(lambda c: c.models.policy.max_num_batched_tokens, lambda p: p.stage.placement.rollout.max_batched_tokens, counts(Unit.TOKENS),
        why="engine"),
    row(lambda c: c.models.policy.enforce_eager, lambda p: p.stage.placement.rollout.enforce_eager, same, always=True, why="engine"),
    row(lambda c: c.models.policy.seed, lambda p: p.stage.placement.rollout.seed, same, when=on.VLLM, why="vllm_module: seed plus replica"),
    # -- data ---------------------------------------------------------------------------------------------------
    row(lambda c: c.runtime_args.data_shuffle, lambda p: p.stage.data.shuffle, same, always=True,
        why="sampler: a new order each epoch, always with seed 0"),
)  # fmt: skip
