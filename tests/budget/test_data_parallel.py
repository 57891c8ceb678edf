"""Trainers that hold the whole model, or shards as DeepSpeed makes them: arithmetic, and peaks of TRL's own trainer."""

from __future__ import annotations

import json
from typing import Any

import pytest

from rftconf.budget.facts.architecture import Architecture, Attention, Dense, Layers
from rftconf.budget.facts.implementations import implementation
from rftconf.budget.terms import data_parallel
from rftconf.budget.terms.term import total
from rftconf.budget.terms.training_job import Adapter, Training
from tests.sources import ROOT

MEASURED: list[dict[str, Any]] = json.loads((ROOT / "benches" / "results" / "trl-gpu-2026-11-28.json").read_text())[
    "rows"
]
MODEL = Architecture("measured", 1536, 151_936, (Layers(16, Attention(12, 2, 128), Dense(8960)),), tied=True)
ROWS, PROMPT, ANSWER = 8, 256, 256


def job_of(row: dict[str, Any]) -> Training:
    """The run of a measured row, for the account."""
    zero, each = row["stage"] is not None, 4 if row["dtype"] == "float32" and row["stage"] is None else 2
    return Training(
        MODEL,
        implementation("trl", row["trl"]),
        gpus=1,
        tokens=ROWS * (PROMPT + ANSWER),
        micro_batches=1,
        backend="zero" if zero else "ddp",
        zero_stage=row["stage"] or 0,
        stream_bytes=each,
        head_share=(ANSWER + 1) / (PROMPT + ANSWER),
        master_bytes=each,
        checkpointing=row["checkpointing"],
        adapter=Adapter(row["rank"]) if row["rank"] else None,
    )


def name_of(row: dict[str, Any]) -> str:
    return "-".join(str(row[name]) for name in ("trl", "dtype", "stage", "checkpointing", "beta", "rank"))


@pytest.mark.parametrize("row", MEASURED, ids=name_of)
def test_states_and_updates_are_those_of_trls_own_trainer(row: dict[str, Any]) -> None:
    job, left = job_of(row), row["left"]
    reference = 4 * MODEL.parameters if row["beta"] else 0
    states = total(data_parallel.states(job)) + reference
    assert states == pytest.approx(row["update after"] - left, rel=0.025)
    _, terms = data_parallel.update(job)
    assert total(terms) + reference == pytest.approx(row["update"] - left, rel=0.08)


@pytest.mark.parametrize(
    ("stage", "bytes_of_a_parameter"),
    [(0, 2 + 12), (1, 2 + 12 / 8), (2, 2 + 12 / 8), (3, 2 / 8 + 12 / 8 + 2 / 8)],
)
def test_a_stage_shards_what_it_is_to(stage: int, bytes_of_a_parameter: float) -> None:
    """bf16 weights 2, fp32 weights 4 and Adam's moments 8; stage 3 keeps room for its part of the gradients, 2, and a bucket."""
    job = Training(MODEL, implementation("trl"), 8, 4096, backend="zero", zero_stage=stage, master_bytes=2)
    bucket = 2 * data_parallel.BUCKET if stage == 3 else 0
    assert total(data_parallel.states(job)) - bucket == pytest.approx(bytes_of_a_parameter * MODEL.parameters, rel=1e-6)


def test_ddp_keeps_a_second_copy_of_the_gradients() -> None:
    single, eight = (Training(MODEL, implementation("trl"), gpus, 4096, backend="ddp") for gpus in (1, 8))
    assert total(data_parallel.states(eight)) - total(data_parallel.states(single)) == 4 * MODEL.parameters


def test_fewer_tokens_of_the_head_need_less() -> None:
    """Up to TRL 1.10 the logits of all answers are there at once, 16 bytes each: more than a backward of this model needs."""
    old = implementation("trl", "0.27.2")
    whole, half = (
        Training(MODEL, old, 1, 65_536, backend="ddp", stream_bytes=4, head_share=share) for share in (1.0, 0.5)
    )
    saved = total(data_parallel.at_loss(whole)) - total(data_parallel.at_loss(half))
    assert saved == 18 * 32_768 * 151_936
