"""TRL's catalogues: what its parser takes in each release, and what became of older names."""

from __future__ import annotations

import pytest

from rftconf.base.symbols import Value
from rftconf.schemas import catalogue, registry, versions
from rftconf.text.launch.accelerate import OPTIONS
from tests.schemas.shared import Cell

DEFAULTS: dict[str, dict[str, Value]] = {
    "0.18.2": {"beta": 0.04, "loss_type": "bnpo", "scale_rewards": True, "max_prompt_length": 512, "bf16": False},
    "0.19.1": {"beta": 0.0, "bf16": None, "logging_steps": 10},
    "0.22.2": {"loss_type": "dapo", "scale_rewards": "group", "gradient_checkpointing": True},
    "0.23.1": {"vllm_importance_sampling_correction": True, "vllm_importance_sampling_cap": 2.0},
    "0.26.2": {"max_prompt_length": None, "vllm_importance_sampling_mode": "sequence_mask"},
    "1.0.0": {"vllm_mode": "colocate"},
    "1.10.0": {"max_completion_length": 512, "use_bias_correction_kl": True},
    "1.16.0": {"pad_to_multiple_of": "auto", "router_aux_loss_coef": None},
}
"""Release to defaults that it changed (trl/trainer/grpo_config.py)."""


@pytest.mark.parametrize("release", DEFAULTS)
def test_defaults_that_a_release_changed(release: str) -> None:
    known = catalogue.load("trl", release)
    assert {key: known.default(key) for key in DEFAULTS[release]} == DEFAULTS[release]


@pytest.mark.parametrize("release", registry.TRL.releases)
def test_the_launchers_options_are_keys_of_every_release(release: str) -> None:
    """TRL's parser hands the options that it does not know to accelerate launch."""
    assert set(OPTIONS) <= set(catalogue.load("trl", release).keys)


@pytest.mark.parametrize(
    ("older", "newer"),
    [
        ({"torch_dtype": "bfloat16"}, {"dtype": "bfloat16"}),
        ({"warmup_ratio": 0.1}, {"warmup_steps": 0.1}),
        ({"warmup_ratio": 0.1, "warmup_steps": 5}, {"warmup_steps": 5}),
        ({"scale_rewards": False}, {"scale_rewards": "none"}),
        ({"per_gpu_train_batch_size": 4}, {"per_device_train_batch_size": 4}),
        ({"use_liger_loss": True}, {"use_liger_kernel": True}),
        ({"use_liger_loss": None, "use_liger_kernel": True}, {"use_liger_kernel": True}),
        ({"vllm_importance_sampling_cap": 2.5}, {"vllm_importance_sampling_clip_max": 2.5}),
        ({"vllm_guided_decoding_regex": "a+"}, {"vllm_structured_outputs_regex": "a+"}),
    ],
)
def test_older_names_in_the_newest_shape(older: dict[str, Value], newer: dict[str, Value]) -> None:
    cells = {key: Cell(value) for key, value in older.items()}
    rewritten = versions.upgrade("trl", cells, "0.25.1")
    assert {key: cell.value for key, cell in rewritten.flat.items()} == newer


def test_what_a_release_did_before_it_had_a_key() -> None:
    before = versions.defaults("trl", "0.22.2")
    assert before["vllm_importance_sampling_correction"] is False
    assert before["use_bias_correction_kl"] is False
    assert versions.defaults("trl", "0.24.0")["vllm_importance_sampling_mode"] == "token_truncate"
    assert versions.defaults("trl", "0.24.0")["per_device_train_batch_size"] == 8
