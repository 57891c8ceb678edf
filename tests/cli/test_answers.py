"""`--questions FILE` writes what a person must decide; `--answers FILE` takes the answers all at once."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest
import yaml

from rftconf.cli.app import run
from tests.sources import ROOT

SCRIPT = """set -u
MODEL=${MODEL:?}
python3 -m verl.trainer.main_ppo algorithm.adv_estimator=grpo data.train_files=$HOME/a/train.parquet \\
  data.val_files=$HOME/b/test.parquet data.train_batch_size=64 data.max_prompt_length=512 data.max_response_length=512 \\
  actor_rollout_ref.model.path=$MODEL actor_rollout_ref.actor.ppo_mini_batch_size=64 \\
  actor_rollout_ref.actor.ppo_micro_batch_size_per_gpu=4 actor_rollout_ref.rollout.n=8 \\
  actor_rollout_ref.rollout.name=vllm actor_rollout_ref.rollout.tensor_model_parallel_size=2 \\
  trainer.n_gpus_per_node=8 trainer.nnodes=1 trainer.total_epochs=2
"""
FORMAT = "buffer.explorer_input.tasksets[].format"
WORKFLOW = "buffer.explorer_input.tasksets[].default_workflow_type"
ENGINES = "explorer.rollout_model.engine_num"
Captured = pytest.CaptureFixture[str]


@pytest.fixture
def script(tmp_path: Path) -> Path:
    file = tmp_path / "run.sh"
    file.write_text(SCRIPT)
    return file


def asked(script: Path, *more: str) -> dict[str, object]:
    questions = script.with_name("questions.yaml")
    assert run(["convert", str(script), "--to", "trinity", "--questions", str(questions), "-q", *more]) == 0
    values: dict[str, object] = yaml.safe_load(questions.read_text())["answers"]
    return values


def answered(script: Path, answers: dict[str, object], *more: str) -> int:
    file = script.with_name("answers.yaml")
    file.write_text(json.dumps({"version": 1, "answers": answers}, indent=1))
    out = str(script.with_name("out.yaml"))
    return run(["convert", str(script), "--to", "trinity", "--answers", str(file), "-o", out, *more])


def test_what_is_no_file_of_a_bounded_size_is_refused(script: Path, capsys: Captured) -> None:
    """A pipe that nobody writes to would be waited for, and a device has no end."""
    pipe, large = script.with_name("pipe"), script.with_name("large.yaml")
    os.mkfifo(pipe)
    large.write_text("# more\n" * 200_000)
    for path, why in ((str(pipe), "a pipe"), ("/dev/zero", "a device"), (str(large), "at most 1,048,576 are read")):
        assert run(["convert", str(script), "--to", "trinity", "--answers", path]) == 2
        assert why in capsys.readouterr().err


def test_each_question_says_what_each_answer_does_and_its_option(script: Path, capsys: Captured) -> None:
    assert set(asked(script)) == {"$HOME", "$MODEL", ENGINES, "trainer.total_steps", WORKFLOW, FORMAT}
    capsys.readouterr()
    text = script.with_name("questions.yaml").read_text()
    assert "- 6: 6 rollout (3 engines) + 2 trainer (--rollout-gpus 6)" in text
    assert "written now: 4 rollout (2 engines) + 4 trainer" in text
    assert "- a text (--set MODEL=...)" in text or "another text (--set MODEL=...)" in text
    assert f"--answers {script.with_name('questions.yaml')}" in text


def test_a_variable_without_which_the_script_ends_is_asked_for(script: Path, capsys: Captured) -> None:
    """Under `set -u`, and by `${MODEL:?}`, nothing starts without it."""
    assert asked(script)["$MODEL"] is None
    assert "the script ends at line 2 without $MODEL" in " ".join(
        script.with_name("questions.yaml").read_text().split("\n  # ")
    )


def test_all_answers_at_once(script: Path, capsys: Captured) -> None:
    answers: dict[str, object] = {
        "$HOME": "/home/me",
        "$MODEL": "/models/q",
        ENGINES: 6,
        "trainer.total_steps": 7473,
        WORKFLOW: "math_workflow",
        FORMAT: "keep",
    }
    assert answered(script, answers) == 0
    output = capsys.readouterr().err
    assert "You must decide" not in output
    assert "next: rftconf check" in output
    config = yaml.safe_load(script.with_name("out.yaml").read_text())
    assert config["model"]["model_path"] == "/models/q"
    assert config["explorer"]["rollout_model"]["engine_num"] == 3
    assert config["buffer"]["total_steps"] == 7473 // 64 * 2
    tasksets = config["buffer"]["explorer_input"]["tasksets"]
    assert [taskset["default_workflow_type"] for taskset in tasksets] == ["math_workflow"]
    assert tasksets[0]["path"] == "/home/me/a"


def test_what_is_not_answered_stays_open(script: Path, capsys: Captured) -> None:
    assert answered(script, {"$MODEL": "/models/q", ENGINES: None}) == 0
    output = capsys.readouterr().err
    assert "You must decide (5)" in output
    assert ENGINES in output


def test_questions_can_be_written_again_with_the_answers_in_them(script: Path) -> None:
    again = str(script.with_name("again.yaml"))
    assert answered(script, {"$MODEL": "/m", WORKFLOW: "mine"}, "--questions", again, "-q") == 0
    result = yaml.safe_load(Path(again).read_text())["answers"]
    assert (result["$MODEL"], result[WORKFLOW], result[ENGINES]) == ("/m", "mine", None)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (
            "version: 1\nanswers:\n  $MODLE: a\n",
            "answers.yaml:3:3: $MODLE is no question of this conversion; did you mean $MODEL?",
        ),
        (f"answers:\n  {ENGINES}: 5\n", f"answers.yaml:2:3: {ENGINES} does not take 5; it takes 6 or keep"),
        (
            "answers:\n  trainer.total_steps: many\n",
            'trainer.total_steps does not take "many"; it takes keep or a whole number',
        ),
        ("", ":1:1: the file of answers is empty"),
        ("# nothing but a comment\n", ":1:1: the file of answers is empty"),
        ("answers: [a]\n", "has `answers:` with a value for each question"),
        ("version: 2\nanswers:\n", "answers.yaml:1:10: this is version 2, and rftconf reads 1"),
        ("answers:\nmore: 1\n", "answers.yaml:2:1: more is neither version nor answers"),
        ("answers: {a: 1", "cannot be read: "),
        ("answers:\n  a: !!python/none 1\n", "answers.yaml:2:"),
        ("answers:\n  $MODEL: a\n  $MODEL: b\n", "$MODEL is given twice"),
    ],
)
def test_a_bad_file_is_told_by_its_place(script: Path, capsys: Captured, text: str, message: str) -> None:
    file = script.with_name("answers.yaml")
    file.write_text(text)
    out = script.with_name("out.yaml")
    assert run(["convert", str(script), "--to", "trinity", "--answers", str(file), "-o", str(out)]) == 2
    assert message in " ".join(capsys.readouterr().err.split("\n  "))
    assert not out.exists()


def test_a_missing_file_is_refused(script: Path, tmp_path: Path, capsys: Captured) -> None:
    assert run(["convert", str(script), "--to", "trinity", "--answers", str(tmp_path / "none.yaml")]) == 2
    assert "cannot be read: No such file" in capsys.readouterr().err


def test_a_certificate_holds_the_answers(script: Path, capsys: Captured) -> None:
    answers: dict[str, object] = {
        "$MODEL": "/models/q",
        ENGINES: 6,
        WORKFLOW: "math_workflow",
        "trainer.total_steps": 7473,
    }
    assert answered(script, answers, "--certify", "-q") == 0
    claim = script.with_name("out.yaml.certificate.json")
    request = json.loads(claim.read_text())["request"]  # what is an option's value too is held as that
    assert set(request["answers"]) == {ENGINES, WORKFLOW}
    assert (request["bindings"]["MODEL"], request["rows"]) == ("/models/q", 7473)
    script.with_name("answers.yaml").unlink()
    assert run(["verify", str(claim)]) == 0
    text = claim.read_text()
    claim.write_text(text.replace("math_workflow", "other_workflow"))
    assert run(["verify", str(claim)]) == 1


def test_an_answer_that_looks_like_a_secret_goes_into_no_certificate(script: Path, capsys: Captured) -> None:
    assert answered(script, {"$MODEL": "https://me:hunter2secret@host/q"}, "--certify", "-q") == 2
    assert "the answer to $MODEL looks like a secret" in " ".join(capsys.readouterr().err.split())


STAGES = ROOT / "golden" / "open" / "stages-to-roll" / "input.yaml"


def test_a_staged_run_is_asked_about_as_one(tmp_path: Path, capsys: Captured) -> None:
    """Each run's questions come under the name of its file; what all runs read is asked once."""
    questions, run_of = tmp_path / "q.yaml", tmp_path / "run"
    base = ["convert", str(STAGES), "--to", "verl", "-o", str(run_of), "-q"]
    assert run([*base, "--questions", str(questions)]) == 0
    values: dict[str, object] = yaml.safe_load(questions.read_text())["answers"]
    assert values
    reward = next(name for name in values if name.endswith("custom_reward_function.path"))
    file, _, key = reward.partition(": ")
    assert (run_of / file).is_file()
    answers = tmp_path / "a.yaml"
    answers.write_text(json.dumps({"answers": {reward: "/code/reward.py"}}))
    assert run([*base, "--answers", str(answers), "--certify", "--ledger", str(tmp_path / "l.json")]) == 0
    assert f"{key}=/code/reward.py" in (run_of / file).read_text()
    ledger = json.loads((tmp_path / "l.json").read_text())
    assert reward in [entry["key"] for entry in ledger["answered"]]
    assert reward not in [decision["key"] for decision in ledger["decisions"]]
    assert run(["verify", str(run_of / "certificate.json")]) == 0
    answers.write_text(json.dumps({"answers": {"01-none.sh: x": 1}}))
    assert run([*base, "--answers", str(answers)]) == 2
    assert "is no question of this conversion" in capsys.readouterr().err


def test_a_folder_is_asked_about_as_one(script: Path, tmp_path: Path, capsys: Captured) -> None:
    folder, out, questions = tmp_path / "configs", tmp_path / "out", tmp_path / "q.yaml"
    (folder / "sub").mkdir(parents=True)
    (folder / "a.sh").write_text(SCRIPT)
    (folder / "sub" / "b.sh").write_text(SCRIPT)
    (folder / "no.yaml").write_text("a: 1\n")
    base = ["convert", str(folder), "--to", "trinity", "-o", str(out), "-q"]
    assert run([*base, "--questions", str(questions)]) == 0
    result = yaml.safe_load(questions.read_text())["answers"]
    assert {"a.sh: $MODEL", "sub/b.sh: $MODEL", f"a.sh: {ENGINES}"} <= set(result)
    answers = tmp_path / "a.yaml"
    answers.write_text(
        json.dumps({"answers": {"a.sh: $MODEL": "/m/a", "sub/b.sh: $MODEL": "/m/b", f"a.sh: {ENGINES}": 6}})
    )
    assert run([*base, "--answers", str(answers)]) == 0
    first, second = (yaml.safe_load((out / name).read_text()) for name in ("a.yaml", "sub/b.yaml"))
    assert (first["model"]["model_path"], second["model"]["model_path"]) == ("/m/a", "/m/b")
    assert first["explorer"]["rollout_model"]["engine_num"] == 3
    answers.write_text(json.dumps({"answers": {"c.sh: $MODEL": "/m"}}))
    assert run([*base, "--answers", str(answers)]) == 2
    assert "c.sh: $MODEL is no question of this conversion; did you mean" in " ".join(capsys.readouterr().err.split())


def test_two_answers_that_disagree_are_refused(script: Path, capsys: Captured) -> None:
    text = script.read_text().replace(
        "trainer.nnodes=1", "trainer.nnodes=1 actor_rollout_ref.actor.optim.lr_warmup_steps_ratio=0.1"
    )
    script.write_text(text)
    names = [name for name in asked(script) if name in ("trainer.total_steps", "algorithm.optimizer.lr_warmup_steps")]
    assert len(names) == 2
    assert answered(script, dict(zip(names, (100, 200), strict=True))) == 2
    assert "another answer says 100 for the same" in capsys.readouterr().err


def test_from_standard_input(script: Path, capsys: Captured, monkeypatch: pytest.MonkeyPatch) -> None:
    """The source is read once, however often it is converted."""
    import io
    import sys

    file = script.with_name("answers.yaml")
    file.write_text("answers:\n  $MODEL: /m\n")
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(script.read_bytes())))
    assert run(["convert", "-", "--to", "trinity", "--answers", str(file), "-q"]) == 0
    assert "model_path: /m" in capsys.readouterr().out


def test_the_schema_is_printed(capsys: Captured) -> None:
    assert run(["schema", "answers"]) == 0
    schema = json.loads(capsys.readouterr().out)
    assert schema["properties"]["version"] == {"const": 1}
