"""Reasons tell what becomes of keys of veRL's VeOmni and TorchTitan engines that no row speaks for, and why."""

from __future__ import annotations

from rftconf.base.ledger import State
from rftconf.mappers.rows import Reason

DEAD, KEPT, MATHS = State.DEAD_IN_SOURCE, State.EXTENSION, State.NO_COUNTERPART
VEOMNI, TORCHTITAN = ("veomni",), ("torchtitan",)
BOTH = (*VEOMNI, *TORCHTITAN)
FILLED = (
    "strategy", "use_dynamic_bsz", "max_token_len_per_gpu", "micro_batch_size_per_gpu", "infer_max_token_len_per_gpu",
    "infer_micro_batch_size_per_gpu", "use_fused_kernels", "use_remove_padding",
)  # fmt: skip
"""Fields of every engine's block that workers fill."""


def _reasons_in_blocks(blocks: tuple[str, ...], state: State, why: str, *names: str) -> tuple[Reason, ...]:
    return tuple(Reason(f"*.{block}.{name}", state, why) for block in blocks for name in names)


ENGINE_REASONS = (
    *_reasons_in_blocks(BOTH, DEAD, "veRL's workers write it into this block before the engine starts, from the role and the model", *FILLED),
    *_reasons_in_blocks(BOTH, KEPT, "a switch for debugging: an engine with it cannot train", "forward_only"),
    *_reasons_in_blocks(BOTH, KEPT, "of how many tokens this engine computes the entropy at a time; memory only",
         "entropy_from_logits_chunk_size"),
    *_reasons_in_blocks(VEOMNI, DEAD, "a field that VeOmni's engine never reads", "dtype", "ckpt_manager", "load_checkpoint_path",
         "force_use_huggingface"),
    *_reasons_in_blocks(VEOMNI, KEPT, "which kernel VeOmni computes a part of the model with; the same function, within rounding",
         "*_implementation"),
    *_reasons_in_blocks(VEOMNI, KEPT, "how VeOmni's activations wait in host memory; memory and speed only",
         "enable_async_activation_offload", "activation_offload_*"),
    *_reasons_in_blocks(VEOMNI, KEPT, "how VeOmni builds, wraps and compiles the model; memory and speed only", "init_device",
         "basic_modules", "enable_reentrant", "use_torch_compile"),
    Reason("*.optim.lr_start", MATHS, "the rate at which VeOmni's warm-up starts; the plan's starts at zero"),
    Reason("*.optim.lr_decay_ratio", MATHS, "the share of the run over which VeOmni's rate decays; the plan's decays over all of it"),
    Reason("critic.optim.lr_min", MATHS, "floor of the VeOmni critic's schedule; the plan keeps a floor as a share of the rate"),
    *_reasons_in_blocks(TORCHTITAN, DEAD, "a field that TorchTitan's engine never reads", "expert_tensor_parallel_size",
         "data_parallel_size"),
    *_reasons_in_blocks(TORCHTITAN, KEPT, "how many copies of the model train; follows from the GPUs and the other sizes",
         "data_parallel_replicate_size"),
    *_reasons_in_blocks(TORCHTITAN, KEPT, "which attention kernel and which compiler back end TorchTitan uses; speed only", "attn_type",
         "spmd_backend", "use_torch_compile"),
    *_reasons_in_blocks(TORCHTITAN, KEPT, "what TorchTitan computes again in backward instead of keeping it; memory only",
         "activation_checkpoint"),
    *_reasons_in_blocks(TORCHTITAN, KEPT, "how long the table of rotary positions is; it must hold the longest sequence", "max_seq_len"),
    Reason("*.optim.eps", MATHS, "the epsilon of TorchTitan's AdamW; no neutral field"),
)  # fmt: skip
