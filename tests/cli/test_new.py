"""`rftconf new` as a person uses it: by options, at a terminal, and where it cannot."""

from __future__ import annotations

import io
import json
import os
import sys
from pathlib import Path

import pytest

from rftconf.cli.app import run
from rftconf.schemas.registry import FRAMEWORKS
from rftconf.verbs import ask as asking

Captured = pytest.CaptureFixture[str]
PLAIN = ["--algorithm", "grpo", "--model", "Qwen/Qwen2.5-7B-Instruct", "--gpus", "8", "--gpu", "h100-80g"]
VERL = ["new", "--framework", "verl", *PLAIN]


def test_a_config_that_check_and_budget_have_nothing_against(tmp_path: Path, capsys: Captured) -> None:
    file = tmp_path / "run_grpo.sh"
    assert run([*VERL, "--data", "train.parquet", "-o", str(file)]) == 0
    output = capsys.readouterr().err
    assert "It fits: peak" in output
    assert "examples/grpo_trainer/run_qwen3_8b_fsdp.sh" in output
    assert os.access(file, os.X_OK)
    assert run(["check", str(file), "--gpu", "h100-80g"]) == 0
    assert run(["budget", str(file), "--gpu", "h100-80g"]) == 0
    text = file.read_text()
    assert "trainer.n_gpus_per_node=8     # --gpus" in text
    assert "data.train_files=train.parquet" in text


def test_a_config_of_trl_is_priced_without_being_told_how_long_prompts_are(tmp_path: Path, capsys: Captured) -> None:
    """TRL cuts no prompt, and its engines' context bounds what is trained on."""
    file = tmp_path / "grpo.yaml"
    assert run(["new", "--framework", "trl", *PLAIN, "--data", "data/train.parquet", "-o", str(file)]) == 0
    assert "vllm_max_model_length: 3072" in file.read_text()
    assert run(["check", str(file), "--gpu", "h100-80g", "--severity", "warning"]) == 0
    assert run(["budget", str(file), "--gpu", "h100-80g"]) == 0
    assert "3,072" in capsys.readouterr().out


def test_files_that_nobody_named_are_asked_for_when_the_run_starts(capsys: Captured) -> None:
    assert run(VERL) == 0
    out, output = capsys.readouterr()
    assert '"data.train_files=${TRAIN_DATA}"' in out
    assert "set -euo pipefail" in out
    assert "--data FILE writes it" in output


def test_it_writes_over_nothing_unasked(tmp_path: Path, capsys: Captured) -> None:
    file = tmp_path / "run.sh"
    file.write_text("mine\n")
    assert run([*VERL, "-o", str(file)]) == 2
    assert "--force" in capsys.readouterr().err
    assert file.read_text() == "mine\n"
    assert run([*VERL, "-o", str(file), "--force", "-q"]) == 0
    assert "GRPO" in file.read_text()
    assert capsys.readouterr().err == ""


def test_what_is_missing_is_named_where_nobody_can_be_asked(capsys: Captured) -> None:
    assert run(["new", "--framework", "verl", "--gpus", "8"]) == 2
    assert "missing --algorithm, --model, --gpu:" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("wrong", "output"),
    [
        (["--gpu", "h99"], "--gpu h99: not in the table"),
        (["--model", "Nobody/Nothing-7B"], "model Nobody/Nothing-7B: not in the table"),
        (["--algorithm", "magic"], "no recipe is called 'magic'"),
        (["--framework", "jax"], "no framework is called 'jax'"),
        (["--framework", "verl_sft"], "trains with supervision"),
        (["--gpus", "7", "--nodes", "2"], "2 nodes do not have the same number"),
        (["--release", "0.1.0"], "has no catalogue"),
    ],
    ids=lambda value: value[0] if isinstance(value, list) else "",
)
def test_unknown_names(wrong: list[str], output: str, capsys: Captured) -> None:
    assert run([*VERL, *wrong]) == 2
    assert output in capsys.readouterr().err


def test_an_algorithm_that_an_older_release_lacks_is_refused_with_the_newest(capsys: Captured) -> None:
    """GRPOConfig has importance_sampling_level since 0.20."""
    older = ["new", "--framework", "trl", "--release", "0.19.1", *PLAIN, "--algorithm", "gspo"]
    assert run(older) == 3
    output = capsys.readouterr().err
    assert f"--release {FRAMEWORKS['trl'].newest}" in output
    assert "--framework trl" not in output
    assert "--framework verl" in output


def test_an_algorithm_that_the_framework_lacks_is_refused_with_who_has_it(capsys: Captured) -> None:
    assert run(["new", "--framework", "roll", *PLAIN, "--algorithm", "rloo"]) == 3
    output = capsys.readouterr().err
    assert "ROLL 0.3.0 cannot express the RLOO recipe" in output
    assert "--framework verl" in output
    assert "--framework chatlearn" not in output


def test_too_few_gpus_are_refused_with_the_fewest_that_do(tmp_path: Path, capsys: Captured) -> None:
    large = [*VERL, "--model", "Qwen/Qwen3-32B", "-o", str(tmp_path / "run.sh")]
    assert run(large) == 3
    output = capsys.readouterr().err
    assert "does not fit 8 × NVIDIA H100" in output
    fewest = int(output.partition("--gpus ")[2].partition(":")[0])
    assert list(tmp_path.iterdir()) == []
    assert run([*large, "--gpus", str(fewest)]) == 0
    assert run([*large, "--gpus", str(fewest - 8), "--force"]) == 3


def test_what_was_chosen_as_json(tmp_path: Path, capsys: Captured) -> None:
    assert run([*VERL, "--json", "-o", str(tmp_path / "run.sh")]) == 0
    data = json.loads(capsys.readouterr().out)
    assert data["text"] == (tmp_path / "run.sh").read_text()
    assert data["memory"]["verdict"] == "fits"
    assert data["findings"] == []
    assert data["chosen"]["engine_gpus"] == 1
    assert {d["key"] for d in data["decisions"]} >= {"$TRAIN_DATA", "$EVAL_DATA"}


def test_rows_give_a_length_to_a_framework_that_counts_no_epochs(capsys: Captured) -> None:
    roll = ["new", "--framework", "roll", *PLAIN, "-q"]
    assert run([*roll, "--rows", "102400"]) == 0
    assert "max_steps: 1500" in capsys.readouterr().out
    assert run(roll) == 0
    assert "max_steps: 500" in capsys.readouterr().out


def test_an_older_release(tmp_path: Path) -> None:
    file = tmp_path / "run.sh"
    assert run([*VERL, "--release", "0.5.0", "--data", "train.parquet", "-q", "-o", str(file)]) == 0
    assert run(["check", str(file), "--from-release", "0.5.0"]) == 0


def test_a_folder_with_the_models_config(tmp_path: Path, capsys: Captured) -> None:
    model = tmp_path / "mine"
    model.mkdir()
    sizes = {"hidden_size": 512, "num_hidden_layers": 8, "num_attention_heads": 8, "num_key_value_heads": 4}
    config = {"model_type": "qwen2", "intermediate_size": 1024, "vocab_size": 32000, **sizes}
    (model / "config.json").write_text(json.dumps(config))
    assert run([*VERL, "--model", str(model), "--gpus", "1"]) == 0
    assert f"actor_rollout_ref.model.path={model}" in capsys.readouterr().out


def test_questions_at_a_terminal(tmp_path: Path, capsys: Captured, monkeypatch: pytest.MonkeyPatch) -> None:
    """Defaults by Return; a wrong answer is asked again."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(asking, "at_terminal", lambda: True)
    monkeypatch.setattr(sys, "stdin", io.StringIO("\nmagic\nrloo\n\nnone\n4\n\n\n\n"))
    assert run(["new"]) == 0
    output = capsys.readouterr().err
    assert "no recipe is called 'magic'" in output
    assert "none is no number above 0" in output
    assert "Qwen/Qwen2.5-7B-Instruct" in output
    assert "adv_estimator=rloo" in (tmp_path / "run_rloo.sh").read_text()
