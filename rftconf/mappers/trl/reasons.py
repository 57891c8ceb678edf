"""Reasons for TRL's keys that no row speaks for. The first pattern that fits counts."""

from __future__ import annotations

from rftconf.base.ledger import State
from rftconf.mappers.rows import Reason, reasons_for

DEAD, KEPT, MATHS, SECRET = State.DEAD_IN_SOURCE, State.EXTENSION, State.NO_COUNTERPART, State.WITHHELD


ALGORITHM = (
    *reasons_for(MATHS, "functions of TRL's or of your own that score an answer, and their weights: rewards are code", "reward_funcs", "reward_weights"),
    *reasons_for(MATHS, "a model with a head for scores, that every process holds beside the policy", "reward_model_name_or_path"),
    *reasons_for(MATHS, "answers that end at the length limit count for nothing", "mask_truncated_completions"),
    *reasons_for(MATHS, "only the tokens of highest entropy are trained on", "top_entropy_quantile"),
    *reasons_for(MATHS, "bad answers that the policy has drifted away from are left out", "off_policy_mask_threshold"),
    *reasons_for(MATHS, "an entropy bonus that moves with the entropy", "use_adaptive_entropy", "entropy_coef_*", "entropy_target"),
    *reasons_for(MATHS, "weights of the vespo loss, which no field of the plan holds", "vespo_*"),
    *reasons_for(MATHS, "the reference follows the policy at times", "sync_ref_model", "ref_model_*"),
    *reasons_for(MATHS, "the load-balancing loss of a mixture of experts", "router_aux_loss_coef"),
    *reasons_for(MATHS, "how dropout acts: rftconf's plan has no field for it", "disable_dropout", "lora_dropout"),
    *reasons_for(MATHS, "tokens below a share of the likeliest one's probability are never drawn", "min_p"),
    *reasons_for(MATHS, "arguments of generation that override those with keys of their own", "generation_kwargs*"),
    *reasons_for(MATHS, "arguments of the chat template", "chat_template_kwargs*"),
    *reasons_for(MATHS, "answers must fit this regular expression", "vllm_structured_outputs_regex"),
    *reasons_for(MATHS, "how often an answer may call tools", "max_tool_calling_iterations"),
    *reasons_for(MATHS, "the last layer computes in single precision", "cast_lm_head_to_fp32"),
)  # fmt: skip

OPTIMIZER = (
    *reasons_for(MATHS, "an argument of the optimizer that the plan has no field for", "adam_epsilon", "optim_args", "optim_target_modules"),
    *reasons_for(MATHS, "noise on embeddings while training", "neftune_noise_alpha"),
    *reasons_for(DEAD, "GRPO's loss has no labels", "label_smoothing_factor", "label_names", "average_tokens_across_devices"),
    *reasons_for(DEAD, "GRPOConfig refuses it: groups would be torn", "auto_find_batch_size"),
)  # fmt: skip

MODEL = (
    *reasons_for(MATHS, "another state of the model's files than the newest", "model_revision"),
    *reasons_for(KEPT, "where the model's files and its parts are, and which kernel computes attention; the mathematics are the same",
          *(f"model_init_kwargs.{name}" for name in ("attn_implementation", "device_map", "low_cpu_mem_usage", "cache_dir", "use_cache"))),
    *reasons_for(SECRET, "a credential is not carried over", "model_init_kwargs.token"),
    *reasons_for(MATHS, "arguments of from_pretrained", "model_init_kwargs*"),
    *reasons_for(MATHS, "weights are loaded in fewer bits", "load_in_*", "bnb_4bit_*", "use_bnb_nested_quant"),
    *reasons_for(MATHS, "which further weights adapters stand beside, or train whole", "lora_target_parameters", "lora_modules_to_save"),
    *reasons_for(MATHS, "another kind of adapter", "use_rslora", "use_dora"),
    *reasons_for(KEPT, "the task that adapters are for: GRPO trains a causal language model", "lora_task_type"),
    *reasons_for(KEPT, "which kernel computes attention; the mathematics are the same", "attn_implementation"),
    *reasons_for(KEPT, "sizes that tensors are padded to; the mathematics are the same", "pad_to_multiple_of"),
    *reasons_for(KEPT, "a cache of keys and values; the mathematics are the same", "use_cache", "cache_implementation"),
)  # fmt: skip

ENGINES = (
    *reasons_for(KEPT, "where the server of engines answers, and how long it may take", "vllm_server_*", "vllm_group_port"),
    *reasons_for(KEPT, "engines give their memory back while the trainer runs", "vllm_enable_sleep_mode"),
    *reasons_for(KEPT, "whose model code the engine runs", "vllm_model_impl"),
    *reasons_for(KEPT, "how the trainer's own model generates; answers are drawn the same way",
          "use_transformers_*", "transformers_continuous_batching_config*", "ds3_gather_for_generation"),
)  # fmt: skip

DATA = (
    *reasons_for(KEPT, "the data set is read as a stream", "dataset_streaming", "streaming"),
    *reasons_for(MATHS, "which files, columns and rows of a data set are read", "datasets[].*"),
    *reasons_for(MATHS, "rows that are held out for evaluation", "test_split_size"),
    *reasons_for(DEAD, "GRPO has a sampler of its own", "train_sampling_strategy", "length_column_name", "dataloader_drop_last", "data_seed"),
    *reasons_for(KEPT, "how data are loaded; the rows are the same", "dataloader_*"),
    *reasons_for(KEPT, "columns are kept for the reward functions unless it is true", "remove_unused_columns"),
    *reasons_for(KEPT, "whether a resumed run goes on where its data ended", "ignore_data_skip"),
)  # fmt: skip

LAUNCHER = (
    *reasons_for(KEPT, "where processes are and how they meet; num_processes says how many there are",
          "machine_rank", "main_process_*", "gpu_ids", "local_rank", "ddp_*", "accelerator_config*"),
    *reasons_for(KEPT, "files of the launcher; what they say is read where they lie beside", "config_file", "accelerate_config", "deepspeed_config_file"),
    *reasons_for(KEPT, "how FSDP shards; the mathematics are the same", "fsdp_*"),
    *reasons_for(KEPT, "activations are computed again in the backward pass", "gradient_checkpointing_kwargs*", "activation_checkpointing*"),
    *reasons_for(MATHS, "GRPOConfig refuses sizes above 1", "parallelism_config"),
    *reasons_for(KEPT, "how kernels and compilers do the same mathematics", "tf32", "torch_compile_*", "liger_kernel_config*", "use_cpu"),
    *reasons_for(KEPT, "a work-around for buffers of models under DDP", "ignore_bias_buffers"),
    *reasons_for(KEPT, "debugging; it does not change training", "debug", "skip_memory_metrics", "torch_empty_cache_steps"),
)  # fmt: skip

SAVED = (
    *reasons_for(SECRET, "a credential is not carried over", "hub_token"),
    *reasons_for(KEPT, "checkpoints on the hub", "hub_*", "push_to_hub"),
    *reasons_for(KEPT, "trackers' own settings; they do not change training", "project", "trackio_*"),
    *reasons_for(KEPT, "what is logged; it does not change training", "log*", "disable_tqdm", "num_completions_to_print", "include_num_input_tokens_seen"),
    *reasons_for(KEPT, "how checkpoints are written", "save_*", "enable_jit_checkpoint", "restore_callback_states_from_checkpoint"),
    *reasons_for(KEPT, "which checkpoint counts as the best", "load_best_model_at_end", "metric_for_best_model", "greater_is_better"),
    *reasons_for(KEPT, "how evaluation is computed; its numbers are the same", "eval_*", "per_device_eval_batch_size", "prediction_loss_only",
          "batch_eval_metrics", "include_for_metrics", "bf16_full_eval", "fp16_full_eval"),
    *reasons_for(DEAD, "nothing that GRPO's trainer runs reads it", "do_train", "do_eval", "do_predict"),
)  # fmt: skip

REASONS: tuple[Reason, ...] = (*ALGORITHM, *OPTIMIZER, *MODEL, *ENGINES, *DATA, *LAUNCHER, *SAVED)
