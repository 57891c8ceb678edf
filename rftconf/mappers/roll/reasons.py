"""Reasons tell what becomes of ROLL keys that no row speaks for, and why. The first pattern that fits counts."""

from __future__ import annotations

from rftconf.base.ledger import State
from rftconf.mappers.rows import reasons_below, reasons_for

DEAD, KEPT, MATHS, SECRET = State.DEAD_IN_SOURCE, State.EXTENSION, State.NO_COUNTERPART, State.WITHHELD
ENVIRONMENTS = ("train_env_manager", "val_env_manager")


SECRETS = (
    *reasons_for(SECRET, "a key of a model service; its value is neither shown nor written", "*.judge_api_key", "*.api_key", "*password", "*_token"),
)  # fmt: skip

OVERWRITTEN = (
    *reasons_for(DEAD, "ROLL names each role itself", "*.name"),
    *reasons_for(DEAD, "ROLL works it out from device_mapping, or from the environments", "actor_*.world_size", "critic.world_size", "reference.world_size",
          "reward_model.world_size", "reward.world_size", "s*.world_size", "teacher.world_size", "teacher<*>.world_size", "validation.world_size",
          "*env_manager.world_size"),
    *reasons_for(DEAD, "worked out from the highest device id", "num_nodes"),
    *reasons_for(DEAD, "max_steps or the epochs are written over it", "*.training_args.max_steps"),
    *reasons_for(DEAD, "output_dir is written over it", "*.training_args.output_dir"),
    *reasons_for(DEAD, "num_return_sequences_in_group is written over it", "actor_infer.generating_args.num_return_sequences"),
    *reasons_for(DEAD, "the top-level seed is written over it", "*.training_args.seed"),
    *reasons_for(DEAD, "the role's model_args.dtype sets it", "*.training_args.bf16", "*.training_args.fp16"),
    *reasons_for(DEAD, "val_sequence_length - val_prompt_length is written over it", "validation.generating_args.max_new_tokens"),
    *reasons_for(DEAD, "ROLL sets it to false when it starts, from 0.3 on (worker_config.py)", "*.offload_nccl", since="0.3.0"),
    *reasons_for(KEPT, "buffers of NCCL leave the GPU between a worker's turns, up to 0.2; what is learned is the same", "*.offload_nccl"),
    *reasons_for(KEPT, "ROLL sets it to 1, or to the GPUs of one engine; with hf_infer what is written counts (worker_config.py)", "*.num_gpus_per_worker"),
    *reasons_for(DEAD, "no worker reads it from 0.2 on (rlvr/actor_worker.py)", "postive_loss_coef", "use_topr_*", since="0.2.1"),
    *reasons_for(MATHS, "weighs a further loss over answers of positive, or of no positive, score (rlvr/actor_worker.py up to 0.1)",
          "postive_loss_coef", "use_topr_*"),
    *reasons_for(DEAD, "no pipeline reads it from 0.2 on (rlvr_math_vlm_pipeline.py)", "use_reward_scaling", "use_reward_norm", since="0.2.1"),
    *reasons_for(MATHS, "scales or normalises rewards where the prompts have images (rlvr_math_vlm_pipeline.py up to 0.1)",
          "use_reward_scaling", "use_reward_norm"),
    *reasons_for(DEAD, "parsed, but nothing reads it", "use_policy_loss_type", "add_len_reward",
          "l2", "val_greedy", "val_n_sample", "mask_type", "minibatch_data_iter_num"),
    *reasons_for(DEAD, "a folder that nothing is written to from 0.2 on", "length_profiler_dir", since="0.2.1"),
    *reasons_for(DEAD, "parsed, but no release reads it", "balance_length", "dirty_data_mask", "dataset_filter.*", "local_rank",
          "*.training_args.data_seed", "*.training_args.tf32", "*.data_args.eval_file_name", "*.generating_args.do_sample",
          "*.data_args.id"),
)  # fmt: skip

RUN = (
    *reasons_for(KEPT, "Hydra's own settings; they do not reach ROLL", "hydra*", "defaults*"),
    *reasons_for(KEPT, "folders of logs, dumps and profiles", "logging_dir", "base_dir", "otlp_output_dir", "profiler_output_dir", "rollout_dump_dir",
          "length_profiler_dir", "render_save_dir", "save_logging_board_dir"),
    *reasons_for(KEPT, "how checkpoints are uploaded, beside the folder", "checkpoint_config*"),
    *reasons_for(KEPT, "how often metrics are written", "logging_steps"),
    *reasons_for(KEPT, "profiling and reports; training is the same", "profiler_*", "report_length_and_rewards"),
    *reasons_for(KEPT, "seconds or minutes that calls between processes may take", "rpc_timeout", "*.backend_timeout"),
    *reasons_for(KEPT, "environment variables of ROLL's processes", "system_envs*", "*.system_envs*"),
    *reasons_for(KEPT, "the hub that models come from", "model_download_type"),
    *reasons_for(KEPT, "writes rollouts to files, or reads them back, to compare precision", "rollout_mock*"),
    *reasons_for(KEPT, "a transport for batches between processes; the numbers are the same", "transfer_backend*"),
    *reasons_for(KEPT, "DPO and distillation leave the GPUs between their turns; other pipelines always do", "is_offload_*"),
)  # fmt: skip

SCHEDULER = (
    *reasons_for(KEPT, "how many requests are in flight, and which engine gets them; speed only", "max_running_requests", "router_args*"),
    *reasons_for(MATHS, "generates for more prompts than the batch has and keeps the first to finish: answers get shorter",
          "is_use_additional_prompts", "max_additional_running_prompts"),
    *reasons_for(KEPT, "whether the answers to a prompt are one request or several", "is_num_return_sequences_expand"),
    *reasons_for(KEPT, "the interface of the generation scheduler; the answers are the same", "generate_opt_level"),
    *reasons_for(KEPT, "a class of one's own for the rollout loop; Python code is never carried over", "user_defined_rollout_loop_cls"),
    *reasons_for(KEPT, "calls that a worker takes at once", "*.max_concurrency"),
)  # fmt: skip

ALGORITHM = (
    *reasons_for(MATHS, "rewards or advantages are cut off at this size; elsewhere nothing bounds them", "reward_clip", "advantage_clip"),
    *reasons_for(MATHS, "rewards are whitened token by token before advantages; elsewhere they are not", "whiten_rewards"),
    *reasons_for(MATHS, "loads a reference although no KL term needs it, for metrics", "enable_reference"),
    *reasons_for(MATHS, "weighs samples by difficulty or length in the policy term only", "difficulty_loss_weight", "length_loss_weight"),
    *reasons_for(MATHS, "multiplies policy and KL terms but not the entropy; near to a change of lr and grad clip", "rl_loss_coef"),
    *reasons_for(MATHS, "leaves prompts that are too easy or too hard out of the loss", "difficulty_*"),
    *reasons_for(MATHS, "leaves answers that were cut at the limit out of the loss", "max_len_mask"),
    *reasons_for(MATHS, "leaves long wrong answers out of the loss", "error_max_len_*"),
    *reasons_for(MATHS, "corrects for the mismatch of engine and trainer, by rules of ROLL's own", "train_infer_correction*"),
    *reasons_for(MATHS, "weights of good and bad answers in the TOPR loss", "*.topr_*_weight"),
    *reasons_for(MATHS, "a teacher's KL beside rewards; elsewhere a teacher stands alone", "use_opd",
          "*opd_kl_coef"),
    *reasons_for(MATHS, "trains multi-token prediction heads", "*.mtp_training_mode"),
    *reasons_for(MATHS, "repeats the engine's expert routing in training", "*.router_replay.mode"),
    *reasons_for(KEPT, "whether the loss undoes the backend's mean over micro-batches and ranks", "*.apply_loss_scale"),
    *reasons_for(KEPT, "computes logits in float32 (Megatron)", "*.logits_in_fp32"),
    *reasons_for(DEAD, "only the actor's trainer class reads it", "*.pg_variant"),
)  # fmt: skip

DATA = (
    *reasons_for(KEPT, "the name of a chat template that ROLL knows; elsewhere the tokenizer's own or a text", "*.data_args.template",
          "global_template", "tag_to_template*"),
    *reasons_for(KEPT, "processes that encode the data", "*.preprocessing_num_workers"),
    *reasons_for(KEPT, "the column that names a row's domain", "*.data_args.tag"),
    *reasons_for(KEPT, "the format of the data files", "*.data_args.dataset_type"),
    *reasons_for(KEPT, "limits and folders of images, videos and sounds", "*.data_args.image_*", "*.data_args.video_*", "*.data_args.audio_*"),
    *reasons_for(KEPT, "a function of one's own for the data; Python code is never carried over", "*.custom_data_kwargs_func"),
    *reasons_for(DEAD, "only the trained role's probabilities count", "*.domain_interleave_probs*"),
    *reasons_below(DEAD, "only the trained role and validation have data", ("actor_infer", "critic", "reference"), "data_args", "data_args.*"),
    *reasons_for(DEAD, "columns of SFT data have keys of their own at the top", "sft_train.data_args.*"),
    *reasons_for(DEAD, "no data_args, no training data: the fields below count", "actor_train.data_args", "sft_train.data_args"),
    *reasons_for(MATHS, "longest prompt and context of validation; elsewhere they are those of training", "val_prompt_length", "val_sequence_length"),
    *reasons_for(KEPT, "validation rows that are generated at a time", "val_batch_size"),
    *reasons_for(KEPT, "a column of SFT data whose text follows that of the prompt", "query_key"),
    *reasons_for(DEAD, "no data_args, no data: the fields below count", "validation.data_args"),
)  # fmt: skip

REWARDS = (
    *reasons_for(DEAD, "no entry, no domain: the fields below count", "rewards"),
    *reasons_for(MATHS, "takes a part of the reward for each token of the answer", "rewards<*>.response_length_penalty_coef"),
    *reasons_for(KEPT, "an option of this domain's reward worker; reward code is never carried over", "rewards<*>.reward_*",
          "rewards<*>.format_pattern", "rewards<*>.code_url", "rewards<*>.use_local"),
    *reasons_for(MATHS, "draws prompts again whose mean reward is too high or too low", "rewards<*>.query_filter_config*"),
    *reasons_for(MATHS, "leaves single answers out by their reward", "rewards<*>.response_filter_config*"),
    *reasons_for(KEPT, "how this domain's reward worker runs", "rewards<*>.*"),
    *reasons_for(KEPT, "a reward model that all domains share, served beside the policy", "reward_model*"),
    *reasons_for(KEPT, "the worker that scores trajectories", "reward.*"),
    *reasons_for(DEAD, "no reward section, no such worker", "reward"),
)  # fmt: skip

AGENTS = (
    *reasons_for(MATHS, "the environments that the agent acts in, by tag: code and settings of ROLL's own", "custom_envs*"),
    *reasons_below(MATHS, "environments in groups: how many, with which tags, and how many trajectories each", ENVIRONMENTS, "group_*",
            "max_traj_per_env"),
    *reasons_below(MATHS, "environments of validation: how many, with which tags", ("val_env_manager",), "num_*", "tags"),
    *reasons_below(KEPT, "environments that one worker runs", ENVIRONMENTS, "max_env_num_per_worker"),
    *reasons_below(MATHS, "what an answer of the wrong form costs", ENVIRONMENTS, "format_penalty"),
    *reasons_below(KEPT, "the model that plays in the environments: the policy, or a service", ENVIRONMENTS, "llm_proxy.*"),
    *reasons_below(KEPT, "how the workers of the environments run; the policy's options count", ENVIRONMENTS, "*"),
    *reasons_for(MATHS, "rewards are normalised so before gae makes advantages of them; elsewhere they are taken as they are (functionals.reward_norm)",
          "norm_mean_type", "norm_std_type"),
    *reasons_for(MATHS, "normalises rewards of trajectories, within a state's group or the batch", "reward_normalization.*"),
    *reasons_for(KEPT, "watches environments that hang", "env_monitor.*"),
    *reasons_for(MATHS, "weights and discount of rewards by step (GiGPO)", "*_reward_weight", "step_reward_gamma"),
    *reasons_for(MATHS, "how trajectories that are cut into steps fill the batch", "batch_adjust_mode"),
    *reasons_for(MATHS, "takes the policy's ratio over a turn instead of a token", "ratio_type"),
    *reasons_for(KEPT, "how the agent's conversation is put together", "open_feedback_turn", "parse_tool_call_parameter_to_dict", "skip_mock_system_prompt"),
    *reasons_for(MATHS, "rewards are given token by token by the environment", "use_token_reward"),
    *reasons_for(KEPT, "trains, or only plays with known answers", "exp_mode"),
    *reasons_for(KEPT, "lends a part of the engines' GPUs to the trainer", "partial_gpu_mode"),
)  # fmt: skip

DISTILLATION = (
    *reasons_for(KEPT, "how the teacher's logits travel", "logits_*"),
    *reasons_for(KEPT, "which pipeline a run that follows its teacher is started with: rlvr or agentic", "pure_opd_pipeline_type"),
    *reasons_for(KEPT, "the roles of a distillation run; RL and SFT have none of them", "student.*", "teacher.*", "teacher", "teacher<*>.*"),
)  # fmt: skip

ROLES = (
    *reasons_below(DEAD, "this role is not trained by this pipeline", ("actor_infer", "reference", "validation"), "training_args.*",
            "use_dynamic_batching_in_train", "max_tokens_per_microbatch_in_train"),
    *reasons_for(KEPT, "exports a Hugging Face model of this role", "*.training_args.save_hf_model"),
    *reasons_for(KEPT, "processes that load the data", "*.training_args.dataloader_num_workers"),
    *reasons_for(DEAD, "runs with rollouts end after max_steps; epochs count in SFT and distillation", "*.training_args.num_train_epochs"),
    *reasons_for(MATHS, "dropout, further layers and dtype of the adapter", "*.model_args.lora_dropout", "*.additional_target",
          "*.autocast_adapter_dtype"),
    *reasons_for(MATHS, "an adapter that training goes on with", "*.adapter_name_or_path"),
    *reasons_below(DEAD, "adapters belong to the trained role and its engine", ("critic", "reference", "validation"), "model_args.lora_*"),
    *reasons_for(MATHS, "layers that are not trained", "*.freeze_module_prefix"),
    *reasons_for(MATHS, "the coefficient of the routers' balance loss", "*.moe_aux_loss_coef"),
    *reasons_for(KEPT, "the attention kernels of the Hugging Face model", "*.attn_implementation"),
    *reasons_for(KEPT, "how gradient checkpointing is done", "*.gradient_checkpointing_use_reentrant"),
    *reasons_for(KEPT, "how Hugging Face places and heads the model", "*.device_map", "*.num_labels", "*.model_type"),
    *reasons_below(DEAD, "nothing is recomputed or trained in this role", ("actor_infer", "reference", "validation"),
            "model_args.disable_gradient_checkpointing"),
    *reasons_for(DEAD, "only trained and scoring roles split sequences", "actor_infer.model_args.ulysses_size", "validation.model_args.ulysses_size"),
    *reasons_for(DEAD, "pretrain is written over it", "sft_train.model_args.model_name_or_path"),
    *reasons_for(KEPT, "settings of this role's own model", "*.model_config_kwargs*", "validation.model_args.*", "critic.model_args.dtype",
          "reference.model_args.dtype"),
    *reasons_for(KEPT, "the length that sequences are rounded up to in dynamic batches", "*.sequence_length_round_in_*"),
    *reasons_for(KEPT, "packs sequences into one row; speed only", "*.use_sequence_packing", "*.sequence_packing_args.*"),
    *reasons_for(DEAD, "only the actor's trainer says how often weights are passed", "*.model_update_frequency"),
    *reasons_for(KEPT, "the tags of rows that this teacher sees", "*.tag_included"),
    *reasons_for(KEPT, "a worker class of one's own; Python code is never carried over", "*.worker_cls"),
    *reasons_below(DEAD, "no strategy, no such section: the fields below count",
            ("actor_infer", "actor_train", "critic", "reference", "sft_train", "validation"), "strategy_args"),
    *reasons_for(KEPT, "arguments of this role's strategy, under its own names; write them into the other framework's by hand",
          "*.strategy_args.strategy_config*"),
    *reasons_for(DEAD, "validation and scoring use the policy's engines and devices", "validation.strategy_args.strategy_name",
          "validation.device_mapping"),
    *reasons_for(KEPT, "micro-batch of a role where the plan has none", "*.infer_batch_size", "*.use_dynamic_batching_in_infer",
          "*.max_tokens_per_microbatch_in_infer"),
    *reasons_below(DEAD, "only the engine and validation draw tokens", ("critic", "reference", "actor_train", "sft_train"), "generating_args",
            "generating_args.*"),
    *reasons_for(MATHS, "texts at which an answer ends; elsewhere workflows or engines say it", "*.generating_args.stop_strings",
          "*.generating_args.include_stop_str_in_output"),
    *reasons_for(MATHS, "beam search; elsewhere answers are sampled", "*.generating_args.num_beams", "*.generating_args.length_penalty"),
    *reasons_for(KEPT, "log-probabilities that the engine gives back", "*.generating_args.logprobs"),
    *reasons_for(DEAD, "no such section: the fields below count", "*.generating_args", "validation"),
    *reasons_for(DEAD, "max_new_tokens counts, and ROLL works it out", "*.generating_args.max_length"),
)  # fmt: skip

REASONS = (*SECRETS, *OVERWRITTEN, *RUN, *SCHEDULER, *AGENTS, *REWARDS, *DISTILLATION, *ALGORITHM, *DATA, *ROLES)
