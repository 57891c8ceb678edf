"""ROLL's table, put together: all rows, what ROLL fixes, and what it has no control for."""

from __future__ import annotations

from typing import Any

from rftconf.mappers.rates import critics_updates_per_tick, tail, updates_per_tick, where_divided
from rftconf.mappers.roll import (
    distilled,
    folds_algorithm,
    folds_auxiliary,
    folds_auxiliary_write,
    folds_batch,
    folds_data,
    folds_domains,
    folds_engine,
    folds_environments,
    folds_kl,
    folds_lengths,
    folds_loss,
    folds_model,
    folds_optim,
    folds_places,
    folds_preference,
    folds_run,
    folds_sync,
    folds_weights,
    questions,
    teachers,
    trajectories,
)
from rftconf.mappers.roll.conditions import DPO, RL, RLVR, kind_of, kind_of_run, uneven_period, worth
from rftconf.mappers.roll.forks import dialect
from rftconf.mappers.roll.reasons import REASONS
from rftconf.mappers.roll.rows_run import RUN_ROWS
from rftconf.mappers.roll.rows_training import ALGORITHM_ROWS, DISTILLATION_ROWS, OPTIMIZER_ROWS
from rftconf.mappers.roll.rows_workers import WORKER_ROWS
from rftconf.mappers.rows import Fold, Table, cannot, fixed
from rftconf.mappers.without_control import as_actor, common_sampling

A, B, D, P, Y = "stage.algorithm.", "stage.batch.", "stage.data.", "stage.placement.", "stage.sync."
TRAINED = ("actor_train", "sft_train", "student")
STRATEGY, CONFIG = ".strategy_args.strategy_name", "actor_infer.strategy_args.strategy_config."
MODEL = ".model_args."

FOLDS = (
    Fold(("add_token_level_kl", "init_kl_coef", "target_kl", "use_kl_loss"),
         (*(f"{A}kl_reward.{f}" for f in ("enabled", "coef", "controller", "target", "order")), A + "kl_loss.enabled", A + "kl_loss.estimator"),
         folds_kl.read_kl, folds_kl.write_kl, "functionals: compute_token_reward; actor_worker: loss_func; H27, H35", RL),
    Fold((*(f"{r}.device_mapping" for r in folds_places.ROLES), "rewards<*>.device_mapping", "num_gpus_per_node"),
         ("cluster.nodes", "cluster.gpus_per_node", P + "layout", *(f"{P}{r}.gpus" for r in ("actor", "rollout", "reference", "critic"))),
         folds_places.read_devices, folds_places.write_devices, "base_config: total_devices"),
    Fold(("adv_estimator", "norm_mean_type", "norm_std_type", *trajectories.KEYS), (A + "advantage", A + "std_scope", A + "critic.enabled"),
         folds_algorithm.read_advantage, folds_algorithm.write_advantage, "functionals: reward_norm and compute_advantage", RL),
    folds_algorithm.GAMMA,
    Fold((*(r + STRATEGY for r in (*TRAINED, "reference", "critic")),), tuple(f"{P}{r}.backend" for r in ("actor", "reference", "critic")),
         folds_places.read_strategies, folds_places.write_strategies, "strategy factory"),
    Fold(("actor_infer" + STRATEGY, CONFIG + "gpu_memory_utilization", CONFIG + "mem_fraction_static", CONFIG + "tensor_parallel_size",
          "actor_infer.num_gpus_per_worker"),
         (P + "rollout.engine", P + "rollout.gpu_memory_fraction", P + "rollout.tp"),
         folds_engine.read_engine, folds_engine.write_engine, "vllm_strategy, sglang_strategy", RL),
    folds_engine.EXPERTS,
    folds_lengths.LENGTHS_FOLD,
    folds_batch.SWEEPS,
    Fold(("rollout_batch_size", "num_return_sequences_in_group", "train_env_manager.group_size"),
         (B + "prompts_per_rollout", B + "responses_per_prompt"),
         folds_batch.read_rollout, folds_batch.write_rollout, "rlvr_pipeline: domain_batch_size"),
    Fold(tuple(f"{r}.{k}" for r in TRAINED for k in ("training_args.per_device_train_batch_size", "training_args.gradient_accumulation_steps",
               "use_dynamic_batching_in_train", "max_tokens_per_microbatch_in_train")),
         (B + "sequences_per_update", *(f"{B}micro.{f}" for f in ("dynamic", "sequences_per_rank", "tokens_per_rank"))),
         folds_batch.read_update, folds_batch.write_update, "base_worker: train_step, H4, H5"),
    Fold(tuple(f"critic.{k}" for k in ("training_args.per_device_train_batch_size", "training_args.gradient_accumulation_steps",
               "use_dynamic_batching_in_train", "max_tokens_per_microbatch_in_train")),
         (B + "critic_sequences_per_update", *(f"{B}critic.{f}" for f in ("dynamic", "sequences_per_rank", "tokens_per_rank"))),
         folds_batch.read_critic_update, folds_batch.write_critic_update, "base_worker: CriticWorker.train_step"),
    Fold(("async_generation_ratio", "actor_train.model_update_frequency"),
         tuple(Y + f for f in ("run_ahead_rollouts", "every_rollouts", "driver", "in_flight")),
         folds_sync.read_sync, folds_sync.write_sync, "rlvr_pipeline: run; model_update_group", RL),
    Fold(("enable_old_logprobs_recompute", "force_disable_old_logprobs_recompute"), (Y + "old_logprob",),
         folds_sync.read_old_logprob, folds_sync.write_old_logprob, "base_config: set_old_logprobs_status, H6", RL),
    Fold(("pg_clip", "use_pg_clip_range", "pg_clip_low", "pg_clip_high", "dual_clip_loss", "importance_sampling", "loss_agg_mode",
          "actor_train.pg_variant", "actor_train.worker_cls"),
         (*(f"{A}policy_loss.{f}" for f in ("family", "clip_low", "clip_high", "dual_clip_c")), A + "loss_agg", A + "loss_agg_tokens",
          A + "loss_norm_scope"),
         folds_loss.read_loss, folds_loss.write_loss, "actor_worker and actor_pg_worker: loss_func; H31, H32, H61"),
    Fold(("pretrain", "reward_pretrain", "student_pretrain", *folds_weights.PATHS, folds_weights.CRITIC_PATH, *distilled.OWN), ("stage.model.path", "stage.model.critic_path"),
         folds_weights.read_model, folds_weights.write_model, "base_config: PPOConfig.__post_init__"),
    Fold(tuple(f"{r}{MODEL}model_config_kwargs" for r in TRAINED), (folds_model.OVERRIDES,), folds_model.read_overrides, folds_model.write_overrides,
         "model_providers: merged into the model's config"),
    Fold(("max_steps", "sft_train.training_args.num_train_epochs", "student.training_args.num_train_epochs"),
         ("stage.run_length.rollouts", "stage.run_length.epochs", "stage.run_length.last_partial"),
         folds_run.read_length, folds_run.write_length, "rlvr_pipeline, sft_pipeline: run"),
    folds_optim.optimizer_fold("actor", TRAINED),
    folds_optim.optimizer_fold("critic", ("critic",)),
    Fold(("track_with", "tracker_kwargs", "tracker_kwargs.project"), ("identity.loggers", "identity.project", "identity.logger_args"),
         folds_run.read_tracker, folds_run.write_tracker, "utils/tracking: one tracker"),
    Fold(("resume_from_checkpoint", "output_dir", "checkpoint_config.type", "checkpoint_config.output_dir"),
         ("identity.checkpoint_root", "identity.resume", "identity.resume_path"),
         folds_run.read_folders, folds_run.write_folders, "base_pipeline: __init__; checkpoint_manager"),
    Fold(("seed",), folds_run.SEEDS, folds_run.read_seeds, folds_run.write_seeds, "base_config: copied to all training_args"),
    Fold(tuple(f"{r}{MODEL}{k}" for r in (*TRAINED, "actor_infer") for k in ("lora_target", "lora_rank", "lora_alpha")),
         tuple(folds_model.LORA + f for f in ("rank", "alpha", "targets")),
         folds_model.read_lora, folds_model.write_lora, "model_args: LoraArguments; H54"),
    Fold(tuple(f"{r}.strategy_args.strategy_config.*" for r in (*TRAINED, "reference", "critic")),
         tuple(f"{P}{r}.megatron.{f}" for r in ("actor", "reference", "critic") for f in ("transformer_overrides", "ddp_overrides")),
         folds_model.read_megatron, folds_model.write_megatron, "megatron_strategy: TrainingArguments(**strategy_config)"),
    Fold((teachers.PURE, teachers.ESTIMATOR, teachers.COEF, *(f"{role}.*" for role in teachers.SECTIONS.values())),
         teachers.PLANS, teachers.read_followed, teachers.write_followed, "functionals: compute_advantage; base_config: _apply_opd_config"),
    Fold(("beta", "label_smoothing", "ipo"), tuple(f"{A}preference.{f}" for f in ("beta", "label_smoothing", "loss")),
         folds_preference.read_preference, folds_preference.write_preference, "dpo: loss_fn; dpo_config", DPO),
    Fold((*(f"{r}.data_args.{k}" for r in ("actor_train", "validation") for k in ("file_name", "prompt", "messages", "response")),
          "sft_train.data_args.file_name", "student.data_args.file_name", *folds_data.QUESTION_COLUMNS, *folds_data.SFT_COLUMNS, *folds_data.PAIR_COLUMNS),
         (*(f"{D}{s}[].{f}" for s in ("train", "eval") for f in ("uri", "split", "subset", "storage", "prompt_type",
            *(f"keys.{k}" for k in ("prompt", "messages", "response", "image", "system", "chosen", "rejected")))), D + "shuffle"),
         folds_data.read_data, folds_data.write_data, "datasets: get_dataset; rlvr_pipeline: get_encode_function"),
    Fold((folds_domains.PROBS, *(f"rewards<*>.{k}" for k in ("tag_included", "worker_cls", "query_filter_config.type", "query_filter_config.filter_args"))),
         (*(f"{D}domains[].{f}" for f in ("name", "tags", "weight", "reward")), D + "mixing",
          *(f"{A}filters[].{f}" for f in ("kind", "metric", "action", "threshold", "max_in_flight_rollouts"))),
         folds_domains.read_domains, folds_domains.write_domains, "rlvr_pipeline: domain_ratios; user_defined_rollout_loop: query_filter", RLVR),
    Fold(folds_auxiliary.natives(), tuple(f"{P}auxiliary[].{field}" for field in folds_auxiliary.FIELDS),
         folds_auxiliary.read_auxiliary, folds_auxiliary_write.write_auxiliary,
         "rlvr_pipeline: reward and reward_model clusters; llm_judge_reward_worker"),
    folds_data.TEMPLATES,
)  # fmt: skip


ENVIRONMENTS = Fold(
    ("custom_envs", "train_env_manager.tags", "train_env_manager.num_env_groups", "train_env_manager.num_groups_partition",
     *(s + folds_environments.DRAWN for s in (folds_environments.ENGINE, folds_environments.WORLDS))),
    tuple(f"{D}environments[].{f}" for f in ("name", *folds_environments.FIELDS.values(), "groups", "config")),
    folds_environments.read_environments, folds_environments.write_environments, "agentic_config: make_env_configs",
)  # fmt: skip


def _rl(value: Any) -> Any:
    """Make a default of `value` for pipelines with rollouts, and of None for the others."""
    return lambda c: value if RL.test(c) else None


def _validates(c: Any) -> bool:
    """True where the run validates: on data, or on environments of its own at an interval above 0."""
    if c.trainer == "agentic":
        return c.plan("stage.cadence.eval_rollouts") is not None
    return bool(c.items(D + "eval") > 0)


def _complete(w: Any) -> None:
    """Ask the open questions, and cap the pairs of a pass of the reference, once the whole output is known."""
    questions.complete(w)
    if w.trainer == "dpo":
        folds_preference.fit_reference(w)


FIXED = (
    fixed(lambda p: p.stage.kind, kind_of_run, why="each pipeline has a start script of its own"),
    fixed(lambda p: p.stage.length.overlong_prompt, _rl("drop_gt"), why="rlvr_pipeline keeps 5 < len <= prompt_length (H51)"),
    fixed(lambda p: p.stage.batch.pass_order, _rl("sweep"), why="ROLL sweeps all mini-batches, then sweeps again"),
    fixed(lambda p: p.stage.batch.shuffle_sequences, _rl(True), why="mini-batches are always shuffled"),
    fixed(lambda p: p.stage.batch.critic_shuffle_sequences, _rl(True), why="mini-batches are always shuffled"),
    fixed(lambda p: p.stage.batch.critic_passes, lambda c: 1 if c.plan(A + "critic.enabled") is True else None, why="the critic always makes one pass"),
    fixed(lambda p: p.stage.batch.balance_ranks, _rl(True), why="batch_balance always runs"),
    fixed(lambda p: p.stage.algorithm.std_ddof, lambda c: where_divided(c, 1), why="rewards are divided by torch's deviation, that of a sample (H38)"),
    fixed(lambda p: p.stage.algorithm.std_guard, lambda c: where_divided(c, 1e-6),
          why="functionals.py: reward_postprocess adds it to the deviation, so that nothing is divided by zero"),
    fixed(lambda p: p.stage.batch.uneven_tail, lambda c: tail(c, uneven_period(c)) if RL.test(c) else None,
          why="make_iterator asserts whole mini-batches; the agentic pipeline copies or leaves out some before (adjust_batch)"),
    fixed(lambda p: p.stage.cadence.eval_at_start, lambda c: _validates(c) if RL.test(c) else None,
          why="step 0 validates, where there is something to validate on"),
    fixed(lambda p: p.stage.algorithm.advantage_scope, _rl("rollout"), why="advantages are computed over the rollout period, domain by domain (H42)"),
    fixed(lambda p: p.stage.algorithm.divide_logits_by_temperature, _rl(False), why="log-probabilities are not divided by the temperature (H28)"),
    fixed(lambda p: p.stage.optim.actor.updates_per_tick, updates_per_tick, why="the scheduler ticks after each optimizer step (H44)"),
    fixed(lambda p: p.stage.optim.critic.updates_per_tick, critics_updates_per_tick, why="the scheduler ticks after each optimizer step (H44)"),
    fixed(lambda p: p.stage.optim.actor.kind, "adamw", why="strategies: AdamW, Megatron's adam"),
    fixed(lambda p: p.stage.optim.critic.kind, lambda c: "adamw" if c.plan(A + "critic.enabled") is True else None, why="strategies: AdamW"),
    fixed(lambda p: p.stage.algorithm.critic.loss_agg, lambda c: "seq-mean-token-mean" if c.plan(A + "critic.enabled") is True else None,
          why="base_worker.CriticWorker.loss_func: a mean over the tokens of each sequence, then over sequences"),
    fixed(lambda p: p.stage.model.trust_remote_code, True, why="model_providers: always true"),
    fixed(lambda p: p.stage.placement.actor.offload.param, _rl(True), why="every role leaves its GPUs between its turns"),
    fixed(lambda p: p.stage.placement.actor.offload.optimizer, _rl(True), why="every role leaves its GPUs between its turns"),
    fixed(lambda p: p.stage.placement.actor.model_dtype, "fp32", why="fsdp2_strategy: master weights of what is trained"),
)  # fmt: skip


CANNOT = (
    cannot("identity.group", why="ROLL has no group between project and experiment", behaves=""),
    cannot("identity.log_level", why="set by the environment variable ROLL_LOG_LEVEL", behaves="INFO"),
    cannot("stage.model.tokenizer_path", why="the tokenizer is the model's own", behaves=lambda c, _: c.plan("stage.model.path")),
    cannot("stage.model.critic_tokenizer_path", why="the critic uses the policy's tokenizer", behaves=lambda c, _: c.plan("stage.model.path")),
    cannot("stage.model.chat_template", why="templates have names in ROLL (data_args.template, global_template): register this one"),
    cannot("stage.model.rope_*", why="write it into model_args.model_config_kwargs by hand"),
    cannot("stage.length.response_min_tokens", why="ROLL has no shortest answer", behaves=0),
    cannot("stage.batch.demonstrations_per_update", why="an update takes the policy's own answers alone: no demonstrations are mixed in"),
    cannot("stage.batch.prompts_per_fetch", why="prompts are fetched one by one as engines have room"),
    cannot("stage.sync.transport", why="weights pass in place or by NCCL, as the GPUs demand", behaves="auto"),
    cannot("stage.sync.timeout_seconds", why="rpc_timeout is for all calls"),
    cannot("stage.placement.*.mesh.*", why="FSDP2 splits data and sequences over GPUs, and nothing else", behaves=1),
    cannot("stage.placement.*.megatron.use_mbridge", why="mcore_adapter converts the weights"),
    cannot("stage.placement.*.megatron.*dist_checkpointing*", why="mcore_adapter saves and loads checkpoints its own way"),
    cannot("stage.placement.*.megatron.model_overrides", why="write it into strategy_config under Megatron's names by hand"),
    cannot("stage.placement.*.megatron.seed", why="one seed for everything", behaves=lambda c, _: c.effective("seed")),
    cannot("stage.placement.*.megatron.*", why="no key of its own for this role", behaves=as_actor),
    cannot("stage.placement.*.offload.*", why="every role leaves its GPUs between its turns", behaves=True),
    cannot("stage.placement.*.zero_stage", why="strategy_config of deepspeed_train says it, which releases before 0.3.0 have"),
    cannot("stage.placement.*.torch_compile", why="ROLL does not compile the model", behaves=False),
    cannot("stage.placement.*.use_orig_params", why="FSDP2 has no flattened parameters", behaves=False),
    cannot("stage.placement.*.seed", why="one seed for everything", behaves=lambda c, _: c.effective("seed")),
    cannot("stage.placement.*.full_determinism", why="ROLL has no deterministic mode", behaves=False),
    cannot("stage.placement.*.entropy_*", why="the entropy is computed at once", behaves=False),
    cannot("stage.placement.*.forward_prefetch", why="FSDP2 prefetches by itself", behaves=False),
    cannot("stage.placement.*.min_wrap_params", why="FSDP2 wraps the model's own layers", behaves=0),
    cannot("stage.placement.rollout.extra", why="engine arguments go under actor_infer.strategy_args.strategy_config with their own names"),
    cannot("stage.placement.rollout.runners_per_engine", why="max_running_requests bounds what is in flight"),
    cannot("stage.placement.rollout.max_*", why="ROLL has no time limit or retry count for one answer"),
    cannot("stage.placement.auxiliary[].*", why="ROLL's workers have no option for it"),
    cannot("stage.placement.*", why="no key of its own for this role"),
    cannot("stage.algorithm.policy_loss.tau_*", why="ROLL has no sapo loss"),
    cannot("stage.algorithm.rollout_correction", why="train_infer_correction has other rules and thresholds: write it by hand",
           behaves=folds_loss.correction_of_its_own),
    cannot("stage.optim.*.decay_updates", why="the schedule ends with the run"),
    cannot("stage.optim.*.min_lr", why="FSDP's schedules end at 0; Megatron takes lr_scheduler_kwargs.min_lr", behaves=0.0),
    cannot("stage.optim.*.extra", why="not an option of ROLL's optimizers"),
    cannot("stage.sampling.train.responses", why="num_return_sequences_in_group says it"),
    cannot("stage.sampling.*.ignore_eos", why="answers stop at the end token", behaves=False),
    cannot("stage.model_options.lora.dtype", why="adapters take the model's dtype", behaves="auto"),
    cannot("stage.model_options.lora.excluded", why="lora_target names modules, nothing excludes any"),
    cannot("stage.model_options.lora.path", why="adapter_name_or_path is for an adapter to go on with: write it by hand"),
    cannot("stage.model_options.*activation_offload", why="ROLL does not offload activations", behaves=False),
    cannot("stage.model_options.liger", why="ROLL does not use Liger kernels", behaves=False),
    cannot("stage.model_options.fused_kernels", why="ROLL has no fused kernels", behaves=False),
    cannot("stage.model_options.*", why="sequences are padded with FSDP2"),
    cannot("stage.data.seed", why="the loader reads in order"),
    cannot("stage.data.rows", why="counted from the files"),
    cannot("stage.data.*_max_samples", why="cut the file itself: ROLL reads all of it"),
    cannot("stage.data.loader_workers", why="preprocessing_num_workers is for encoding, not for loading"),
    cannot("stage.turns.*", why="the rlvr pipeline answers in one turn: a run with tools is an environment of the agentic pipeline"),
    cannot("stage.data.dataset_class*", why="ROLL reads json, jsonl, csv and parquet files, no class of a user's"),
    cannot("stage.algorithm.policy_loss.value_cap", why="the loss has no cap on its value"),
    cannot("stage.data.*[].name", why="files have no names: domains do"),
    cannot("stage.data.*[].sampling.*", why="sampling is the same for all files", behaves=common_sampling),
    cannot("stage.data.*[].selector", why="every pass over the data is shuffled"),
    cannot("stage.data.*[].reward*", why="rewards are worker classes: name one under rewards"),
    cannot("stage.data.*[].workflow*", why="RLVR has no workflows; several turns are the agentic pipeline's"),
    cannot("stage.data.*[].*", why="prepare the file instead: ROLL reads one prompt column and one answer column"),
    cannot("stage.reward.manager", why="each domain has its own reward worker", behaves="naive"),
    cannot("stage.reward.*", why="rewards are worker classes: wrap the function and name it under rewards"),
    cannot("stage.checkpoint.*", why="ROLL saves model, optimizer, scheduler and random state, and loads all of it"),
    cannot("stage.name", why="a ROLL run has one stage"),
    cannot("stage.init_from", why="a ROLL run starts from pretrain", behaves="base"),
)  # fmt: skip

ROLL = Table(
    framework="roll",
    rows=(*FOLDS, ENVIRONMENTS, *RUN_ROWS, *ALGORITHM_ROWS, *DISTILLATION_ROWS, *OPTIMIZER_ROWS, *WORKER_ROWS, *FIXED),
    cannot=CANNOT,
    reasons=REASONS,
    worth=worth,
    target=questions.TARGET,
    questions=questions.questions,
    completes=_complete,
    dialect=dialect,
    kind_of=kind_of,
    decides={
        "max_steps": "whether the run trains (0 does not): it is read as one that does",
        "is_pure_opd": "whether a teacher alone is followed: it is read as if none were",
        "adv_estimator": "how advantages are made, and whether there is a critic",
        "actor_infer.strategy_args.strategy_name": "who generates, and with which options",
        "student_infer.strategy_args.strategy_name": "who generates, and with which options",
        "use_kl_loss": "whether a reference is loaded for the loss",
        "add_token_level_kl": "whether a reference is loaded for the rewards",
        "rewards.*.query_filter_config.type": "whether groups are filtered: it is read as if none were",
        "rewards.*.judge_model_type": "who judges: it is read as if nobody did",
        "rewards.*.strategy_args.strategy_name": "who serves the judge, and with which options",
        "reward_model.strategy_args.strategy_name": "who serves the reward model, and with which options",
        "use_pg_clip_range": "which bounds of the ratio act: it is read as false",
        "dual_clip_loss": "whether the loss is clipped a second time: it is read as clipped",
        **{
            f"{role}.strategy_args.strategy_name": "how the model is split, and how large an update is"
            for role in ("actor_train", "critic", "reference", "sft_train", "student_train", "teacher")
        },
        **{
            f"{role}.training_args.lr_scheduler_type": "how the rate warms up and decays"
            for role in ("actor_train", "critic", "sft_train", "student_train")
        },
    },
    kinds=("rl", "distill", "sft", "dpo"),
    respelt=teachers.respelt,
    spelled=teachers.of_students,
    sections=("exp_name", "seed", "logging_dir", "output_dir", "system_envs", "checkpoint_config", "track_with", "tracker_kwargs",
              "num_gpus_per_node", "max_steps", "save_steps", "logging_steps", "eval_steps", "resume_from_checkpoint", "max_ckpt_to_keep",
              "async_generation_ratio", "rollout_batch_size", "prompt_length", "response_length", "sequence_length", "num_return_sequences_in_group",
              "ppo_epochs", "adv_estimator", "norm_mean_type", "norm_std_type", "gamma", "lambd", "whiten_advantages", "critic_warmup",
              "use_pg_clip_range", "pg_clip", "pg_clip_low", "pg_clip_high", "dual_clip_loss", "value_clip", "importance_sampling", "loss_agg_mode",
              "max_grad_norm", "entropy_loss_coef", "use_kl_loss", "kl_loss_coef", "add_token_level_kl", "init_kl_coef", "kl_penalty", "target_kl",
              "kl_horizon", "ipo", "beta", "label_smoothing", "chosen_key", "rejected_key", "enable_old_logprobs_recompute", "force_disable_old_logprobs_recompute", "pretrain", "reward_pretrain", "global_template", "validation",
              "is_pure_opd", "pure_opd_pipeline_type", "sft_train", "student_train", "student_infer", "teacher", "actor_train", "actor_infer", "reference", "critic", "rewards", "reward_model"),
)  # fmt: skip
