"""The tables of veRL's SFT programs, and what becomes of their keys without a row."""

from __future__ import annotations

from dataclasses import replace

from rftconf.base.ledger import State
from rftconf.mappers.rates import worth_supervised
from rftconf.mappers.rows import Cannot, Fixed, Table, cannot, fixed, reasons_for
from rftconf.mappers.verl import folds_engine, folds_rollout, folds_schedule, folds_sft, questions
from rftconf.mappers.verl.rows_sft import FSDP_SFT_ROWS, SFT_ROWS
from rftconf.mappers.verl.uneven import refuse_uneven
from rftconf.mappers.without_control import nothing_to_ask

DEAD, KEPT, MATHS, SECRET = State.DEAD_IN_SOURCE, State.EXTENSION, State.NO_COUNTERPART, State.WITHHELD
LENGTH = replace(
    folds_schedule.RUN_LENGTH,
    natives=("trainer.total_epochs", "trainer.total_training_steps"),
    why="trainer: fit ends with its epochs or its steps",
)


def _fixed(scope: str, reach: str) -> tuple[Fixed, ...]:
    return (
        fixed(lambda p: p.stage.kind, "sft", why="the program trains on answers that exist"),
        fixed(lambda p: p.stage.batch.passes, 1, why="each batch is taken once; epochs repeat the data"),
        fixed(lambda p: p.stage.algorithm.loss_agg, "token-mean", why="sft_loss averages over the answers' tokens"),
        fixed(lambda p: p.stage.algorithm.loss_norm_scope, scope, why=reach),
    )


def _cannot(*own: Cannot) -> tuple[Cannot, ...]:
    return (
        *own,
        cannot("identity.group", why="veRL has no group between project and experiment", behaves=""),
        cannot("identity.logger_args", why="loggers read environment variables"),
        cannot("identity.log_level", why="set by the environment variable VERL_LOGGING_LEVEL", behaves="INFO"),
        cannot("stage.name", why="a veRL run has one stage"),
        cannot("stage.init_from", why="a veRL run starts from its model's path", behaves="base"),
        cannot("stage.algorithm.*", why="a supervised run has no rewards, and its loss is fixed"),
        cannot("stage.batch.*", why="a supervised run reads every sample once an epoch"),
        cannot("stage.length.*", why="a supervised run has samples of one length limit"),
        cannot("stage.optim.actor.*", why="not an option of this program's optimizer"),
        cannot("stage.optim.critic.*", why="a supervised run has no critic"),
        cannot("stage.model.critic_*", why="a supervised run has no critic"),
        cannot("stage.model.*", why="not an option of this program's model block"),
        cannot("stage.model_options.*", why="not an option of this program's model block"),
        cannot("stage.placement.actor.*", why="not an option of this program's engine"),
        cannot("stage.placement.*", why="a supervised run has one role, the actor"),
        cannot("stage.checkpoint.hf_export", why="add hf_model to save_contents", behaves="never"),
        cannot("stage.checkpoint.*", why="not an option of this program's checkpoints"),
        cannot("stage.data.*[].name", why="veRL's files have no names"),
        cannot("stage.data.*[].*", why="prepare the parquet file instead: veRL reads the columns that it names for all files"),
        cannot("stage.data.*", why="counted from the files, or not an option of this program's loader"),
        cannot("stage.cadence.eval_at_start", why="a supervised run does not evaluate at its start", behaves=False),
        cannot("stage.run_length.*", why="epochs and steps say it"),
        cannot("stage.seeds.*", why="the sampler's seed is fixed"),
        cannot("stage.sampling.*", why="a supervised run does not sample"),
        cannot("stage.turns.*", why="a supervised run does not answer"),
        cannot("stage.sync.*", why="a supervised run has no engines to pass weights to"),
        cannot("stage.reward.*", why="a supervised run has no rewards"),
    )  # fmt: skip


COMMON = (
    *reasons_for(DEAD, "parsed, but not implemented", "data.balance_dp_token"),
    *reasons_for(SECRET, "a credential; the value is neither shown nor written", "*api_key", "*_token", "*password"),
    *reasons_for(DEAD, "names the Python class that holds this block; it is part of the schema, not a setting", "*._target_"),
    *reasons_for(MATHS, "what becomes of samples longer than data.max_length: an error, or cut on the left or right", "data.truncation"),
    *reasons_for(KEPT, "arguments of the chat template; set the target's own switch by hand", "data.apply_chat_template_kwargs*",
          "data.enable_thinking_*", "data.multiturn.enable_thinking_key"),
    *reasons_for(KEPT, "copies files or weights to shared memory before reading; start-up time only", "data.use_shm", "model.use_shm"),
    *reasons_for(KEPT, "a Python module imported before the model is built; code is never carried over", "model.external_lib"),
    *reasons_for(KEPT, "a second copy of checkpoints on HDFS", "trainer.default_hdfs_dir"),
    *reasons_for(KEPT, "the kind of accelerator (cuda, npu); it does not change training", "trainer.device"),
    *reasons_for(DEAD, "parsed, but nothing reads it: the sampler's seed is 0", "trainer.seed"),
    *reasons_for(MATHS, "number of cosine cycles; the plan's cosine is the half cycle", "optim.num_cycles"),
    *reasons_for(MATHS, "the Python module and extra arguments of the optimizer; the plan keeps its kind", "optim.optimizer_impl",
          "optim.override_optimizer_config*"),
    *reasons_for(DEAD, "the program sets it to the run's length", "optim.total_training_steps"),
)  # fmt: skip

MEGATRON_REASONS = (
    *reasons_for(MATHS, "learning rate at the start of Megatron's warm-up; the plan's warm-up starts at 0", "optim.lr_warmup_init"),
    *reasons_for(MATHS, "length of Megatron's decay where it is not the run's length", "optim.lr_decay_steps"),
    *reasons_for(MATHS, "how Megatron lets the weight decay grow; the plan's is constant", "optim.weight_decay_incr_style"),
    *reasons_for(MATHS, "shape and length of the final decay of Megatron's WSD schedule; no neutral field", "optim.lr_wsd_*"),
    *reasons_for(MATHS, "an option of Megatron's Muon optimizer; no neutral field", "optim.muon_*"),
    *reasons_for(KEPT, "takes the scheduler's state from a checkpoint when Megatron resumes", "optim.use_checkpoint_opt_param_scheduler"),
    *reasons_for(KEPT, "precision of gradients and moments inside Megatron's optimizer; memory only, with rounding",
          "optim.use_precision_aware_optimizer", "optim.main_grads_dtype", "optim.exp_avg*_dtype"),
    *reasons_for(KEPT, "how Megatron splits Muon's state over ranks; memory only", "optim.use_layer_wise_*"),
    *reasons_for(KEPT, "Megatron splits long sequences over context ranks by length; placement only", "engine.dynamic_context_parallel",
          "engine.max_seqlen_per_dp_cp_rank"),
    *reasons_for(KEPT, "names and formats of Megatron's distributed checkpoints; training is the same", "engine.dist_checkpointing_prefix",
          "engine.dist*_optim_fully_reshardable*"),
    *reasons_for(KEPT, "chooses the older bridge between Hugging Face and Megatron weights", "engine.vanilla_mbridge"),
    *reasons_for(KEPT, "shards Megatron's parameters as FSDP does; placement only", "engine.use_megatron_fsdp"),
    *reasons_for(KEPT, "how far padded batches are filled up; the loss is the same", "engine.pad_bshd_to_minibatch_max"),
)  # fmt: skip

ENGINE_REASONS = (
    *COMMON,
    *reasons_for(MATHS, "whether the schedule counts its first tick as 0 or 1; no neutral field", "optim.zero_indexed_step"),
    *reasons_for(KEPT, "a deprecated alias of lr_scheduler_type or clip_grad; name the newer key instead", "optim.warmup_style", "optim.grad_clip"),
    *reasons_for(KEPT, "how samples are padded for the kernels; the loss is the same", "data.pad_mode"),
    *reasons_for(KEPT, "accepts chat templates that do not split into turns", "data.ignore_input_ids_mismatch"),
    *reasons_for(KEPT, "profiling of the workers; it does not change training", "profiler*", "trainer.profile_interval"),
    *reasons_for(MATHS, "multi-token prediction: an extra loss; no neutral field", "model.mtp.*"),
    *reasons_for(MATHS, "an option of Megatron-Bridge's LoRA; the plan keeps rank, alpha and targets", "model.lora*"),
    *reasons_for(MATHS, "LoRA on single parameter tensors instead of modules; the plan keeps modules", "model.target_parameters"),
    *reasons_for(KEPT, "how the model is loaded or computed, with the same result", "model.hf_config_path", "model.fused_kernel_options.*",
          "model.tiled_mlp.*", "model.model_type", "model.load_tokenizer"),
    *reasons_for(DEAD, "HFModelConfig fills it while it loads the model", "model.local_*", "model.hf_config", "model.generation_config",
          "model.tokenizer", "model.processor", "model.architectures"),
    *reasons_for(DEAD, "workers fill it from the data and model blocks before the engine starts", "engine.use_dynamic_bsz", "engine.max_token_len_per_gpu",
          "engine.micro_batch_size_per_gpu", "engine.infer_*", "engine.use_fused_kernels", "engine.use_remove_padding"),
    *reasons_for(KEPT, "quantization-aware training of the engine", "engine.qat.*"),
    *reasons_for(KEPT, "memory or speed of the engine; the loss is the same", "engine.entropy_*", "engine.use_torch_compile", "engine.use_no_sync_*",
          "engine.pad_to_*", "engine.turbo_config.*", "engine.mixed_precision*", "engine.router_replay*"),
    *reasons_for(KEPT, "a debugging switch: true makes the engine unable to train", "engine.forward_only"),
    *MEGATRON_REASONS,
    *reasons_for(KEPT, "how checkpoints are written", "checkpoint.*"),
)  # fmt: skip

FSDP_REASONS = (
    *COMMON,
    *reasons_for(DEAD, "deprecated: data.micro_batch_size_per_gpu counts", "data.micro_batch_size"),
    *reasons_for(KEPT, "names inside a column that holds a mapping; flatten the column for the target", "data.prompt_dict_keys", "data.response_dict_keys"),
    *reasons_for(DEAD, "a chat template here is refused by the program", "data.chat_template"),
    *reasons_for(DEAD, "parsed by the optimizer's class; this program takes lr_scheduler and the warm-up ratio", "optim.lr_scheduler_type",
          "optim.min_lr_ratio", "optim.warmup_style", "optim.grad_clip"),
    *reasons_for(MATHS, "the optimizer's class, where it is not AdamW; read since 0.6", "optim.optimizer"),
)  # fmt: skip

SECTIONS = ("data", "model", "engine", "optim", "checkpoint", "trainer")
VERL_SFT = Table(
    framework="verl_sft",
    rows=(
        *SFT_ROWS,
        folds_engine.ENGINE,
        folds_engine.SEED,
        folds_engine.DTYPE,
        LENGTH,
        folds_rollout.FOLDER,
        folds_sft.POOL,
        folds_sft.FILES,
        folds_sft.CHATS,
        folds_sft.SAMPLE_LENGTH,
        folds_sft.WARMUPS,
        folds_sft.PACKED,
        *_fixed("update", "the loss is averaged over all tokens of the update, on all ranks"),
    ),
    cannot=_cannot(),
    reasons=ENGINE_REASONS,
    worth=worth_supervised,
    target=questions.TARGET,
    questions=nothing_to_ask,
    kinds=("sft",),
    exported="huggingface",
    sections=SECTIONS,
)
VERL_FSDP_SFT = Table(
    framework="verl_fsdp_sft",
    rows=(
        *FSDP_SFT_ROWS,
        LENGTH,
        folds_rollout.FOLDER,
        folds_sft.POOL,
        folds_sft.FILES,
        folds_sft.OLD_COLUMNS,
        folds_sft.SAMPLE_LENGTH,
        folds_sft.SHARES,
        folds_sft.OFFLOAD,
        folds_sft.UNPADDED,
        fixed(lambda p: p.stage.batch.micro.dynamic, False, why="micro-batches have a fixed number of samples"),
        fixed(lambda p: p.stage.optim.actor.kind, "adamw", why="fsdp_sft_trainer: AdamW"),
        fixed(lambda p: p.stage.optim.actor.min_lr_ratio, 0.0, why="the cosine ends at 0"),
        *_fixed("micro_batch_mean", "the loss is averaged over each micro-batch, then over micro-batches"),
    ),
    cannot=_cannot(cannot("stage.batch.micro.tokens_per_rank", why="micro-batches have a fixed number of samples")),
    reasons=FSDP_REASONS,
    worth=worth_supervised,
    target=questions.TARGET,
    questions=nothing_to_ask,
    completes=refuse_uneven,
    kinds=("sft",),
    exported="huggingface",
    sections=("data", "model", "optim", "ulysses_sequence_parallel_size", "use_remove_padding", "trainer"),
)
