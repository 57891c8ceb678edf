"""What a conversion asks of its user."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

from rftconf.convert import Conversion, convert
from rftconf.text.read import read
from rftconf.text.source import from_bytes

HEAD = (
    "python3 -m verl.trainer.main_ppo algorithm.adv_estimator=grpo actor_rollout_ref.model.path=/m "
    "data.train_files=/d/train.parquet data.val_files=/d/test.parquet actor_rollout_ref.rollout.n=8 "
    "actor_rollout_ref.actor.use_dynamic_bsz=True "
)
WARNING = "fill in every ???"


def converted(overrides: str, **options: int) -> Conversion:
    return convert(read(from_bytes("run.sh", (HEAD + overrides + "\n").encode())), "trinity", **options)  # type: ignore[arg-type]


def test_an_unknown_value_is_asked_for_and_warned_of() -> None:
    done = converted("data.train_batch_size=$((BS * 4))")
    assert "???" in done.text
    assert any(note.startswith(WARNING) for note in done.ledger.notes)
    asked = [decision for decision in done.ledger.decisions if decision.key == "synchronizer.sync_interval"]
    assert asked
    assert "--set BS=..." in asked[0].choices


def test_a_complete_plan_warns_of_nothing() -> None:
    done = converted("data.train_batch_size=64 actor_rollout_ref.actor.ppo_mini_batch_size=64", rows=7473)
    assert "???" not in done.text
    assert not any(note.startswith(WARNING) for note in done.ledger.notes)


def test_a_program_of_its_own_is_told() -> None:
    text = (HEAD + "data.train_batch_size=64\n").replace("verl.trainer.main_ppo", "recipe.prime.main_prime")
    script = text.replace("\n", " actor_rollout_ref.actor.ppo_mini_batch_size=64\n").encode()
    notes = convert(read(from_bytes("run.sh", script)), "trinity").ledger.notes
    assert any("recipe.prime.main_prime" in note for note in notes)
    assert not any(
        "main_ppo" in note for note in converted("actor_rollout_ref.actor.ppo_mini_batch_size=1024").ledger.notes
    )


def test_what_is_asked_for_does_not_depend_on_the_order_of_a_set(tmp_path: Path) -> None:
    script = (
        "python3 -m verl.trainer.main_ppo trainer.nnodes=$((DEVICES / PER_NODE)) data.train_files=$A/$B/$C.parquet\n"
    )
    (tmp_path / "run.sh").write_text(script, encoding="utf-8")
    command = [sys.executable, "-m", "rftconf", "convert", str(tmp_path / "run.sh"), "--to", "roll"]
    told = {
        subprocess.run(
            command, capture_output=True, text=True, check=False, env={**os.environ, "PYTHONHASHSEED": seed}
        ).stderr
        for seed in "0123"
    }
    assert len(told) == 1
    assert "DEVICES" in told.pop()
