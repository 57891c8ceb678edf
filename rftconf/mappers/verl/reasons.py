"""Reasons tell what becomes of veRL keys that no row speaks for, and why. The first pattern that fits counts."""

from __future__ import annotations

from rftconf.base.ledger import State
from rftconf.mappers.rows import Reason, reasons_for
from rftconf.mappers.verl.reasons_engines import ENGINE_REASONS

DEAD, KEPT, MATHS, SECRET = State.DEAD_IN_SOURCE, State.EXTENSION, State.NO_COUNTERPART, State.WITHHELD
ARR, ACTOR, REF, ROLLOUT, MODEL = (f"actor_rollout_ref{end}" for end in ("", ".actor", ".ref", ".rollout", ".model"))
RM = "reward.reward_model.rollout"
TEACHER = "distillation.teacher_models.*"


def _blocks(state: State, why: str, names: tuple[str, ...], *blocks: str) -> tuple[Reason, ...]:
    return tuple(Reason(f"{block}.{name}", state, why) for block in blocks for name in names)


EVERYWHERE = (
    *reasons_for(SECRET, "environment variables of Ray's workers often hold tokens; the value is neither shown nor written",
          "ray_kwargs.ray_init.runtime_env.env_vars*"),
    *reasons_for(SECRET, "a credential of the tracing service; the value is neither shown nor written", "*api_key", "*_token",
          "*password"),
    *reasons_for(DEAD, "names the Python class that holds this block; it is part of veRL's schema, not a setting",
          "*._target_"),
    *reasons_for(KEPT, "profiling of veRL's workers (nsys, torch, NPU tools); it does not change training", "*.profiler.*",
          "global_profiler.*", f"{ACTOR}.profile*", f"{REF}.profile*"),
)  # fmt: skip

ALGORITHM = (
    *reasons_for(DEAD, "clip_ratio alone has no effect: clip_ratio_low and clip_ratio_high have values of their own (H30)",
          f"{ACTOR}.clip_ratio"),
    *reasons_for(DEAD, "0.8 and later copy it into a field that nothing reads; up to 0.7 FSDP it kept the vision encoder's "
          "weights fixed", f"{ACTOR}.freeze_vision_tower", since="0.8.0"),
    *reasons_for(MATHS, "keeps the vision encoder's weights fixed in FSDP up to 0.7 (fsdp_workers.py); no neutral field",
          f"{ACTOR}.freeze_vision_tower"),
    *reasons_for(MATHS, "a bound or share of the clip_cov and kl_cov losses; no neutral field",
          f"{ACTOR}.policy_loss.clip_cov_*", f"{ACTOR}.policy_loss.kl_cov_ratio", f"{ACTOR}.policy_loss.ppo_kl_coef"),
    *reasons_for(MATHS, "the quadratic penalty of the dro loss; no neutral field", f"{ACTOR}.policy_loss.dro_beta"),
    *reasons_for(DEAD, "the trainer fills it from algorithm.rollout_correction and overwrites what a file says",
          f"{ACTOR}.policy_loss.rollout_correction*"),
    *reasons_for(KEPT, "only logs the policy's entropy; the bonus itself is actor.entropy_coeff",
          f"{ACTOR}.calculate_entropy"),
    *reasons_for(KEPT, "computes the sum of squared probabilities that the optimal_token_baseline estimators ask for",
          f"{ACTOR}.calculate_sum_pi_squared"),
    *reasons_for(KEPT, "shares the forward pass of a group's common prompt; a speed option of veRL without effect on the "
          "loss",
          f"{ACTOR}.use_prefix_grouper"),
    *reasons_for(DEAD, "no block, no filter: the fields of algorithm.filter_groups count", "algorithm.filter_groups"),
    *reasons_for(MATHS, "stops DAPO's recipe after so many batches that did not fill one; elsewhere nothing does",
          "algorithm.filter_groups.max_num_gen_batches"),
    *reasons_for(KEPT, "an option of a recipe of your own: veRL's main_ppo knows no such filter",
          "algorithm.filter_groups.*"),
    *reasons_for(DEAD, "a dataclass's catch-all that nothing reads", "*.extra.*"),
    *reasons_for(MATHS, "preference-feedback PPO reweights and resamples the batch in veRL's v0 trainer; no neutral field",
          "algorithm.use_pf_ppo", "algorithm.pf_ppo.*"),
    *reasons_for(MATHS, "which rewards the gdpo estimator normalises apart, and their weights; no neutral field",
          "algorithm.gdpo_reward_keys", "algorithm.gdpo_reward_weights"),
    *reasons_for(DEAD, "a copy of rollout.n that the schema asks for; only rollout.n counts", f"{ACTOR}.rollout_n",
          f"{REF}.rollout_n"),
    *reasons_for(DEAD, "a copy of rollout.n that the schema asks for; only rollout.n counts", "critic.rollout_n", since="0.8.0"),
    *reasons_for(KEPT, "the critic's mini-batches hold so many answers a prompt up to 0.7 (init_model of its workers); leave it "
          "at rollout.n", "critic.rollout_n"),
    *reasons_for(DEAD, "workers fill it while running", f"{ACTOR}.engine*", f"{ACTOR}.model_config*",
          f"{ACTOR}.global_batch_info*", "critic.engine*", "critic.model_config*"),
    *reasons_for(DEAD, "nothing reads it: algorithm.rollout_correction.bypass_mode chooses the engine's log-probabilities",
          f"{ACTOR}.use_rollout_log_probs", since="0.8.0"),
    *reasons_for(MATHS, "updates keep the old log-probabilities that came with the batch, also where one update a period would take "
          "its own (dp_actor.py up to 0.7)",
          f"{ACTOR}.use_rollout_log_probs"),
    *reasons_for(DEAD, "nothing reads it: the log-probability pass takes rollout.log_prob_micro_batch_size_per_gpu and "
          "rollout.log_prob_max_token_len_per_gpu", f"{ACTOR}.ppo_infer_*", since="0.7.1"),
    *reasons_for(KEPT, "sizes of the log-probability pass where trainer.use_legacy_worker_impl is disable; memory and speed only",
          f"{ACTOR}.ppo_infer_*"),
    *reasons_for(DEAD, "nothing reads it: the critic's passes are capped in tokens",
          "critic.ppo_infer_micro_batch_size_per_gpu", since="0.7.1"),
    *reasons_for(KEPT, "sizes of the critic's pass where trainer.use_legacy_worker_impl is disable; memory and speed only",
          "critic.ppo_infer_micro_batch_size_per_gpu"),
    *reasons_for(MATHS, "divisor of the critic's value loss, where it differs from the actor's; the plan keeps the "
          "actor's", "critic.loss_scale_factor"),
    *reasons_for(KEPT, "seed of the critic's mini-batch shuffling; it follows the actor's data_loader_seed unless set",
          "critic.data_loader_seed"),
)  # fmt: skip

REFERENCE = (
    *reasons_for(DEAD, "the worker fills it from ref.log_prob_* before it builds the reference", f"{REF}.ppo_m[ai]*",
          f"{REF}.use_dynamic_bsz"),
    *reasons_for(DEAD, "the reference is never trained: the key exists because its worker is built from the actor's "
          "dataclass",
          f"{REF}.ppo_*", f"{REF}.clip_ratio*", f"{REF}.policy_loss*", f"{REF}.loss_*", f"{REF}.entropy_coeff",
          f"{REF}.tau_*", f"{REF}.calculate_*", f"{REF}.use_kl_loss", f"{REF}.kl_loss_*", f"{REF}.shuffle",
          f"{REF}.data_loader_seed", f"{REF}.checkpoint*", f"{REF}.optim*", f"{REF}.grad_clip",
          f"{REF}.use_prefix_grouper", f"{REF}.freeze_vision_tower", f"{REF}.use_rollout_log_probs"),
    *reasons_for(DEAD, "workers fill it from the policy's model block", f"{REF}.engine*", f"{REF}.model_config*",
          f"{REF}.global_batch_info*", f"{REF}.use_fused_kernels", f"{REF}.use_remove_padding"),
    *reasons_for(DEAD, "nothing reads the reference's own copy: fsdp_config.qat is the live block", f"{REF}.qat*"),
)  # fmt: skip

OPTIMIZER = (
    *reasons_for(MATHS, "number of cosine cycles; the plan's cosine is the half cycle", "*.optim.num_cycles"),
    *reasons_for(MATHS, "whether the schedule counts its first tick as 0 or 1; no neutral field",
          "*.optim.zero_indexed_step"),
    *reasons_for(KEPT, "where Megatron keeps the optimizer's state, and in which precision; memory and speed only, with rounding",
          *(f"*.optim.override_optimizer_config.{name}" for name in
            ("optimizer_*offload*", "overlap_*", "use_precision_aware_optimizer", "*_dtype"))),
    *reasons_for(MATHS, "the Python module and extra arguments of the optimizer; the plan keeps its kind",
          "*.optim.optimizer_impl", "*.optim.override_optimizer_config*"),
    *reasons_for(MATHS, "learning rate at the start of Megatron's warm-up; the plan's warm-up starts at 0",
          "*.optim.lr_warmup_init"),
    *reasons_for(MATHS, "how Megatron lets the weight decay grow; the plan's is constant", "*.optim.weight_decay_incr_style"),
    *reasons_for(MATHS, "shape and length of the final decay of Megatron's WSD schedule; no neutral field",
          "*.optim.lr_wsd_*"),
    *reasons_for(MATHS, "an option of Megatron's Muon optimizer; no neutral field", "*.optim.muon_*"),
    *reasons_for(KEPT, "takes the scheduler's state from a checkpoint when Megatron resumes",
          "*.optim.use_checkpoint_opt_param_scheduler"),
    *reasons_for(KEPT, "precision of gradients and moments inside Megatron's optimizer; memory only, with rounding",
          "*.optim.use_precision_aware_optimizer", "*.optim.main_grads_dtype", "*.optim.exp_avg*_dtype"),
    *reasons_for(KEPT, "how Megatron splits Muon's state over ranks; memory only", "*.optim.use_layer_wise_*"),
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
    *reasons_for(KEPT, "how many tokens the entropy is computed for at a time; memory only",
          f"{ACTOR}.entropy_from_logits_chunk_size", f"{REF}.entropy_from_logits_chunk_size"),
    *reasons_for(KEPT, "torch.compile of the engine's entropy kernel; speed only", f"{ACTOR}.fsdp_config.use_torch_compile",
          f"{REF}.fsdp_config.use_torch_compile", "critic.fsdp.use_torch_compile"),
    *reasons_for(KEPT, "skips gradient synchronisation between micro-batches; memory against speed",
          "*.use_no_sync_for_gradient_accumulation"),
    *reasons_for(KEPT, "pads packed micro-batches to fixed lengths so that kernels are compiled once; speed only",
          "*.pad_to_length*", "*.pad_bshd_to_minibatch_max"),
    *reasons_for(KEPT, "precision of FSDP's parameters, reductions and buffers; the plan keeps model_dtype and dtype",
          "*.mixed_precision*"),
    *reasons_for(KEPT, "quantization-aware training: veRL's engines train through fake quantization",
          f"{ACTOR}.fsdp_config.qat.*", f"{REF}.fsdp_config.qat.*", "critic.fsdp.qat.*", "*.megatron.qat.*",
          f"{ROLLOUT}.qat*"),
    *reasons_for(DEAD, "since 0.8 the engines read fsdp_config.qat (megatron.qat); the actor's own block is only stored",
          f"{ACTOR}.qat.*", since="0.8.0"),
    *reasons_for(KEPT, "quantization-aware training of the policy, in the actor's own block up to 0.7", f"{ACTOR}.qat.*"),
    *reasons_for(KEPT, "settings of the fsdp_turbo engine, veRL's alternative to FSDP", "*.turbo_config.*"),
    *reasons_for(KEPT, "which experts tokens were routed to, recorded and replayed by the Megatron engine",
          "*.router_replay*"),
    *reasons_for(KEPT, "Megatron splits long sequences over context ranks by length; placement only",
          "*.megatron.dynamic_context_parallel", "*.megatron.max_seqlen_per_dp_cp_rank"),
    *reasons_for(KEPT, "a prefix of weight names in Megatron's distributed checkpoints",
          "*.megatron.dist_checkpointing_prefix"),
    *reasons_for(KEPT, "the format of Megatron's optimizer checkpoints; it does not change training",
          "*.megatron.dist*_optim_fully_reshardable*"),
    *reasons_for(KEPT, "chooses the older bridge between Hugging Face and Megatron weights", "*.megatron.vanilla_mbridge"),
    *reasons_for(KEPT, "shards Megatron's parameters as FSDP does; placement only", "*.megatron.use_megatron_fsdp"),
    *reasons_for(KEPT, "deterministic kernels of the Megatron engine; slower, same mathematics",
          "*.megatron.full_determinism"),
    *reasons_for(DEAD, "workers take use_remove_padding and use_fused_kernels from the model block",
          f"{ACTOR}.use_remove_padding", f"{ACTOR}.use_fused_kernels"),
    *reasons_for(DEAD, "0.8 and later store it unread; up to 0.7 it was how long a collective could take before veRL gave up",
          f"{ARR}.nccl_timeout", "critic.nccl_timeout", since="0.8.0"),
    *reasons_for(KEPT, "how long a collective may take before veRL gives up; it does not change training",
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
    *reasons_for(KEPT, "merges the adapter into the weights before every transfer to the engine; the same policy",
          f"{MODEL}.lora.merge"),
    *_blocks(MATHS, "an option of Megatron-Bridge's LoRA; the plan keeps FSDP's rank, alpha and targets",
             ("lora", "lora.*"), *MODELS),
    *_blocks(MATHS, "LoRA of the critic; the plan has adapters for the policy only", LORA, "critic.model"),
    *reasons_for(KEPT, "lets the critic's checkpoint run its own Python code; set it for the model the critic starts from",
          "critic.model.trust_remote_code"),
    *reasons_for(KEPT, "chat template of the critic's tokenizer; the critic reads token ids and never applies it",
          "critic.model.custom_chat_template"),
    *reasons_for(KEPT, "changes to the critic's config.json; the plan keeps those of the policy",
          "critic.model.override_config*"),
    *reasons_for(KEPT, "speed options of the critic's model; the plan keeps those of the policy", "critic.model.use_liger",
          "critic.model.use_fused_kernels"),
)  # fmt: skip

CHECKPOINTS = (
    *reasons_for(KEPT, "what the critic's checkpoints hold; the plan keeps the policy's contents for both",
          "critic.checkpoint.*_contents", "critic.checkpoint.async_save"),
    *reasons_for(KEPT, "saves only the LoRA adapter of an FSDP checkpoint", "*.checkpoint.save_lora_only"),
    *reasons_for(KEPT, "whether Megatron's export to Hugging Face weights insists on every name", "*.checkpoint.strict"),
    *reasons_for(KEPT, "extra arguments of Megatron's checkpoint bridge", "*.checkpoint.mbridge_config*"),
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
    *reasons_for(DEAD, "async is the only value that 0.7.1 and later accept; both modes of older releases draw the same "
          "samples", f"{ROLLOUT}.mode", f"{RM}.mode", since="0.7.1"),
    *reasons_for(KEPT, "sync hands prompts to the engines in one batch, async one by one through agent loops; single-turn answers "
          "are drawn alike", f"{ROLLOUT}.mode"),
    *reasons_for(KEPT, "per-request seeds and batch-invariant kernels for repeatable rollouts",
          f"{ROLLOUT}.full_determinism"),
    *reasons_for(KEPT, "whether the engine reports log-probabilities before or after temperature and top-p; veRL's vLLM only",
          f"{ROLLOUT}.logprobs_mode"),
    *reasons_for(DEAD, "nothing reads it in 0.7 and later: temperature 0 is how to sample greedily; up to 0.6 "
          "False meant greedy", f"{ROLLOUT}.do_sample", since="0.7.1"),
    *reasons_for(MATHS, "where False, the hf rollout of 0.6 and earlier samples greedily; vLLM and SGLang do not read it. Write "
          "temperature 0 for the target where rollout.name is hf", f"{ROLLOUT}.do_sample"),
    *reasons_for(DEAD, "parsed, but nothing reads it (0.6.1's sglang rollout was the only reader)",
          f"{ROLLOUT}.over_sample_rate", since="0.7.1"),
    *reasons_for(MATHS, "0.6's sglang rollout gives up this share of the answers, the slowest ones; no neutral field",
          f"{ROLLOUT}.over_sample_rate"),
    *reasons_for(DEAD, "parsed, but no release from 0.7 on reads it; before, it woke sglang's memory in two steps",
          f"{ROLLOUT}.multi_stage_wake_up", f"{RM}.multi_stage_wake_up", since="0.7.1"),
    *reasons_for(KEPT, "wakes sglang's memory in two steps, weights before the cache; memory only",
          f"{ROLLOUT}.multi_stage_wake_up", f"{RM}.multi_stage_wake_up"),
    *reasons_for(DEAD, "a field of the rollout's dataclass that nothing reads", f"{ROLLOUT}.layer_name_map*",
          f"{ROLLOUT}.sglang_engine_mode", f"{ROLLOUT}.custom*"),
    *reasons_for(MATHS, "the agent loop sends 1.0 whatever this says", f"{ROLLOUT}.repetition_penalty"),
    *reasons_for(KEPT, "collects LoRA weights layer by layer before the transfer; memory only", f"{ROLLOUT}.layered_summon"),
    *(Reason(f"{ROLLOUT}.{key}", KEPT, why) for key, why in zip(ENGINE_SPEED, ENGINE_WHY, strict=True)),
    *reasons_for(KEPT, "arguments for one engine under that engine's own names; write them into the target's engine "
          "arguments by hand", f"{ROLLOUT}.engine_kwargs.*"),
    *reasons_for(KEPT, "computes log-probabilities in the engine for diagnostics and rollout_correction; it does not "
          "change what is sampled", f"{ROLLOUT}.calculate_log_probs"),
    *reasons_for(DEAD, "nothing acts on it from 0.7 on: agent.default_agent_loop or the data's agent_name chooses a loop "
          "with tools", f"{ROLLOUT}.multi_turn.enable", since="0.7.1"),
    *reasons_for(MATHS, "sglang's rollout answers over several turns and calls tools where it is True; what the tools wrote is "
          "masked (sglang_rollout.py up to 0.6)", f"{ROLLOUT}.multi_turn.enable"),
    *reasons_for(DEAD, "read by the sglang chat rollout up to 0.6 only; agent loops ignore it",
          f"{ROLLOUT}.multi_turn.use_inference_chat_template", f"{ROLLOUT}.multi_turn.tokenization_sanity_check_mode",
          f"{ROLLOUT}.multi_turn.num_repeat_rollouts", since="0.7.1"),
    *reasons_for(KEPT, "tools and turns of veRL's tool agent loop; elsewhere they are part of Python code",
          f"{ROLLOUT}.multi_turn.*"),
    *reasons_for(DEAD, "parsed, but nothing reads it after 0.5, where it named a Python server class",
          f"{ROLLOUT}.agent.custom_async_server.*", since="0.6.1"),
    *reasons_for(KEPT, "a Python class of your own that serves the engines; code is never carried over",
          f"{ROLLOUT}.agent.custom_async_server.*"),
    *reasons_for(KEPT, "how many processes run agent loops; throughput only", f"{ROLLOUT}.agent.num_workers"),
    *reasons_for(KEPT, "which agent loop turns a prompt into a conversation; elsewhere that is Python code of its own",
          f"{ROLLOUT}.agent.*"),
    *reasons_for(KEPT, "extra options or a Python plug-in for the transfer of weights to the engines",
          f"{ROLLOUT}.checkpoint_engine.*", f"{ROLLOUT}.checkpoint_manager_class"),
    *reasons_for(KEPT, "traces rollouts to Weave or MLflow; it does not change training", f"{ROLLOUT}.trace.*"),
    *reasons_for(KEPT, "metrics of the engines for Prometheus", f"{ROLLOUT}.prometheus.*"),
    *reasons_for(KEPT, "replays the engine's expert routing in the Megatron trainer (router replay R3)",
          f"{ROLLOUT}.enable_rollout_routing_replay"),
    *reasons_for(KEPT, "how often the balance of experts is logged", f"{ROLLOUT}.moe_load_balance_metrics_interval"),
    *reasons_for(MATHS, "the engine samples from quantized weights while the trainer keeps full precision; no neutral field",
          f"{ROLLOUT}.quantization*"),
    *reasons_for(KEPT, "splits the engines into prefill and decode servers (since 0.9); throughput only",
          f"{ROLLOUT}.disaggregation.*"),
    *reasons_for(KEPT, "rules by which veRL's router spreads requests over servers", f"{ROLLOUT}.router_config_path"),
    *reasons_for(KEPT, "speculative decoding in the engine, taken from model.mtp", f"{ROLLOUT}.mtp*"),
)  # fmt: skip

DATA = (
    *reasons_for(MATHS, "before 0.7 it cuts prompts over the limit, which are then trained on; later releases read it nowhere",
          "data.truncation"),
    *reasons_for(DEAD, "the data set stores it and nothing reads it from 0.7 on: messages are always kept",
          "data.return_raw_*", "data.return_full_prompt", since="0.7.1"),
    *reasons_for(KEPT, "keeps a prompt's messages beside its tokens, for agent loops and for a reward model with a chat template "
          "of its own; elsewhere they are always there", "data.return_raw_chat"),
    *reasons_for(DEAD, "the data set keeps a copy that no release's trainer reads", "data.return_raw_*",
          "data.return_full_prompt"),
    *reasons_for(DEAD, "the data set stores it and nothing reads it: images are always processed in the agent loop",
          "data.return_multi_modal_inputs", since="0.7.1"),
    *reasons_for(KEPT, "whether the data set processes images at once; False leaves that to the rollout",
          "data.return_multi_modal_inputs"),
    *reasons_for(DEAD, "main_ppo takes the tokenizer from actor_rollout_ref.model", "data.tokenizer"),
    *reasons_for(DEAD, "main_ppo takes the tokenizer and its trust_remote_code from actor_rollout_ref.model",
          "data.trust_remote_code", since="0.9.0"),
    *reasons_for(KEPT, "whether code that comes with the tokenizer may run (main_ppo.py up to 0.8); the plan keeps the model's own",
          "data.trust_remote_code"),
    *reasons_for(DEAD, "the reward loop always looks in the data_source column; up to 0.6 the key could name another",
          "data.reward_fn_key", since="0.7.1"),
    *reasons_for(MATHS, "the column by whose value the reward manager chooses how to score; elsewhere reward code reads its own",
          "data.reward_fn_key"),
    *reasons_for(KEPT, "how many rows one validation fetch holds; what is evaluated stays the same",
          "data.val_batch_size"),
    *reasons_for(KEPT, "order in which the validation rows are evaluated; the averages stay the same",
          "data.validation_shuffle"),
    *reasons_for(KEPT, "processes that filter long prompts at start-up", "data.filter_overlong_prompts_workers"),
    *reasons_for(KEPT, "copies data files to shared memory before reading", "data.use_shm"),
    *reasons_for(KEPT, "tools shown to the chat template of the tool agent loop; workflows name their own tools",
          "data.tool_config_path", "data.function_tool_path"),
    *reasons_for(MATHS, "the column with audio; the plan has columns for text, images and video", "data.audio_key"),
    *reasons_for(KEPT, "patch size and options of the image processor; they belong to the model's processor",
          "data.image_patch_size", "data.mm_processor_kwargs*"),
    *reasons_for(MATHS, "arguments of the chat template; of these the plan has enable_thinking alone",
          "data.apply_chat_template_kwargs*"),
)  # fmt: skip

LEGACY = "0.9 accepts it and main_ppo never reads it: rewards live under reward.* (H59)"
REWARDS = (
    *reasons_for(DEAD, "main_ppo of 0.9 does not read it: reward.reward_manager.source names the manager's file there",
          "reward_model.reward_loop_*", since="0.9.0"),
    *reasons_for(KEPT, "loads the reward manager from your own Python file, as reward.reward_manager.source does; until 0.8",
          "reward_model.reward_loop_*", since="0.7.1"),
    *reasons_for(DEAD, LEGACY, "custom_reward_function.*", "reward_model.*", "sandbox_fusion.*", since="0.7.1"),
    *reasons_for(KEPT, "how a reward model is loaded and run by the workers of 0.6 and earlier; from 0.7.1 on an engine serves it",
          "reward_model.*"),
    *reasons_for(KEPT, "how many processes score answers; throughput only", "reward.num_workers"),
    *reasons_for(KEPT, "loads the reward manager from your own Python file; code is never carried over",
          "reward.reward_manager.source", "reward.reward_manager.module.*"),
    *reasons_for(KEPT, "the service that runs generated code for veRL's built-in scorers; name it to your own reward code",
          "reward.sandbox_fusion.*"),
    *reasons_for(KEPT, "what a generative reward model's server falls back to; each request of your reward function names "
          "its own sampling", f"{RM}.temperature", f"{RM}.top_*", f"{RM}.repetition_penalty"),
    *reasons_for(DEAD, "the trainer samples and scores with the policy's rollout keys: nothing reads those of the reward "
          "model", f"{RM}.do_sample", f"{RM}.n", f"{RM}.val_kwargs*", f"{RM}.ignore_eos", f"{RM}.over_sample_rate",
          f"{RM}.log_prob_*", f"{RM}.calculate_log_probs"),
    *reasons_for(DEAD, "a field of the policy's rollout dataclass that the reward model's server does not use",
          f"{RM}.nnodes",
          f"{RM}.n_gpus_per_node", f"{RM}.standalone_gpu_memory_utilization", f"{RM}.agent*", f"{RM}.trace*",
          f"{RM}.multi_turn*", f"{RM}.custom", f"{RM}.checkpoint_*", f"{RM}.layer_name_map*",
          f"{RM}.sglang_engine_mode", f"{RM}.layered_summon", f"{RM}.enable_rollout_routing_replay",
          f"{RM}.moe_load_balance_metrics_interval", f"{RM}.qat*", f"{RM}.mtp*"),
    *reasons_for(KEPT, "an engine option of the reward model's server; the plan keeps its model, sizes, parallelism and "
          "memory", f"{RM}.*"),
)  # fmt: skip

TRAINER = (
    *reasons_for(KEPT, "prints or uploads samples and dumps rollouts for reading; it does not change training",
          "trainer.log_val_generations", "trainer.rollout_data_dir", "trainer.validation_data_dir"),
    *reasons_for(KEPT, "a second copy of checkpoints on HDFS", "trainer.default_hdfs_dir"),
    *reasons_for(KEPT, "deletes the local copy of a checkpoint after resuming from it", "trainer.del_local_ckpt_after_load"),
    *reasons_for(KEPT, "saves early when a rented instance is about to end (v0 trainer)", "trainer.esi_redundant_time"),
    *reasons_for(KEPT, "a Python class of your own that is called at every save", "trainer.checkpoint_callback_class"),
    *reasons_for(KEPT, "evaluates and stops without training", "trainer.val_only"),
    *reasons_for(KEPT, "how long workers may take to find each other at start-up",
          "trainer.ray_wait_register_center_timeout"),
    *reasons_for(KEPT, "the kind of accelerator (cuda, npu); it does not change training", "trainer.device"),
    *reasons_for(KEPT, "free settings of the synchronous v1 trainer, for trainers of your own", "trainer.v1.sync",
          "trainer.v1.sync.*"),
    *reasons_for(KEPT, "when the trainer's idle GPUs are lent to the engines",
          "trainer.v1.separate_async.hybrid_rollout.*"),
    *reasons_for(MATHS, "drops or delays answers whose policy is too old; acts in the asynchronous modes only ("
          "H69)",
          "trainer.v1.sampler.max_off_policy_*"),
    *reasons_for(MATHS, "whether groups that failed altogether are sampled again",
          "trainer.v1.sampler.sync_refill_failed_groups"),
    *reasons_for(KEPT, "your own Python class that picks which answers are trained on",
          "trainer.v1.sampler.custom_sampler.*", "trainer.v1.sampler.sampler_kwargs*"),
    *reasons_for(KEPT, "the store through which veRL's processes pass samples; always on in v1",
          "transfer_queue.*"),
    *reasons_for(KEPT, "replays dumped rollouts instead of generating, for debugging", "skip.*"),
    *reasons_for(KEPT, "arguments of ray.init; start the target on a Ray cluster of your own",
          "ray_kwargs.ray_init*"),
    *reasons_for(KEPT, "when idle trainer GPUs help to generate in the fully asynchronous program; speed only",
          "async_training.dynamic_schedule_*"),
    *reasons_for(KEPT, "how many prompts one engine of the fully asynchronous program works on at a time; speed only",
          "async_training.concurrent_samples_per_replica"),
    *reasons_for(DEAD, "declared, but the fully asynchronous program reads actor_rollout_ref.rollout.n", "rollout.n"),
    *reasons_for(KEPT, "writes Ray's time line to a file", "ray_kwargs.timeline_json_file"),
)  # fmt: skip

DISTILLATION = (
    *reasons_for(KEPT, "an engine option of a teacher that the plan does not have", f"{TEACHER}.inference.*"),
    *reasons_for(MATHS, "a teacher beside rewards, or several, or bounds of its loss; the plan has one teacher that stands alone", "distillation.*"),
)  # fmt: skip

REASONS: tuple[Reason, ...] = (
    *EVERYWHERE, *ALGORITHM, *REFERENCE, *OPTIMIZER, *ENGINES, *ENGINE_REASONS,
    *MODEL_KEYS, *CHECKPOINTS, *ROLLOUTS, *DATA, *REWARDS,
    *TRAINER, *DISTILLATION,
)  # fmt: skip
