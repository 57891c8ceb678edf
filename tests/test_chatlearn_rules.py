"""What rftconf writes for ChatLearn keeps ChatLearn's rules, by our own statement of them: golden inputs, bases, real configs.

The real loader judges in tests/conformance, where its sources are.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest
import yaml

from rftconf.base.errors import RefusedError, RftconfError
from rftconf.base.symbols import is_symbolic
from rftconf.convert.convert import Conversion, convert
from rftconf.load.base_files import base_files_of
from rftconf.schemas import registry
from rftconf.text.read.read import read
from rftconf.text.read.read_options import ReadOptions
from rftconf.text.source import Source
from tests.chatlearn_rules import objections
from tests.conformance.cases import DECISIONS
from tests.corpus import ROWS as CORPUS_ROWS
from tests.corpus import Real
from tests.laws.flip_base import Base
from tests.laws.flip_bases import BASES, CHATLEARN, CHATLEARN_GRPO
from tests.laws.round_trips import convert_flat
from tests.mappers.test_writing import REFUSED as WITH_CRITIC
from tests.sources import ROOT
from tests.test_corpus_round_trips import REAL, needs_corpus

NEWEST = registry.CHATLEARN.newest
ROWS = 7473


def objected(done: Conversion) -> list[str]:
    """Objections against a conversion, with what somebody would decide where a value is left open."""
    flat = {line.key: line.value for line in done.ledger.targets}
    filled = {key: decided(key) if value == "???" or is_symbolic(value) else value for key, value in flat.items()}
    return list(objections(filled, str(flat["runtime_args.train_backend"]), done.ledger.target_release))


def decided(key: str) -> Any:
    """A decision as a value."""
    return yaml.safe_load(DECISIONS.get(key, "x"))


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
        ("runtime_args.num_episode", "many", "expects int"),
        ("runtime_args.exp_name", None, "null"),
        ("runtime_args.rollout_backend", "hf", "no such backend"),
        ("runtime_args.task_type", "sing", "no task is called"),
        ("runtime_args.task_type", "agent", "asynchronous SGLang"),
        ("runtime_args.use_rollout_manager", True, "rollout manager needs"),
        ("models.policy.expert_model_parallel_size", 2, "tensor-parallel only"),
        ("models.policy.trainable", True, "policy_trainer alone"),
        ("models.reward.num_gpu", 1, "no GPUs"),
        ("models.rollout_manager.num_gpu", 1, "no GPUs"),
        ("models.partial_rollout_manager.rollout_ratio", [0.5, 0.4], "add up to 1"),
        ("models.ref_policy.num_gpu", 0, "holds no rank"),
        ("models.policy_trainer.ulysses_sequence_parallel_size", 3, "Ulysses"),
    ],
)
def test_a_flaw_is_objected_to(key: str, value: Any, says: str) -> None:
    values = list(objections({**CHATLEARN_GRPO, key: value}, "fsdp"))
    assert any(says in objection for objection in values), values


@pytest.mark.parametrize(
    ("changes", "says"),
    [
        ({"calculate_per_token_loss": False}, "loss per token"),
        ({"tensor_model_parallel_size": 32}, "holds no rank"),
        ({"packing": True, "megatron_model_cfg.num_experts": 8}, "allgather"),
    ],
)
def test_a_flaw_of_megatron_is_objected_to(changes: dict[str, Any], says: str) -> None:
    base = next(base for base in CHATLEARN if base.name == "megatron")
    more = {f"models.policy_trainer.{key}": value for key, value in changes.items()}
    assert any(says in objection for objection in objections(base.flat | more, "megatron"))


def test_a_model_that_is_left_out_is_objected_to() -> None:
    less = {key: value for key, value in CHATLEARN_GRPO.items() if not key.startswith("models.ref_policy.")}
    assert "models.ref_policy is missing" in list(objections(less, "fsdp"))


REFUSED = {"gspo", "trl-sequence-to-verl", "opmd", "ppo-critic", "ppo-guide", "ppo-guide-back", "ulysses", "uneven"}
"""Losses that ChatLearn lacks, critics, and batches that do not divide."""
NO_RL = {"sft-back", "sft-engine", "sft-fsdp", "main-eval", "main-generation", "bench", "val-only", "dpo-to-verl", "dpo-to-chatlearn",
         *(f"roll-{kind}-to-{to}" for kind, to in (("sft", "trinity"), ("sft", "verl"), ("dpo", "trinity"))),
         "roll-sft-megatron-to-verl", "verl-sft-megatron-to-trinity",
         *(f"{source}-to-roll" for source in ("trinity-sft", "trinity-dpo", "verl-sft")),
         *(file.parent.name for kind in ("distill", "rollouts") for file in (ROOT / "golden").glob(f"*/*-{kind}-*/input.*"))}  # fmt: skip
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
    document = read(Source(file.name, file.read_text(encoding="utf-8")), ReadOptions(ships=base_files_of))
    if file.parent.name in REFUSED | NO_RL | FORKS | AGENTS:
        with pytest.raises(RefusedError):
            convert(document, "chatlearn", to_release=release, rows=ROWS)
        return
    done = convert(document, "chatlearn", to_release=release, rows=ROWS)
    decisive = ("num_gpu", "train_backend")
    if any(
        is_symbolic(line.value) or line.value == "???" for line in done.ledger.targets if line.key.endswith(decisive)
    ):
        assert done.ledger.decisions
        return
    assert objected(done) == []


@pytest.mark.parametrize(
    ("framework", "base"), [(name, base) for name in ("verl", "trinity") for base in BASES[name]], ids=str
)
def test_bases_of_the_others_start_or_are_refused(framework: str, base: Base) -> None:
    others = {"taught": "distillation", "validation alone": "evaluation", "benchmark": "evaluation", "sapo": "sapo"}
    if base.name in others:
        with pytest.raises(RefusedError, match=others[base.name]):
            convert_flat(framework, "chatlearn", base.flat, base.trainer)
        return
    if base.name in WITH_CRITIC:
        with pytest.raises(RefusedError, match="critic"):
            convert_flat(framework, "chatlearn", base.flat, base.trainer)
        return
    assert objected(convert_flat(framework, "chatlearn", base.flat, base.trainer)) == []


def open_sizes(done: Conversion) -> list[str]:
    """Sizes that the source leaves to variables: no arithmetic can be held against them."""
    sizes = ("num_gpu", "_size", "_episode", "num_inference_per_prompt")
    return [line.key for line in done.ledger.targets if line.key.endswith(sizes) and unknown(line.value)]


def unknown(value: Any) -> bool:
    return bool(value == "???" or is_symbolic(value))


@needs_corpus
@pytest.mark.parametrize("release", registry.CHATLEARN.releases)
@pytest.mark.parametrize("real", [real for real in REAL if real.framework != "chatlearn"], ids=lambda real: real.name)
def test_real_configs_start_or_are_refused(real: Real, release: str) -> None:
    try:
        questions = {"framework": real.framework, "release": real.release, "to_release": release, "rows": CORPUS_ROWS}
        done = convert(real.document(), "chatlearn", **questions)  # type: ignore[arg-type]
    except RftconfError as refused:
        assert len(str(refused).split()) > 5  # noqa: PT017
        return
    if open_sizes(done):
        assert done.ledger.decisions
        return
    assert objected(done) == []


@needs_corpus
def test_most_real_configs_are_held_against_the_rules() -> None:
    """Neither refused nor left open: a rule that is never asked holds nothing."""
    count = 0
    for real in REAL:
        if real.framework == "chatlearn":
            continue
        try:
            done = convert(
                real.document(), "chatlearn", framework=real.framework, release=real.release, rows=CORPUS_ROWS
            )
        except RftconfError:
            continue
        count += not open_sizes(done)
    assert count > len(REAL) // 3
