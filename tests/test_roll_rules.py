"""What rftconf writes for ROLL keeps ROLL's rules, by our own statement of them; the real loader judges in tests/conformance."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from rftconf.base.errors import RefusedError, RftconfError
from rftconf.convert.convert import Conversion, convert
from rftconf.load.base_files import base_files_of
from rftconf.text.read.read import read
from rftconf.text.read.read_options import ReadOptions
from rftconf.text.source import open_source
from tests.corpus import ROWS, Real
from tests.roll_rules import broken
from tests.test_corpus_round_trips import REAL, needs_corpus

GOLDEN = Path(__file__).parents[1] / "golden"
OPEN = {"opmd", "symbolic", "symbolic-back"}
"""Inputs that leave more open than a reward: their numbers are variables."""
INPUTS = sorted(
    folder for group in ("convert", "open") for folder in (GOLDEN / group).iterdir()
    if folder.name not in OPEN and ('to = "roll"' in (folder / "case.toml").read_text() or "roll" not in folder.name)
)  # fmt: skip


def decided(text: str) -> str:
    """The text with what a person would decide filled in."""
    text = re.sub(r"(domain_interleave_probs:\n(?:\s+\w+: \?\?\?.*\n)+)", lambda m: m[0].replace("???", "0.5"), text)
    return text.replace("worker_cls: ???", "worker_cls: own.Worker")


ASKS_FOR_GPUS = ("trl-sequence-to-verl", "python-to-trinity", "python-to-verl")
"""Inputs whose processes nobody tells."""
DECISIVE = ("device_mapping", "_batch_size", "_steps", "_size", "_in_group", "strategy_name")
"""Ends of keys without which the arithmetic cannot be done."""


def waits_for_decisions(done: Conversion) -> bool:
    """True where a number that the arithmetic needs is left to a person; the ledger asks for it then."""
    unknown = [line for line in done.ledger.targets if line.key.endswith(DECISIVE) and "???" in str(line.value)]
    if unknown or "${oc.env" in done.text:
        assert done.ledger.decisions
        return True
    return False


@pytest.mark.parametrize("folder", INPUTS, ids=lambda folder: folder.name)
def test_every_golden_input_keeps_the_rules_or_is_refused(folder: Path) -> None:
    (source,) = folder.glob("input.*")
    try:
        done = convert(read(open_source(source), ReadOptions(ships=base_files_of)), "roll", rows=7473)
    except RefusedError:
        pytest.skip("refused, as tests/conformance reports with its reason")
    if done.loaded.stages[-1].values.get("stage.kind") != "rl":
        pytest.skip("the rules are the RLVR pipeline's")
    assert (folder.name in ASKS_FOR_GPUS and waits_for_decisions(done)) or unkept(done) == []


def unkept(done: Conversion) -> list[str]:
    """The rules that a conversion breaks, but for those about values that it leaves open."""
    still_open = [
        line.key
        for line in done.ledger.targets
        if line.value == "???" and not line.key.startswith(("rewards.", "actor_train.data_args."))
    ]
    names = ("sum up", "add up", *still_open)
    return [rule for rule in broken(decided(done.text)) if not any(name in rule for name in names)]


@needs_corpus
@pytest.mark.parametrize("real", [real for real in REAL if real.framework != "roll"], ids=lambda real: real.name)
def test_real_configs_keep_the_rules_or_are_refused(real: Real) -> None:
    try:
        done = convert(real.document(), "roll", framework=real.framework, release=real.release, rows=ROWS)
    except RftconfError as refused:
        assert len(str(refused).split()) > 5  # noqa: PT017
        return
    if done.loaded.stages[-1].values.get("stage.kind") != "rl":
        pytest.skip("the rules are the RLVR pipeline's")
    assert waits_for_decisions(done) or unkept(done) == []


RULES = [
    ("gradient_accumulation_steps: 64", "gradient_accumulation_steps: 7", "in updates of"),
    ("device_mapping: list(range(0,4))", "device_mapping: list(range(0,3))", "sequences on 3.0 ranks"),
    ("strategy_name: vllm", "strategy_name: hf_infer", "vllm or sglang"),
    ("adv_estimator: grpo", "adv_estimator: rloo", "adv_estimator expects one of"),
    ("gsm8k: 1.0", "other: 1.0", "no reward worker"),
    ("exp_name: grpo", "exp_nam: grpo", "exp_nam is no key"),
    ("prompt: question", "prompt: question\n    messages: m", "exclude each other"),
]


@pytest.mark.parametrize(("old", "new", "says"), RULES, ids=[says for *_, says in RULES])
def test_each_rule_can_be_broken(old: str, new: str, says: str) -> None:
    text = decided((GOLDEN / "open" / "roll-single-from-trinity" / "expected.yaml").read_text())
    assert broken(text) == []
    assert old in text
    assert any(says in rule for rule in broken(text.replace(old, new)))
