"""What becomes of veRL keys that no row speaks for, and why. The first pattern that fits counts."""

from __future__ import annotations

from rftconf.base.ledger import State
from rftconf.mappers.rows import Reason
from rftconf.mappers.verl.reasons_engines import ENGINE_REASONS

DEAD, KEPT, MATHS, SECRET = State.DEAD_IN_SOURCE, State.EXTENSION, State.NO_COUNTERPART, State.WITHHELD
ARR, ACTOR, REF, ROLLOUT, MODEL = (f"actor_rollout_ref{end}" for end in ("", ".actor", ".ref", ".rollout", ".model"))
RM = "reward.reward_model.rollout"
TEACHER = "distillation.teacher_models.*"


def _all(state: State, why: str, *keys: str, since: str = "") -> tuple[Reason, ...]:
    return tuple(Reason(key, state, why, since) for key in keys)


def _blocks(state: State, why: str, names: tuple[str, ...], *blocks: str) -> tuple[Reason, ...]:
    return tuple(Reason(f"{block}.{name}", state, why) for block in blocks for name in names)


EVERYWHERE = (
    *_all(SECRET, "environment variables of Ray's workers often hold tokens; the value is neither shown nor written",
          "ray_kwargs.ray_init.runtime_env.env_vars*"),
    *_all(SECRET, "a credential of the tracing service; the value is neither shown nor written", "*api_key", "*_token",
          "*password"),
    *_all(DEAD, "names the Python class that holds this block; it is part of veRL's schema, not a setting",
          "*._target_"),
    *_all(KEPT, "profiling of veRL's workers (nsys, torch, NPU tools); it does not change training", "*.profiler.*",
          "global_profiler.*", f"{ACTOR}.profile*", f"{REF}.profile*"),
)  # fmt: skip

ALGORITHM = (
    *_all(DEAD, "clip_ratio alone has no effect: clip_ratio_low and clip_ratio_high have values of their own (H30)",
          f"{ACTOR}.clip_ratio"),
    *_all(DEAD, "0.8 and later copy it into a field that nothing reads; up to 0.7 FSDP it kept the vision encoder's "
          "weights fixed", f"{ACTOR}.freeze_vision_tower", since="0.8.0"),
    *_all(MATHS, "keeps the vision encoder's weights fixed in FSDP up to 0.7 (fsdp_workers.py); no neutral field",
          f"{ACTOR}.freeze_vision_tower"),
    *_all(MATHS, "a bound or share of the clip_cov and kl_cov losses; no neutral field",
          f"{ACTOR}.policy_loss.clip_cov_*", f"{ACTOR}.policy_loss.kl_cov_ratio", f"{ACTOR}.policy_loss.ppo_kl_coef"),
    *_all(MATHS, "the quadratic penalty of the dro loss; no neutral field", f"{ACTOR}.policy_loss.dro_beta"),
    *_all(DEAD, "the trainer fills it from algorithm.rollout_correction and overwrites what a file says",
          f"{ACTOR}.policy_loss.rollout_correction*"),
    *_all(KEPT, "only logs the policy's entropy; the bonus itself is actor.entropy_coeff",
          f"{ACTOR}.calculate_entropy"),
    *_all(KEPT, "computes the sum of squared probabilities that the optimal_token_baseline estimators ask for",
          f"{ACTOR}.calculate_sum_pi_squared"),
    *_all(KEPT, "shares the forward pass of a group's common prompt; a speed option of veRL without effect on the "
          "loss",
          f"{ACTOR}.use_prefix_grouper"),
    *_all(DEAD, "no block, no filter: the fields of algorithm.filter_groups count", "algorithm.filter_groups"),
    *_all(MATHS, "stops DAPO's recipe after so many batches that did not fill one; elsewhere nothing does",
          "algorithm.filter_groups.max_num_gen_batches"),
    *_all(KEPT, "an option of a recipe of your own: veRL's main_ppo knows no such filter",
          "algorithm.filter_groups.*"),
    *_all(DEAD, "a dataclass's catch-all that nothing reads", "*.extra.*"),
    *_all(MATHS, "preference-feedback PPO reweights and resamples the batch in veRL's v0 trainer; no neutral field",
          "algorithm.use_pf_ppo", "algorithm.pf_ppo.*"),
    *_all(MATHS, "which rewards the gdpo estimator normalises apart, and their weights; no neutral field",
          "algorithm.gdpo_reward_keys", "algorithm.gdpo_reward_weights"),
    *_all(DEAD, "a copy of rollout.n that the schema asks for; only rollout.n counts", f"{ACTOR}.rollout_n",
          f"{REF}.rollout_n"),
    *_all(DEAD, "a copy of rollout.n that the schema asks for; only rollout.n counts", "critic.rollout_n", since="0.8.0"),
    *_all(KEPT, "the critic's mini-batches hold so many answers a prompt up to 0.7 (init_model of its workers); leave it "
          "at rollout.n", "critic.rollout_n"),
    *_all(DEAD, "workers fill it while running", f"{ACTOR}.engine*", f"{ACTOR}.model_config*",
          f"{ACTOR}.global_batch_info*", "critic.engine*", "critic.model_config*"),
    *_all(DEAD, "nothing reads it: algorithm.rollout_correction.bypass_mode chooses the engine's log-probabilities",
          f"{ACTOR}.use_rollout_log_probs", since="0.8.0"),
    *_all(MATHS, "updates keep the old log-probabilities that came with the batch, also where one update a period would take "
          "its own (dp_actor.py up to 0.7)",
          f"{ACTOR}.use_rollout_log_probs"),
    *_all(DEAD, "nothing reads it: the log-probability pass takes rollout.log_prob_micro_batch_size_per_gpu and "
          "rollout.log_prob_max_token_len_per_gpu", f"{ACTOR}.ppo_infer_*", since="0.7.1"),
    *_all(KEPT, "sizes of the log-probability pass where trainer.use_legacy_worker_impl is disable; memory and speed only",
          f"{ACTOR}.ppo_infer_*"),
    *_all(DEAD, "nothing reads it: the critic's passes are capped in tokens",
          "critic.ppo_infer_micro_batch_size_per_gpu", since="0.7.1"),
    *_all(KEPT, "sizes of the critic's pass where trainer.use_legacy_worker_impl is disable; memory and speed only",
          "critic.ppo_infer_micro_batch_size_per_gpu"),
    *_all(MATHS, "divisor of the critic's value loss, where it differs from the actor's; the plan keeps the "
          "actor's", "critic.loss_scale_factor"),
    *_all(KEPT, "seed of the critic's mini-batch shuffling; it follows the actor's data_loader_seed unless set",
          "critic.data_loader_seed"),
)  # fmt: skip

REFERENCE = (
    *_all(DEAD, "the worker fills it from ref.log_prob_* before it builds the reference", f"{REF}.ppo_m[ai]*",
          f"{REF}.use_dynamic_bsz"),
    *_all(DEAD, "the reference is never trained: the key exists because its worker is built from the actor's "
          "dataclass",
          f"{REF}.ppo_*", f"{REF}.clip_ratio*", f"{REF}.policy_loss*", f"{REF}.loss_*", f"{REF}.entropy_coeff",
          f"{REF}.tau_*", f"{REF}.calculate_*", f"{REF}.use_kl_loss", f"{REF}.kl_loss_*", f"{REF}.shuffle",
          f"{REF}.data_loader_seed", f"{REF}.checkpoint*", f"{REF}.optim*", f"{REF}.grad_clip",
          f"{REF}.use_prefix_grouper", f"{REF}.freeze_vision_tower", f"{REF}.use_rollout_log_probs"),
    *_all(DEAD, "workers fill it from the policy's model block", f"{REF}.engine*", f"{REF}.model_config*",
          f"{REF}.global_batch_info*", f"{REF}.use_fused_kernels", f"{REF}.use_remove_padding"),
    *_all(DEAD, "nothing reads the reference's own copy: fsdp_config.qat is the live block", f"{REF}.qat*"),
)  # fmt: skip

OPTIMIZER = (
    *_all(MATHS, "number of cosine cycles; the plan's cosine is the half cycle", "*.optim.num_cycles"),
    *_all(MATHS, "whether the schedule counts its first tick as 0 or 1; no neutral field",
          "*.optim.zero_indexed_step"),
    *_all(KEPT, "where Megatron keeps the optimizer's state, and in which precision; memory and speed only, with rounding",
          *(f"*.optim.override_optimizer_config.{name}" for name in
            ("optimizer_*offload*", "overlap_*", "use_precision_aware_optimizer", "*_dtype"))),
    *_all(MATHS, "the Python module and extra arguments of the optimizer; the plan keeps its kind",
          "*.optim.optimizer_impl", "*.optim.override_optimizer_config*"),
    *_all(MATHS, "learning rate at the start of Megatron's warm-up; the plan's warm-up starts at 0",
          "*.optim.lr_warmup_init"),
    *_all(MATHS, "how Megatron lets the weight decay grow; the plan's is constant", "*.optim.weight_decay_incr_style"),
    *_all(MATHS, "shape and length of the final decay of Megatron's WSD schedule; no neutral field",
          "*.optim.lr_wsd_*"),
    *_all(MATHS, "an option of Megatron's Muon optimizer; no neutral field", "*.optim.muon_*"),
    *_all(KEPT, "takes the scheduler's state from a checkpoint when Megatron resumes",
          "*.optim.use_checkpoint_opt_param_scheduler"),
    *_all(KEPT, "precision of gradients and moments inside Megatron's optimizer; memory only, with rounding",
          "*.optim.use_precision_aware_optimizer", "*.optim.main_grads_dtype", "*.optim.exp_avg*_dtype"),
    *_all(KEPT, "how Megatron splits Muon's state over ranks; memory only", "*.optim.use_layer_wise_*"),
)  # fmt: skip

ENGINE_BLOCKS = (
    f"{ACTOR}.fsdp_config", f"{REF}.fsdp_config", "critic.fsdp", f"{ACTOR}.megatron", f"{REF}.megatron",
    "critic.megatron",
)  # fmt: skip
FILLED = (
    "strategy", "use_dynamic_bsz", "max_token_len_per_gpu", "micro_batch_size_per_gpu", "infer_max_token_len_per_gpu",
    "infer_micro_batch_size_per_gpu", "use_fused_kernels", "use_remove_padding",
)  # fmt: skip
CRITICS_FILLED = tuple(
    name
    for name in FILLED
    if name not in ("use_dynamic_bsz", "micro_batch_size_per_gpu", "infer_micro_batch_size_per_gpu")
)
CHUNKING = ("entropy_from_logits_*", "entropy_checkpointing")
ENGINES = (
    *_blocks(DEAD, "workers fill it from the role's own keys and the model block before the engine starts", FILLED,
             *(block for block in ENGINE_BLOCKS if not block.startswith("critic."))),
    *_blocks(DEAD, "the trainer fills it from the critic's own caps and the model block before the engine starts",
             CRITICS_FILLED, "critic.fsdp", "critic.megatron"),
    *_blocks(KEPT, "a debugging switch: true makes the engine unable to train", ("forward_only",), *ENGINE_BLOCKS),
    *_blocks(KEPT, "the engine's own copy of an entropy option: memory of the entropy computation, same result",
             CHUNKING, *ENGINE_BLOCKS[:3]),
    *_blocks(KEPT, "memory of the entropy computation in Megatron, same result", CHUNKING[:1], *ENGINE_BLOCKS[3:]),
    *_all(KEPT, "how many tokens the entropy is computed for at a time; memory only",
          f"{ACTOR}.entropy_from_logits_chunk_size", f"{REF}.entropy_from_logits_chunk_size"),
    *_all(KEPT, "torch.compile of the engine's entropy kernel; speed only", f"{ACTOR}.fsdp_config.use_torch_compile",
          f"{REF}.fsdp_config.use_torch_compile", "critic.fsdp.use_torch_compile"),
    *_all(KEPT, "skips gradient synchronisation between micro-batches; memory against speed",
          "*.use_no_sync_for_gradient_accumulation"),
    *_all(KEPT, "pads packed micro-batches to fixed lengths so that kernels are compiled once; speed only",
          "*.pad_to_length*", "*.pad_bshd_to_minibatch_max"),
    *_all(KEPT, "precision of FSDP's parameters, reductions and buffers; the plan keeps model_dtype and dtype",
          "*.mixed_precision*"),
    *_all(KEPT, "quantization-aware training: veRL's engines train through fake quantization",
          f"{ACTOR}.fsdp_config.qat.*", f"{REF}.fsdp_config.qat.*", "critic.fsdp.qat.*", "*.megatron.qat.*",
          f"{ROLLOUT}.qat*"),
    *_all(DEAD, "since 0.8 the engines read fsdp_config.qat (megatron.qat); the actor's own block is only stored",
          f"{ACTOR}.qat.*", since="0.8.0"),
    *_all(KEPT, "quantization-aware training of the policy, in the actor's own block up to 0.7", f"{ACTOR}.qat.*"),
    *_all(KEPT, "settings of the fsdp_turbo engine, veRL's alternative to FSDP", "*.turbo_config.*"),
    *_all(KEPT, "which experts tokens were routed to, recorded and replayed by the Megatron engine",
          "*.router_replay*"),
    *_all(KEPT, "Megatron splits long sequences over context ranks by length; placement only",
          "*.megatron.dynamic_context_parallel", "*.megatron.max_seqlen_per_dp_cp_rank"),
    *_all(KEPT, "a prefix of weight names in Megatron's distributed checkpoints",
          "*.megatron.dist_checkpointing_prefix"),
    *_all(KEPT, "the format of Megatron's optimizer checkpoints; it does not change training",
          "*.megatron.dist*_optim_fully_reshardable*"),
    *_all(KEPT, "chooses the older bridge between Hugging Face and Megatron weights", "*.megatron.vanilla_mbridge"),
    *_all(KEPT, "shards Megatron's parameters as FSDP does; placement only", "*.megatron.use_megatron_fsdp"),
    *_all(KEPT, "deterministic kernels of the Megatron engine; slower, same mathematics",
          "*.megatron.full_determinism"),
    *_all(DEAD, "workers take use_remove_padding and use_fused_kernels from the model block",
          f"{ACTOR}.use_remove_padding", f"{ACTOR}.use_fused_kernels"),
    *_all(DEAD, "0.8 and later store it unread; up to 0.7 it was how long a collective could take before veRL gave up",
          f"{ARR}.nccl_timeout", "critic.nccl_timeout", since="0.8.0"),
    *_all(KEPT, "how long a collective may take before veRL gives up; it does not change training",
          f"{ARR}.nccl_timeout", "critic.nccl_timeout"),
)  # fmt: skip

MODELS = (MODEL, "critic.model")
LORA = ("lora_rank", "lora_alpha", "target_modules", "exclude_modules", "lora_adapter_path")
MODEL_KEYS = (
    *_blocks(DEAD, "HFModelConfig fills it while it loads the model",
             ("local_*", "hf_config", "generation_config", "tokenizer", "processor", "architectures"), *MODELS),
    *_blocks(KEPT, "a Python module imported before the model is built; code is never carried over", ("external_lib",),
             *MODELS),
    *_blocks(KEPT, "reads config.json from another folder than the weights; veRL only", ("hf_config_path",), *MODELS),
    *_blocks(KEPT, "copies the weights to shared memory before loading; start-up time only", ("use_shm",), *MODELS),
    *_blocks(KEPT, "which kind of network is built; the value model of a critic is chosen by veRL itself",
             ("model_type",), *MODELS),
    *_blocks(KEPT, "lets a worker start without a tokenizer", ("load_tokenizer",), *MODELS),
    *_blocks(KEPT, "which implementation of the fused kernels runs; speed only", ("fused_kernel_options.*",), *MODELS),
    *_blocks(KEPT, "computes the MLP in slices of the sequence; memory only", ("tiled_mlp.*",), *MODELS),
    *_blocks(MATHS, "multi-token prediction: an extra loss and speculative decoding; no neutral field", ("mtp.*",),
             *MODELS),
    *_blocks(MATHS, "LoRA on single parameter tensors instead of modules; the plan keeps modules",
             ("target_parameters",), *MODELS),
    *_all(KEPT, "merges the adapter into the weights before every transfer to the engine; the same policy",
          f"{MODEL}.lora.merge"),
    *_blocks(MATHS, "an option of Megatron-Bridge's LoRA; the plan keeps FSDP's rank, alpha and targets",
             ("lora", "lora.*"), *MODELS),
    *_blocks(MATHS, "LoRA of the critic; the plan has adapters for the policy only", LORA, "critic.model"),
    *_all(KEPT, "lets the critic's checkpoint run its own Python code; set it for the model the critic starts from",
          "critic.model.trust_remote_code"),
    *_all(KEPT, "chat template of the critic's tokenizer; the critic reads token ids and never applies it",
          "critic.model.custom_chat_template"),
    *_all(KEPT, "changes to the critic's config.json; the plan keeps those of the policy",
          "critic.model.override_config*"),
    *_all(KEPT, "speed options of the critic's model; the plan keeps those of the policy", "critic.model.use_liger",
          "critic.model.use_fused_kernels"),
)  # fmt: skip

CHECKPOINTS = (
    *_all(KEPT, "what the critic's checkpoints hold; the plan keeps the policy's contents for both",
          "critic.checkpoint.*_contents", "critic.checkpoint.async_save"),
    *_all(KEPT, "saves only the LoRA adapter of an FSDP checkpoint", "*.checkpoint.save_lora_only"),
    *_all(KEPT, "whether Megatron's export to Hugging Face weights insists on every name", "*.checkpoint.strict"),
    *_all(KEPT, "extra arguments of Megatron's checkpoint bridge", "*.checkpoint.mbridge_config*"),
)  # fmt: skip

ENGINE_SPEED = (
    "cudagraph_capture_sizes", "free_cache_engine", "scheduling_policy", "disable_log_stats", "skip_tokenizer_init",
    "enable_sleep_mode", "moe_tensor_parallel_size", "limit_images", "server*",
)  # fmt: skip
ENGINE_WHY = (
    "sizes for which CUDA graphs are captured; speed of the engine only",
    "frees the engine's cache while the trainer uses the same GPUs; engines with GPUs of their own have no need to",
    "order in which the engine serves waiting requests; the samples are the same",
    "whether the engine logs its throughput",
    "whether the engine loads a tokenizer; veRL sends token ids either way",
    "lets the engine release its GPU memory between rollouts; engines with GPUs of their own have no need to",
    "tensor parallelism of the experts inside TensorRT-LLM",
    "most images in one request: vLLM's limit_mm_per_prompt",
    "retries and time limits of veRL's HTTP client for TensorRT-LLM",
)
ROLLOUTS = (
    *_all(DEAD, "async is the only value that 0.7.1 and later accept; both modes of older releases draw the same "
          "samples", f"{ROLLOUT}.mode", f"{RM}.mode", since="0.7.1"),
    *_all(KEPT, "sync hands prompts to the engines in one batch, async one by one through agent loops; single-turn answers "
          "are drawn alike", f"{ROLLOUT}.mode"),
    *_all(KEPT, "per-request seeds and batch-invariant kernels for repeatable rollouts",
          f"{ROLLOUT}.full_determinism"),
    *_all(KEPT, "whether the engine reports log-probabilities before or after temperature and top-p; veRL's vLLM only",
          f"{ROLLOUT}.logprobs_mode"),
    *_all(DEAD, "nothing reads it in 0.7 and later: temperature 0 is how to sample greedily; up to 0.6 "
          "False meant greedy", f"{ROLLOUT}.do_sample", since="0.7.1"),
    *_all(MATHS, "where False, the hf rollout of 0.6 and earlier samples greedily; vLLM and SGLang do not read it. Write "
          "temperature 0 for the target where rollout.name is hf", f"{ROLLOUT}.do_sample"),
    *_all(DEAD, "parsed, but nothing reads it (0.6.1's sglang rollout was the only reader)",
          f"{ROLLOUT}.over_sample_rate", since="0.7.1"),
    *_all(MATHS, "0.6's sglang rollout gives up this share of the answers, the slowest ones; no neutral field",
          f"{ROLLOUT}.over_sample_rate"),
    *_all(DEAD, "parsed, but no release from 0.7 on reads it; before, it woke sglang's memory in two steps",
          f"{ROLLOUT}.multi_stage_wake_up", f"{RM}.multi_stage_wake_up", since="0.7.1"),
    *_all(KEPT, "wakes sglang's memory in two steps, weights before the cache; memory only",
          f"{ROLLOUT}.multi_stage_wake_up", f"{RM}.multi_stage_wake_up"),
    *_all(DEAD, "a field of the rollout's dataclass that nothing reads", f"{ROLLOUT}.layer_name_map*",
          f"{ROLLOUT}.sglang_engine_mode", f"{ROLLOUT}.custom*"),
    *_all(MATHS, "the agent loop sends 1.0 whatever this says", f"{ROLLOUT}.repetition_penalty"),
    *_all(KEPT, "collects LoRA weights layer by layer before the transfer; memory only", f"{ROLLOUT}.layered_summon"),
    *(Reason(f"{ROLLOUT}.{key}", KEPT, why) for key, why in zip(ENGINE_SPEED, ENGINE_WHY, strict=True)),
    *_all(KEPT, "arguments for one engine under that engine's own names; write them into the target's engine "
          "arguments by hand", f"{ROLLOUT}.engine_kwargs.*"),
    *_all(KEPT, "computes log-probabilities in the engine for diagnostics and rollout_correction; it does not "
          "change what is sampled", f"{ROLLOUT}.calculate_log_probs"),
    *_all(DEAD, "nothing acts on it from 0.7 on: agent.default_agent_loop or the data's agent_name chooses a loop "
          "with tools", f"{ROLLOUT}.multi_turn.enable", since="0.7.1"),
    *_all(MATHS, "sglang's rollout answers over several turns and calls tools where it is True; what the tools wrote is "
          "masked (sglang_rollout.py up to 0.6)", f"{ROLLOUT}.multi_turn.enable"),
    *_all(DEAD, "read by the sglang chat rollout up to 0.6 only; agent loops ignore it",
          f"{ROLLOUT}.multi_turn.use_inference_chat_template", f"{ROLLOUT}.multi_turn.tokenization_sanity_check_mode",
          f"{ROLLOUT}.multi_turn.num_repeat_rollouts", since="0.7.1"),
    *_all(KEPT, "tools and turns of veRL's tool agent loop; elsewhere they are part of Python code",
          f"{ROLLOUT}.multi_turn.*"),
    *_all(DEAD, "parsed, but nothing reads it after 0.5, where it named a Python server class",
          f"{ROLLOUT}.agent.custom_async_server.*", since="0.6.1"),
    *_all(KEPT, "a Python class of your own that serves the engines; code is never carried over",
          f"{ROLLOUT}.agent.custom_async_server.*"),
    *_all(KEPT, "how many processes run agent loops; throughput only", f"{ROLLOUT}.agent.num_workers"),
    *_all(KEPT, "which agent loop turns a prompt into a conversation; elsewhere that is Python code of its own",
          f"{ROLLOUT}.agent.*"),
    *_all(KEPT, "extra options or a Python plug-in for the transfer of weights to the engines",
          f"{ROLLOUT}.checkpoint_engine.*", f"{ROLLOUT}.checkpoint_manager_class"),
    *_all(KEPT, "traces rollouts to Weave or MLflow; it does not change training", f"{ROLLOUT}.trace.*"),
    *_all(KEPT, "metrics of the engines for Prometheus", f"{ROLLOUT}.prometheus.*"),
    *_all(KEPT, "replays the engine's expert routing in the Megatron trainer (router replay R3)",
          f"{ROLLOUT}.enable_rollout_routing_replay"),
    *_all(KEPT, "how often the balance of experts is logged", f"{ROLLOUT}.moe_load_balance_metrics_interval"),
    *_all(MATHS, "the engine samples from quantized weights while the trainer keeps full precision; no neutral field",
          f"{ROLLOUT}.quantization*"),
    *_all(KEPT, "splits the engines into prefill and decode servers (since 0.9); throughput only",
          f"{ROLLOUT}.disaggregation.*"),
    *_all(KEPT, "rules by which veRL's router spreads requests over servers", f"{ROLLOUT}.router_config_path"),
    *_all(KEPT, "speculative decoding in the engine, taken from model.mtp", f"{ROLLOUT}.mtp*"),
)  # fmt: skip

DATA = (
    *_all(MATHS, "before 0.7 it cuts prompts over the limit, which are then trained on; later releases read it nowhere "
          "", "data.truncation"),
    *_all(DEAD, "the data set stores it and nothing reads it from 0.7 on: messages are always kept",
          "data.return_raw_*", "data.return_full_prompt", since="0.7.1"),
    *_all(KEPT, "keeps a prompt's messages beside its tokens, for agent loops and for a reward model with a chat template "
          "of its own; elsewhere they are always there", "data.return_raw_chat"),
    *_all(DEAD, "the data set keeps a copy that no release's trainer reads", "data.return_raw_*",
          "data.return_full_prompt"),
    *_all(DEAD, "the data set stores it and nothing reads it: images are always processed in the agent loop",
          "data.return_multi_modal_inputs", since="0.7.1"),
    *_all(KEPT, "whether the data set processes images at once; False leaves that to the rollout",
          "data.return_multi_modal_inputs"),
    *_all(DEAD, "main_ppo takes the tokenizer from actor_rollout_ref.model", "data.tokenizer"),
    *_all(DEAD, "main_ppo takes the tokenizer and its trust_remote_code from actor_rollout_ref.model",
          "data.trust_remote_code", since="0.9.0"),
    *_all(KEPT, "whether code that comes with the tokenizer may run (main_ppo.py up to 0.8); the plan keeps the model's own",
          "data.trust_remote_code"),
    *_all(DEAD, "the reward loop always looks in the data_source column; up to 0.6 the key could name another",
          "data.reward_fn_key", since="0.7.1"),
    *_all(MATHS, "the column by whose value the reward manager chooses how to score; elsewhere reward code reads its own",
          "data.reward_fn_key"),
    *_all(KEPT, "how many rows one validation fetch holds; what is evaluated stays the same",
          "data.val_batch_size"),
    *_all(KEPT, "order in which the validation rows are evaluated; the averages stay the same",
          "data.validation_shuffle"),
    *_all(KEPT, "processes that filter long prompts at start-up", "data.filter_overlong_prompts_workers"),
    *_all(KEPT, "copies data files to shared memory before reading", "data.use_shm"),
    *_all(KEPT, "tools shown to the chat template of the tool agent loop; workflows name their own tools",
          "data.tool_config_path", "data.function_tool_path"),
    *_all(MATHS, "the column with audio; the plan has columns for text, images and video", "data.audio_key"),
    *_all(KEPT, "patch size and options of the image processor; they belong to the model's processor",
          "data.image_patch_size", "data.mm_processor_kwargs*"),
    *_all(MATHS, "arguments of the chat template (enable_thinking, ...); set the target's own switch by hand",
          "data.apply_chat_template_kwargs*"),
)  # fmt: skip

LEGACY = "0.9 accepts it and main_ppo never reads it: rewards live under reward.* (H59)"
REWARDS = (
    *_all(DEAD, "main_ppo of 0.9 does not read it: reward.reward_manager.source names the manager's file there",
          "reward_model.reward_loop_*", since="0.9.0"),
    *_all(KEPT, "loads the reward manager from your own Python file, as reward.reward_manager.source does; until 0.8",
          "reward_model.reward_loop_*", since="0.7.1"),
    *_all(DEAD, LEGACY, "custom_reward_function.*", "reward_model.*", "sandbox_fusion.*", since="0.7.1"),
    *_all(KEPT, "how a reward model is loaded and run by the workers of 0.6 and earlier; from 0.7.1 on an engine serves it",
          "reward_model.*"),
    *_all(KEPT, "how many processes score answers; throughput only", "reward.num_workers"),
    *_all(KEPT, "loads the reward manager from your own Python file; code is never carried over",
          "reward.reward_manager.source", "reward.reward_manager.module.*"),
    *_all(KEPT, "the service that runs generated code for veRL's built-in scorers; name it to your own reward code",
          "reward.sandbox_fusion.*"),
    *_all(KEPT, "what a generative reward model's server falls back to; each request of your reward function names "
          "its own sampling", f"{RM}.temperature", f"{RM}.top_*", f"{RM}.repetition_penalty"),
    *_all(DEAD, "the trainer samples and scores with the policy's rollout keys: nothing reads those of the reward "
          "model", f"{RM}.do_sample", f"{RM}.n", f"{RM}.val_kwargs*", f"{RM}.ignore_eos", f"{RM}.over_sample_rate",
          f"{RM}.log_prob_*", f"{RM}.calculate_log_probs"),
    *_all(DEAD, "a field of the policy's rollout dataclass that the reward model's server does not use",
          f"{RM}.nnodes",
          f"{RM}.n_gpus_per_node", f"{RM}.standalone_gpu_memory_utilization", f"{RM}.agent*", f"{RM}.trace*",
          f"{RM}.multi_turn*", f"{RM}.custom", f"{RM}.checkpoint_*", f"{RM}.layer_name_map*",
          f"{RM}.sglang_engine_mode", f"{RM}.layered_summon", f"{RM}.enable_rollout_routing_replay",
          f"{RM}.moe_load_balance_metrics_interval", f"{RM}.qat*", f"{RM}.mtp*"),
    *_all(KEPT, "an engine option of the reward model's server; the plan keeps its model, sizes, parallelism and "
          "memory", f"{RM}.*"),
)  # fmt: skip

TRAINER = (
    *_all(KEPT, "prints or uploads samples and dumps rollouts for reading; it does not change training",
          "trainer.log_val_generations", "trainer.rollout_data_dir", "trainer.validation_data_dir"),
    *_all(KEPT, "a second copy of checkpoints on HDFS", "trainer.default_hdfs_dir"),
    *_all(KEPT, "deletes the local copy of a checkpoint after resuming from it", "trainer.del_local_ckpt_after_load"),
    *_all(KEPT, "saves early when a rented instance is about to end (v0 trainer)", "trainer.esi_redundant_time"),
    *_all(KEPT, "a Python class of your own that is called at every save", "trainer.checkpoint_callback_class"),
    *_all(KEPT, "evaluates and stops without training", "trainer.val_only"),
    *_all(KEPT, "how long workers may take to find each other at start-up",
          "trainer.ray_wait_register_center_timeout"),
    *_all(KEPT, "the kind of accelerator (cuda, npu); it does not change training", "trainer.device"),
    *_all(KEPT, "free settings of the synchronous v1 trainer, for trainers of your own", "trainer.v1.sync",
          "trainer.v1.sync.*"),
    *_all(KEPT, "when the trainer's idle GPUs are lent to the engines",
          "trainer.v1.separate_async.hybrid_rollout.*"),
    *_all(MATHS, "drops or delays answers whose policy is too old; acts in the asynchronous modes only ("
          "H69)",
          "trainer.v1.sampler.max_off_policy_*"),
    *_all(MATHS, "whether groups that failed altogether are sampled again",
          "trainer.v1.sampler.sync_refill_failed_groups"),
    *_all(KEPT, "your own Python class that picks which answers are trained on",
          "trainer.v1.sampler.custom_sampler.*", "trainer.v1.sampler.sampler_kwargs*"),
    *_all(KEPT, "the store through which veRL's processes pass samples; always on in v1",
          "transfer_queue.*"),
    *_all(KEPT, "replays dumped rollouts instead of generating, for debugging", "skip.*"),
    *_all(KEPT, "arguments of ray.init; start the target on a Ray cluster of your own",
          "ray_kwargs.ray_init*"),
    *_all(KEPT, "when idle trainer GPUs help to generate in the fully asynchronous program; speed only",
          "async_training.dynamic_schedule_*"),
    *_all(KEPT, "how many prompts one engine of the fully asynchronous program works on at a time; speed only",
          "async_training.concurrent_samples_per_replica"),
    *_all(DEAD, "declared, but the fully asynchronous program reads actor_rollout_ref.rollout.n", "rollout.n"),
    *_all(KEPT, "writes Ray's time line to a file", "ray_kwargs.timeline_json_file"),
)  # fmt: skip

DISTILLATION = (
    *_all(KEPT, "an engine option of a teacher that the plan does not have", f"{TEACHER}.inference.*"),
    *_all(MATHS, "a teacher beside rewards, or several, or bounds of its loss; the plan has one teacher that stands alone", "distillation.*"),
)  # fmt: skip

REASONS: tuple[Reason, ...] = (
    *EVERYWHERE, *ALGORITHM, *REFERENCE, *OPTIMIZER, *ENGINES, *ENGINE_REASONS,
    *MODEL_KEYS, *CHECKPOINTS, *ROLLOUTS, *DATA, *REWARDS,
    *TRAINER, *DISTILLATION,
)  # fmt: skip
