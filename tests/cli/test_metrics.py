"""`rftconf metrics`: the table, and files of metrics rewritten."""

from __future__ import annotations

import io
import json
import sys
from pathlib import Path

import pytest

from rftconf.cli.app import run
from rftconf.metrics.quantity import RUNNER
from rftconf.schemas.registry import FRAMEWORKS

Captured = pytest.CaptureFixture[str]
SCRIPT = Path(__file__).parents[2] / "benches" / "grpo_60.sh"
LINE = '{"step": 1, "actor/grad_norm": 0.5, "my/own": 3}\n'


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "run.jsonl"
    path.write_text(LINE)
    return path


def test_two_frameworks_side_by_side(capsys: Captured) -> None:
    assert run(["metrics", "verl", "trinity"]) == 0
    out, err = capsys.readouterr()
    assert err == ""
    assert "steps are rollout periods" in out
    assert "Trinity-RFT, explorer\n" in out
    message = out.partition("norm of the policy's gradient before clipping [norm]\n")[2].partition("\n\n")[0]
    assert "  veRL         actor/grad_norm\n" in message
    assert "  Trinity-RFT  actor/grad_norm (trainer)\n" in message
    assert "veRL 0.9.1, verl/workers/engine_workers.py: _postprocess_output" in message
    assert "ROLL" not in message


def test_all_and_json(capsys: Captured) -> None:
    assert run(["metrics", "--json"]) == 0
    data = json.loads(capsys.readouterr().out)
    assert {counter["framework"] for counter in data["counters"]} == {*FRAMEWORKS, RUNNER}
    score = data["quantities"][0]
    assert score["logged"]["chatlearn"]["name"] == "rule_reward/train_reward_score"
    assert score["logged"]["trinity"]["run"] == "trainer"


def test_a_file_is_rewritten_and_the_rest_is_reported(file: Path, capsys: Captured) -> None:
    assert run(["metrics", "--rename", str(file), "--from", "verl", "--to", "roll"]) == 0
    out, err = capsys.readouterr()
    assert json.loads(out) == {"step": 0, "actor_train/grad_norm": 0.5, "my/own": 3}
    assert "1 line; metrics: 1 renamed, 0 of the same name, 1 kept as they were" in err
    assert "kept (not in the table): my/own" in err
    assert file.read_text() == LINE


def test_standard_input(capsys: Captured, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(LINE.encode())))
    assert run(["metrics", "--rename", "-", "--from", "verl", "--to", "chatlearn", "-q"]) == 0
    out, err = capsys.readouterr()
    assert json.loads(out) == {"step": 1, "policy_trainer/grad_norm": 0.5, "my/own": 3}
    assert err == ""


def test_a_config_tells_what_steps_are_worth(file: Path, capsys: Captured) -> None:
    words = ["metrics", "--rename", str(file), "--from", "verl", "--to", "trinity", "--config", str(SCRIPT)]
    assert run(words) == 0
    out, err = capsys.readouterr()
    assert json.loads(out) == {"step": 4, "run": "trainer", "actor/grad_norm": 0.5, "my/own": 3}
    assert "steps:" not in err


def test_a_file_may_be_rewritten_in_its_place(file: Path, capsys: Captured) -> None:
    words = ["metrics", "--rename", str(file), "--from", "verl", "--to", "roll", "-o", str(file), "--json"]
    assert run(words) == 0
    report = json.loads(capsys.readouterr().out)
    assert report["renamed"] == {"actor/grad_norm": "actor_train/grad_norm"}
    assert report["kept"] == {"my/own": "not in the table"}
    assert json.loads(file.read_text())["step"] == 0


def test_a_broken_file_leaves_what_was_there(file: Path, capsys: Captured) -> None:
    file.write_text(LINE + '{"step": 2, "actor/grad_norm": \n')
    target = file.with_name("out.jsonl")
    target.write_text("before\n")
    assert run(["metrics", "--rename", str(file), "--from", "verl", "--to", "roll", "-o", str(target)]) == 2
    out, err = capsys.readouterr()
    assert out == ""
    assert f"{file}:2:32: no JSON" in err
    assert target.read_text() == "before\n"


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (["nobody"], "no framework is called 'nobody'"),
        (["verl", "--from", "verl"], "belong to --rename"),
        (["--rename", "FILE", "--from", "verl"], "needs --from FRAMEWORK and --to FRAMEWORK"),
        (["verl", "--rename", "FILE", "--from", "verl", "--to", "roll"], "takes no other framework"),
        (["--rename", "FILE", "--from", "verl", "--to", "roll", "--json"], "need -o FILE"),
        (["--rename", "missing.jsonl", "--from", "verl", "--to", "roll"], "cannot be read"),
        (["--rename", "EMPTY", "--from", "verl", "--to", "roll"], "has no metrics"),
        (["--rename", "FILE", "--from", "verl", "--to", "trinity", "--config", "missing.sh"], "cannot be read"),
        (["--rename", "FILE", "--from", "verl", "--to", "trinity", "--config", "SYMBOLS"], "does not tell"),
    ],
)
def test_bad_command_lines(words: list[str], says: str, file: Path, capsys: Captured) -> None:
    empty, symbols = file.with_name("empty.jsonl"), file.with_name("symbols.sh")
    empty.write_text("\n")
    symbols.write_text("python3 -m verl.trainer.main_ppo data.train_batch_size=$B actor_rollout_ref.rollout.n=8\n")
    names = {"FILE": str(file), "EMPTY": str(empty), "SYMBOLS": str(symbols)}
    assert run(["metrics", *(names.get(word, word) for word in words)]) == 2
    out, err = capsys.readouterr()
    assert out == ""
    assert says in err
    assert "Traceback" not in err
    assert file.read_text() == LINE


def test_the_names_of_an_older_release(tmp_path: Path, capsys: Captured) -> None:
    path = tmp_path / "old.jsonl"
    path.write_text('{"step": 1, "timing_s/reshard": 2.0, "actor/reward_kl_penalty": 0.1}\n')
    words = ["metrics", "--rename", str(path), "--from", "verl", "--to", "trinity", "-q"]
    assert run(words) == 0
    assert {"advantage/kl", "time/sync_weight"} <= set(json.loads(capsys.readouterr().out))
    assert run([*words, "--to-release", "0.3.3"]) == 0
    assert {"critic/kl", "time/sync_weight"} <= set(json.loads(capsys.readouterr().out))
    assert run([*words, "--to-release", "9.9"]) == 2
    assert run(["metrics", "--rename", str(path), "--from", "verl", "--to", "runner", "--to-release", "1"]) == 2
    assert run(["metrics", "verl", "--to-release", "0.5.0"]) == 2
    capsys.readouterr()
    assert run(["metrics", "verl", "trinity"]) == 0
    assert "critic/kl until 0.5.2" in capsys.readouterr().out
