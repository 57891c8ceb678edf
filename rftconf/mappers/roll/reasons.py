"""What becomes of ROLL keys that no row speaks for, and why. The first pattern that fits counts."""

from __future__ import annotations

from rftconf.base.ledger import State
from rftconf.mappers.rows import Reason

DEAD, KEPT, MATHS, SECRET = State.DEAD_IN_SOURCE, State.EXTENSION, State.NO_COUNTERPART, State.WITHHELD
ENVIRONMENTS = ("train_env_manager", "val_env_manager")


def _all(state: State, why: str, *keys: str, since: str = "") -> tuple[Reason, ...]:
    return tuple(Reason(key, state, why, since) for key in keys)


def _under(state: State, why: str, nodes: tuple[str, ...], *names: str) -> tuple[Reason, ...]:
    return tuple(Reason(f"{node}.{name}", state, why) for node in nodes for name in names)


SECRETS = (
    *_all(SECRET, "a key of a model service; its value is neither shown nor written", "*.judge_api_key", "*.api_key", "*password", "*_token"),
)  # fmt: skip

OVERWRITTEN = (
    *_all(DEAD, "ROLL names each role itself", "*.name"),
    *_all(DEAD, "ROLL works it out from device_mapping, or from the environments", "actor_*.world_size", "critic.world_size", "reference.world_size",
          "reward_model.world_size", "reward.world_size", "s*.world_size", "teacher.world_size", "teacher<*>.world_size", "validation.world_size",
          "*env_manager.world_size"),
    *_all(DEAD, "worked out from the highest device id", "num_nodes"),
    *_all(DEAD, "max_steps or the epochs are written over it", "*.training_args.max_steps"),
    *_all(DEAD, "output_dir is written over it", "*.training_args.output_dir"),
    *_all(DEAD, "num_return_sequences_in_group is written over it", "actor_infer.generating_args.num_return_sequences"),
    *_all(DEAD, "the top-level seed is written over it", "*.training_args.seed"),
    *_all(DEAD, "the role's model_args.dtype sets it", "*.training_args.bf16", "*.training_args.fp16"),
    *_all(DEAD, "val_sequence_length - val_prompt_length is written over it", "validation.generating_args.max_new_tokens"),
    *_all(DEAD, "ROLL sets it to false when it starts, from 0.3 on (worker_config.py)", "*.offload_nccl", since="0.3.0"),
    *_all(KEPT, "buffers of NCCL leave the GPU between a worker's turns, up to 0.2; what is learned is the same", "*.offload_nccl"),
    *_all(KEPT, "ROLL sets it to 1, or to the GPUs of one engine; with hf_infer what is written counts (worker_config.py)", "*.num_gpus_per_worker"),
    *_all(DEAD, "no worker reads it from 0.2 on (rlvr/actor_worker.py)", "postive_loss_coef", "use_topr_*", since="0.2.1"),
    *_all(MATHS, "weighs a further loss over answers of positive, or of no positive, score (rlvr/actor_worker.py up to 0.1)",
          "postive_loss_coef", "use_topr_*"),
    *_all(DEAD, "no pipeline reads it from 0.2 on (rlvr_math_vlm_pipeline.py)", "use_reward_scaling", "use_reward_norm", since="0.2.1"),
    *_all(MATHS, "scales or normalises rewards where the prompts have images (rlvr_math_vlm_pipeline.py up to 0.1)",
          "use_reward_scaling", "use_reward_norm"),
    *_all(DEAD, "parsed, but nothing reads it", "use_policy_loss_type", "add_len_reward",
          "l2", "val_greedy", "val_n_sample", "mask_type", "minibatch_data_iter_num"),
    *_all(DEAD, "a folder that nothing is written to from 0.2 on", "length_profiler_dir", since="0.2.1"),
    *_all(DEAD, "parsed, but no release reads it", "balance_length", "dirty_data_mask", "dataset_filter.*", "local_rank",
          "*.training_args.data_seed", "*.training_args.tf32", "*.data_args.eval_file_name", "*.generating_args.do_sample",
          "*.data_args.id"),
)  # fmt: skip

RUN = (
    *_all(KEPT, "Hydra's own settings; they do not reach ROLL", "hydra*", "defaults*"),
    *_all(KEPT, "folders of logs, dumps and profiles", "logging_dir", "base_dir", "otlp_output_dir", "profiler_output_dir", "rollout_dump_dir",
          "length_profiler_dir", "render_save_dir", "save_logging_board_dir"),
    *_all(KEPT, "how checkpoints are uploaded, beside the folder", "checkpoint_config*"),
    *_all(KEPT, "how often metrics are written", "logging_steps"),
    *_all(KEPT, "profiling and reports; training is the same", "profiler_*", "report_length_and_rewards"),
    *_all(KEPT, "seconds or minutes that calls between processes may take", "rpc_timeout", "*.backend_timeout"),
    *_all(KEPT, "environment variables of ROLL's processes", "system_envs*", "*.system_envs*"),
    *_all(KEPT, "the hub that models come from", "model_download_type"),
    *_all(KEPT, "writes rollouts to files, or reads them back, to compare precision", "rollout_mock*"),
    *_all(KEPT, "a transport for batches between processes; the numbers are the same", "transfer_backend*"),
    *_all(KEPT, "DPO and distillation leave the GPUs between their turns; other pipelines always do", "is_offload_*"),
)  # fmt: skip

SCHEDULER = (
    *_all(KEPT, "how many requests are in flight, and which engine gets them; speed only", "max_running_requests", "router_args*"),
    *_all(MATHS, "generates for more prompts than the batch has and keeps the first to finish: answers get shorter",
          "is_use_additional_prompts", "max_additional_running_prompts"),
    *_all(KEPT, "whether the answers to a prompt are one request or several", "is_num_return_sequences_expand"),
    *_all(KEPT, "the interface of the generation scheduler; the answers are the same", "generate_opt_level"),
    *_all(KEPT, "a class of one's own for the rollout loop; Python code is never carried over", "user_defined_rollout_loop_cls"),
    *_all(KEPT, "calls that a worker takes at once", "*.max_concurrency"),
)  # fmt: skip

ALGORITHM = (
    *_all(MATHS, "rewards or advantages are cut off at this size; elsewhere nothing bounds them", "reward_clip", "advantage_clip"),
    *_all(MATHS, "rewards are whitened token by token before advantages; elsewhere they are not", "whiten_rewards"),
    *_all(MATHS, "loads a reference although no KL term needs it, for metrics", "enable_reference"),
    *_all(MATHS, "weighs samples by difficulty or length in the policy term only", "difficulty_loss_weight", "length_loss_weight"),
    *_all(MATHS, "multiplies policy and KL terms but not the entropy; near to a change of lr and grad clip", "rl_loss_coef"),
    *_all(MATHS, "leaves prompts that are too easy or too hard out of the loss", "difficulty_*"),
    *_all(MATHS, "leaves answers that were cut at the limit out of the loss", "max_len_mask"),
    *_all(MATHS, "leaves long wrong answers out of the loss", "error_max_len_*"),
    *_all(MATHS, "corrects for the mismatch of engine and trainer, by rules of ROLL's own", "train_infer_correction*"),
    *_all(MATHS, "weights of good and bad answers in the TOPR loss", "*.topr_*_weight"),
    *_all(MATHS, "a teacher's KL beside rewards; elsewhere a teacher stands alone", "use_opd",
          "*opd_kl_coef"),
    *_all(MATHS, "trains multi-token prediction heads", "*.mtp_training_mode"),
    *_all(MATHS, "repeats the engine's expert routing in training", "*.router_replay.mode"),
    *_all(KEPT, "whether the loss undoes the backend's mean over micro-batches and ranks", "*.apply_loss_scale"),
    *_all(KEPT, "computes logits in float32 (Megatron)", "*.logits_in_fp32"),
    *_all(DEAD, "only the actor's trainer class reads it", "*.pg_variant"),
)  # fmt: skip

DATA = (
    *_all(KEPT, "the name of a chat template that ROLL knows; elsewhere the tokenizer's own or a text", "*.data_args.template",
          "global_template", "tag_to_template*"),
    *_all(KEPT, "processes that encode the data", "*.preprocessing_num_workers"),
    *_all(KEPT, "the column that names a row's domain", "*.data_args.tag"),
    *_all(KEPT, "the format of the data files", "*.data_args.dataset_type"),
    *_all(KEPT, "limits and folders of images, videos and sounds", "*.data_args.image_*", "*.data_args.video_*", "*.data_args.audio_*"),
    *_all(KEPT, "a function of one's own for the data; Python code is never carried over", "*.custom_data_kwargs_func"),
    *_all(DEAD, "only the trained role's probabilities count", "*.domain_interleave_probs*"),
    *_under(DEAD, "only the trained role and validation have data", ("actor_infer", "critic", "reference"), "data_args", "data_args.*"),
    *_all(DEAD, "columns of SFT data have keys of their own at the top", "sft_train.data_args.*"),
    *_all(DEAD, "no data_args, no training data: the fields below count", "actor_train.data_args", "sft_train.data_args"),
    *_all(MATHS, "longest prompt and context of validation; elsewhere they are those of training", "val_prompt_length", "val_sequence_length"),
    *_all(KEPT, "validation rows that are generated at a time", "val_batch_size"),
    *_all(KEPT, "a column of SFT data whose text follows that of the prompt", "query_key"),
    *_all(DEAD, "no data_args, no data: the fields below count", "validation.data_args"),
)  # fmt: skip

REWARDS = (
    *_all(DEAD, "no entry, no domain: the fields below count", "rewards"),
    *_all(MATHS, "takes a part of the reward for each token of the answer", "rewards<*>.response_length_penalty_coef"),
    *_all(KEPT, "an option of this domain's reward worker; reward code is never carried over", "rewards<*>.reward_*",
          "rewards<*>.format_pattern", "rewards<*>.code_url", "rewards<*>.use_local"),
    *_all(MATHS, "draws prompts again whose mean reward is too high or too low", "rewards<*>.query_filter_config*"),
    *_all(MATHS, "leaves single answers out by their reward", "rewards<*>.response_filter_config*"),
    *_all(KEPT, "how this domain's reward worker runs", "rewards<*>.*"),
    *_all(KEPT, "a reward model that all domains share, served beside the policy", "reward_model*"),
    *_all(KEPT, "the worker that scores trajectories", "reward.*"),
    *_all(DEAD, "no reward section, no such worker", "reward"),
)  # fmt: skip

AGENTS = (
    *_all(MATHS, "the environments that the agent acts in, by tag: code and settings of ROLL's own", "custom_envs*"),
    *_under(MATHS, "environments in groups: how many, with which tags, and how many trajectories each", ENVIRONMENTS, "group_*",
            "max_traj_per_env"),
    *_under(MATHS, "environments of validation: how many, with which tags", ("val_env_manager",), "num_*", "tags"),
    *_under(KEPT, "environments that one worker runs", ENVIRONMENTS, "max_env_num_per_worker"),
    *_under(MATHS, "what an answer of the wrong form costs", ENVIRONMENTS, "format_penalty"),
    *_under(KEPT, "the model that plays in the environments: the policy, or a service", ENVIRONMENTS, "llm_proxy.*"),
    *_under(KEPT, "how the workers of the environments run; the policy's options count", ENVIRONMENTS, "*"),
    *_all(MATHS, "rewards are normalised so before gae makes advantages of them; elsewhere they are taken as they are (functionals.reward_norm)",
          "norm_mean_type", "norm_std_type"),
    *_all(MATHS, "normalises rewards of trajectories, within a state's group or the batch", "reward_normalization.*"),
    *_all(KEPT, "watches environments that hang", "env_monitor.*"),
    *_all(MATHS, "weights and discount of rewards by step (GiGPO)", "*_reward_weight", "step_reward_gamma"),
    *_all(MATHS, "how trajectories that are cut into steps fill the batch", "batch_adjust_mode"),
    *_all(MATHS, "takes the policy's ratio over a turn instead of a token", "ratio_type"),
    *_all(KEPT, "how the agent's conversation is put together", "open_feedback_turn", "parse_tool_call_parameter_to_dict", "skip_mock_system_prompt"),
    *_all(MATHS, "rewards are given token by token by the environment", "use_token_reward"),
    *_all(KEPT, "trains, or only plays with known answers", "exp_mode"),
    *_all(KEPT, "lends a part of the engines' GPUs to the trainer", "partial_gpu_mode"),
)  # fmt: skip

DISTILLATION = (
    *_all(KEPT, "how the teacher's logits travel", "logits_*"),
    *_all(KEPT, "which pipeline a run that follows its teacher is started with: rlvr or agentic", "pure_opd_pipeline_type"),
    *_all(KEPT, "the roles of a distillation run; RL and SFT have none of them", "student.*", "teacher.*", "teacher", "teacher<*>.*"),
)  # fmt: skip

ROLES = (
    *_under(DEAD, "this role is not trained by this pipeline", ("actor_infer", "reference", "validation"), "training_args.*", "use_dynamic_batching_in_train",
            "max_tokens_per_microbatch_in_train"),
    *_all(KEPT, "exports a Hugging Face model of this role", "*.training_args.save_hf_model"),
    *_all(KEPT, "processes that load the data", "*.training_args.dataloader_num_workers"),
    *_all(DEAD, "runs with rollouts end after max_steps; epochs count in SFT and distillation", "*.training_args.num_train_epochs"),
    *_all(MATHS, "dropout, further layers and dtype of the adapter", "*.model_args.lora_dropout", "*.additional_target",
          "*.autocast_adapter_dtype"),
    *_all(MATHS, "an adapter that training goes on with", "*.adapter_name_or_path"),
    *_under(DEAD, "adapters belong to the trained role and its engine", ("critic", "reference", "validation"), "model_args.lora_*"),
    *_all(MATHS, "layers that are not trained", "*.freeze_module_prefix"),
    *_all(MATHS, "the coefficient of the routers' balance loss", "*.moe_aux_loss_coef"),
    *_all(KEPT, "the attention kernels of the Hugging Face model", "*.attn_implementation"),
    *_all(KEPT, "how gradient checkpointing is done", "*.gradient_checkpointing_use_reentrant"),
    *_all(KEPT, "how Hugging Face places and heads the model", "*.device_map", "*.num_labels", "*.model_type"),
    *_under(DEAD, "nothing is recomputed or trained in this role", ("actor_infer", "reference", "validation"),
            "model_args.disable_gradient_checkpointing"),
    *_all(DEAD, "only trained and scoring roles split sequences", "actor_infer.model_args.ulysses_size", "validation.model_args.ulysses_size"),
    *_all(DEAD, "pretrain is written over it", "sft_train.model_args.model_name_or_path"),
    *_all(KEPT, "settings of this role's own model", "*.model_config_kwargs*", "validation.model_args.*", "critic.model_args.dtype",
          "reference.model_args.dtype"),
    *_all(KEPT, "the length that sequences are rounded up to in dynamic batches", "*.sequence_length_round_in_*"),
    *_all(KEPT, "packs sequences into one row; speed only", "*.use_sequence_packing", "*.sequence_packing_args.*"),
    *_all(DEAD, "only the actor's trainer says how often weights are passed", "*.model_update_frequency"),
    *_all(KEPT, "the tags of rows that this teacher sees", "*.tag_included"),
    *_all(KEPT, "a worker class of one's own; Python code is never carried over", "*.worker_cls"),
    *_under(DEAD, "no strategy, no such section: the fields below count", ("actor_infer", "actor_train", "critic", "reference", "sft_train", "validation"),
            "strategy_args"),
    *_all(KEPT, "arguments of this role's strategy, under its own names; write them into the other framework's by hand",
          "*.strategy_args.strategy_config*"),
    *_all(DEAD, "validation and scoring use the policy's engines and devices", "validation.strategy_args.strategy_name",
          "validation.device_mapping"),
    *_all(KEPT, "micro-batch of a role where the plan has none", "*.infer_batch_size", "*.use_dynamic_batching_in_infer",
          "*.max_tokens_per_microbatch_in_infer"),
    *_under(DEAD, "only the engine and validation draw tokens", ("critic", "reference", "actor_train", "sft_train"), "generating_args",
            "generating_args.*"),
    *_all(MATHS, "texts at which an answer ends; elsewhere workflows or engines say it", "*.generating_args.stop_strings",
          "*.generating_args.include_stop_str_in_output"),
    *_all(MATHS, "beam search; elsewhere answers are sampled", "*.generating_args.num_beams", "*.generating_args.length_penalty"),
    *_all(KEPT, "log-probabilities that the engine gives back", "*.generating_args.logprobs"),
    *_all(DEAD, "no such section: the fields below count", "*.generating_args", "validation"),
    *_all(DEAD, "max_new_tokens counts, and ROLL works it out", "*.generating_args.max_length"),
)  # fmt: skip

REASONS = (*SECRETS, *OVERWRITTEN, *RUN, *SCHEDULER, *AGENTS, *REWARDS, *DISTILLATION, *ALGORITHM, *DATA, *ROLES)
