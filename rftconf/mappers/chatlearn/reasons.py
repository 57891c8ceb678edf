"""Reasons tell what becomes of ChatLearn keys that no row speaks for, and why. The first pattern that fits counts."""

from __future__ import annotations

from rftconf.base.ledger import State
from rftconf.mappers.rows import Reason, reasons_below, reasons_for

DEAD, KEPT, MATHS = State.DEAD_IN_SOURCE, State.EXTENSION, State.NO_COUNTERPART
RUN, TRAINER, REF, POLICY = "runtime_args", "models.policy_trainer", "models.ref_policy", "models.policy"
REWARD, PARTIAL, MANAGER = "models.reward", "models.partial_rollout_manager", "models.rollout_manager"
MODELS = (TRAINER, REF)
OTHERS = (REWARD, PARTIAL, MANAGER)


RUNTIME = (
    *reasons_for(MATHS, "how copies of a prompt are laid out in an episode; it decides which answers share an update",
          f"{RUN}.data_rerank"),
    *reasons_for(KEPT, "advantages look at the last episode alone: any number above 0 does the same, and 0 stops the run (H14)",
          f"{RUN}.max_replay_episode"),
    *reasons_for(MATHS, "the episode from which on advantages are computed; before it the run fails", f"{RUN}.replay_episode_offset"),
    *reasons_for(KEPT, "where logs and trackers put their files; it does not change training", f"{RUN}.log_args_dict.*_dir"),
    *reasons_for(KEPT, "the run's name and number in Weights & Biases; runtime_args.exp_name names the run",
          f"{RUN}.log_args_dict.wandb_*"),
    *reasons_for(MATHS, "a multi-turn task with tools: an agent graph of ChatLearn's own generates and scores the answers",
          f"{RUN}.task_type"),
    *reasons_for(KEPT, "spreads requests over asynchronous SGLang engines; the answers are drawn the same way",
          f"{RUN}.use_rollout_manager", f"{MANAGER}.use_dynamic_load_blance", f"{MANAGER}.max_concurrent_per_engine"),
    *reasons_for(KEPT, "debugging and profiling of ChatLearn's processes; it does not change training", f"{RUN}.debug", f"{RUN}.nsys",
          f"{RUN}.profiler_dir"),
    *reasons_for(KEPT, "how ChatLearn starts and places its processes; it does not change training", f"{RUN}.concurrent_setup",
          f"{RUN}.cpu_schedule_strategy", f"{RUN}.policy_to_regroup_queue"),
    *reasons_for(MATHS, "prompts stay chat messages for an agent, and none is dropped for its length", f"{RUN}.raw_chat"),
    *reasons_for(DEAD, "all files form one data set, whatever the ratio says", f"{RUN}.data_ratio"),
    *reasons_for(KEPT, "where a resumed run goes on in the data; it is ChatLearn's own counter", f"{RUN}.consumed_samples",
          f"{RUN}.load_data_checkpoint_iteration"),
    *reasons_for(KEPT, "how many states of the data loader are kept; weights are all kept", f"{RUN}.max_data_ckpt_nums"),
    *reasons_for(KEPT, "how ChatLearn's loader hands out an episode: fixed waits for all of it", f"{RUN}.stream_data_loader_type"),
    *reasons_for(MATHS, "a vision-language model: images come with the rows, in ChatLearn's own columns", f"{RUN}.model_type"),
)  # fmt: skip

TRAINING = (
    *reasons_for(MATHS, "an upper bound on the log-ratio before it is exponentiated; it acts on ratios above e^10 by default",
          f"{TRAINER}.diff_clip_ratio"),
    *reasons_for(DEAD, "overwritten with num_gpu: weights are sharded over all GPUs of the model",
          f"{TRAINER}.fsdp_size", f"{REF}.fsdp_size"),
    *reasons_for(DEAD, "the FSDP model always checkpoints its gradients", f"{TRAINER}.gradient_checkpointing"),
    *reasons_below(DEAD, "overwritten from num_gpu and the parallel sizes", (*MODELS, POLICY), "replica_dp_size", "num_replica"),
    *reasons_below(KEPT, "initialises the model without memory, then loads its shards; the weights are the same", MODELS, "meta_init"),
    *reasons_below(KEPT, "a faster kernel for experts, of some mixture models only; the mathematics are the same", MODELS, "groupgemm"),
    *reasons_below(KEPT, "an option of PyTorch's memory allocator", MODELS, "use_expandable_segments"),
    *reasons_for(KEPT, "the model that is trained must say so, and the others must not", f"{TRAINER}.trainable", f"{REF}.trainable",
          f"{POLICY}.trainable"),
    *reasons_below(KEPT, "how ChatLearn cuts a model into processes; a model on GPUs takes 1", (*MODELS, POLICY), "gpu_per_process", "num_cpu",
           "cpu_per_process"),
    *reasons_below(DEAD, "weights go to the engines, whose models.policy.sync_frequency counts", MODELS, "sync_frequency"),
    *reasons_below(DEAD, "read for the model that the data reach first, which is models.policy", MODELS, "num_inference_per_prompt",
           "enable_thinking"),
    *reasons_for(DEAD, "a reference has neither gradients nor optimizer states to free", f"{REF}.free_gpu_memory.free_grad_buffers",
          f"{REF}.free_gpu_memory.offload_optimizer_states"),
)  # fmt: skip

MEGATRON = (
    *reasons_below(DEAD, "update_cfg overwrites the architecture with that of the engines' Hugging Face folder, or Megatron's own "
           "default holds", MODELS, "megatron_model_cfg.*"),
    *reasons_below(MATHS, "sends tokens to experts at random, for measurements of speed", MODELS, "moe_router_force_load_balancing"),
    *reasons_below(KEPT, "which Python module builds the Megatron model", MODELS, "model_provider_module"),
    *reasons_below(DEAD, "overwritten with packing: packed sequences have variable lengths", MODELS, "variable_seq_lengths"),
    *reasons_below(KEPT, "Megatron's check of repeated computations", MODELS, "rerun_mode"),
    *reasons_for(MATHS, "whether a resumed run finds its optimizer, scheduler and random states again; by default it forgets them",
          f"{TRAINER}.no_load_*", f"{TRAINER}.use_checkpoint_opt_param_scheduler", f"{TRAINER}.finetune"),
    *reasons_for(KEPT, "must be true: the loss is divided by the tokens of the update", f"{TRAINER}.calculate_per_token_loss"),
    *reasons_for(KEPT, "a switch of Megatron that saves memory or time and computes the same", f"{TRAINER}.empty_unused_memory_level",
          f"{TRAINER}.gradient_accumulation_fusion"),
    *reasons_for(KEPT, "how long Megatron's processes wait for each other", f"{TRAINER}.distributed_timeout_minutes"),
)  # fmt: skip

ENGINES = (
    *reasons_for(KEPT, "engines give their memory back between the phases; needed where they share GPUs",
          f"{POLICY}.free_gpu_memory.offload_weights"),
    *reasons_for(DEAD, "an engine has neither gradients nor optimizer states to free", f"{POLICY}.free_gpu_memory.*"),
    *reasons_for(DEAD, "no code reads it: rows have fixed columns", f"{POLICY}.vllm_*_key"),
    *reasons_for(KEPT, "keeps the answers of an episode that was interrupted, for a restart", f"{POLICY}.enable_stage_resume"),
    *reasons_for(KEPT, "whether SGLang engines take requests one by one; agents need it", f"{POLICY}.is_sync_mode"),
    *reasons_for(KEPT, "must be 1: an engine is tensor-parallel only", f"{POLICY}.*_model_parallel_size"),
    *reasons_for(MATHS, "a penalty on tokens that were drawn before, besides repetition_penalty", f"{POLICY}.*presence_penalty",
          f"{POLICY}.*frequency_penalty"),
    *reasons_for(DEAD, "engines take no packed sequences", f"{POLICY}.packing", f"{POLICY}.max_token_in_packing"),
    *reasons_for(KEPT, "the longest sequence for which engines record a CUDA graph", f"{POLICY}.max_seq_len_to_capture"),
)  # fmt: skip

REST = (
    *reasons_for(MATHS, "how far an answer gets in one episode before it waits for the next; it belongs to use_partial_rollout",
          f"{PARTIAL}.mini_response_per_prompt", f"{PARTIAL}.max_rollout_round", f"{PARTIAL}.rollout_ratio"),
    *reasons_below(KEPT, "processes and batches of a helper that runs on CPUs", OTHERS, "num_cpu", "cpu_per_process", "generation_batch_size"),
    *reasons_below(DEAD, "inherited from the base class of all models; a helper on CPUs does not use it", OTHERS, "*"),
    *reasons_for(KEPT, "the runtime environment of Ray: what is packed and installed for the processes", "env_args.*"),
)  # fmt: skip

REASONS: tuple[Reason, ...] = (*RUNTIME, *TRAINING, *MEGATRON, *ENGINES, *REST)
