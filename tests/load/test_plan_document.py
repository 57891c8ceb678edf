"""A plan file in place of a config: every verb reads it, and what is wrong with it is said at its place."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest

from rftconf.cli.app import run
from rftconf.load.load import load
from rftconf.text.read.read import read
from rftconf.text.source import Source
from tests.plan_documents import as_yaml, read_again
from tests.sources import ROOT

INPUT = ROOT / "golden" / "convert" / "readme" / "input.sh"
Said = pytest.CaptureFixture[str]


@pytest.fixture(scope="module")
def text(tmp_path_factory: pytest.TempPathFactory) -> str:
    file = tmp_path_factory.mktemp("plan") / "plan.json"
    assert run(["plan", str(INPUT), "--json", "-q", "-o", str(file)]) == 0
    return file.read_text()


@pytest.fixture
def plan(text: str, tmp_path: Path) -> Path:
    file = tmp_path / "plan.json"
    file.write_text(text)
    return file


@pytest.mark.parametrize(
    ("words", "shows"),
    [
        (["check"], "nothing found"),
        (["plan"], "responses_per_prompt: 8"),
        (["budget", "--gpu", "h100-80g"], "GiB"),
        (["launch", "--on", "slurm", "--folder", "/shared"], "#SBATCH"),
        (["run", "--dry-run", "--python", "/bin/true"], "what would be placed where"),
        (["convert", "--to", "roll"], "num_return_sequences_in_group: 8"),
        (["convert", "--to", "chatlearn"], "num_inference_per_prompt: 8"),
    ],
    ids=lambda value: value[0] if isinstance(value, list) else "",
)
def test_a_verb_reads_it(words: list[str], shows: str, plan: Path, capsys: Said) -> None:
    assert run([words[0], str(plan), *words[1:]]) == 0
    output = capsys.readouterr()
    assert shows in output.out + output.err


def test_it_is_the_same_run_as_its_source(plan: Path, capsys: Said) -> None:
    assert run(["diff", str(plan), str(INPUT), "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["verdict"] == "same"


def test_it_is_said_to_be_a_plan(plan: Path, capsys: Said) -> None:
    assert run(["plan", str(plan)]) == 0
    assert capsys.readouterr().err == "a plan, made from veRL 0.9.1\n\n"


def test_its_own_framework_gets_its_own_keys_back(tmp_path: Path, capsys: Said) -> None:
    (source,) = (ROOT / "golden" / "convert" / "chatlearn-gspo-to-verl").glob("input.*")
    file = tmp_path / "plan.json"
    assert run(["plan", str(source), "--json", "-q", "-o", str(file)]) == 0
    assert json.loads(file.read_text())["extensions"]["chatlearn"]["runtime_args.max_replay_episode"] == 1
    assert run(["convert", str(file), "--to", "chatlearn", "-q"]) == 0
    assert "max_replay_episode: 1\n" in capsys.readouterr().out


def test_names_and_rows_are_told_as_for_a_source(plan: Path, tmp_path: Path) -> None:
    options = ["--set", "HOME=/home/x", "--rows", "7473"]
    for source, name in ((plan, "a"), (INPUT, "b")):
        assert run(["convert", str(source), "--to", "verl", *options, "-q", "-o", str(tmp_path / name)]) == 0
    for name in ("a", "b"):
        assert "/home/x/data/gsm8k/train.parquet" in (tmp_path / name).read_text()
    loaded = load(read(Source("plan.json", plan.read_text())), rows=7473)
    assert loaded.plan.stages[0].run_length.rollouts == 7473 // 512 * 15


def test_a_value_that_a_field_does_not_take_is_said(tmp_path: Path, capsys: Said) -> None:
    file = tmp_path / "plan.yaml"
    file.write_text("plan_version: 3\nsource: {framework: verl}\nstages:\n- batch: {passes: {$expr: N}}\n")
    assert run(["plan", str(file), "--set", "N=many"]) == 2
    assert "N=many is nothing that stages[0].batch.passes = N takes" in capsys.readouterr().err


def test_yaml_tabs_and_other_writers_of_json_are_read(text: str) -> None:
    data = json.loads(text)
    data["identity"]["project"] = "\U0001f600 \u2028"
    plan = read_again(json.dumps(data))
    assert plan.identity.project == "\U0001f600 \u2028"
    assert read_again(json.dumps(data, indent="\t", ensure_ascii=False)) == plan
    assert read_again(json.dumps(data, sort_keys=True), name="<stdin>") == plan
    assert read_again(as_yaml(plan), name="plan.yml") == plan


def test_a_config_that_speaks_of_the_mark_elsewhere_is_none() -> None:
    assert not read(Source("a.yaml", "model: {plan_version: 3}\n")).is_plan
    assert read(Source("a.yaml", "# about\nplan_version: 3\n")).is_plan


BAD: list[tuple[str, str, str]] = [
    ('"passes": 1', '"pases": 1', "SYN702 the plan has no field stages[0].batch.pases"),
    ('"passes": 1', '"passes": "x"', "SYN702 stages[0].batch.passes: input should be a valid integer"),
    ('"passes": 1', '"passes": 1e999', "SYN701 1e999 is more than a number can hold"),
    ('"passes": 1', '"passes": ' + "9" * 5000, "SYN701 a number of 5000 digits"),
    ('"passes": 1', '"passes": !!int 1', "SYN701 a plan has no tags"),
    ('"passes": 1', '"passes": 1, "passes": 2', "SYN701 passes is given twice"),
    ('"passes": 1', '"passes": {"$expr": "BS * 4"}', "is the name of a variable"),
    ('"kind": "rl"', '"kind": "rx"', "SYN702 stages[0].kind: input should be 'rl'"),
    ('"stages": [', '"stages": [7,', "SYN702 stages[0]: input should be"),
    ('"plan_version": 3', '"plan_version": 1', "SYN702 plan_version: input should be 3"),
    ('"passes": 1', '"passes": ' + "[" * 200, "SYN701 the plan cannot be read: nested deeper than"),
    ('"passes": 1,', '"passes": 1,,', "SYN701 the plan cannot be read"),
    ('"framework": "verl"', '"framework": "verb"', "verb"),
]


@pytest.mark.parametrize(("before", "after", "message"), BAD, ids=[after[:40] for _, after, _ in BAD])
def test_a_bad_plan_is_said_at_its_place(
    before: str, after: str, message: str, text: str, tmp_path: Path, capsys: Said
) -> None:
    file = tmp_path / "plan.json"
    file.write_text(text.replace(before, after, 1))
    assert run(["convert", str(file), "--to", "roll"]) == 2
    err = capsys.readouterr().err
    plain = " ".join(err.split())
    assert message.removeprefix("SYN701 ").removeprefix("SYN702 ") in plain
    if message.startswith("SYN70"):
        line = text[: text.index(before)].count("\n") + 1
        assert re.search(rf"plan\.json:{line}:\d+", plain)
        assert run(["check", str(file), "--format", "json"]) == (2 if message.startswith("SYN701") else 1)
        assert message[:6] in capsys.readouterr().out


def test_a_field_that_does_not_exist_is_suggested(text: str, tmp_path: Path, capsys: Said) -> None:
    file = tmp_path / "plan.json"
    file.write_text(text.replace('"passes": 1', '"pases": 1', 1))
    assert run(["check", str(file)]) == 1
    assert "did you mean passes?" in capsys.readouterr().out


def test_a_plan_without_source_asks_whose_run_it_is(tmp_path: Path, capsys: Said) -> None:
    file = tmp_path / "plan.yaml"
    file.write_text("plan_version: 3\nstages:\n- kind: rl\n  batch: {passes: 1}\n")
    assert run(["plan", str(file)]) == 2
    assert "source.framework" in capsys.readouterr().err
    assert run(["plan", str(file), "--from", "verl", "-q"]) == 0


def test_a_run_that_has_to_be_settled_first_stays_so(tmp_path: Path, capsys: Said) -> None:
    source = ROOT / "golden" / "refused" / "fork-mini-batch" / "input.sh"
    assert run(["plan", str(source), "--json", "-q", "-o", str(tmp_path / "plan.json")]) == 0
    assert run(["convert", str(tmp_path / "plan.json"), "--to", "trinity"]) == 3
    assert "make the plan again from its source, with --assume" in capsys.readouterr().err


def test_secrets_are_withheld(text: str, tmp_path: Path) -> None:
    data: dict[str, Any] = json.loads(text)
    data["identity"]["logger_args"] = {"api_key": "x"}
    data["identity"]["project"] = "hf_" + "A1b2C3d4E5f6G7h8I9j0" * 2
    file = tmp_path / "plan.json"
    file.write_text(json.dumps(data))
    assert run(["convert", str(file), "--to", "trinity", "-q", "-o", str(tmp_path / "out.yaml")]) == 0
    written = (tmp_path / "out.yaml").read_text()
    assert "A1b2C3d4" not in written
    assert "project: ${oc.env:PROJECT}" in written  # the key stays, and refers to the environment


def test_it_has_no_release_to_migrate_from(plan: Path, capsys: Said) -> None:
    assert run(["migrate", str(plan), "--to-release", "0.8.0"]) == 2
    assert "is a plan" in capsys.readouterr().err


def test_check_says_that_rules_of_one_framework_did_not_run(plan: Path, capsys: Said) -> None:
    assert run(["check", str(plan)]) == 0
    assert f"{plan} is a plan: only the rules that hold for every framework ran" in capsys.readouterr().err
    assert run(["check", str(INPUT)]) == 0
    assert "is a plan" not in capsys.readouterr().err


def test_the_fork_is_named_in_the_plan_of_its_config() -> None:
    agents = "env.env_name=alfworld/AlfredTWEnv env.rollout.n=8 env.max_steps=50"
    penalty = "actor_rollout_ref.actor.use_invalid_action_penalty=True data.train_batch_size=16"
    new_plan = load(read(Source("run.sh", f"python3 -m verl.trainer.main_ppo {agents} {penalty}\n"))).plan
    assert new_plan.source.fork == "verl-agent"
    assert load(read(Source("run.sh", INPUT.read_text()))).plan.source.fork is None
