"""Reading a config.json: local files, and what is wrong with bad ones."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import pytest

from rftconf.base.errors import UsageError
from rftconf.budget.facts import models
from rftconf.budget.facts.architecture import Attention, LinearAttention
from rftconf.budget.facts.hf_config import architecture_of, missing_family, read_config

LLAMA = {
    "model_type": "llama",
    "hidden_size": 64,
    "num_hidden_layers": 2,
    "num_attention_heads": 4,
    "num_key_value_heads": 2,
    "intermediate_size": 128,
    "vocab_size": 320,
}


def test_a_folder_and_a_file_are_the_same(tmp_path: Path) -> None:
    (tmp_path / "config.json").write_text(json.dumps(LLAMA))
    whole = models.resolve(str(tmp_path))
    assert whole.architecture == models.resolve(str(tmp_path / "config.json")).architecture
    # 2 embeddings, and per layer: q 64*64, k and v 64*32, o 64*64, three of 64*128, two norms; a last norm.
    assert whole.architecture.parameters == 2 * 320 * 64 + 2 * (2 * 4096 + 2 * 2048 + 3 * 8192 + 128) + 64
    assert whole.note == ""


def test_an_unknown_kind_is_said() -> None:
    assert missing_family("llama") == ""
    assert "Llama-like" in missing_family("novel")


@pytest.mark.parametrize(
    "field", ["hidden_size", "num_hidden_layers", "num_attention_heads", "vocab_size", "intermediate_size"]
)
def test_a_needed_field_that_is_absent_is_named(field: str) -> None:
    config = {key: value for key, value in LLAMA.items() if key != field}
    with pytest.raises(UsageError, match=f"no {field}"):
        architecture_of(config)


@pytest.mark.parametrize("value", [0, -1, "64", 1.5, True, [64]])
def test_a_senseless_size_is_named(value: Any) -> None:
    with pytest.raises(UsageError, match=r"hidden_size is .* not a whole number above 0"):
        architecture_of({**LLAMA, "hidden_size": value})


@pytest.mark.parametrize("text", ["", "[]", "{", '"x"'])
def test_a_file_that_is_no_config(tmp_path: Path, text: str) -> None:
    (tmp_path / "config.json").write_text(text)
    with pytest.raises(UsageError, match=r"config\.json: (not JSON|a config\.json is an object)"):
        read_config(tmp_path)


def test_hybrid_layers_are_told_apart() -> None:
    architecture = models.resolve("Qwen/Qwen3-Next-80B-A3B-Instruct").architecture
    counts = {type(group.mixer): group.count for group in architecture.layers}
    assert counts == {LinearAttention: 36, Attention: 12}


def test_sliding_layers_are_told_apart() -> None:
    architecture = models.resolve("openai/gpt-oss-20b").architecture
    assert {group.mixer.window: group.count for group in architecture.layers} == {128: 12, 0: 12}


def test_active_parameters_are_what_one_token_meets() -> None:
    architecture = models.resolve("Qwen/Qwen3-30B-A3B").architecture
    assert architecture.active == pytest.approx(3.35e9, rel=0.01)
    dense = models.resolve("Qwen/Qwen3-8B").architecture
    assert dense.active == dense.parameters


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("num_hidden_layers", 10**9),
        ("num_hidden_layers", 1e308),
        ("num_hidden_layers", float("nan")),
        ("vocab_size", 10**4000),
        ("hidden_size", 2),
        ("mtp_num_hidden_layers", 1e300),
        ("head_dim", [1]),
    ],
)
def test_a_size_that_no_model_has_is_refused_by_name(field: str, value: Any) -> None:
    with pytest.raises(UsageError, match=f"config.json: .*{field}"):
        architecture_of({**LLAMA, field: value})


@pytest.mark.parametrize(
    "odd",
    [
        {"mlp_only_layers": 5, "num_experts": 4, "num_experts_per_tok": 2},
        {"model_type": "gemma2", "sliding_window": 4, "sliding_window_pattern": 0},
        {"sliding_window": -1},
        {"layer_types": [[1], None]},
        {"model_type": ["x"]},
    ],
)
def test_odd_fields_that_say_nothing_are_passed_over(odd: dict[str, Any]) -> None:
    assert architecture_of({**LLAMA, **odd}).parameters > 0


@pytest.mark.parametrize("kind", ["pipe", "device", "binary", "digits"])
def test_a_config_json_that_is_no_text(tmp_path: Path, kind: str) -> None:
    file = tmp_path / "config.json"
    if kind == "pipe":
        os.mkfifo(file)
    elif kind == "device":
        file.symlink_to("/dev/zero")
    else:
        file.write_bytes(b"\0\xff" if kind == "binary" else b'{"hidden_size": ' + b"9" * 5000 + b"}")
    with pytest.raises(UsageError, match=r"config\.json"):
        read_config(tmp_path)


def test_a_vision_model_is_read_flat_or_nested() -> None:
    name = "Qwen/Qwen2.5-VL-7B-Instruct"
    row = next(row for row in models.rows() if row.name == name)
    nested = row.config
    # as the checkpoint's own config.json has it: the decoder's fields on top, the tower without a model_type
    vision = {key: value for key, value in nested["vision_config"].items() if key != "model_type"}
    flat = {**nested["text_config"], "model_type": "qwen2_5_vl", "tie_word_embeddings": False, "vision_config": vision}
    assert architecture_of(flat, name).parameters == architecture_of(nested, name).parameters == row.published


@pytest.mark.parametrize("odd", [3, "8", {"a": 1}, None])
def test_an_odd_list_of_tapped_layers_counts_none(odd: Any) -> None:
    row = next(row for row in models.rows() if row.name == "Qwen/Qwen3-VL-8B-Instruct")
    tower = {**row.config["vision_config"], "deepstack_visual_indexes": odd}
    assert architecture_of({**row.config, "vision_config": tower}, row.name).parameters < row.published
