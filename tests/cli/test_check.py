"""`rftconf check` as a person uses it."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from rftconf.cli.app import run
from rftconf.cli.files import candidates
from tests.cli.scripts import GRPO, written

BAD = GRPO.replace("data.train_batch_size", "data.train_bach_size")


def test_a_clean_file(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["check", written(tmp_path)]) == 0
    out, err = capsys.readouterr()
    assert out == ""
    assert err == "nothing found in 1 file\n"


def test_a_misspelt_key_inside_a_script(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    script = written(tmp_path, BAD)
    assert run(["check", script, "--format", "concise", "--from-release", "0.9.1"]) == 1
    assert capsys.readouterr().out == f"{script}:7:5: KEY001 veRL 0.9.1 has no key data.train_bach_size\n"
    assert run(["check", script]) == 1
    out = capsys.readouterr().out
    assert "  7 |     data.train_bach_size=$BATCH \\\n    |     ^^^^^^^^^^^^^^^^^^^^\n" in out
    assert "did you mean data.train_batch_size?" in out


def test_json(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["check", written(tmp_path, BAD), "--json", "--from", "verl", "--from-release", "0.9.1"]) == 1
    (found,) = json.loads(capsys.readouterr().out)
    assert (found["code"], found["severity"], found["place"]["line"]) == ("KEY001", "error", 7)


def test_folders_and_patterns_pass_over_other_files(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "deep" / ".hidden").mkdir(parents=True)
    written(tmp_path / "deep", BAD, "bad.sh")
    written(tmp_path / "deep", "echo hello\n", "other.sh")
    written(tmp_path / "deep", "services:\n  web: {}\n", "compose.yaml")
    written(tmp_path / "deep", "\0\1", "binary.sh")
    written(tmp_path / "deep" / ".hidden", BAD, "unseen.sh")
    assert run(["check", str(tmp_path)]) == 1
    out, err = capsys.readouterr()
    assert out.count("KEY001") == 1
    assert err == "1 error, 1 note in 1 file\n"
    assert run(["check", f"{tmp_path}/**/*.sh", "--format", "concise"]) == 1
    assert "bad.sh:7:5" in capsys.readouterr().out


def test_a_named_file_must_be_a_config(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    other = written(tmp_path, "services:\n  web:\n    image: x\n", "compose.yaml")
    assert run(["check", other]) == 1
    assert "KEY000" in capsys.readouterr().out
    assert run(["check", written(tmp_path, "\0", "binary.sh"), written(tmp_path)]) == 2
    assert "NUL byte" in capsys.readouterr().err
    assert run(["check", str(tmp_path / "binary.sh")]) == 2
    assert "nothing found" not in capsys.readouterr().err


def test_a_folder_without_configs(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["check", str(tmp_path)]) == 2
    assert "no config of a known framework" in capsys.readouterr().err


def test_each_file_once_and_named_ones_as_named(tmp_path: Path) -> None:
    script = written(tmp_path)
    found = candidates([str(tmp_path), script, f"{tmp_path}/*.sh"])
    assert [(candidate.path, candidate.named) for candidate in found] == [(script, True)]


def test_secrets_are_never_echoed(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    text = BAD.replace("set -x", "export WANDB_API_KEY=0123456789abcdef0123").replace(
        "trainer.total_epochs=2", "trainer.wandb_api_ky=0123456789abcdef0123 trainer.api_key=sk-0123456789abcdef0123"
    )
    run(["check", written(tmp_path, text)])
    out, err = capsys.readouterr()
    assert "sk-0123456789" not in out + err
