"""Towers for images: counted, or named as not counted."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from rftconf.budget.facts import models
from rftconf.budget.facts.vision import missing_tower
from rftconf.budget.roles.setup import BudgetRequest, setup_of
from tests.budget.runs import colocated

DECODER = {
    "model_type": "llama", "hidden_size": 64, "num_hidden_layers": 2, "num_attention_heads": 4, "intermediate_size": 128, "vocab_size": 320,
}  # fmt: skip


def test_every_tower_of_the_table_is_counted() -> None:
    seeing = [row for row in models.rows() if row.config.get("vision_config")]
    assert len(seeing) > 15
    assert [
        row.name for row in seeing if missing_tower(row.config) or not models.resolve(row.name).architecture.extra
    ] == []


@pytest.mark.parametrize(
    ("more", "says"),
    [
        ({"vision_config": {"model_type": "pixtral"}}, "not counted: vision tower (pixtral)"),
        ({"vision_config": {"model_type": "pixtral"}, "audio_config": {"a": 1}}, "vision tower (pixtral) and audio"),
        ({}, ""),
    ],
)
def test_an_unknown_tower_is_named(more: dict[str, object], says: str, tmp_path: Path) -> None:
    (tmp_path / "config.json").write_text(json.dumps({**DECODER, **more}))
    note = models.resolve(str(tmp_path)).note
    assert says in note if says else note == ""


def test_a_run_on_images_says_what_is_missing() -> None:
    run = setup_of(colocated(), BudgetRequest(model="Qwen/Qwen2.5-VL-7B-Instruct"))
    assert any("activations of images are not" in note for note in run.notes)
    assert not any("images" in note for note in setup_of(colocated(), BudgetRequest()).notes)
