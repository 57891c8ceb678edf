"""Copies of one value: what the reference takes from the trainer, the engines from both, and tracking from the run."""

from __future__ import annotations

from rftconf.mappers.copies import AsAnother
from rftconf.mappers.shapes import together

RUN, TRAINER, REF, POLICY = "runtime_args.", "models.policy_trainer.", "models.ref_policy.", "models.policy."
SHARED = (
    "num_gpu", "load", "packing", "max_token_in_packing", "ulysses_sequence_parallel_size", "tensor_model_parallel_size",
    "pipeline_model_parallel_size", "context_parallel_size", "expert_model_parallel_size", "expert_tensor_parallel_size",
    "virtual_pipeline_model_parallel_size", "sequence_parallel", "bf16", "tokenizer_type", "trust_remote_code",
)  # fmt: skip
"""Fields of the reference that are the trainer's unless it has its own."""
FOLLOWS = {
    **{REF + name: TRAINER + name for name in SHARED if name not in ("sequence_parallel", "bf16")},
    POLICY + "num_gpu": TRAINER + "num_gpu",
    POLICY + "load": TRAINER + "load",
    POLICY + "num_inference_per_prompt": RUN + "num_inference_per_prompt",
    TRAINER + "train_micro_batch_size": RUN + "train_micro_batch_size",
    RUN + "log_args_dict.log_dir": RUN + "output_dir",
    **{
        role + name: POLICY + name
        for role in (TRAINER, REF)
        for name in ("max_prompt_tokens_length", "max_response_tokens_length")
    },
    **{role + "tokenizer_model": POLICY + "load" for role in (TRAINER, REF)},
}
"""As the shipped templates write them: `${models.policy_trainer.num_gpu}`."""
COPIES = together(
    *(AsAnother(REF + name, TRAINER + name, "as the trainer's") for name in SHARED),
    why="models without a value of their own do as the trainer",
)
"""A reference that the source does not have, or does not describe, is laid out as the trainer."""
