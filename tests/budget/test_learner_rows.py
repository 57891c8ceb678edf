"""The account of the runner's own trainer beside what `make bench-learner-gpu` measured of it."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest

from benches.learner_gpu import RESULTS
from benches.learner_task import LENGTHS, MICRO, SIZES
from rftconf.budget.facts.architecture import Architecture, Attention, Dense, Layers
from rftconf.budget.facts.implementations import RUNNER
from rftconf.budget.terms import fsdp_phases as trainer
from rftconf.budget.terms import lm_head
from rftconf.budget.terms.engine import CONTEXT
from rftconf.budget.terms.term import total
from rftconf.budget.terms.training_job import Training

MEASURED = [
    pytest.param(part["used"], name, id=f"{path.stem}-{rows}-{name}")
    for path in sorted(RESULTS.glob("learner-gpu-*.json"))
    for rows, phases in json.loads(path.read_text())["phases"].items()
    if rows in ("padded", "packed")
    for name, part in phases.items()
    if name in ("update", "old log-probs")
]
"""Bytes that a card had less of, and the phase."""
PROMPT, _, ANSWER = LENGTHS[False]


def job() -> Training:
    heads, kv = SIZES["num_attention_heads"], SIZES["num_key_value_heads"]
    mixer = Attention(heads, kv, SIZES["hidden_size"] // heads, qkv_bias=True)
    layers = (Layers(SIZES["num_hidden_layers"], mixer, Dense(SIZES["intermediate_size"])),)
    arch = Architecture("measured", SIZES["hidden_size"], SIZES["vocab_size"], layers, tied=True)
    return Training(arch, RUNNER, 1, MICRO * (PROMPT + ANSWER))


@pytest.mark.parametrize(("used", "phase"), MEASURED)
def test_the_account_is_near_what_was_measured(used: int, phase: str) -> None:
    terms = trainer.update(job())[1] if phase == "update" else trainer.scoring(job())
    assert abs((total(terms) + CONTEXT) / used - 1) < 0.05


def test_a_pass_for_log_probs_keeps_less_than_an_update() -> None:
    new_job = job()
    logits_bytes = [total([lm_head.logits(new_job, backward=way)]) for way in (True, False)]
    assert logits_bytes[0] == 2 * logits_bytes[1]
    chunked = replace(new_job, fused_head=True)
    assert total([lm_head.logits(chunked)]) < logits_bytes[0]
