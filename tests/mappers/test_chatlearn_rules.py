"""What is written for ChatLearn starts by ChatLearn's own rules, or was refused: golden inputs, bases, real configs."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest

from rftconf.convert import Conversion, convert
from rftconf.errors import RefusedError, RftconfError
from rftconf.plan.symbols import is_symbolic
from rftconf.schemas import registry
from rftconf.text.read import ReadOptions, read
from rftconf.text.source import Source
from tests.laws.flip_base import Base
from tests.laws.flip_bases import BASES, CHATLEARN, CHATLEARN_GRPO
from tests.laws.round_trips import convert_flat
from tests.mappers.chatlearn_rules import objections
from tests.mappers.test_writing import REFUSED as WITH_CRITIC
from tests.schemas.shared import CORPUS, needs_corpus
from tests.sources import ROOT

NEWEST = registry.CHATLEARN.newest
ROWS = 7473


def objected(done: Conversion) -> list[str]:
    """Objections against a conversion, with a number where one is left to decide."""
    flat = {line.key: line.value for line in done.ledger.targets}
    filled: dict[str, Any] = {
        key: (100 if key.endswith("num_episode") else "x") if value == "???" or is_symbolic(value) else value
        for key, value in flat.items()
    }
    return list(objections(filled, str(flat["runtime_args.train_backend"]), done.ledger.target_release))


@pytest.mark.parametrize("base", CHATLEARN, ids=lambda base: base.name)
def test_our_bases_start(base: Base) -> None:
    assert list(objections(base.flat, base.trainer)) == []


@pytest.mark.parametrize(
    ("key", "value", "says"),
    [
        ("runtime_args.sample_per_episode", 2000, "not a multiple"),
        ("runtime_args.train_global_batch_size", 24, "do not divide"),
        ("runtime_args.train_micro_batch_size", 5, "train_micro_batch_size"),
        ("models.ref_policy.generation_batch_size", 5, "generation_batch_size"),
        ("models.policy.num_inference_per_prompt", 4, "H13"),
        ("models.policy.tensor_model_parallel_size", 3, "engines"),
        ("models.policy.no_such", 1, "unknown key"),
        ("runtime_args.max_replay_episode", 0, "H14"),
        ("runtime_args.output_dir", "???", "missing"),
    ],
)
def test_a_flaw_is_objected_to(key: str, value: Any, says: str) -> None:
    found = list(objections({**CHATLEARN_GRPO, key: value}, "fsdp"))
    assert any(says in objection for objection in found), found


REFUSED = {"gspo", "ppo-critic", "ppo-guide", "ppo-guide-back", "ulysses", "no-split", "uneven"}
"""A loss that FSDP lacks, critics, and batches that do not divide."""
NO_RL = {"sft-back", "sft-engine", "sft-fsdp", "main-eval", "main-generation", "bench", "val-only", "dpo-to-verl", "dpo-to-chatlearn",
         *(f"roll-{kind}-to-{to}" for kind, to in (("sft", "trinity"), ("sft", "verl"), ("dpo", "trinity"))),
         *(f"{source}-to-roll" for source in ("trinity-sft", "trinity-dpo", "verl-sft"))}  # fmt: skip
"""No reinforcement learning, or nothing else."""
AGENTS = {"agents-of-roll-to-trinity", "agents-of-roll-to-verl", "agents-of-roll-to-chatlearn"}
"""Environments that are stepped."""
FORKS = {"fork-samples", "fork-mini-batch"}
"""Mini-batches larger than the batch: asked about before anything is converted."""
GOLDEN = [
    file
    for file in sorted((ROOT / "golden").glob("*/*/input.*"))
    if not re.match(r"chatlearn-.*to-|.*-from-chatlearn$", file.parent.name)
]
"""Inputs of the others; ChatLearn's own have flaws on purpose."""


@pytest.mark.parametrize("file", GOLDEN, ids=lambda file: file.parent.name)
@pytest.mark.parametrize("release", registry.CHATLEARN.releases)
def test_golden_inputs_start_or_are_refused(file: Path, release: str) -> None:
    document = read(Source(file.name, file.read_text(encoding="utf-8")), ReadOptions())
    if file.parent.name in REFUSED | NO_RL | FORKS | AGENTS:
        with pytest.raises(RefusedError):
            convert(document, "chatlearn", to_release=release, rows=ROWS)
        return
    done = convert(document, "chatlearn", to_release=release, rows=ROWS)
    if any(
        is_symbolic(line.value) or line.value == "???" for line in done.ledger.targets if line.key.endswith("num_gpu")
    ):
        assert done.ledger.decisions
        return
    assert objected(done) == []


@pytest.mark.parametrize(
    ("framework", "base"), [(name, base) for name in ("verl", "trinity") for base in BASES[name]], ids=str
)
def test_bases_of_the_others_start_or_are_refused(framework: str, base: Base) -> None:
    if base.name in WITH_CRITIC:
        with pytest.raises(RefusedError, match="critic"):
            convert_flat(framework, "chatlearn", base.flat, base.trainer)
        return
    assert objected(convert_flat(framework, "chatlearn", base.flat, base.trainer)) == []


@needs_corpus
def test_trinity_examples_start_or_are_refused() -> None:
    started = refused = 0
    for file in sorted((CORPUS / "trinity").glob("*.yaml")):
        document = read(Source(file.name, file.read_text(encoding="utf-8")), ReadOptions())
        try:
            done = convert(document, "chatlearn", framework="trinity", rows=ROWS)
        except RftconfError:
            refused += 1
            continue
        sizes = [line.value for line in done.ledger.targets if line.key.endswith(("num_gpu", "_size", "_episode"))]
        if not any(is_symbolic(size) or size == "???" for size in sizes):
            assert objected(done) == [], file.name
            started += 1
    assert started > refused
