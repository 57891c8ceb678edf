"""vLLM 0.8 to 0.11, on which veRL 0.4.1 to 0.6.1 run, sets enable_chunked_prefill to True whatever it is given
(EngineArgs._set_default_args_v1); 0.24 stops at False with a batch below one context (SchedulerConfig.verify_max_model_len).
veRL's vllm_rollout_spmd.py up to 0.6.1 raises ValueError at True with such a batch."""

from __future__ import annotations

from typing import Any

import pytest

from rftconf.lint.engine import Options, check
from rftconf.schemas.verl.prefill import PrefillInPieces
from rftconf.text.read.read import read
from rftconf.text.source import Source
from tests.schemas.shared import Cell

ROLLOUT = "actor_rollout_ref.rollout."
PIECES = f"{ROLLOUT}enable_chunked_prefill"
LONG = {"data.max_prompt_length": 2048, "data.max_response_length": 8192}


def value_after(way: str, **values: Any) -> Any:
    flat = {name: Cell(value, name) for name, value in values.items()}
    getattr(PrefillInPieces(), way)(flat)
    return flat[PIECES].value


@pytest.mark.parametrize(
    ("values", "becomes"),
    [
        (LONG, True),
        ({**LONG, f"{ROLLOUT}max_num_batched_tokens": 16384}, False),
        ({}, False),  # 8192 tokens hold the 1024 of veRL's default lengths
        ({f"{ROLLOUT}max_model_len": 9000}, True),
        ({**LONG, f"{ROLLOUT}name": "sglang"}, False),
    ],
)
def test_a_switch_that_was_not_heard_becomes_what_the_engine_did(values: dict[str, Any], becomes: object) -> None:
    assert value_after("up", **values, **{PIECES: False}) is becomes


def test_on_the_way_down_the_worker_must_not_stop() -> None:
    assert value_after("down", **LONG, **{PIECES: True}) is False
    assert value_after("down", **LONG, **{PIECES: True, f"{ROLLOUT}mode": "async"}) is True
    assert value_after("down", **{PIECES: True}) is True


@pytest.mark.parametrize(("release", "stops"), [("0.3.0", True), ("0.6.1", False), ("0.9.1", True)])
def test_only_an_engine_that_hears_it_stops(release: str, stops: bool) -> None:
    lengths = " ".join(f"{name}={value}" for name, value in LONG.items())
    text = f"python3 -m verl.trainer.main_ppo {lengths} {ROLLOUT}name=vllm {PIECES}=False {ROLLOUT}max_num_batched_tokens=4096\n"
    done = check(read(Source("run.sh", text)), Options("verl", release))
    assert [d.code for d in done if d.code in ("LEN005", "DIA014")] == ["LEN005"] * stops
    assert all(f"{PIECES}=false" in d.message for d in done if d.code == "LEN005")
