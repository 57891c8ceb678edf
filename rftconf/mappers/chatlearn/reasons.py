"""What becomes of ChatLearn keys that no row speaks for, and why. The first pattern that fits counts."""

from __future__ import annotations

from rftconf.base.ledger import State
from rftconf.mappers.rows import Reason

DEAD, KEPT, MATHS = State.DEAD_IN_SOURCE, State.EXTENSION, State.NO_COUNTERPART
RUN, TRAINER, REF, POLICY = "runtime_args", "models.policy_trainer", "models.ref_policy", "models.policy"
REWARD, PARTIAL, MANAGER = "models.reward", "models.partial_rollout_manager", "models.rollout_manager"
MODELS = (TRAINER, REF)
OTHERS = (REWARD, PARTIAL, MANAGER)


def _all(state: State, why: str, *keys: str) -> tuple[Reason, ...]:
    return tuple(Reason(key, state, why) for key in keys)


def _each(state: State, why: str, models: tuple[str, ...], *names: str) -> tuple[Reason, ...]:
    return tuple(Reason(f"{model}.{name}", state, why) for model in models for name in names)


RUNTIME = (
    *_all(MATHS, "how copies of a prompt are laid out in an episode; it decides which answers share an update",
          f"{RUN}.data_rerank"),
    *_all(KEPT, "advantages look at the last episode alone: any number above 0 does the same, and 0 stops the run (H14)",
          f"{RUN}.max_replay_episode"),
    *_all(MATHS, "the episode from which on advantages are computed; before it the run fails", f"{RUN}.replay_episode_offset"),
    *_all(KEPT, "where logs and trackers put their files; it does not change training", f"{RUN}.log_args_dict.*_dir"),
    *_all(KEPT, "the run's name and number in Weights & Biases; runtime_args.exp_name names the run",
          f"{RUN}.log_args_dict.wandb_*"),
    *_all(MATHS, "a multi-turn task with tools: an agent graph of ChatLearn's own generates and scores the answers",
          f"{RUN}.task_type"),
    *_all(KEPT, "spreads requests over asynchronous SGLang engines; the answers are drawn the same way",
          f"{RUN}.use_rollout_manager", f"{MANAGER}.use_dynamic_load_blance", f"{MANAGER}.max_concurrent_per_engine"),
    *_all(KEPT, "debugging and profiling of ChatLearn's processes; it does not change training", f"{RUN}.debug", f"{RUN}.nsys",
          f"{RUN}.profiler_dir"),
    *_all(KEPT, "how ChatLearn starts and places its processes; it does not change training", f"{RUN}.concurrent_setup",
          f"{RUN}.cpu_schedule_strategy", f"{RUN}.policy_to_regroup_queue"),
    *_all(MATHS, "prompts stay chat messages for an agent, and none is dropped for its length", f"{RUN}.raw_chat"),
    *_all(DEAD, "all files form one data set, whatever the ratio says", f"{RUN}.data_ratio"),
    *_all(KEPT, "where a resumed run goes on in the data; it is ChatLearn's own counter", f"{RUN}.consumed_samples",
          f"{RUN}.load_data_checkpoint_iteration"),
    *_all(KEPT, "how many states of the data loader are kept; weights are all kept", f"{RUN}.max_data_ckpt_nums"),
    *_all(KEPT, "how ChatLearn's loader hands out an episode: fixed waits for all of it", f"{RUN}.stream_data_loader_type"),
    *_all(MATHS, "a vision-language model: images come with the rows, in ChatLearn's own columns", f"{RUN}.model_type"),
)  # fmt: skip

TRAINING = (
    *_all(MATHS, "an upper bound on the log-ratio before it is exponentiated; it acts on ratios above e^10 by default",
          f"{TRAINER}.diff_clip_ratio"),
    *_all(DEAD, "overwritten with num_gpu: weights are sharded over all GPUs of the model",
          f"{TRAINER}.fsdp_size", f"{REF}.fsdp_size"),
    *_all(DEAD, "the FSDP model always checkpoints its gradients", f"{TRAINER}.gradient_checkpointing"),
    *_each(DEAD, "overwritten from num_gpu and the parallel sizes", (*MODELS, POLICY), "replica_dp_size", "num_replica"),
    *_each(KEPT, "initialises the model without memory, then loads its shards; the weights are the same", MODELS, "meta_init"),
    *_each(KEPT, "a faster kernel for experts, of some mixture models only; the mathematics are the same", MODELS, "groupgemm"),
    *_each(KEPT, "an option of PyTorch's memory allocator", MODELS, "use_expandable_segments"),
    *_all(KEPT, "the model that is trained must say so, and the others must not", f"{TRAINER}.trainable", f"{REF}.trainable",
          f"{POLICY}.trainable"),
    *_each(KEPT, "how ChatLearn cuts a model into processes; a model on GPUs takes 1", (*MODELS, POLICY), "gpu_per_process", "num_cpu",
           "cpu_per_process"),
    *_each(DEAD, "weights go to the engines, whose models.policy.sync_frequency counts", MODELS, "sync_frequency"),
    *_each(DEAD, "read for the model that the data reach first, which is models.policy", MODELS, "num_inference_per_prompt",
           "enable_thinking"),
    *_all(DEAD, "a reference has neither gradients nor optimizer states to free", f"{REF}.free_gpu_memory.free_grad_buffers",
          f"{REF}.free_gpu_memory.offload_optimizer_states"),
)  # fmt: skip

MEGATRON = (
    *_each(DEAD, "update_cfg overwrites the architecture with that of the engines' Hugging Face folder, or Megatron's own "
           "default holds", MODELS, "megatron_model_cfg.*"),
    *_each(MATHS, "sends tokens to experts at random, for measurements of speed", MODELS, "moe_router_force_load_balancing"),
    *_each(KEPT, "which Python module builds the Megatron model", MODELS, "model_provider_module"),
    *_each(DEAD, "overwritten with packing: packed sequences have variable lengths", MODELS, "variable_seq_lengths"),
    *_each(KEPT, "Megatron's check of repeated computations", MODELS, "rerun_mode"),
    *_all(MATHS, "whether a resumed run finds its optimizer, scheduler and random states again; by default it forgets them",
          f"{TRAINER}.no_load_*", f"{TRAINER}.use_checkpoint_opt_param_scheduler", f"{TRAINER}.finetune"),
    *_all(KEPT, "must be true: the loss is divided by the tokens of the update", f"{TRAINER}.calculate_per_token_loss"),
    *_all(KEPT, "a switch of Megatron that saves memory or time and computes the same", f"{TRAINER}.empty_unused_memory_level",
          f"{TRAINER}.gradient_accumulation_fusion"),
    *_all(KEPT, "how long Megatron's processes wait for each other", f"{TRAINER}.distributed_timeout_minutes"),
)  # fmt: skip

ENGINES = (
    *_all(KEPT, "engines give their memory back between the phases; needed where they share GPUs",
          f"{POLICY}.free_gpu_memory.offload_weights"),
    *_all(DEAD, "an engine has neither gradients nor optimizer states to free", f"{POLICY}.free_gpu_memory.*"),
    *_all(DEAD, "no code reads it: rows have fixed columns", f"{POLICY}.vllm_*_key"),
    *_all(MATHS, "passed to the chat template of models that can think before they answer", f"{POLICY}.enable_thinking"),
    *_all(KEPT, "keeps the answers of an episode that was interrupted, for a restart", f"{POLICY}.enable_stage_resume"),
    *_all(KEPT, "whether SGLang engines take requests one by one; agents need it", f"{POLICY}.is_sync_mode"),
    *_all(KEPT, "must be 1: an engine is tensor-parallel only", f"{POLICY}.*_model_parallel_size"),
    *_all(MATHS, "a penalty on tokens that were drawn before, besides repetition_penalty", f"{POLICY}.*presence_penalty",
          f"{POLICY}.*frequency_penalty"),
    *_all(DEAD, "engines take no packed sequences", f"{POLICY}.packing", f"{POLICY}.max_token_in_packing"),
    *_all(KEPT, "the longest sequence for which engines record a CUDA graph", f"{POLICY}.max_seq_len_to_capture"),
)  # fmt: skip

REST = (
    *_all(MATHS, "how far an answer gets in one episode before it waits for the next; it belongs to use_partial_rollout",
          f"{PARTIAL}.mini_response_per_prompt", f"{PARTIAL}.max_rollout_round", f"{PARTIAL}.rollout_ratio"),
    *_each(KEPT, "processes and batches of a helper that runs on CPUs", OTHERS, "num_cpu", "cpu_per_process", "generation_batch_size"),
    *_each(DEAD, "inherited from the base class of all models; a helper on CPUs does not use it", OTHERS, "*"),
    *_all(KEPT, "the runtime environment of Ray: what is packed and installed for the processes", "env_args.*"),
)  # fmt: skip

REASONS: tuple[Reason, ...] = (*RUNTIME, *TRAINING, *MEGATRON, *ENGINES, *REST)
