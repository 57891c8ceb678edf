"""ChatLearn changed in this way between 1.2.0 and its main branch of 2025-10-23, the last state that is published."""

from __future__ import annotations

from collections.abc import Mapping

from rftconf.schemas.changes_of_releases import Changes
from rftconf.schemas.edits import Edit, Removed, moves, removed_keys

_ROLES = ("models.policy_trainer", "models.ref_policy")
_MOVED = (
    *("attention_backend", "async_tensor_model_parallel_allreduce", "overlap_p2p_comm", "batch_p2p_comm"),
    "deallocate_pipeline_outputs",
)
"""What Megatron takes as a part of the model's architecture since September 2025."""
_MEGATRON: tuple[Edit, ...] = tuple(
    edit
    for role in _ROLES
    for edit in (
        *moves(role, f"{role}.megatron_model_cfg", _MOVED),
        *removed_keys(
            "a numerical switch of Megatron that is not passed on any more",
            f"{role}.megatron_model_cfg.disable_bf16_reduced_precision_matmul",
            f"{role}.attention_softmax_in_fp32",
        ),
    )
)
_BOTH: tuple[Edit, ...] = (
    Removed(
        "models.policy.max_new_tokens", "nothing read it: answers ended at models.policy.seq_length", harmless=True
    ),
)

_SUM = "overwritten with max_prompt_tokens_length + max_response_tokens_length"
DEAD: dict[str, Mapping[str, str]] = {
    "2025.10.23": {
        "models.policy.seq_length": _SUM,
        "models.policy.max_seq_len_to_capture": _SUM,
        "models.policy_trainer.seq_length": _SUM,
        "models.ref_policy.seq_length": _SUM,
    }
}
"""Keys that a release accepts and overwrites, which another one reads."""


def edits(release: str, trainer: str) -> tuple[Edit, ...]:
    """The edits that lead from `release` to the next one."""
    del release
    return (*_BOTH, *(_MEGATRON if trainer == "megatron" else ()))


CHANGES = Changes(edits, dead=DEAD)
