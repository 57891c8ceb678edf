"""NeMo-RL's releases from 0.3.1 to 0.7.0 differ by these edits; with 0.6.0 data sets got sections of their own."""

from __future__ import annotations

from collections.abc import Mapping

from rftconf.base.symbols import Value
from rftconf.schemas.changes_of_releases import Changes
from rftconf.schemas.edits import Edit, Move, Removed, moves, removed_keys

_DATA: tuple[Edit, ...] = (
    *moves("data", "data.default", ("prompt_file", "system_prompt_file", "processor", "env_name")),
    *moves("data", "data.default", ("input_key", "output_key", "download_dir")),
    *moves("data", "data.train", ("dataset_name", "split", "seed")),
    Move("data.val_dataset_name", "data.validation.dataset_name"),
    Move("data.train_data_path", "data.train.data_path"),
    Removed("data.val_data_paths", "a validation set has one data_path, in data.validation, since 0.6.0"),
)
"""examples/run_grpo.py: setup_data of 0.5.0; nemo_rl/data/utils.py: setup_response_data of 0.6.0."""
_STEPS: dict[str, tuple[Edit, ...]] = {
    "0.3.1": (
        *removed_keys(
            "it belonged to a trainer on FSDP1, which is gone", "policy.fsdp_offload_enabled", "policy.activation_checkpointing_enabled"
        ),
        Removed("policy.generation.pad_token_id", "the tokenizer's own is taken, and was (configure_generation_config)", harmless=True),
        Removed("policy.megatron_cfg.distributed_data_parallel_config.average_in_collective", "no code passes it on to Megatron"),
    ),
    "0.5.0": (
        *_DATA,
        Removed("policy.megatron_cfg.force_overwrite_initial_ckpt", "force_reconvert_from_hf says when weights are converted again"),
        Removed("policy.generation.mcore_generation_config.buffer_guaranteed_fraction", "Megatron's engine has no such part of its buffer", harmless=True),
    ),
    "0.6.0": (
        Removed("policy.megatron_cfg.converter_type", "Megatron-Bridge finds the converter by the model", harmless=True),
        Removed("policy.generation.mcore_generation_config.unified_memory_level", "kv_cache_management_mode says what becomes of the cache"),
        Move("policy.generation.sglang_cfg.gpus_per_server", "policy.generation.sglang_cfg.sglang_server_config.num_gpus_per_engine"),
        Removed("policy.generation.sglang_cfg.enable_memory_saver", "the server's own arguments say it"),
    ),
}  # fmt: skip
"""Each edit stands under the release that it leads from."""

IMPLIED: Mapping[tuple[str, str], Mapping[str, Value]] = {
    ("0.3.1", ""): {"loss_fn.kl_input_clamp_value": None, "loss_fn.kl_output_clamp_value": None},
    ("0.4.0", ""): {"loss_fn.kl_output_clamp_value": None},
    ("0.5.0", ""): {
        "loss_fn.truncated_importance_sampling_type": "tis",
        "grpo.adv_estimator.name": "grpo",
        "grpo.adv_estimator.minus_baseline": True,
    },
}
"""A release did this before it had the key (calculate_kl_penalty_joschu2020 up to 0.4.0; ClippedPGLossFn of 0.5.0)."""


def edits(release: str, trainer: str) -> tuple[Edit, ...]:
    """The edits that lead from `release` to the next one."""
    del trainer
    return _STEPS.get(release, ())


CHANGES = Changes(edits, implied=IMPLIED)
