"""Reasons for TRL's keys that no row speaks for. The first pattern that fits counts."""

from __future__ import annotations

from rftconf.base.ledger import State
from rftconf.mappers.rows import Reason

DEAD, KEPT, MATHS, SECRET = State.DEAD_IN_SOURCE, State.EXTENSION, State.NO_COUNTERPART, State.WITHHELD


def _all(state: State, why: str, *keys: str) -> tuple[Reason, ...]:
    return tuple(Reason(key, state, why) for key in keys)


ALGORITHM = (
    *_all(MATHS, "functions of TRL's or of your own that score an answer, and their weights: rewards are code", "reward_funcs", "reward_weights"),
    *_all(MATHS, "a model with a head for scores, that every process holds beside the policy", "reward_model_name_or_path"),
    *_all(MATHS, "answers that end at the length limit count for nothing", "mask_truncated_completions"),
    *_all(MATHS, "only the tokens of highest entropy are trained on", "top_entropy_quantile"),
    *_all(MATHS, "bad answers that the policy has drifted away from are left out", "off_policy_mask_threshold"),
    *_all(MATHS, "an entropy bonus that moves with the entropy", "use_adaptive_entropy", "entropy_coef_*", "entropy_target"),
    *_all(MATHS, "weights of the vespo loss, which no field of the plan holds", "vespo_*"),
    *_all(MATHS, "the reference follows the policy at times", "sync_ref_model", "ref_model_*"),
    *_all(MATHS, "the load-balancing loss of a mixture of experts", "router_aux_loss_coef"),
    *_all(MATHS, "how dropout acts: rftconf's plan has no field for it", "disable_dropout", "lora_dropout"),
    *_all(MATHS, "tokens below a share of the likeliest one's probability are never drawn", "min_p"),
    *_all(MATHS, "arguments of generation that override those with keys of their own", "generation_kwargs*"),
    *_all(MATHS, "arguments of the chat template", "chat_template_kwargs*"),
    *_all(MATHS, "answers must fit this regular expression", "vllm_structured_outputs_regex"),
    *_all(MATHS, "how often an answer may call tools", "max_tool_calling_iterations"),
    *_all(MATHS, "the last layer computes in single precision", "cast_lm_head_to_fp32"),
)  # fmt: skip

OPTIMIZER = (
    *_all(MATHS, "an argument of the optimizer that the plan has no field for", "adam_epsilon", "optim_args", "optim_target_modules"),
    *_all(MATHS, "noise on embeddings while training", "neftune_noise_alpha"),
    *_all(DEAD, "GRPO's loss has no labels", "label_smoothing_factor", "label_names", "average_tokens_across_devices"),
    *_all(DEAD, "GRPOConfig refuses it: groups would be torn", "auto_find_batch_size"),
)  # fmt: skip

MODEL = (
    *_all(MATHS, "another state of the model's files than the newest", "model_revision"),
    *_all(MATHS, "arguments of from_pretrained", "model_init_kwargs*"),
    *_all(MATHS, "weights are loaded in fewer bits", "load_in_*", "bnb_4bit_*", "use_bnb_nested_quant"),
    *_all(MATHS, "which further weights adapters stand beside, or train whole", "lora_target_parameters", "lora_modules_to_save"),
    *_all(MATHS, "another kind of adapter", "use_rslora", "use_dora"),
    *_all(KEPT, "the task that adapters are for: GRPO trains a causal language model", "lora_task_type"),
    *_all(KEPT, "which kernel computes attention; the mathematics are the same", "attn_implementation"),
    *_all(KEPT, "sizes that tensors are padded to; the mathematics are the same", "pad_to_multiple_of"),
    *_all(KEPT, "a cache of keys and values; the mathematics are the same", "use_cache", "cache_implementation"),
)  # fmt: skip

ENGINES = (
    *_all(KEPT, "where the server of engines answers, and how long it may take", "vllm_server_*", "vllm_group_port"),
    *_all(KEPT, "engines give their memory back while the trainer runs", "vllm_enable_sleep_mode"),
    *_all(KEPT, "whose model code the engine runs", "vllm_model_impl"),
    *_all(KEPT, "how the trainer's own model generates; answers are drawn the same way",
          "use_transformers_*", "transformers_continuous_batching_config*", "ds3_gather_for_generation"),
)  # fmt: skip

DATA = (
    *_all(KEPT, "the data set is read as a stream", "dataset_streaming", "streaming"),
    *_all(MATHS, "which files, columns and rows of a data set are read", "datasets[].*"),
    *_all(MATHS, "rows that are held out for evaluation", "test_split_size"),
    *_all(DEAD, "GRPO has a sampler of its own", "train_sampling_strategy", "length_column_name", "dataloader_drop_last", "data_seed"),
    *_all(KEPT, "how data are loaded; the rows are the same", "dataloader_*"),
    *_all(KEPT, "columns are kept for the reward functions unless it is true", "remove_unused_columns"),
    *_all(KEPT, "whether a resumed run goes on where its data ended", "ignore_data_skip"),
)  # fmt: skip

LAUNCHER = (
    *_all(KEPT, "where processes are and how they meet; num_processes says how many there are",
          "machine_rank", "main_process_*", "gpu_ids", "local_rank", "ddp_*", "accelerator_config*"),
    *_all(KEPT, "files of the launcher; what they say is read where they lie beside", "config_file", "accelerate_config", "deepspeed_config_file"),
    *_all(KEPT, "how FSDP shards; the mathematics are the same", "fsdp_*"),
    *_all(KEPT, "activations are computed again in the backward pass", "gradient_checkpointing_kwargs*", "activation_checkpointing*"),
    *_all(MATHS, "GRPOConfig refuses sizes above 1", "parallelism_config"),
    *_all(KEPT, "how kernels and compilers do the same mathematics", "tf32", "torch_compile_*", "liger_kernel_config*", "use_cpu"),
    *_all(KEPT, "a work-around for buffers of models under DDP", "ignore_bias_buffers"),
    *_all(KEPT, "debugging; it does not change training", "debug", "skip_memory_metrics", "torch_empty_cache_steps"),
)  # fmt: skip

SAVED = (
    *_all(SECRET, "a credential is not carried over", "hub_token"),
    *_all(KEPT, "checkpoints on the hub", "hub_*", "push_to_hub"),
    *_all(KEPT, "trackers' own settings; they do not change training", "project", "trackio_*"),
    *_all(KEPT, "what is logged; it does not change training", "log*", "disable_tqdm", "num_completions_to_print", "include_num_input_tokens_seen"),
    *_all(KEPT, "how checkpoints are written", "save_*", "enable_jit_checkpoint", "restore_callback_states_from_checkpoint"),
    *_all(KEPT, "which checkpoint counts as the best", "load_best_model_at_end", "metric_for_best_model", "greater_is_better"),
    *_all(KEPT, "how evaluation is computed; its numbers are the same", "eval_*", "per_device_eval_batch_size", "prediction_loss_only",
          "batch_eval_metrics", "include_for_metrics", "bf16_full_eval", "fp16_full_eval"),
    *_all(DEAD, "nothing that GRPO's trainer runs reads it", "do_train", "do_eval", "do_predict"),
)  # fmt: skip

REASONS: tuple[Reason, ...] = (*ALGORITHM, *OPTIMIZER, *MODEL, *ENGINES, *DATA, *LAUNCHER, *SAVED)
