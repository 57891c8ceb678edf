"""Trinity rows: identity, cluster, model, lengths, cadence, sampling, data sets, engines."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from rftconf.mappers.codecs import counts, off_as, same, words
from rftconf.mappers.rows import rows_of
from rftconf.mappers.trinity import conditions as on
from rftconf.mappers.trinity.monitors import MONITOR
from rftconf.plan.units import Unit

if TYPE_CHECKING:
    from rftconf.plan.data_parts import DataSet
    from rftconf.plan.model import Auxiliary, Run
    from rftconf.schemas.trinity.model import BufferExplorerInputTasksets, ExplorerAuxiliaryModels, Trinity

row = rows_of["Trinity", "Run"]()
task = rows_of["BufferExplorerInputTasksets", "DataSet"]()
helper = rows_of["ExplorerAuxiliaryModels", "Auxiliary"]()

RUN_ROWS = (
    # -- identity -----------------------------------------------------------------------------------------------
    row(lambda c: c.project, lambda p: p.identity.project, same, always=True, why="config.project"),
    row(lambda c: c.name, lambda p: p.identity.experiment, same, always=True, why="config.name"),
    row(lambda c: c.group, lambda p: p.identity.group, off_as(("", None)), why="config.group"),
    row(lambda c: c.checkpoint_root_dir, lambda p: p.identity.checkpoint_root, off_as(("", None)),
        why="checkpoints go to <root>/<project>/<group>/<name>"),
    row(lambda c: c.continue_from_checkpoint, lambda p: p.identity.resume,
        words({True: "auto", False: "never"}, narrowed={
            "path": (True, "Trinity resumes only from <root>/<project>/<name>: put the checkpoint there")}),
        why="config.continue_from_checkpoint"),
    row(lambda c: c.log.level, lambda p: p.identity.log_level, same, why="log.level"),
    row(lambda c: c.monitor.monitor_args, lambda p: p.identity.logger_args, MONITOR, why="monitor_args of the tracker"),
    # -- cluster ------------------------------------------------------------------------------------------------
    row(lambda c: c.cluster.node_num, lambda p: p.cluster.nodes, counts(Unit.NODES, off=(0,)), always=True, why="0 asks a live Ray cluster"),
    row(lambda c: c.cluster.gpu_per_node, lambda p: p.cluster.gpus_per_node, counts(Unit.GPUS, off=(0,)), always=True,
        why="0 asks a live Ray cluster"),
    # -- model --------------------------------------------------------------------------------------------------
    row(lambda c: c.model.model_path, lambda p: p.stage.model.path, off_as(("", None)), always=True, why="model.model_path"),
    row(lambda c: c.model.trust_remote_code, lambda p: p.stage.model.trust_remote_code, same, absent=False, why="model.trust_remote_code"),
    row(lambda c: c.model.custom_chat_template, lambda p: p.stage.model.chat_template, same, why="model.custom_chat_template"),
    row(lambda c: c.model.rope_scaling, lambda p: p.stage.model.rope_scaling, same, why="vLLM's hf_overrides"),
    row(lambda c: c.model.rope_theta, lambda p: p.stage.model.rope_theta, same, why="vLLM's hf_overrides"),
    row(lambda c: c.trainer.trainer_config.actor_rollout_ref.model.override_config, lambda p: p.stage.model.config_overrides,
        off_as(({}, None)), default={}, why="HFModelConfig.override_config"),
    # -- lengths ------------------------------------------------------------------------------------------------
    row(lambda c: c.model.max_prompt_tokens, lambda p: p.stage.length.prompt_max_tokens, counts(Unit.TOKENS), always=True,
        why="ModelConfigValidator: any two of the three lengths give the third"),
    row(lambda c: c.model.max_response_tokens, lambda p: p.stage.length.response_max_tokens, counts(Unit.TOKENS), always=True,
        why="ModelConfigValidator: any two of the three lengths give the third"),
    row(lambda c: c.model.max_model_len, lambda p: p.stage.length.model_max_tokens, on.WINDOW,
        why="ModelConfigValidator: any two of the three lengths give the third"),
    row(lambda c: c.model.min_response_tokens, lambda p: p.stage.length.response_min_tokens, off_as((0, None)), why="SamplingParams.min_tokens"),
    row(lambda c: c.model.enable_prompt_truncation, lambda p: p.stage.length.overlong_prompt,
        words({True: "mask_dummy", False: "keep"}, narrowed={
            "drop_gt": (True, "Trinity keeps an overlong prompt as a masked answer of reward 0; filter the file to drop it (H50)"),
            "drop_ge": (True, "Trinity keeps an overlong prompt as a masked answer of reward 0; filter the file to drop it (H50)")}),
        always=True, why="models/model.py: a masked dummy experience fills the slot"),
    # -- batches ------------------------------------------------------------------------------------------------
    row(lambda c: c.algorithm.repeat_times, lambda p: p.stage.batch.responses_per_prompt, same, always=True,
        why="the class defaults 2 and 16 never apply; an omitted value means 1 (H16)"),
    row(lambda c: c.trainer.trainer_config.actor_rollout_ref.actor.ppo_epochs, lambda p: p.stage.batch.passes, same, default=1,
        why="trainer/verl/config: passes over one train step's sequences"),
    row(lambda c: c.trainer.trainer_config.actor_rollout_ref.actor.shuffle, lambda p: p.stage.batch.shuffle_sequences, same,
        default=False, why="trainer/verl/config: actor.shuffle"),
    row(lambda c: c.trainer.trainer_config.actor_rollout_ref.actor.data_loader_seed, lambda p: p.stage.seeds.minibatch, same,
        default=42, when=on.MANY_PASSES, why="trainer/verl/config: seed of the shuffle"),
    row(lambda c: c.trainer.balance_batch, lambda p: p.stage.batch.balance_ranks, same, why="trainer: rank balancing"),
    row(lambda c: c.trainer.use_dynamic_bsz, lambda p: p.stage.batch.micro.dynamic, same, always=True,
        why="on by default, and then micro-batch sizes are ignored"),
    row(lambda c: c.trainer.max_token_len_per_gpu, lambda p: p.stage.batch.micro.tokens_per_rank, counts(Unit.TOKENS_PER_GPU),
        default=on.filled, when=on.DYNAMIC, why="TrainerConfigValidator: null means ceil(2 x max_model_len / sp)"),
    row(lambda c: c.trainer.trainer_config.actor_rollout_ref.actor.ppo_micro_batch_size_per_gpu,
        lambda p: p.stage.batch.micro.sequences_per_rank, counts(Unit.SEQUENCES_PER_RANK), default=on.one_sequence, when=on.STATIC,
        why="used only while use_dynamic_bsz is false"),
    row(lambda c: c.trainer.trainer_config.actor_rollout_ref.rollout.log_prob_micro_batch_size_per_gpu,
        lambda p: p.stage.batch.log_prob.sequences_per_rank, counts(Unit.SEQUENCES_PER_RANK), default=None, when=on.STATIC,
        why="used only while use_dynamic_bsz is false"),
    row(lambda c: c.trainer.trainer_config.actor_rollout_ref.ref.log_prob_micro_batch_size_per_gpu,
        lambda p: p.stage.batch.reference.sequences_per_rank, counts(Unit.SEQUENCES_PER_RANK), default=on.one_sequence, when=on.STATIC,
        why="used only while use_dynamic_bsz is false; wanted even without KL"),
    row(lambda c: c.trainer.trainer_config.critic.ppo_micro_batch_size_per_gpu, lambda p: p.stage.batch.critic.sequences_per_rank,
        counts(Unit.SEQUENCES_PER_RANK), default=on.one_sequence, when=on.CRITIC_STATIC, why="used only while use_dynamic_bsz is false"),
    row(lambda c: c.trainer.trainer_config.critic.forward_micro_batch_size_per_gpu,
        lambda p: p.stage.batch.critic_infer.sequences_per_rank, counts(Unit.SEQUENCES_PER_RANK), default=1, when=on.CRITIC_STATIC_FSDP,
        why="used only while use_dynamic_bsz is false"),
    row(lambda c: c.trainer.trainer_config.critic.ppo_epochs, lambda p: p.stage.batch.critic_passes, same, default=1, when=on.CRITIC,
        why="trainer/verl/config: critic.ppo_epochs"),
    row(lambda c: c.trainer.trainer_config.critic.shuffle, lambda p: p.stage.batch.critic_shuffle_sequences, same, default=True,
        when=on.CRITIC, why="trainer/verl/config: critic.shuffle"),
    # -- cadence ------------------------------------------------------------------------------------------------
    row(lambda c: c.trainer.save_interval, lambda p: p.stage.cadence.save_rollouts, counts(Unit.TRAIN_STEPS, off=(0,)), always=True,
        why="trainer: every save_interval train steps; the last step is always saved"),
    row(lambda c: c.explorer.eval_interval, lambda p: p.stage.cadence.eval_rollouts, on.EVAL_INTERVAL, always=True,
        why="explorer: every eval_interval explore steps, before that period's sync (H18)"),
    row(lambda c: c.explorer.eval_on_startup, lambda p: p.stage.cadence.eval_at_start, on.AT_START, why="explorer.eval_on_startup"),
    row(lambda c: c.trainer.save_hf_checkpoint, lambda p: p.stage.checkpoint.hf_export, same, why="trainer.save_hf_checkpoint"),
    row(lambda c: c.trainer.max_checkpoints_to_keep, lambda p: p.stage.checkpoint.keep, off_as((0, None)),
        why="trainer.max_checkpoints_to_keep, 0 keeps all"),
    row(lambda c: c.trainer.trainer_config.trainer.max_critic_ckpt_to_keep, lambda p: p.stage.checkpoint.critic_keep,
        off_as((None, 0)), default=None, why="trainer_config.trainer: the old back end"),
    row(lambda c: c.trainer.trainer_config.actor_rollout_ref.actor.checkpoint.save_contents, lambda p: p.stage.checkpoint.contents,
        same, default=["model", "optimizer", "extra"], why="trainer/verl/config: _build_checkpoint_config"),
    row(lambda c: c.trainer.trainer_config.actor_rollout_ref.actor.checkpoint.load_contents, lambda p: p.stage.checkpoint.load_contents,
        same, default=["model", "optimizer", "extra"], why="trainer/verl/config: _build_checkpoint_config"),
    row(lambda c: c.trainer.trainer_config.actor_rollout_ref.actor.checkpoint.async_save, lambda p: p.stage.checkpoint.asynchronous,
        same, default=False, why="trainer/verl/config: _build_checkpoint_config"),
    # -- sampling -----------------------------------------------------------------------------------------------
    row(lambda c: c.model.temperature, lambda p: p.stage.sampling.train.temperature, same, always=True, why="inherited by every data set"),
    row(lambda c: c.model.top_p, lambda p: p.stage.sampling.train.top_p, same, why="inherited by every data set"),
    row(lambda c: c.model.repetition_penalty, lambda p: p.stage.sampling.train.repetition_penalty, same, absent=1.0,
        why="SamplingParams.repetition_penalty"),
    row(lambda c: c.explorer.rollout_model.ignore_eos, lambda p: p.stage.sampling.train.ignore_eos, same,
        why="SamplingParams.ignore_eos"),
    # -- model options ------------------------------------------------------------------------------------------
    row(lambda c: c.trainer.trainer_config.actor_rollout_ref.model.enable_gradient_checkpointing,
        lambda p: p.stage.model_options.gradient_checkpointing, same, default=True, why="trainer/verl/config: _build_model_config"),
    row(lambda c: c.trainer.trainer_config.actor_rollout_ref.model.enable_activation_offload,
        lambda p: p.stage.model_options.activation_offload, same, default=False, why="trainer/verl/config: _build_model_config"),
    row(lambda c: c.trainer.trainer_config.actor_rollout_ref.model.use_fused_kernels,
        lambda p: p.stage.model_options.fused_kernels, same, default=False, why="trainer/verl/config: _build_model_config"),
    row(lambda c: c.trainer.use_remove_padding, lambda p: p.stage.model_options.remove_padding, same,
        why="overwrites trainer_config"),
    # -- engines ------------------------------------------------------------------------------------------------
    row(lambda c: c.explorer.rollout_model.engine_type, lambda p: p.stage.placement.rollout.engine,
        words({"vllm": "vllm", "vllm_async": "vllm", "sglang": "sglang", "tinker": "tinker", "external": "external"}, narrowed=dict.fromkeys(
            ("trtllm", "hf"), ("vllm", "Trinity's own engines are vllm and sglang"))), always=True,
        why="explorer: inference model registry"),
    row(lambda c: c.explorer.rollout_model.tensor_parallel_size, lambda p: p.stage.placement.rollout.tp, same, always=True,
        why="GPUs of one engine = tp x dp x pp"),
    row(lambda c: c.explorer.rollout_model.data_parallel_size, lambda p: p.stage.placement.rollout.dp, same, absent=1,
        why="GPUs of one engine = tp x dp x pp"),
    row(lambda c: c.explorer.rollout_model.pipeline_parallel_size, lambda p: p.stage.placement.rollout.pp, same, absent=1,
        why="GPUs of one engine = tp x dp x pp"),
    row(lambda c: c.explorer.rollout_model.gpu_memory_utilization, lambda p: p.stage.placement.rollout.gpu_memory_fraction, same,
        why="the engine owns its GPUs"),
    row(lambda c: c.explorer.rollout_model.enforce_eager, lambda p: p.stage.placement.rollout.enforce_eager, same, why="vLLM"),
    row(lambda c: c.explorer.rollout_model.dtype, lambda p: p.stage.placement.rollout.dtype, same, why="vLLM"),
    row(lambda c: c.explorer.rollout_model.seed, lambda p: p.stage.placement.rollout.seed, same, why="vLLM"),
    row(lambda c: c.explorer.rollout_model.enable_prefix_caching, lambda p: p.stage.placement.rollout.prefix_cache, same, why="vLLM"),
    row(lambda c: c.explorer.rollout_model.enable_chunked_prefill, lambda p: p.stage.placement.rollout.chunked_prefill, same, why="vLLM"),
    row(lambda c: c.explorer.rollout_model.extra_engine_args.max_num_seqs, lambda p: p.stage.placement.rollout.max_num_seqs, same,
        default=None, when=on.VLLM, why="passed to the engine as it is"),
    row(lambda c: c.explorer.rollout_model.extra_engine_args.max_running_requests, lambda p: p.stage.placement.rollout.max_num_seqs, same,
        default=None, when=on.SGLANG, alias=True, why="passed to the engine as it is"),
    row(lambda c: c.explorer.rollout_model.extra_engine_args.max_num_batched_tokens,
        lambda p: p.stage.placement.rollout.max_batched_tokens, on.AT_ONCE, default=None, when=on.VLLM,
        why="passed to the engine as it is"),
    row(lambda c: c.explorer.runner_per_model, lambda p: p.stage.placement.rollout.runners_per_engine, same, why="explorer: runners per engine"),
    row(lambda c: c.explorer.max_timeout, lambda p: p.stage.placement.rollout.max_timeout_seconds, same, why="explorer: seconds for one task"),
    row(lambda c: c.explorer.max_retry_times, lambda p: p.stage.placement.rollout.max_retries, same, why="explorer: retries of one task"),
    # -- synchronizer -------------------------------------------------------------------------------------------
    row(lambda c: c.synchronizer.sync_method, lambda p: p.stage.sync.transport,
        words({"nccl": "nccl", "memory": "memory", "checkpoint": "checkpoint", "online": "nccl", "offline": "checkpoint"}, narrowed={
            "auto": ("nccl", "the source passes weights in its own way; engines apart get them by NCCL"),
            **dict.fromkeys(("hccl", "nixl", "mooncake", "kimi", "delta"), ("nccl", "Trinity passes weights by nccl, memory or checkpoint"))}),
        why="synchronizer.sync_method; degraded to checkpoint with LoRA"),
    row(lambda c: c.synchronizer.sync_timeout, lambda p: p.stage.sync.timeout_seconds, same, why="synchronizer.sync_timeout"),
    row(lambda c: c.explorer.rollout_model.weight_sync_buffer_size, lambda p: p.stage.sync.bucket_megabytes, same,
        why="weights are sent in buffers of this many MB"),
)  # fmt: skip

TASK_ROWS = (
    task(lambda t: t.name, lambda d: d.name, off_as(("", None)), why="TasksetConfig.name"),
    task(lambda t: t.storage_type, lambda d: d.storage, same, always=True, why="StorageType: file, queue, sql"),
    task(lambda t: t.subset_name, lambda d: d.subset, same, why="load_dataset(name=)"),
    task(lambda t: t.format.prompt_key, lambda d: d.keys.prompt, same, always=True, why="FormatConfig.prompt_key"),
    task(lambda t: t.format.response_key, lambda d: d.keys.response, same, why="FormatConfig.response_key"),
    task(lambda t: t.format.messages_key, lambda d: d.keys.messages, same, why="FormatConfig.messages_key"),
    task(lambda t: t.format.tools_key, lambda d: d.keys.tools, same, why="FormatConfig.tools_key"),
    task(lambda t: t.format.image_key, lambda d: d.keys.image, same, why="FormatConfig.image_key"),
    task(lambda t: t.format.video_key, lambda d: d.keys.video, same, why="FormatConfig.video_key"),
    task(lambda t: t.format.system_prompt_key, lambda d: d.keys.system, same, why="FormatConfig.system_prompt_key"),
    task(lambda t: t.format.prompt_type, lambda d: d.prompt_type, same, why="FormatConfig.prompt_type"),
    task(lambda t: t.format.system_prompt, lambda d: d.system_prompt, same, why="FormatConfig.system_prompt"),
    task(lambda t: t.format.reply_prefix, lambda d: d.reply_prefix, same, why="FormatConfig.reply_prefix"),
    task(lambda t: t.default_workflow_type, lambda d: d.workflow, same, why="workflow of tasks that name none"),
    task(lambda t: t.workflow_args, lambda d: d.workflow_args, off_as(({}, None)), why="given to the workflow"),
    task(lambda t: t.default_reward_fn_type, lambda d: d.reward, same, why="reward of tasks that name none"),
    task(lambda t: t.reward_fn_args, lambda d: d.reward_args, off_as(({}, None)), why="given to the reward function"),
)  # fmt: skip

COMMON = "buffer.explorer_input."
FALLBACKS = {
    "default_workflow_type": (f"{COMMON}default_workflow_type",),
    "default_reward_fn_type": (f"{COMMON}default_reward_fn_type",),
}
"""What speaks for a data set that names no workflow or reward of its own (config_validator: _fill_taskset_config)."""
TRAIN_TASK_ROWS = tuple(replace(item, fallbacks=FALLBACKS.get(item.native, ())) for item in TASK_ROWS)
EVAL_TASK_ROWS = tuple(
    replace(item, fallbacks=(f"{COMMON}default_eval_workflow_type", *item.fallbacks))
    if item.native == "default_workflow_type"
    else item
    for item in TRAIN_TASK_ROWS
)

NO_ENGINE = "Trinity serves helpers with vllm or sglang; the source runs the model itself, batch by batch"
HELPER_ENGINES = words(
    {"vllm": "vllm", "vllm_async": "vllm", "sglang": "sglang", "external": "external"},
    narrowed=dict.fromkeys(("hf", "fsdp2", "megatron", "deepspeed"), ("vllm", NO_ENGINE)),
)
AUXILIARY_ROWS = (
    helper(lambda a: a.name, lambda x: x.name, same, why="InferenceModelConfig.name"),
    helper(lambda a: a.model_path, lambda x: x.path, same, always=True, why="ExplorerConfigValidator: required"),
    helper(lambda a: a.engine_type, lambda x: x.engine, HELPER_ENGINES, why="inference registry"),
    helper(lambda a: a.tensor_parallel_size, lambda x: x.tp, same, always=True, why="GPUs of one engine = tp x dp x pp"),
    helper(lambda a: a.data_parallel_size, lambda x: x.dp, same, absent=1, why="GPUs of one engine = tp x dp x pp"),
    helper(lambda a: a.pipeline_parallel_size, lambda x: x.pp, same, absent=1, why="GPUs of one engine = tp x dp x pp"),
    helper(lambda a: a.gpu_memory_utilization, lambda x: x.gpu_memory_fraction, same, why="the engine owns its GPUs"),
    helper(lambda a: a.dtype, lambda x: x.dtype, same, why="vLLM"),
    helper(lambda a: a.enforce_eager, lambda x: x.enforce_eager, same, why="vLLM"),
    helper(lambda a: a.max_prompt_tokens, lambda x: x.prompt_max_tokens, counts(Unit.TOKENS), why="InferenceModelConfig"),
    helper(lambda a: a.max_response_tokens, lambda x: x.response_max_tokens, counts(Unit.TOKENS), why="InferenceModelConfig"),
    helper(lambda a: a.max_model_len, lambda x: x.model_max_tokens, counts(Unit.TOKENS), why="InferenceModelConfig"),
    helper(lambda a: a.temperature, lambda x: x.sampling.temperature, same, why="ExplorerConfigValidator: the model block's where it is not set"),
    helper(lambda a: a.top_p, lambda x: x.sampling.top_p, same, why="ExplorerConfigValidator: the model block's where it is not set"),
    helper(lambda a: a.top_k, lambda x: x.sampling.top_k, same, why="ExplorerConfigValidator: the model block's where it is not set"),
    helper(lambda a: a.repetition_penalty, lambda x: x.sampling.repetition_penalty, same, why="ExplorerConfigValidator: the model block's where it is not set"),
)  # fmt: skip
