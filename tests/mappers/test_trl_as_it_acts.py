"""A short TRL file is read as TRL acts on it: whole updates, typed options, rows of its own columns."""

from __future__ import annotations

from typing import Any

import pytest

from rftconf.convert.convert import convert
from rftconf.plan.substitution import substitute
from rftconf.text.read.read import read
from rftconf.text.source import Source
from tests.mappers.trl_runs import OPTIM, plan

SIZES: dict[str, Any] = {"num_train_epochs": 1, "per_device_train_batch_size": 8, "gradient_accumulation_steps": 4}
"""4 devices x 8 x 4 completions are an update, so that it has 16 prompts of 8 answers."""


@pytest.mark.parametrize(("share", "rows", "updates"), [(0.03, 1000, 2), (0.1, 7473, 47), (0.5, 48, 2), (0.25, 64, 1)])
def test_a_share_is_rounded_up(share: float, rows: int, updates: int) -> None:
    """transformers TrainingArguments.get_warmup_steps: ceil(num_training_steps * share) of rows // 16 updates."""
    open_rows = plan(warmup_steps=share, **SIZES)[OPTIM + "warmup_updates"]
    assert substitute(open_rows, {"ROWS": rows}) == updates
    assert plan(rows=rows, warmup_steps=share, **SIZES)[OPTIM + "warmup_updates"] == updates


def test_an_empty_mapping_in_place_of_none_changes_nothing() -> None:
    """GRPOTrainer: generation_kwargs.update(args.generation_kwargs) where that is not None."""
    text = "model_name_or_path: m\nnum_generations: 8\nmax_steps: 5\ngeneration_kwargs: {}\n"
    ledger = convert(read(Source("a.yaml", text)), "verl", framework="trl").ledger
    assert not [change for change in ledger.learning if "generation_kwargs" in change.says]


def test_rows_of_trl_hold_no_column_of_verls() -> None:
    """GRPOTrainer hands every other column to the reward functions (trl/trainer/grpo_trainer.py: reward_kwargs)."""
    text = "model_name_or_path: m\nnum_generations: 8\nmax_steps: 5\ndataset_name: org/data\n"
    ledger = convert(read(Source("a.yaml", text)), "trinity", framework="trl").ledger
    (question,) = (decision.why for decision in ledger.decisions if decision.key.endswith(".format"))
    assert "ground_truth" not in question
    assert "the prompt in prompt" in question


@pytest.mark.parametrize(("option", "differs"), [("False", False), ("True", True)])
def test_a_switch_at_its_default_changes_nothing(option: str, differs: bool) -> None:
    """An option is text on a command line; TRL's default of load_in_4bit is false."""
    command = f"trl grpo --model_name_or_path m --num_generations 8 --max_steps 5 --load_in_4bit {option}\n"
    ledger = convert(read(Source("run.sh", command)), "verl", framework="trl").ledger
    assert any("load_in_4bit" in change.says for change in ledger.learning) is differs
