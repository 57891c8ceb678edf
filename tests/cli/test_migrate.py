"""`rftconf migrate` as a person uses it."""

from __future__ import annotations

import io
import json
import sys
from pathlib import Path

import pytest

from rftconf.cli.app import run
from tests.cli.scripts import GRPO, written

Captured = pytest.CaptureFixture[str]
TEXT = GRPO.replace("trainer.n_gpus", "custom_reward_function.path=$MINE \\\n    trainer.n_gpus")
NEW = TEXT.replace("custom_reward_function.path", "reward.custom_reward_function.path")
PINS = "actor_rollout_ref.rollout.max_num_seqs=1024 \\\n    actor_rollout_ref.rollout.seed=0 \\\n    "
NEW = NEW.replace("actor_rollout_ref.rollout.n=8", f"{PINS}actor_rollout_ref.rollout.n=8")
"""0.9.1 has other defaults for both."""
UP = ["--from-release", "0.8.0", "--to-release", "0.9.1"]


def test_in_place(tmp_path: Path, capsys: Captured) -> None:
    file = written(tmp_path, TEXT)
    assert run(["migrate", file, *UP]) == 0
    assert Path(file).read_text() == NEW
    out, err = capsys.readouterr()
    assert out == ""
    assert "veRL 0.8.0 to 0.9.1: 1 edit, 2 defaults pinned; nothing lost" in err
    assert "moved  custom_reward_function.path → reward.custom_reward_function.path" in err


def test_a_key_that_both_releases_refuse_is_no_part_of_nothing_lost(tmp_path: Path, capsys: Captured) -> None:
    """Hydra stops at it in veRL's own program; a fork may read it, so it stays."""
    file = written(tmp_path, TEXT.replace("trainer.n_gpus", "algorithm.my_fork_key=3 \\\n    trainer.n_gpus"))
    assert run(["migrate", file, *UP, "--json"]) == 0
    out, err = capsys.readouterr()
    assert "nothing lost" not in err
    assert "1 key left that veRL 0.9.1 refuses" in err
    assert [edit["key"] for edit in json.loads(out)["edits"] if edit["refused"]] == ["algorithm.my_fork_key"]
    assert "algorithm.my_fork_key=3" in Path(file).read_text()


def test_diff_and_check_write_nothing(tmp_path: Path, capsys: Captured) -> None:
    file = written(tmp_path, TEXT)
    assert run(["migrate", file, *UP, "--diff", "--quiet"]) == 0
    out, err = capsys.readouterr()
    assert err == ""
    assert "-    custom_reward_function.path=$MINE \\\n+    reward.custom_reward_function.path=$MINE \\\n" in out
    assert run(["migrate", file, *UP, "--check"]) == 1
    assert Path(file).read_text() == TEXT
    assert run(["migrate", written(tmp_path, NEW), "--from-release", "0.9.1", "--to-release", "0.9.1", "--check"]) == 0


def test_standard_input(monkeypatch: pytest.MonkeyPatch, capsys: Captured) -> None:
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(TEXT.encode())))
    assert run(["migrate", "-", *UP]) == 0
    assert capsys.readouterr().out == NEW


def test_losses_are_refused_unless_asked_for(tmp_path: Path, capsys: Captured) -> None:
    lossy = TEXT.replace("trainer.n_gpus", "trainer.balance_batch=False \\\n    trainer.n_gpus")
    file = written(tmp_path, lossy)
    assert run(["migrate", file, *UP]) == 3
    assert Path(file).read_text() == lossy
    err = capsys.readouterr().err
    assert "stage.batch.balance_ranks: false → true" in err
    assert "nothing written" in err
    assert run(["migrate", file, *UP, "--on-loss", "warn"]) == 0
    assert "reward.custom_reward_function.path" in Path(file).read_text()


def test_what_cannot_be_edited_is_refused(tmp_path: Path, capsys: Captured) -> None:
    text = "K=custom_reward_function\n" + TEXT.replace("custom_reward_function.path", "$K.path")
    file = written(tmp_path, text)
    assert run(["migrate", file, *UP]) == 3
    assert Path(file).read_text() == text
    assert "put together from several places" in capsys.readouterr().err


def test_json(tmp_path: Path, capsys: Captured) -> None:
    file = written(tmp_path, TEXT)
    assert run(["migrate", file, *UP, "--json", "--quiet", "--diff"]) == 0
    output = json.loads(capsys.readouterr().out)
    assert (output["changed"], output["faithful"]) == (True, True)
    assert [(e["kind"], e["key"], e["became"], e["place"]["line"]) for e in output["edits"]] == [
        ("moved", "custom_reward_function.path", "reward.custom_reward_function.path", 12)
    ]


def test_a_folder(tmp_path: Path, capsys: Captured) -> None:
    written(tmp_path, TEXT)
    written(tmp_path, "echo nothing here\n", "other.sh")
    assert run(["migrate", str(tmp_path), *UP]) == 0
    assert (tmp_path / "run.sh").read_text() == NEW
    assert (tmp_path / "other.sh").read_text() == "echo nothing here\n"
    capsys.readouterr()


def test_usage(tmp_path: Path, capsys: Captured) -> None:
    file = written(tmp_path, TEXT)
    assert run(["migrate", file, "--to-release", "7.7"]) == 2
    assert run(["migrate", str(tmp_path / "none.sh"), *UP]) == 2
    assert run(["migrate", file]) == 2
    assert run(["migrate", str(tmp_path), "--to-release", "7.7"]) == 2
    capsys.readouterr()


def test_a_byte_order_mark_stays(tmp_path: Path, capsys: Captured) -> None:
    file = tmp_path / "run.sh"
    file.write_text("\ufeff" + TEXT, encoding="utf-8")
    assert run(["migrate", str(file), *UP]) == 0
    assert file.read_text(encoding="utf-8") == "\ufeff" + NEW
    capsys.readouterr()
