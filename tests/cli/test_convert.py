"""`rftconf convert` as a person uses it."""

from __future__ import annotations

import io
import json
import stat
import sys
from pathlib import Path

import pytest
import yaml

from rftconf.cli.app import run
from tests.cli.scripts import GRPO, written


def test_the_config_is_on_standard_output_and_the_report_on_standard_error(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(["convert", written(tmp_path), "--to", "trinity", "--rows", "7473"]) == 0
    out, err = capsys.readouterr()
    config = yaml.safe_load(out)
    assert config["algorithm"]["repeat_times"] == 8
    assert config["buffer"]["train_batch_size"] == 512
    assert "# actor_rollout_ref.rollout.n=8" in out
    marks = ["read as veRL", "veRL 0.9.1 → Trinity-RFT", "You must decide", "keys read"]
    assert [err.index(mark) for mark in marks] == sorted(err.index(mark) for mark in marks)
    assert "\x1b" not in out + err


def test_quiet_says_nothing(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["convert", written(tmp_path), "--to", "trinity", "--quiet"]) == 0
    assert capsys.readouterr().err == ""


def test_the_same_bytes_every_time(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    outputs = set()
    for _ in range(2):
        run(["convert", written(tmp_path), "--to", "trinity", "-q"])
        outputs.add(capsys.readouterr().out)
    assert len(outputs) == 1


def test_standard_input(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(GRPO.encode())))
    assert run(["convert", "-", "--to", "Trinity-RFT", "-q"]) == 0
    assert "repeat_times: 8" in capsys.readouterr().out


def test_set_binds_a_variable(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    arguments = ["convert", written(tmp_path), "--to", "trinity", "-q", "--set", "DATA=/d", "--set", "BATCH=128"]
    assert run(arguments) == 0
    config = yaml.safe_load(capsys.readouterr().out)
    assert config["buffer"]["explorer_input"]["tasksets"][0]["path"] == "/d/gsm8k"
    assert config["buffer"]["batch_size"] * config["synchronizer"]["sync_interval"] == 128


def test_a_bound_name_that_the_script_never_reads_is_said(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["convert", written(tmp_path), "--to", "trinity", "--set", "BACH=128"]) == 0
    err = capsys.readouterr().err
    assert "warning SYN160: the script never reads BACH" in err
    assert "did you mean BATCH?" in err


def test_env_lets_one_variable_in(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("DATA", "/from/outside")
    run(["convert", written(tmp_path), "--to", "trinity", "-q"])
    assert "/from/outside" not in capsys.readouterr().out
    run(["convert", written(tmp_path), "--to", "trinity", "-q", "--env", "DATA"])
    assert "/from/outside/gsm8k" in capsys.readouterr().out


def test_args_are_the_script_s_own(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    run(["convert", written(tmp_path), "--to", "trinity", "-q", "--args", "actor_rollout_ref.rollout.n=4"])
    assert "repeat_times: 4" in capsys.readouterr().out


def test_output_file_and_ledger(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    target, ledger = tmp_path / "grpo.yaml", tmp_path / "ledger.json"
    assert run(["convert", written(tmp_path), "--to", "trinity", "-o", str(target), "--ledger", str(ledger), "-q"]) == 0
    assert capsys.readouterr().out == ""
    assert yaml.safe_load(target.read_text())["algorithm"]["repeat_times"] == 8
    report = json.loads(ledger.read_text())
    keys = [line["key"] for line in report["sources"]]
    assert "actor_rollout_ref.rollout.n" in keys
    assert len(keys) == len(set(keys)) == 12
    assert all(line["state"] for line in report["sources"])


def test_a_script_is_written_executable_and_runs_in_place(tmp_path: Path) -> None:
    config, back = tmp_path / "t.yaml", tmp_path / "back.sh"
    run(["convert", written(tmp_path), "--to", "trinity", "-o", str(config), "-q", "--set", "DATA=/d"])
    assert run(["convert", str(config), "--to", "verl", "-o", str(back), "-q"]) == 0
    assert stat.S_IMODE(back.stat().st_mode) & stat.S_IXUSR
    assert back.read_text().startswith("#!/usr/bin/env bash\n")
    assert "actor_rollout_ref.rollout.n=8" in back.read_text()


@pytest.mark.parametrize(
    ("form", "start"), [("yaml", "# Converted"), ("overrides", "algorithm."), ("sh", "#!/usr/bin/env bash")]
)
def test_forms_of_a_verl_config(form: str, start: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["convert", written(tmp_path), "--to", "verl", "--to-release", "0.7.1", "--as", form, "-q"]) == 0
    assert capsys.readouterr().out.startswith(start)


def test_json_is_one_object(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["convert", written(tmp_path), "--to", "trinity", "--json", "-q"]) == 0
    data = json.loads(capsys.readouterr().out)
    assert set(data) == {"text", "adapters", "ledger", "diagnostics", "check"}
    assert yaml.safe_load(data["text"])["algorithm"]["repeat_times"] == 8


def test_losses_decide_the_exit_code_and_write_nothing(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    script = written(tmp_path, GRPO.replace("trainer.total", "trainer.no_such_key=1 trainer.total"))
    target = tmp_path / "o"
    assert run(["convert", script, "--to", "trinity", "--on-loss", "error", "-o", str(target)]) == 1
    assert not target.exists()
    assert "nothing was written" in capsys.readouterr().err
    assert run(["convert", script, "--to", "trinity", "--on-loss", "allow", "-o", str(target)]) == 0
    assert target.exists()
    assert "(loss)" not in capsys.readouterr().err


def test_an_argument_that_nobody_knows_is_a_loss(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    script = written(tmp_path, GRPO.replace("algorithm.adv_estimator", "$OPTS algorithm.adv_estimator"))
    target = tmp_path / "o"
    assert run(["convert", script, "--to", "trinity", "--on-loss", "error", "-o", str(target)]) == 1
    assert not target.exists()
    err = capsys.readouterr().err
    assert "12 keys read, 1 argument not read: what they set is unknown" in err
    assert "nothing was lost" not in err
    assert "not read: $OPTS (run.sh:5)" in err
    assert run(["convert", script, "--to", "trinity", "-q", "-o", str(target)]) == 0
    assert f"warning: an argument is not read ({script}:5:5)" in capsys.readouterr().err
    assert run(["convert", script, "--to", "trinity", "--on-loss", "error", "-q", "--set", "OPTS=a.b=1"]) == 1
    assert "not read" not in capsys.readouterr().err


def test_an_argument_that_nobody_knows_shows_no_secret(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    key = "sk-" + "a1" * 12
    words = f"$(login --api-key={key} $X) algorithm.adv_estimator"
    script = written(tmp_path, GRPO.replace("algorithm.adv_estimator", words))
    assert run(["convert", script, "--to", "trinity", "--ledger", str(tmp_path / "l")]) == 0
    out, err = capsys.readouterr()
    assert key not in out + err + (tmp_path / "l").read_text()


def test_what_cannot_be_read(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    broken = written(tmp_path, "python3 -m verl.trainer.main_ppo 'a=1\n", "broken.sh")
    assert run(["convert", broken, "--to", "trinity"]) == 2
    out, err = capsys.readouterr()
    assert out == ""
    assert "SYN101" in err
    assert f"{broken}:1:34" in err


def test_an_infeasible_split_is_refused_with_what_is_possible(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(["convert", written(tmp_path), "--to", "trinity", "--rollout-gpus", "5"]) == 3
    out, err = capsys.readouterr()
    assert out == ""
    assert "possible:" in err
