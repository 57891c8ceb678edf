"""The account of the runner's own trainer beside what `make bench-learner-gpu` measured of it."""

from __future__ import annotations

import json
import re
from dataclasses import replace
from pathlib import Path

import pytest

from benches.learner_gpu import RESULTS
from benches.learner_task import LENGTHS, MICRO, SIZES
from rftconf.budget.facts.architecture import Architecture, Attention, Dense, Layers
from rftconf.budget.facts.gpus import gpu_named
from rftconf.budget.facts.implementations import RUNNER
from rftconf.budget.placing.memory import LIKE
from rftconf.budget.price import price
from rftconf.budget.roles.setup import BudgetRequest, setup_of
from rftconf.budget.terms import fsdp_phases as trainer
from rftconf.budget.terms import lm_head
from rftconf.budget.terms.engine import CONTEXT
from rftconf.budget.terms.term import total
from rftconf.budget.terms.training_job import Training
from rftconf.load.load import load
from rftconf.text.read.read import read
from rftconf.text.source import open_source

MEASURED = [
    pytest.param(part["used"], name, id=f"{path.stem}-{rows}-{name}")
    for path in sorted(RESULTS.glob("learner-gpu-*.json"))
    for rows, phases in json.loads(path.read_text())["phases"].items()
    if rows in ("padded", "packed")
    for name, part in phases.items()
    if name in ("update", "old log-probs")
]
"""Bytes that a card had less of, and the phase."""
ROOT = Path(__file__).resolve().parents[2]
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


def test_a_large_pass_has_its_logits_in_parts() -> None:
    """chunked_head.MOST: one place more than fits below it, and they are never all there."""
    fits = (1 << 31) // SIZES["vocab_size"]
    below, above = (replace(job(), tokens=tokens) for tokens in (fits, fits + 1))
    assert lm_head.logits(below).size == 4 * fits * SIZES["vocab_size"] + (1 << 30)
    assert lm_head.logits(above).size == (1 << 30) + 6 * SIZES["vocab_size"] * SIZES["hidden_size"]
    assert lm_head.logits(above, backward=False).size == 1 << 29
    assert (lm_head.hole(below).size > 0, lm_head.hole(above).size) == (True, 0)
    assert lm_head.logits(replace(above, tokens=2 * above.tokens)).size == lm_head.logits(above).size
    assert lm_head.logits(replace(above, sp=2, tokens=2 * above.tokens)).size > lm_head.logits(above).size


def test_what_the_account_says_of_the_runner_is_what_the_runner_says() -> None:
    runner = ROOT / "runners" / "rftconf_runner"
    (most,), (bucket,) = (
        re.findall(rf"^{name} = (\d+) << (\d+)$", (runner / file).read_text(), re.MULTILINE)
        for file, name in (("chunked_head.py", "MOST"), ("weight_stream.py", "BUCKET_BYTES"))
    )
    assert int(most[0]) << int(most[1]) == RUNNER.head.most
    assert int(bucket[0]) << int(bucket[1]) == RUNNER.bucket


def test_a_sync_counts_the_bucket_and_its_copy() -> None:
    """weight_stream.Sender fills a buffer, and the engine copies what is in it."""
    plan = load(read(open_source(str(ROOT / "benches" / "grpo_60.sh")))).plan
    sizes = list[int]()
    for name in (LIKE, RUNNER.name):
        (pool,) = price(setup_of(plan, BudgetRequest(trainer=name)), gpu_named("h100-80g")).pools
        sizes += [phase.parts()["unsharded"] for phase in pool.phases if phase.name == "sync"]
    assert sizes[1] - sizes[0] == 2 << 28
