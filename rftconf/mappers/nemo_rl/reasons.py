"""Reasons for NeMo-RL's keys that no row speaks for. The first pattern that fits counts."""

from __future__ import annotations

from rftconf.base.ledger import State
from rftconf.mappers.rows import Reason, reasons_for

DEAD, KEPT, MATHS = State.DEAD_IN_SOURCE, State.EXTENSION, State.NO_COUNTERPART

ALGORITHM = (
    *reasons_for(MATHS, "answers that end at the length limit count for nothing", "grpo.overlong_filtering"),
    *reasons_for(MATHS, "advantages are cut to this range", "grpo.advantage_clip_*"),
    *reasons_for(MATHS, "after so many batches without enough groups the run stops", "grpo.dynamic_sampling_max_gen_batches"),
    *reasons_for(MATHS, "answers near the length limit lose some of their reward, or a part of it where they were cut", "grpo.reward_shaping.*"),
    *reasons_for(MATHS, "rewards are cut to one range and mapped to another", "grpo.reward_scaling.*"),
    *reasons_for(MATHS, "answers of which engine and trainer differ too much are left out", "grpo.seq_logprob_error_threshold"),
    *reasons_for(MATHS, "tokens of wrong tool calls, and of torn thoughts, get this advantage", "grpo.invalid_tool_call_advantage",
          "grpo.malformed_thinking_advantage"),
    *reasons_for(MATHS, "answers that were right add their likelihood to the loss", "loss_fn.positive_example_nll_weight"),
    *reasons_for(MATHS, "the penalty of each token is weighed by the trainer's probability over the engine's", "loss_fn.use_on_policy_kl_approximation"),
    *reasons_for(MATHS, "log-ratios, and penalties, are cut at this number", "loss_fn.kl_*_clamp_value"),
    *reasons_for(MATHS, "the mean of a group is taken off before advantages are whitened", "grpo.adv_estimator.*"),
    *reasons_for(KEPT, "how advantages are computed; they are the same", "grpo.calculate_advantages_on_gpu", "grpo.skip_reference_policy_logprobs_calculation"),
    *reasons_for(KEPT, "the engines' cache is made anew after each change of weights", "grpo.async_grpo.recompute_kv_cache_after_weight_updates"),
    *reasons_for(KEPT, "how validation is cut into batches, and whether one stands at the end", "grpo.val_*"),
    *reasons_for(MATHS, "teachers beside the policy, whose probabilities make advantages", "on_policy_distillation*"),
)  # fmt: skip

MODEL = (
    *reasons_for(MATHS, "a model that guesses ahead is trained beside the policy", "policy.draft.*"),
    *reasons_for(MATHS, "weights are computed in fewer bits", "policy.quant_*", "policy.disable_modelopt_layer_spec", "policy.megatron_cfg.fp8_cfg*",
          "policy.generation.quant_cfg", "policy.generation.real_quant*"),
    *reasons_for(MATHS, "experts are chosen as the engine chose them", "policy.router_replay.*"),
    *reasons_for(MATHS, "another state of weights to begin with", "policy.pretrained_checkpoint*", "checkpointing.pretrained_checkpoint*"),
    *reasons_for(MATHS, "the model scores, and is no policy", "policy.reward_model_cfg.*"),
    *reasons_for(MATHS, "pictures, sounds and films of a row", "policy.tokenizer.audio*", "policy.tokenizer.video*"),
    *reasons_for(KEPT, "whether a processor stands beside the tokenizer", "policy.tokenizer.use_processor"),
    *reasons_for(MATHS, "arguments of the chat template", "policy.tokenizer.chat_template_kwargs*"),
    *reasons_for(KEPT, "null where Megatron has an optimizer of its own", "policy.optimizer"),
    *reasons_for(MATHS, "arguments of the optimizer that the plan has no field for", "policy.optimizer.kwargs*",
          "policy.megatron_cfg.optimizer.adam_eps", "policy.megatron_cfg.optimizer.sgd_momentum"),
    *reasons_for(MATHS, "how weights decay over the run", "policy.megatron_cfg.scheduler.*"),
    *reasons_for(MATHS, "which adapters there are beside rank, scale and modules", "policy.dtensor_cfg.lora_cfg.*", "policy.megatron_cfg.peft.*"),
    *reasons_for(MATHS, "how experts are routed, and trained", "policy.megatron_cfg.freeze_moe_router", "policy.megatron_cfg.moe_router_*",
          "policy.dtensor_cfg.moe_parallelizer*"),
    *reasons_for(MATHS, "layers that guess several tokens ahead are trained beside the policy", "policy.megatron_cfg.mtp_*"),
    *reasons_for(MATHS, "parts of the model that are not trained, and the model's code", "policy.dtensor_cfg.automodel_kwargs*"),
)  # fmt: skip

PLACES = (
    *reasons_for(KEPT, "how either trainer computes and sends; the mathematics are the same", "policy.megatron_cfg.*", "policy.dtensor_cfg.*"),
    *reasons_for(KEPT, "how micro-batches are filled; the mathematics are the same", "policy.sequence_packing.*", "policy.dynamic_batching.*"),
    *reasons_for(KEPT, "sizes that sequences are padded to, and parts that logits are computed in", "policy.make_sequence_length_divisible_by",
          "policy.logprob_chunk_size"),
    *reasons_for(KEPT, "how weights go to the engines, and what waits in host memory meanwhile", "policy.refit_buffer_size_gb",
          "policy.offload_optimizer_for_logprob"),
    *reasons_for(DEAD, "only the engine of Hugging Face read it, which is gone", "policy.generation_batch_size"),
    *reasons_for(MATHS, "where answers end beside the end token", "policy.generation.stop_*"),
    *reasons_for(MATHS, "weights, or keys and values, of the engine have fewer bits", "policy.generation.vllm_cfg.kv_cache_dtype",
          "policy.generation.vllm_cfg.num_*_layers_in_bf16"),
    *reasons_for(KEPT, "arguments of the engine; answers are drawn the same way", "policy.generation.vllm_cfg.*", "policy.generation.vllm_kwargs*",
          "policy.generation.sglang_*", "policy.generation.mcore_generation_config*"),
    *reasons_for(KEPT, "ports and addresses of engines", "policy.generation.port_range_*"),
    *reasons_for(KEPT, "how engines answer; answers are drawn the same way", "policy.generation.use_async_rollouts"),
    *reasons_for(KEPT, "the engine loads the policy's model", "policy.generation.model_name"),
    *reasons_for(KEPT, "where processes meet, and which nodes stand together", "cluster.*", "data_plane.*"),
)  # fmt: skip

DATA = (
    *reasons_for(MATHS, "files that validate, by names of their own", "data.val_data_paths*"),
    *reasons_for(MATHS, "which rows of a data set there are, and which of them validate", "data.train*", "data.validation*"),
    *reasons_for(MATHS, "how prompts are put into text, and which code makes rows of a data set", "data.default.*"),
    *reasons_for(MATHS, "tokens that stand before and behind a text", "data.add_*"),
    *reasons_for(MATHS, "how many rows of each set a batch has", "data.use_multiple_dataloader", "data.num_prompts_per_dataloader", "data.custom_dataloader"),
    *reasons_for(MATHS, "environments that score answers, or that an agent acts in: they are code", "env*"),
)  # fmt: skip

SAVED = (
    *reasons_for(KEPT, "how checkpoints are written, and which of them are kept", "checkpointing.*"),
    *reasons_for(KEPT, "trackers' own settings; they do not change training", "logger*"),
)  # fmt: skip

REASONS: tuple[Reason, ...] = (*ALGORITHM, *MODEL, *PLACES, *DATA, *SAVED)
