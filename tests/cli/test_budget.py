"""`rftconf budget`: what it prints, its exit codes, its patches, and every bad input."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest

from rftconf.cli.app import run
from tests.budget.runs import APART, COLOCATED

SCRIPT = "python3 -m verl.trainer.main_ppo \\\n" + " \\\n".join(f"    {k}={v}" for k, v in COLOCATED.items()) + "\n"


@pytest.fixture
def script(tmp_path: Path) -> str:
    file = tmp_path / "run.sh"
    file.write_text(SCRIPT)
    return str(file)


def printed(capsys: pytest.CaptureFixture[str], *arguments: str, code: int = 0) -> str:
    assert run(["budget", *arguments, "-q"]) == code
    return capsys.readouterr().out


def test_the_answer_on_a_screen(script: str, capsys: pytest.CaptureFixture[str]) -> None:
    out = printed(capsys, script, "--gpu", "h100-80g")
    assert "fits: peak" in out
    assert "headroom" in out
    assert "Qwen2.5-7B-Instruct taken for Qwen/Qwen2.5-7B by its name" in out
    assert "node 0   a a a a a a a a" in out
    for phase in ("load", "rollout", "sync", "old log-probs", "actor update", "save"):
        assert re.search(rf"^[> ] {phase} +\w", out, re.MULTILINE), phase


def test_what_does_not_fit_is_exit_1(script: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert "does not fit" in printed(capsys, script, "--gpu", "rtx-4090", code=1)


def test_explained_terms_add_up(script: str, capsys: pytest.CaptureFixture[str]) -> None:
    out = printed(capsys, script, "--gpu", "h100", "--phase", "actor update")
    numbers = [int(n.replace(",", "")) for n in re.findall(r"^ +([\d,]+) B", out, re.MULTILINE)]
    *terms, total = numbers
    assert len(terms) > 8
    assert sum(terms) == total


def test_json_has_everything(script: str, capsys: pytest.CaptureFixture[str]) -> None:
    data: dict[str, Any] = json.loads(printed(capsys, script, "--gpu", "h100", "--json", "--fit"))
    assert data["verdict"] == "fits"
    for pool in data["pools"]:
        for phase in pool["phases"]:
            assert phase["bytes"] == sum(t["bytes"] for t in phase["terms"]) == sum(phase["parts"].values())
            assert phase["low_bytes"] <= phase["bytes"] <= phase["high_bytes"]
    assert {a["question"].split()[0] for a in data["answers"]} >= {"largest", "highest", "fewest"}


def test_gpu_hours(script: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "more.sh").write_text(SCRIPT.rstrip() + " \\\n    trainer.total_training_steps=100\n")
    out = printed(capsys, str(tmp_path / "more.sh"), "--gpu", "h100", "--step-seconds", "36")
    assert "GPU-hours: 8.0" in out


def test_a_plan_is_priced_like_its_config(script: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    plan = tmp_path / "plan.json"
    assert run(["plan", script, "--json", "-q", "-o", str(plan)]) == 0
    assert printed(capsys, str(plan), "--gpu", "h100", "--json") == printed(capsys, script, "--gpu", "h100", "--json")


def test_html_needs_nothing_else(script: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "budget.html"
    printed(capsys, script, "--gpu", "h100", "--fit", "--front", "--html", str(file))
    text = file.read_text()
    assert text.count("<svg") == 2
    assert "<script" not in text
    assert not re.search(r"(?:src|href)\s*=|url\(|https?:", text)


@pytest.mark.parametrize(("answer", "key"), [("1", "ppo_max_token_len_per_gpu"), ("2", "gpu_memory_utilization")])
def test_apply_changes_one_literal(script: str, tmp_path: Path, answer: str, key: str) -> None:
    out = tmp_path / "fitted.sh"
    assert run(["budget", script, "--gpu", "h100", "--apply", answer, "-o", str(out), "-q"]) == 0
    changed = [(a, b) for a, b in zip(SCRIPT.splitlines(), out.read_text().splitlines(), strict=True) if a != b]
    assert len(changed) == 1
    assert key in changed[0][0]
    assert run(["budget", str(out), "--gpu", "h100", "-q"]) == 0


def test_apply_to_yaml(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file, out = tmp_path / "run.yaml", tmp_path / "fitted.yaml"
    file.write_text(APART.replace("NODES", "1").replace("ENGINES", "1"))
    run(["budget", str(file), "--gpu", "h100", "--apply", "1", "-o", str(out), "-q"])
    assert re.search(r"max_token_len_per_gpu: \d{5,}", out.read_text())
    assert out.read_text() != file.read_text()


def test_a_key_that_the_file_lacks_is_added(tmp_path: Path) -> None:
    file, out = tmp_path / "run.sh", tmp_path / "fitted.sh"
    file.write_text(SCRIPT.replace(" \\\n    actor_rollout_ref.rollout.gpu_memory_utilization=0.5", ""))
    assert run(["budget", str(file), "--gpu", "h100", "--apply", "2", "-q", "-o", str(out)]) == 0
    added = set(out.read_text().split()) - set(file.read_text().split())
    assert [word.partition("=")[0] for word in added] == ["actor_rollout_ref.rollout.gpu_memory_utilization"]


def test_what_the_file_cannot_hold_is_said(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "run.yaml"
    file.write_text(APART.replace("NODES", "1").replace("ENGINES", "1").replace("7B", "14B"))
    assert run(["budget", str(file), "--gpu", "rtx-4090", "--apply", "3", "-q"]) == 1
    out, err = capsys.readouterr()
    assert out == file.read_text()
    assert "set it yourself: " in err


def test_the_front(script: str, capsys: pytest.CaptureFixture[str]) -> None:
    out = printed(capsys, script, "--gpu", "h100", "--front")
    assert re.search(r"^h200-141g +\d+ +[\d.]+ +[\d,]+ ", out, re.MULTILINE)


def _with(old: str, new: str) -> str:
    assert old in SCRIPT
    return SCRIPT.replace(old, new)


NODES = _with("trainer.nnodes=1", "trainer.nnodes=$NNODES")
OWN = _with("Qwen/Qwen2.5-7B-Instruct", "/models/own")
BAD = [
    (SCRIPT, [], r"pass --gpu, one of: "),
    (SCRIPT, ["--gpu", "h1000"], r"--gpu h1000: not in the table; nearest: .*h100"),
    (SCRIPT, ["--gpu", "h100", "--nodes", "0"], r"--nodes is 0"),
    (SCRIPT, ["--gpu", "h100", "--gpus-per-node", "-8"], r"--gpus-per-node is -8"),
    (SCRIPT, ["--gpu", "h100", "--step-seconds", "0"], r"--step-seconds is 0"),
    (SCRIPT, ["--gpu", "h100", "--model", "nonesuch-7b"], r"model nonesuch-7b: not in the table.*config\.json"),
    (SCRIPT, ["--gpu", "h100", "--model", "/no/such/config.json"], r"cannot be read: No such file"),
    (SCRIPT, ["--gpu", "h100", "--apply", "9"], r"--apply 9: there are 4 answers"),
    (SCRIPT, ["--gpu", "h100", "--phase", "nap"], r"--phase nap: this run has load, rollout"),
    (SCRIPT, ["--gpu", "h100", "--trainer-date", "yesterday"], r"--trainer-date yesterday: a release such as"),
    (SCRIPT, ["--gpu", "h100", "--mean-tokens", "99999"], r"--mean-tokens is 99999: the longest sequence .* 4096"),
    (NODES, ["--gpu", "h100"], r"nodes = NNODES.*--nodes.*--set NNODES"),
    (OWN, ["--gpu", "h100"], r"model /models/own: not in the table"),
    (
        _with("ppo_max_token_len_per_gpu=16384", "ppo_max_token_len_per_gpu=$CAP"),
        ["--gpu", "h100"],
        r"tokens_per_rank = CAP",
    ),
    (_with("nnodes=1", "nnodes=-1"), ["--gpu", "h100"], r"nodes"),
]


@pytest.mark.parametrize(("text", "options", "says"), BAD)
def test_bad_input(
    text: str, options: list[str], says: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "run.sh"
    file.write_text(text)
    assert run(["budget", str(file), *options, "-q"]) == 2
    out, err = capsys.readouterr()
    assert out == ""
    assert re.search(says, err.replace("\n", " ")), err
    assert "Traceback" not in err


def test_symbolic_nodes_are_given_on_the_command_line(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "run.sh"
    file.write_text(NODES)
    assert "2 × 8 NVIDIA H100" in printed(capsys, str(file), "--gpu", "h100", "--nodes", "2")
    assert "3 × 8 NVIDIA H100" in printed(capsys, str(file), "--gpu", "h100", "--set", "NNODES=3")


@pytest.mark.parametrize("text", ["", "{", "[]", '{"plan_version": 2, "stages": []}', '{"plan_version": 1}'])
def test_what_is_no_plan(text: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "plan.json"
    file.write_text(text)
    assert run(["budget", str(file), "--gpu", "h100"]) == 2
    assert "plan" in capsys.readouterr().err


def test_another_cluster_is_the_runs_own_resized(script: str, capsys: pytest.CaptureFixture[str]) -> None:
    """veRL's file says one node of eight; asked for two, all roles are on sixteen GPUs."""
    data = json.loads(printed(capsys, script, "--gpu", "h100-80g", "--nodes", "2", "--json"))
    assert data["pools"][0]["gpus"] == list(range(16))
    assert run(["budget", script, "--gpu", "h100-80g", "--gpus-per-node", "3"]) == 2
    assert "do not divide" in capsys.readouterr().err


def test_answers_have_the_number_that_apply_takes(script: str, capsys: pytest.CaptureFixture[str]) -> None:
    out = printed(capsys, script, "--gpu", "h100-80g", "--fit")
    assert "\n1. largest micro-batch of the actor\n" in out
    assert "\n2. highest safe share" in out


def test_an_answer_without_a_change_is_not_applied(
    script: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """On a T4 nothing fits: there is nothing to write, and no file that looks as if there were."""
    target = tmp_path / "fitted.sh"
    assert run(["budget", script, "--gpu", "t4", "--apply", "1", "-o", str(target)]) == 2
    assert "nothing to change" in capsys.readouterr().err
    assert not target.exists()
