"""`rftconf convert` checks what it is about to write."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from rftconf.cli.app import run
from tests.cli.scripts import written

MICRO = "actor_rollout_ref.actor.ppo_micro_batch_size_per_gpu=4 actor_rollout_ref.rollout.log_prob_micro_batch_size_per_gpu=4"
START = (
    "python3 -m verl.trainer.main_ppo algorithm.adv_estimator=grpo data.train_batch_size=64 data.train_files=/d/t.parquet"
    " data.val_files=/d/v.parquet actor_rollout_ref.model.path=Qwen/Qwen2.5-7B-Instruct"
    " actor_rollout_ref.actor.ppo_mini_batch_size=64 actor_rollout_ref.rollout.name=vllm actor_rollout_ref.rollout.n=8"
    " trainer.n_gpus_per_node=8 trainer.total_training_steps=10 "
)
WRONG = START  # no micro-batch size: veRL stops before the first step (BAT006)


def test_an_output_that_the_target_would_refuse_is_not_written(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = tmp_path / "out.sh"
    assert run(["convert", written(tmp_path, WRONG), "--to", "verl", "-q", "-o", str(out)]) == 3
    output = capsys.readouterr().err
    assert not out.exists()
    assert "error BAT006" in output
    assert f"{out}:" in output, "the finding stands at a line of the output"
    assert "--on-loss allow writes it all the same" in output


def test_allow_writes_it_and_shows_the_errors(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out = tmp_path / "out.sh"
    arguments = ["convert", written(tmp_path, WRONG), "--to", "verl", "-q", "-o", str(out), "--on-loss", "allow"]
    assert run(arguments) == 0
    assert "ppo_mini_batch_size=64" in out.read_text()
    assert "error BAT006" in capsys.readouterr().err


def test_json_holds_the_errors_and_no_text(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["convert", written(tmp_path, WRONG), "--to", "verl", "-q", "--json"]) == 3
    report = json.loads(capsys.readouterr().out)
    assert report["text"] is None
    assert {result["code"] for result in report["check"]} >= {"BAT006"}


def test_a_sound_output_is_written_without_a_word(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for to in ("verl", "trinity", "roll", "chatlearn"):
        out = tmp_path / f"out-{to}"
        assert run(["convert", written(tmp_path, START + MICRO), "--to", to, "-q", "-o", f"{out}.txt"]) == 0
        assert capsys.readouterr().err == ""


def test_a_folder_lists_the_file_as_refused(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    folder, out = tmp_path / "configs", tmp_path / "out"
    folder.mkdir()
    written(folder, WRONG, "wrong.sh")
    written(folder, START + MICRO, "right.sh")
    assert run(["convert", str(folder), "--to", "verl", "-o", str(out)]) == 3
    output = capsys.readouterr().err
    assert [path.name for path in out.iterdir()] == ["right.sh"]
    assert "its own check finds BAT006" in output
    assert "1 of 2 files converted" in output


def test_no_certificate_speaks_of_a_file_that_is_not_there(tmp_path: Path) -> None:
    out = tmp_path / "out.sh"
    assert run(["convert", written(tmp_path, WRONG), "--to", "verl", "-q", "--certify", "-o", str(out)]) == 3
    assert [path.name for path in tmp_path.iterdir()] == ["run.sh"]


def test_a_run_that_does_not_fit_the_named_gpu_is_refused(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    huge = (START + MICRO).replace("Qwen2.5-7B-Instruct", "Qwen2.5-72B-Instruct")
    arguments = ["convert", written(tmp_path, huge), "--to", "trinity", "-q", "-o", str(tmp_path / "out.yaml")]
    assert run(arguments) == 0
    assert run([*arguments, "--gpu", "a100-40g"]) == 3
    assert "MEM" in capsys.readouterr().err
    assert run([*arguments, "--gpu", "abacus"]) == 2


def test_a_forks_own_key_stays_where_the_framework_stays(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """The user runs the fork; the ledger says that upstream does not know the key."""
    out = tmp_path / "out.sh"
    text = f"{START}{MICRO} actor_rollout_ref.actor.my_fork=1"
    assert run(["convert", written(tmp_path, text), "--to", "verl", "-o", str(out)]) == 0
    assert "my_fork=1" in out.read_text()
    message = " ".join(capsys.readouterr().err.split())
    assert "what reads these is not known, and they are kept as written: actor_rollout_ref.actor.my_fork" in message


def test_what_a_newer_release_takes_with_its_default_only_is_left_out(tmp_path: Path) -> None:
    """veRL 0.5.0 loads Megatron's weights without a bridge by default; since 0.8.0 there is no other way."""
    out = tmp_path / "out.sh"
    text = f"{START}{MICRO}".replace("main_ppo ", "main_ppo --config-name=ppo_megatron_trainer ")
    arguments = ["convert", written(tmp_path, text), "--from", "verl", "--from-release", "0.5.0", "--to", "verl"]
    assert run([*arguments, "--to-release", "0.9.1", "-q", "-o", str(out)]) == 0
    assert "use_mbridge" not in out.read_text()
