"""This module tells which of Megatron's own options are placement or speed, and which change the mathematics."""

from __future__ import annotations

from collections.abc import Iterator
from fnmatch import fnmatchcase
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from rftconf.plan.model import Worker

Values = tuple[Any, ...]
ANY: Values = ()
"""Stands for every value."""
SPEED: dict[str, Values] = {
    # memory for time
    "recompute_*": ANY, "moe_layer_recompute": ANY, "cpu_offloading*": ANY, "fine_grained_activation_offloading": ANY, "offload_modules": ANY,
    # which kernel computes the same
    "attention_backend": ANY, "*_fusion": ANY, "persist_layer_norm": ANY, "memory_efficient_layer_norm": ANY,
    "moe_grouped_gemm": ANY, "moe_use_legacy_grouped_gemm": ANY, "enable_cuda_graph": ANY, "cuda_graph_*": ANY,
    # which layers are where, and how what they pass on travels
    "num_layers_in_*_pipeline_stage": ANY, "account_for_*_in_pipeline_split": ANY, "pipeline_model_parallel_layout": ANY,
    "deallocate_pipeline_outputs": ANY, "variable_seq_lengths": ANY, "batch_p2p_*": ANY, "overlap_p2p_comm*": ANY,
    "tp_comm_*": ANY, "overlap_moe_expert_parallel_comm": ANY, "delay_wgrad_compute": ANY, "moe_enable_deepep": ANY,
    "moe_token_dispatcher_type": ANY, "moe_flex_dispatcher_backend": ANY, "moe_shared_expert_overlap": ANY,
    "use_cpu_initialization": ANY, "cp_comm_type": ANY, "sequence_parallel": ANY,
    # mathematics that is switched off
    "hidden_dropout": (0, None), "attention_dropout": (0, None), "fp8": (None, False), "fp4": (None, False),
    "moe_aux_loss_coeff": (0, None), "moe_z_loss_coeff": (0, None), "moe_router_load_balancing_type": ("none", None),
    "moe_router_bias_update_rate": (0, None), "moe_expert_capacity_factor": (None,), "moe_router_force_load_balancing": (False, None),
    "moe_input_jitter_eps": (None,), "moe_router_dtype": (None,), "mtp_num_layers": (0, None), "apply_query_key_layer_scaling": (False, None),
}  # fmt: skip
"""Arguments of Megatron's TransformerConfig without which a model is the same one."""
OF_TYPE = {"bf16": ("bfloat16", "bf16"), "fp16": ("float16", "fp16")}
"""Switches of Megatron that repeat the number type, with the types that agree with them."""
OF_GRADIENTS: dict[str, Values] = {
    "overlap_*": ANY, "use_distributed_optimizer": ANY, "bucket_size": ANY, "pad_buckets_for_high_nccl_busbw": ANY,
    "align_param_gather": ANY, "check_for_nan_in_grad": ANY, "check_for_large_grads": ANY, "average_in_collective": ANY,
    "delay_wgrad_compute": ANY, "grad_reduce_in_fp32": (True, None), "accumulate_allreduce_grads_in_fp32": (True, None),
    "fp8_param_gather": (False, None), "use_custom_fsdp": (False, None), "use_megatron_fsdp": (False, None),
}  # fmt: skip
"""The same of its DistributedDataParallelConfig: gradients are added up in single precision in the other back end, too."""
MATHEMATICS = ("*dropout*", "fp8*", "fp4*", "moe_*", "mtp_*", "grad_reduce_in_fp32", "accumulate_allreduce_grads_in_fp32",
               "apply_query_key_layer_scaling", "*_in_fp32", "bf16", "fp16", "*norm*", "*rope*", "*rotary*", "*loss*", "window_size*")  # fmt: skip
"""Those of which it is known that they change what is computed; of any other nobody here knows."""


def untranslated_words(worker: Worker, dtype: Any) -> Iterator[tuple[str, Any, bool]]:
    """Yield path below the role, value, and whether it surely changes the mathematics, for every option without a word elsewhere.

    `dtype` is the number type that the role computes in.
    """
    m = worker.megatron
    types: dict[str, Values] = {name: (dtype in dtypes, None) for name, dtypes in OF_TYPE.items()}
    harmless_of: dict[str, dict[str, Values]] = {
        "transformer_overrides": {**SPEED, **types},
        "ddp_overrides": OF_GRADIENTS,
        "model_overrides": {},
    }
    for block, harmless in harmless_of.items():
        words = getattr(m, block)
        for key, value in words.items() if isinstance(words, dict) else ():
            if block == "model_overrides" and value in ({}, None):
                continue
            if not any(
                fnmatchcase(key, glob) and (values == ANY or value in values) for glob, values in harmless.items()
            ):
                known = block == "model_overrides" or any(fnmatchcase(key, glob) for glob in MATHEMATICS)
                yield f"megatron.{block}.{key}", value, known
