"""`rftconf run`: what the runner is started with, and what is said where there is none."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from rftconf.cli.app import run
from rftconf.plan.model import Rollout
from rftconf.verbs import gpus_here
from rftconf.verbs.run_placement import _bundles, _engines

SCRIPT = "python3 -m verl.trainer.main_ppo data.train_batch_size=8 actor_rollout_ref.rollout.n=4\n"
STANDING_IN = """#!/bin/sh
cat "$3" > "{folder}/plan.json"
shift 3
echo "$@" > "{folder}/arguments"
exit {code}
"""


@pytest.fixture(autouse=True)
def without_a_gpu(monkeypatch: pytest.MonkeyPatch) -> None:
    """Whatever machine this is."""
    monkeypatch.setattr(gpus_here, "visible_gpus", lambda: (0, None))


@pytest.fixture
def script(tmp_path: Path) -> Path:
    file = tmp_path / "run_grpo.sh"
    file.write_text(SCRIPT)
    return file


def standing_in(tmp_path: Path, code: int = 0) -> Path:
    """An interpreter that keeps what it is started with."""
    file = tmp_path / "python"
    file.write_text(STANDING_IN.format(folder=tmp_path, code=code))
    file.chmod(0o755)
    return file


def test_the_runner_gets_the_plan(script: Path, tmp_path: Path) -> None:
    words = ["--resume", "--reward", "reward.py:score", "--address", "head:6379"]
    folder = tmp_path / "out"
    assert run(["run", str(script), "-q", "-o", str(folder), "--python", str(standing_in(tmp_path)), *words]) == 0
    plan = json.loads((tmp_path / "plan.json").read_text())
    assert plan["stages"][0]["batch"]["responses_per_prompt"] == 4
    options = (tmp_path / "arguments").read_text().split()
    assert options == [
        "--out",
        str(folder),
        "--reward",
        "reward.py:score",
        "--address",
        "head:6379",
        "--resume",
        "--quiet",
    ]


def test_what_else_the_runner_is_told(script: Path, tmp_path: Path) -> None:
    words = ["--json", "--finish-answers", "--no-trackers", "--reward-seconds", "5", "--answer-seconds", "2"]
    assert run(["run", str(script), "-o", str(tmp_path / "out"), "--python", str(standing_in(tmp_path)), *words]) == 0
    options = (tmp_path / "arguments").read_text().split()[2:]
    assert options == [
        "--reward-seconds",
        "5.0",
        "--answer-seconds",
        "2.0",
        "--finish-answers",
        "--no-trackers",
        "--json",
    ]


def test_the_reward_is_plotted_at_the_end(script: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    folder = tmp_path / "out"
    folder.mkdir()
    lines = [{"period": path, "reward": path / 10, "lag": 0} for path in (1, 2, 3)]
    (folder / "metrics.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines))
    words = ["run", str(script), "-o", str(folder), "--python", str(standing_in(tmp_path, 1))]
    assert run(words) == 1
    assert "reward, periods 1 to 3: 0.1 to 0.3" in capsys.readouterr().out
    page = (folder / "curve.html").read_text()
    assert page.count("<polyline") == 2
    assert "<script" not in page
    assert run([*words, "-q"]) == 1
    assert capsys.readouterr().out == ""


def test_a_dry_run_says_what_goes_where(script: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    more = ["--set", "N=2", "--python", str(standing_in(tmp_path))]
    assert run(["run", str(script), "--dry-run", *more]) == 0
    output = capsys.readouterr().err
    assert "4 engines of 2 GPUs each: vllm, 512 + 512 tokens a sequence" in output
    assert "1 reward process" in output
    assert "headroom" not in output


def test_a_dry_run_says_who_shares_a_gpu(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "run.sh"
    whole = "actor_rollout_ref.rollout.tensor_model_parallel_size=1"
    file.write_text(SCRIPT.rstrip() + f" trainer.n_gpus_per_node=8 trainer.nnodes=2 {whole}\n")
    assert run(["run", str(file), "--dry-run", "--python", str(standing_in(tmp_path))]) == 0
    periods = capsys.readouterr().err
    assert "2 nodes of 8 GPUs" in periods
    assert "16 of them in a placement group; a trainer rank, a critic rank and an engine share one" in periods


def test_a_dry_run_says_which_bundles_an_engine_has(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "run.sh"
    more = "trainer.n_gpus_per_node=8 trainer.nnodes=2 actor_rollout_ref.rollout.tensor_model_parallel_size=2"
    file.write_text(SCRIPT.rstrip() + f" {more}\n")
    assert run(["run", str(file), "--dry-run", "--python", str(standing_in(tmp_path))]) == 0
    output = capsys.readouterr().err
    assert "16 of them in placement groups" in output
    assert "bundles: engine 0 has 0 to 1, engine 1 has 2 to 3, engine 2 has 4 to 5" in output
    assert "and so on, each on one node" in output
    assert "8 engines of 2 GPUs each: vllm" in output


def test_engines_of_unknown_size() -> None:
    assert _engines(Rollout(gpus=4)) == "4 engines"
    assert _engines(Rollout(tp=2)) == "? GPUs, 2 to an engine"


def test_bundles_of_engines_that_are_apart() -> None:
    """After those of the trainer ranks, as the runner numbers them."""
    assert list(_bundles(3, 7, 4, 2)) == [
        "  bundles: engine 0 has 3 to 4, engine 1 has 5 to 6, each on one node",
        "  3 further bundles for trainer ranks alone",
    ]


def test_a_dry_run_with_a_gpu_has_the_account(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "run.sh"
    keys = "actor_rollout_ref.model.path=Qwen/Qwen2.5-7B-Instruct trainer.n_gpus_per_node=8 trainer.nnodes=1"
    file.write_text(SCRIPT.rstrip() + f" {keys}\n")
    python = str(standing_in(tmp_path))
    assert run(["run", str(file), "--dry-run", "--gpu", "h100-80g", "--python", python]) == 0
    assert "headroom" in capsys.readouterr().err
    assert run(["run", str(file), "--gpu", "h100-80g", "--python", python, "-o", str(tmp_path / "out")]) == 0
    assert "headroom" not in capsys.readouterr().err, "a run that stays as it is placed is not priced"


@pytest.mark.parametrize("code", [1, 2])
def test_its_exit_code_is_ours(script: Path, tmp_path: Path, code: int) -> None:
    words = ["-q", "-o", str(tmp_path / "out"), "--python", str(standing_in(tmp_path, code))]
    assert run(["run", str(script), *words]) == code


def test_a_dry_run_leaves_nothing(script: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    assert run(["run", str(script), "-q", "--dry-run", "--python", str(standing_in(tmp_path))]) == 0
    assert not (tmp_path / "runs").exists()
    assert "--dry-run" in (tmp_path / "arguments").read_text().split()


def test_without_a_runner_it_is_said_how_to_get_one(script: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["run", str(script)]) == 2
    assert "make runner-env" in capsys.readouterr().err


def test_an_interpreter_that_is_none(script: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["run", str(script), "-q", "-o", str(tmp_path / "out"), "--python", str(tmp_path / "none")]) == 2
    assert "none: No such file" in capsys.readouterr().err


def test_what_cannot_be_read_is_not_started(tmp_path: Path) -> None:
    bad = tmp_path / "bad.sh"
    bad.write_text("python3 -m verl.trainer.main_ppo a='b\n")
    assert run(["run", str(bad), "--python", str(standing_in(tmp_path))]) == 2
    assert not (tmp_path / "arguments").exists()


@pytest.mark.parametrize(
    ("pool", "bundles", "where"), [("False", "16 of them", "the engines' places"), ("True", "20 of them", "places of")]
)
def test_a_dry_run_says_where_a_reward_model_is(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], pool: str, bundles: str, where: str
) -> None:
    file = tmp_path / "run.sh"
    model = f"reward.reward_model.enable=True reward.reward_model.model_path=/rm reward.reward_model.enable_resource_pool={pool}"
    size = "reward.reward_model.nnodes=1 reward.reward_model.n_gpus_per_node=4"
    file.write_text(SCRIPT.rstrip() + f" trainer.n_gpus_per_node=8 trainer.nnodes=2 {model} {size}\n")
    assert run(["run", str(file), "--dry-run", "--python", str(standing_in(tmp_path))]) == 0
    output = capsys.readouterr().err
    assert bundles in output
    assert f"of /rm on {where}" in output


ELSEWHERE = (
    "trainer.n_gpus_per_node=8 trainer.nnodes=2 algorithm.adv_estimator=grpo actor_rollout_ref.rollout.name=sglang "
    "actor_rollout_ref.model.path=Qwen/Qwen2.5-7B-Instruct actor_rollout_ref.actor.ppo_mini_batch_size=8"
)


def elsewhere(tmp_path: Path) -> Path:
    """A config for SGLang on two nodes."""
    file = tmp_path / "elsewhere.sh"
    file.write_text(f"{SCRIPT.rstrip()} {ELSEWHERE}\n")
    return file


def test_a_placement_that_the_runner_lacks_is_chosen_anew(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    more = ["--python", str(standing_in(tmp_path)), "-o", str(tmp_path / "out"), "--gpus", "4", "--gpu", "h100-80g"]
    assert run(["run", str(elsewhere(tmp_path)), *more]) == 0
    output = capsys.readouterr().err
    assert (
        "placed anew, for 4 GPUs (h100-80g)\n  because: answers are drawn by SGLang\n  because: 2 × 8 GPUs; 4 are there\n"
        in output
    )
    assert "engines  sglang TP2 on 16 GPUs  ->  vllm TP2 on 4 GPUs" in output
    assert "memory: fits: " in output
    plan = json.loads((tmp_path / "plan.json").read_text())
    place = plan["stages"][0]["placement"]
    assert (place["rollout"]["engine"], place["rollout"]["gpus"], place["actor"]["gpus"]) == ("vllm", 4, 4)
    assert run(["run", str(elsewhere(tmp_path)), *more, "-q"]) == 0
    assert capsys.readouterr().err == ""


def test_or_refused(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    more = ["--python", str(standing_in(tmp_path)), "-o", str(tmp_path / "out"), "--as-placed", "-q"]
    assert run(["run", str(elsewhere(tmp_path)), *more]) == 2
    assert "not as it is placed: answers are drawn by SGLang\n" in capsys.readouterr().err
    assert not (tmp_path / "plan.json").exists()
    own = tmp_path / "own.sh"
    own.write_text(f"{SCRIPT.rstrip()} trainer.n_gpus_per_node=4 actor_rollout_ref.rollout.name=vllm\n")
    assert run(["run", str(own), *more]) == 0, "what the runner has stays"


def test_a_run_that_no_placement_holds_is_not_started(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    more = ["--python", str(standing_in(tmp_path)), "--gpus", "1", "--gpu", "rtx-4090-24g", "-o", str(tmp_path / "out")]
    file = elsewhere(tmp_path)
    file.write_text(file.read_text().replace("2.5-7B", "2.5-72B"))
    assert run(["run", str(file), *more]) == 2
    assert "no placement on 1 GPU (" in capsys.readouterr().err
    assert not (tmp_path / "plan.json").exists()
