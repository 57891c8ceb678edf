"""Reasons tell what becomes of Trinity keys that no row speaks for, and why. The first pattern that fits counts."""

from __future__ import annotations

from rftconf.base.ledger import State
from rftconf.mappers.rows import Reason, reasons_below, reasons_for

DEAD, KEPT, MATHS, SECRET = State.DEAD_IN_SOURCE, State.EXTENSION, State.NO_COUNTERPART, State.WITHHELD
ENGINE, HELPERS, TASKS = "explorer.rollout_model", "explorer.auxiliary_models*", "buffer.explorer_input*taskset*"
INPUT, OUTPUT, TRAINER_INPUT = "buffer.explorer_input", "buffer.explorer_output", "buffer.trainer_input"
CONFIG = "trainer.trainer_config"
ARR = f"{CONFIG}.actor_rollout_ref"


SECRETS = (
    *reasons_for(SECRET, "a key of a model service; its value is neither shown nor written", "*.api_key", "*_token",
          "*password"),
    *reasons_for(SECRET, "environment variables of the explorer's processes often hold tokens; the values are neither "
          "shown nor written", "explorer.env_vars*"),
    *reasons_for(SECRET, "the address of a database may carry its password; it is neither shown nor written", "*.db_url"),
)  # fmt: skip

FILLED = (
    *reasons_for(DEAD, "a data set's own top_k is -1 unless rollout_args sets it, so the model's value reaches nobody",
          "model.top_k", since="0.4.1"),
    *reasons_for(MATHS, "data sets without a top_k of their own sample with it up to 0.3 (config.py: set_if_none)", "model.top_k"),
    *reasons_for(DEAD, "Trinity overwrites it with the folder it derives from checkpoint_root_dir, project, group and name",
          "checkpoint_job_dir", "*.checkpoint_job_dir", "buffer.cache_dir", "monitor.cache_dir", "log.save_dir"),
    *reasons_for(DEAD, "Trinity overwrites it with the GPU split it works out from engines, helpers and cluster",
          "cluster.*_num", "cluster.trainer_gpu_num_per_node", "*.gpu_per_engine", "*.explorer_world_size"),
    *reasons_for(DEAD, "Trinity overwrites it when it starts the engines", "explorer.*.nnodes", "explorer.*.node_rank",
          "explorer.*.bundle_indices", "explorer.*.engine_id", "explorer.*.ray_actor_name", "explorer.*.sync_method",
          "explorer.*.cuda_visible_devices"),
    *reasons_for(DEAD, "Trinity overwrites it from model.lora_configs", "explorer.*.enable_lora",
          "explorer.*.enable_runtime_lora_updating", "explorer.*.lora_modules", "explorer.*.lora_kwargs*",
          "model.lora_configs*.is_dummy"),
    *reasons_for(DEAD, "Trinity overwrites it from algorithm.enable_router_replay",
          "explorer.*.enable_return_routed_experts"),
    *reasons_for(DEAD, "Trinity overwrites it from the top-level ray_namespace", "buffer.*.ray_namespace",
          "data_processor.*.ray_namespace", "explorer.*.ray_namespace", "synchronizer.ray_namespace"),
    *reasons_for(DEAD, "Trinity overwrites it from algorithm.repeat_times", "*.rollout_args.n",
          f"{INPUT}.taskset*.repeat_times"),
    *reasons_for(DEAD, "Trinity overwrites it from the buffer's own batch size, epochs, steps and tokenizer", "*.batch_size",
          "buffer.*.total_epochs", "buffer.*.total_steps", "data_processor.*.total_epochs",
          "data_processor.*.total_steps", "*.tokenizer_path"),
    *reasons_for(DEAD, "Trinity numbers its data sets and knows which are for evaluation", "*.index", "*.is_eval"),
    *reasons_for(DEAD, "Trinity overwrites it with the schema that the algorithm asks for", "*.schema_type"),
    *reasons_for(DEAD, "Trinity sets it for the buffers it makes itself", "*.wrap_in_ray"),
    *reasons_for(DEAD, "Trinity overwrites it from model.trust_remote_code", "trainer.trust_remote_code"),
    *reasons_for(DEAD, "helpers always serve the OpenAI interface and keep no history", f"{HELPERS}.enable_openai_api",
          f"{HELPERS}.enable_history"),
    *reasons_for(DEAD, "Trinity fills it from the model block", "explorer.*.temperature", "explorer.*.top_p",
          "explorer.*.top_k", "explorer.*.logprobs", "explorer.*.rope_*", f"{ENGINE}.model_path",
          f"{HELPERS}.ignore_eos"),
)  # fmt: skip

RUN = (
    *reasons_for(KEPT, "the name of the Ray namespace; it only keeps runs apart", "ray_namespace"),
    *reasons_for(KEPT, "turns Trinity's own advice off; it does not change training", "ignore_validator_suggestions"),
    *reasons_for(KEPT, "the address of the Ray cluster to join", "cluster.ray_address"),
    *reasons_for(KEPT, "more detailed metrics of the explorer", "monitor.detailed_stats"),
    *reasons_for(KEPT, "writes Ray's time line to a file", "monitor.enable_ray_timeline"),
    *reasons_for(KEPT, "sorts log files by the node that wrote them; it does not change training", "log.group_by_node"),
    *reasons_for(KEPT, "the name of the group of processes that pass weights", "synchronizer.group_name"),
    *reasons_for(DEAD, "parsed, but no release reads it; the sync style says who waits",
          "synchronizer.wait_for_checkpoint"),
    *reasons_for(KEPT, "the Data-Juicer service that data_processor operators may call", "service.data_juicer*"),
)  # fmt: skip

ALGORITHM = (
    *reasons_for(DEAD, "Trinity 0.6 hands it to a loss of its back end's that its own losses replace: nothing acts on it",
          "algorithm.rollout_correction", "algorithm.rollout_correction.*"),
    *reasons_for(MATHS, "how the trainer picks experiences (warmup, staleness_control, mix); the plan's trainer takes them "
          "in order", "algorithm.sample_strategy", "algorithm.sample_strategy_args*"),
    *reasons_for(MATHS, "an argument of a loss, advantage or KL function of Trinity's that the plan does not have",
          "algorithm.*_fn_args.*"),
    *reasons_for(MATHS, "the trainer repeats the engine's expert routing (router replay R3); no neutral field",
          "algorithm.enable_router_replay"),
    *reasons_for(MATHS, "a Tinker service trains the adapter instead of the cluster's workers; no neutral field",
          "model.tinker.*"),
    *reasons_for(KEPT, "benchmarks a model behind a foreign address; nothing is trained", "model.external_model.*",
          "*.external_model_config.*"),
    *reasons_for(MATHS, "a file with the chat template, read only while custom_chat_template is unset; put its text into "
          "custom_chat_template", "model.chat_template_path"),
    *reasons_for(KEPT, "how many candidates' log-probabilities the engine returns; the chosen token's are always there",
          "model.logprobs", "*.rollout_args.logprobs"),
    *reasons_for(MATHS, "lets the chat template open a thinking part; set the target's own switch by hand",
          "explorer.*.enable_thinking", "*.format.enable_thinking"),
    *reasons_for(KEPT, "the adapter's name inside the engine", "model.lora_configs*.name",
          "model.lora_configs*.base_model_name"),
    *reasons_for(DEAD, "no entry, no adapter: model.lora_configs[] holds the settings", "model.lora_configs"),
    *reasons_for(KEPT, "how vLLM spreads and caches adapters; speed and memory only", "model.fully_sharded_loras",
          "model.max_cpu_loras"),
)  # fmt: skip

DATA = (
    *reasons_for(DEAD, "no entry, no data set: the fields of its items count", f"{INPUT}.taskset", f"{INPUT}.tasksets",
          f"{INPUT}.eval_tasksets"),
    *reasons_for(DEAD, "an empty list: its items hold the settings", "stages", "explorer.auxiliary_models"),
    *reasons_for(MATHS, "columns and settings of a difficulty-based selector; no neutral field",
          f"{TASKS}.data_selector.feature_keys", f"{TASKS}.data_selector.kwargs*"),
    *reasons_for(DEAD, "evaluation reads its set from front to back", f"{INPUT}.eval_tasksets*.data_selector.*"),
    *reasons_for(KEPT, "a single-dataset form that is read as tasksets[0]; seen only where it could not be",
          f"{INPUT}.taskset.*"),
    *reasons_for(MATHS, "longest answer of workflows that ask for it; the engine's limit is model.max_response_tokens",
          f"{TASKS}.rollout_args.max_tokens"),
    *reasons_for(KEPT, "the column that names a row's own workflow or reward; both are Python code",
          f"{TASKS}.format.workflow_key", f"{TASKS}.format.reward_fn_key"),
    *reasons_for(KEPT, "the columns of preference pairs; read in a DPO stage only", f"{TASKS}.format.chosen_key",
          f"{TASKS}.format.rejected_key"),
    *reasons_for(KEPT, "trains on every turn of a conversation; read in an SFT stage only",
          f"{TASKS}.format.enable_concatenated_multi_turn"),
    *reasons_for(MATHS, "a chat template of one data set; the policy's is model.custom_chat_template",
          f"{TASKS}.format.chat_template"),
    *reasons_for(KEPT, "retries and progress display of the data reader", f"{TASKS}.max_retry_*",
          f"{TASKS}.enable_progress_bar"),
    *reasons_for(KEPT, "the workflow or reward of data sets that name none; Python code is never carried over",
          f"{INPUT}.default_*"),
    *reasons_for(KEPT, "where the trainer reads experiences: Trinity's own queue in RL, the data of an SFT or DPO stage",
          f"{TRAINER_INPUT}.experience_buffer", f"{TRAINER_INPUT}.experience_buffer.name",
          f"{TRAINER_INPUT}.experience_buffer.storage_type", f"{TRAINER_INPUT}.experience_buffer.path",
          f"{TRAINER_INPUT}.experience_buffer.split", f"{TRAINER_INPUT}.experience_buffer.subset_name"),
    *reasons_for(MATHS, "trains on experiences again by priority (replay buffer); the plan's trainer takes each once",
          "buffer.*.replay_buffer*"),
    *reasons_for(KEPT, "capacity and patience of the queue between explorer and trainer", "buffer.*.capacity",
          "buffer.*.max_read_timeout", "buffer.*.max_retry_*"),
    *reasons_for(KEPT, "columns and chat format of the trainer's own data, read in SFT and DPO stages",
          f"{TRAINER_INPUT}.experience_buffer.*"),
    *reasons_for(MATHS, "further data that some algorithms mix into the batch (MIX, SFT warm-up); no neutral field",
          f"{TRAINER_INPUT}.auxiliary_buffers*"),
    *reasons_for(KEPT, "where an explorer on its own (mode explore) writes its experiences", f"{OUTPUT}*"),
)  # fmt: skip

PIPELINES = (
    *reasons_for(MATHS, "an operator that scores, filters or shapes experiences before training; each is Python code of "
          "its own", "data_processor.experience_pipeline.operators*"),
    *reasons_for(KEPT, "stores or re-reads experiences beside the buffer", "data_processor.experience_pipeline*"),
    *reasons_for(KEPT, "prepares, cleans or synthesises tasks before the explorer reads them; prepare the target's file "
          "with it", "data_processor.task_pipeline*"),
)  # fmt: skip

EXPLORER = (
    *reasons_for(KEPT, "the explorer's or its engine's name in logs and checkpoints", "explorer.name", f"{ENGINE}.name"),
    *reasons_for(DEAD, "deprecated: Trinity warns and takes runner_per_model", "explorer.runner_num"),
    *reasons_for(KEPT, "how many workflow runners start at a time, and how often each is tried", "explorer.runner_prepare_*"),
    *reasons_for(KEPT, "whether a runner repeats a task in turn, in threads or asynchronously; throughput only",
          "explorer.concurrent_mode"),
    *reasons_for(KEPT, "splits the repeats of one task over runners; throughput only",
          "explorer.max_repeat_times_per_runner"),
    *reasons_for(MATHS, "starts the next batch early and drops the slowest answers; the plan waits for all",
          "explorer.over_rollout.*"),
    *reasons_for(MATHS, "gives a task up after a multiple of the average time; the plan waits for all answers",
          "explorer.dynamic_timeout.*"),
    *reasons_for(KEPT, "how often runners report their state", "explorer.runner_state_report_interval"),
    *reasons_for(KEPT, "how many batches the explorer keeps in hand; the weights' age is bounded by sync_offset",
          "explorer.max_inflight_batches"),
    *reasons_for(KEPT, "benchmarks the latest checkpoint instead of the start (mode bench)",
          "explorer.bench_on_latest_checkpoint"),
    *reasons_for(KEPT, "the proxy through which programs use the model in mode serve", "explorer.proxy_port",
          "explorer.listen_address", "explorer.service_status_check_interval", "explorer.min_running_model_num"),
)  # fmt: skip
ENGINES = (ENGINE, HELPERS)
ENGINE_KEYS = (
    *reasons_below(MATHS, "lengths and sampling of one engine, where they differ from the model block; the plan has one "
            "set", (ENGINE,), "max_*", "min_response_tokens", "enable_prompt_truncation", "repetition_penalty"),
    *reasons_below(KEPT, "whether the engine may run a model's own code; the plan keeps model.trust_remote_code", ENGINES,
            "trust_remote_code"),
    *reasons_below(KEPT, "engine arguments under the engine's own names; write them into the target's engine arguments by "
            "hand", ENGINES, "extra_engine_args*"),
    *reasons_below(KEPT, "the generation of vLLM's engine; speed only", ENGINES, "use_v1"),
    *reasons_below(KEPT, "lets the engine take images", ENGINES, "enable_multimodal"),
    *reasons_below(KEPT, "the engine's own chat template; the policy's is model.custom_chat_template", ENGINES,
            "chat_template"),
    *reasons_for(KEPT, "keeps what a workflow said to the model, for step-wise workflows", f"{ENGINE}.enable_history"),
    *reasons_for(KEPT, "serves the OpenAI interface to workflows that want it", f"{ENGINE}.enable_openai_api"),
    *reasons_below(KEPT, "port and request log of the OpenAI interface", ENGINES, "base_port", "enable_log_requests"),
    *reasons_below(KEPT, "how the engine reads tool calls and thinking out of answers, for workflows that use them",
            ENGINES, "enable_auto_tool_choice", "tool_call_parser", "reasoning_parser"),
    *reasons_below(KEPT, "an engine option of a helper model; the plan keeps its model, sizes, parallelism and memory",
            (HELPERS,), "*"),
)  # fmt: skip

TRAINER = (
    *reasons_for(KEPT, "the trainer's name in logs", "trainer.name"),
    *reasons_for(KEPT, "which trainer runs: workers of the cluster, or a Tinker service", "trainer.trainer_type"),
    *reasons_for(KEPT, "logs sample answers; it does not change training", "trainer.enable_preview"),
    *reasons_for(MATHS, "divides token-mean losses by the number of micro-batches; only the back end before 0.8 and Tinker "
          "read it (H25)", "trainer.fix_actor_microbatch_loss_scale"),
    *reasons_for(KEPT, "how many processes write checkpoints at once", "trainer.save_strategy"),
    *reasons_for(DEAD, "deprecated: Trinity reads trainer_config itself; give the file's content there",
          "trainer.trainer_config_path"),
)  # fmt: skip

ROLES = (f"{ARR}.actor", f"{ARR}.ref", f"{CONFIG}.critic")
OWN = "Trinity sets it from its own keys and ignores the value here"
PASSED = (
    *reasons_for(DEAD, "names the Python class that holds this block; Trinity writes it itself", "*._target_"),
    *reasons_for(DEAD, f"{OWN} (model.*, trainer.use_remove_padding)", f"{ARR}.model.path", f"{ARR}.model.trust_remote_code",
          f"{ARR}.model.use_remove_padding", f"{ARR}.model.custom_chat_template", f"{ARR}.model.lora_*",
          f"{ARR}.model.target_modules", f"{ARR}.model.exclude_modules", f"{ARR}.model.rope_*"),
    *reasons_below(DEAD, f"{OWN} (trainer.trainer_strategy)", ROLES, "strategy"),
    *reasons_below(DEAD, f"{OWN} (buffer.train_batch_size, algorithm.repeat_times)", ROLES, "ppo_mini_batch_size",
            "rollout_n"),
    *reasons_for(DEAD, f"{OWN} (trainer.use_dynamic_bsz, trainer.max_token_len_per_gpu)", f"{ARR}.*.use_dynamic_bsz",
          f"{CONFIG}.critic*.use_dynamic_bsz", f"{ARR}.ref.log_prob_use_dynamic_bsz", f"{ARR}.*max_token_len_per_gpu",
          f"{CONFIG}.critic*max_token_len_per_gpu", since="0.6.0"),
    *reasons_for(KEPT, "how this role fills its own micro-batches up to 0.5; memory and speed only", f"{CONFIG}.critic*.use_dynamic_bsz",
          f"{ARR}.ref.log_prob_use_dynamic_bsz", f"{ARR}.*max_token_len_per_gpu", f"{CONFIG}.critic*max_token_len_per_gpu"),
    *reasons_below(DEAD, "Trinity 0.6 takes trainer.ulysses_sequence_parallel_size for every role; with back ends before "
            "0.8 the role's value won", ROLES, "ulysses_sequence_parallel_size", since="0.6.0"),
    *reasons_below(KEPT, "this role's own sequence parallelism up to 0.5; placement only", ROLES, "ulysses_sequence_parallel_size"),
    *reasons_for(DEAD, "Trinity 0.6 takes trainer.grad_clip and the optimizers' clip_grad; with back ends before 0.8 the "
          "role's value won", f"{ARR}.actor.grad_clip", f"{CONFIG}.critic.grad_clip", since="0.6.0"),
    *reasons_for(MATHS, "the critic's gradients are clipped at it up to 0.5; the plan takes trainer.grad_clip for both",
          f"{CONFIG}.critic.grad_clip"),
    *reasons_for(DEAD, f"{OWN} (algorithm.*): its own loss functions never read the back end's", f"{ARR}.actor.loss_*",
          f"{ARR}.actor.clip_ratio*", f"{ARR}.actor.entropy_coeff", f"{ARR}.actor.*kl_loss*",
          f"{ARR}.actor.policy_loss.*"),
    *reasons_for(DEAD, "engines are Trinity's own: the back end's rollout block only passes weights", f"{ARR}.rollout.*"),
    *reasons_for(DEAD, f"{OWN} (algorithm.algorithm_type)", f"{CONFIG}.critic.enable"),
    *reasons_for(DEAD, f"{OWN} (model.critic_model_path, model.rope_*)", f"{CONFIG}.critic.model.*path",
          f"{CONFIG}.critic.model.rope_*"),
    *reasons_for(DEAD, "workers get it from synchronizer, explorer and trainer", "*.nccl_timeout",
          "*.optim.total_training_steps", f"{ARR}.synchronizer*", f"{ARR}.explorer_name", f"{ARR}.hybrid_engine",
          f"{CONFIG}.critic.ray_namespace"),
    *reasons_for(MATHS, "with back ends from 0.8 on it overrules algorithm.optimizer, before it is overwritten by it; name "
          "it there", f"{ARR}.actor.optim.*"),
    *reasons_for(MATHS, "an option of the critic's optimizer that the plan does not have", f"{CONFIG}.critic.optim.*"),
    *reasons_for(MATHS, "multi-token prediction: an extra loss and speculative decoding of the back end's",
          f"{ARR}.model.mtp.*"),
    *reasons_for(KEPT, "an option of the back end's model loading (kernels, shared memory, imported code); not of the "
          "mathematics", f"{ARR}.model.*"),
    *reasons_for(DEAD, "Trinity 0.6 reads critic.fsdp; this block acts with back ends before 0.8",
          f"{CONFIG}.critic.model.fsdp_config.*", since="0.6.0"),
    *reasons_for(KEPT, "how the critic's model is loaded; the plan keeps what concerns the policy",
          f"{CONFIG}.critic.model.*"),
    *reasons_for(KEPT, "offloading and parallelism of one role, where they differ from trainer.* (H53); memory and speed "
          "only",
          f"{ARR}.*.fsdp_config.*offload*", f"{ARR}.*.megatron.*", f"{CONFIG}.critic.fsdp.*offload*",
          f"{CONFIG}.critic.megatron.*"),
    *reasons_for(KEPT, "precision and wrapping of one role's FSDP; the plan keeps model_dtype, dtype and min_num_params",
          f"{ARR}.*.fsdp_config.*", f"{CONFIG}.critic.fsdp.*"),
    *reasons_below(KEPT, "profiling of the workers; it does not change training", ROLES, "profile*"),
    *reasons_for(KEPT, "which experts tokens were routed to, recorded and replayed", f"{ARR}.*.router_replay.*"),
    *reasons_below(KEPT, "contents and format of one role's checkpoints; the plan keeps the actor's contents", ROLES,
            "checkpoint.*"),
    *reasons_below(DEAD, "workers always load the weights that the model block names", ROLES, "load_weight"),
    *reasons_below(KEPT, "micro-batch sizes of one role; Trinity sizes micro-batches by tokens unless "
            "trainer.use_dynamic_bsz is false", ROLES, "*micro_batch_size*"),
    *reasons_for(KEPT, "a speed or logging option of the workers; the loss is the same", f"{ARR}.*.use_prefix_grouper",
          f"{ARR}.actor.*sum_pi_squared*", f"{ARR}.actor.freeze_vision_tower", f"{CONFIG}.critic.data_loader_seed"),
    *reasons_for(MATHS, "divides token-mean losses by the number of micro-batches; acts with back ends before 0.8 only (H25)",
          f"{ARR}.actor.fix_actor_microbatch_loss_scale"),
    *reasons_for(DEAD, "acts with back ends before 0.8 only; newer ones have it no more", f"{CONFIG}.algorithm.rollout_correction.*",
          since="0.6.0"),
    *reasons_for(MATHS, "weighs or drops answers by the ratio between trainer and engine (verl_trainer.py up to 0.5); no neutral "
          "field has this block", f"{CONFIG}.algorithm.rollout_correction.*"),
    *reasons_for(DEAD, "Trinity fills it from its own keys before the trainer starts, or reads it nowhere", f"{CONFIG}.data.*",
          f"{CONFIG}.algorithm.*"),
    *reasons_for(DEAD, "Trinity 0.6 merges only model, actor, ref, rollout and critic of trainer_config; the rest is set "
          "from its own keys", f"{CONFIG}.trainer.*",
          f"{CONFIG}.synchronizer*", f"{CONFIG}.reward*", f"{CONFIG}.custom_reward_function.*", since="0.6.0"),
    *reasons_for(KEPT, "a key of the back end's own config, handed to its workers as it is", f"{CONFIG}", f"{CONFIG}.*"),
)  # fmt: skip

STAGES = reasons_for(KEPT, "belongs to a stage: it is told there, under the section's own key", "stages[[]*")

REASONS: tuple[Reason, ...] = (
    *SECRETS, *STAGES, *PASSED, *FILLED, *RUN, *ALGORITHM, *DATA, *PIPELINES, *EXPLORER, *ENGINE_KEYS, *TRAINER,
)  # fmt: skip
