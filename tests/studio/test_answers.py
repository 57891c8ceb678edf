"""The page's questions: the same answers as the command line's, and a sentence for everything that is wrong."""

from __future__ import annotations

import io
import json
import shlex
import zipfile
from pathlib import Path
from typing import Any

import pytest

from rftconf.text import toml

pytest.importorskip("starlette")

from rftconf.cli.app import run
from rftconf.studio import answers
from rftconf.studio.request import MOST_TEXT
from rftconf.studio.verbs import NAMES
from tests.cli.test_own_check import MICRO, START, WRONG

GOLDEN = Path(__file__).resolve().parents[2] / "golden" / "convert"
README = (GOLDEN / "readme" / "input.sh").read_text()
CASES = (
    "readme",
    "grpo-guide",
    "messy-script",
    "roll-domains-to-verl",
    "trinity-to-chatlearn",
    "chatlearn-to-verl",
    "lora",
)


def ask(verb: str, **fields: Any) -> dict[str, Any]:
    answer = answers.answer(verb, fields)
    data: dict[str, Any] = json.loads(answer.body)
    assert answer.status == 200, data
    return data


def refused(verb: str, **fields: Any) -> dict[str, Any]:
    answer = answers.answer(verb, fields)
    assert answer.status == 422, answer
    error: dict[str, Any] = json.loads(answer.body)["error"]
    return error


def test_every_question_has_a_function() -> None:
    assert set(NAMES) == set(answers.VERBS)


def test_a_conversion_says_what_its_own_check_finds(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The page refuses what the command line refuses; the command that it shows writes the output all the same."""
    monkeypatch.chdir(tmp_path)
    fields = {"text": WRONG, "name": "run.sh", "to": "verl"}
    data = ask("convert", **fields)
    assert {entry["code"] for entry in data["check"]} >= {"BAT006"}
    assert "BAT006" in data["refused"]
    (tmp_path / "run.sh").write_text(WRONG)
    words = shlex.split(data["command"])[1:]
    assert words[-4:-2] == ["--on-loss", "allow"]
    assert run([word for word in words if word not in ("--on-loss", "allow")]) == 3
    assert run(words) == 0
    archive = zipfile.ZipFile(io.BytesIO(answers.answer("bundle", fields).body))
    assert "BAT006" in archive.read("check.json").decode()
    assert ask("convert", text=START + MICRO, name="run.sh", to="verl")["refused"] == ""


@pytest.mark.parametrize("name", CASES)
def test_a_conversion_is_the_command_lines(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Text, ledger and adapters, byte for byte; and the command that the page shows writes that text."""
    case = toml.loads((GOLDEN / name / "case.toml").read_text())
    source = next(GOLDEN.joinpath(name).glob("input.*"))
    monkeypatch.chdir(tmp_path)
    (tmp_path / source.name).write_bytes(source.read_bytes())
    fields = {"text": source.read_text(), "name": source.name, "to": case["to"], "rows": 7473}
    data = ask("convert", **fields)
    assert (
        run(["convert", source.name, "--to", case["to"], "--rows", "7473", "-o", "out", "--ledger", "l.json", "-q"])
        == 0
    )
    assert data["files"][0]["text"].encode() == (tmp_path / "out").read_bytes()
    assert answers.answer("ledger", fields).body == (tmp_path / "l.json").read_bytes()
    words = data["command"].split()
    assert words[:2] == ["rftconf", "convert"]
    assert run([*words[1:], "-q"]) == 0
    assert (tmp_path / words[-1]).read_bytes() == (tmp_path / "out").read_bytes()


def test_lines_lead_to_the_lines_that_they_come_from() -> None:
    data = ask("convert", text=README, name="input.sh", to="trinity", rows=7473)
    lines, written = data["files"][0]["lines"], README.splitlines()
    about = next(line for line in lines.values() if line["key"] == "algorithm.repeat_times")
    assert [written[number - 1].strip() for number in about["from"]] == ["N=8", "actor_rollout_ref.rollout.n=$N \\"]
    text = data["files"][0]["text"].splitlines()
    assert all(
        entry["key"].rpartition(".")[2].partition("[")[0] in text[int(number) - 1] for number, entry in lines.items()
    )


def test_what_is_decided_changes_the_output() -> None:
    fields: dict[str, Any] = {"text": README, "name": "input.sh", "to": "trinity"}
    before = ask("convert", **fields)
    kinds = {entry["kind"] for field in before["fields"] for entry in field["inputs"]}
    assert {"rows", "set", "rollout_gpus", "value"} <= kinds
    key = "buffer.explorer_input.tasksets[0].default_workflow_type"
    after = ask("convert", **fields, rows=7473, rollout_gpus=6, set={"HOME": "/home/me"}, fill={key: "math_workflow"})
    text = after["files"][0]["text"]
    assert "engine_num: 3" in text
    assert "/home/me/data/gsm8k" in text
    assert "default_workflow_type: math_workflow" in text
    assert not any(entry["kind"] in ("rows", "set") for field in after["fields"] for entry in field["inputs"])
    assert "--rollout-gpus 6" in after["command"]


def test_a_value_without_a_place_is_said() -> None:
    data = ask("convert", text=README, name="input.sh", to="trinity", fill={"algorithm": "x"})
    assert data["files"][0]["missed"] == ["algorithm"]


def test_a_bundle_holds_everything_and_is_the_same_twice() -> None:
    fields = {"text": README, "name": "input.sh", "to": "trinity", "adapters": True}
    answer = answers.answer("bundle", fields)
    assert answer == answers.answer("bundle", fields)
    archive = zipfile.ZipFile(io.BytesIO(answer.body))
    output = ask("convert", **fields)
    assert set(archive.namelist()) == {
        "input.yaml",
        "ledger.json",
        *(adapter["name"] for adapter in output["adapters"]),
    }
    assert "adapters/convert_data.py" in archive.namelist()
    assert archive.read("input.yaml").decode() == output["files"][0]["text"]


def test_a_staged_run_is_several_files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    source = next((GOLDEN / "sft-then-rl").glob("input.*"))
    data = ask("convert", text=source.read_text(), name=source.name, to="verl")
    assert run(["convert", str(source), "--to", "verl", "-o", str(tmp_path / "run"), "-q"]) == 0
    assert {file["name"]: file["text"] for file in data["files"]} == {
        path.name: path.read_text() for path in (tmp_path / "run").iterdir()
    }


def test_findings_have_pages_and_places() -> None:
    text = README.replace("train_batch_size=", "train_bach_size=")
    data = ask("check", text=text, name="run.sh")
    entry = next(finding for finding in data["findings"] if finding["code"] == "KEY001")
    assert text[entry["place"]["start"] : entry["place"]["end"]].startswith("data.train_bach_size")
    assert data["pages"]["KEY001"]["why"]


def test_one_fix_is_made_and_its_finding_goes() -> None:
    text = README.replace("train_batch_size=", "train_bach_size=")
    entry = next(
        finding for finding in ask("check", text=text, name="run.sh")["findings"] if finding["code"] == "KEY001"
    )
    done = ask("fix", text=text, name="run.sh", code="KEY001", start=entry["place"]["start"])
    assert done["text"] == README
    assert "KEY001" not in [finding["code"] for finding in done["findings"]]
    assert "not found there any more" in refused("fix", text=README, name="run.sh", code="KEY001", start=1)["message"]


def test_all_safe_fixes_are_those_of_the_command_line(tmp_path: Path) -> None:
    text = "mode: both\nalgorithm:\n  algorithm_type: grpo\n  repeat_times: '8'\nbuffer:\n  batch_size: 8\nmodel:\n  model_path: x\n"
    file = tmp_path / "grpo.yaml"
    file.write_text(text)
    run(["check", str(file), "--fix", "-q"])
    assert ask("fix", text=text, name="grpo.yaml")["text"] == file.read_text()


@pytest.mark.parametrize(
    ("fields", "says"),
    [
        ({"to": "trinity"}, "there is no text"),
        ({"text": 1, "to": "trinity"}, "there is no text"),
        ({"text": README, "to": "slime"}, "slime"),
        ({"text": README, "to": "trinity", "rows": "x"}, "rows should be a whole number"),
        ({"text": README, "to": "trinity", "rows": True}, "rows should be a whole number"),
        ({"text": README, "to": "trinity", "set": {"A B": "1"}}, "NAME=VALUE"),
        ({"text": README, "to": "trinity", "set": [1]}, "set should be texts"),
        ({"text": README, "to": "trinity", "as": "sh"}, "not written as sh"),
        ({"text": "x" * (MOST_TEXT + 1), "to": "trinity"}, "larger than"),
        ({"text": "\0", "to": "trinity"}, "NUL"),
        ({"text": "", "to": "trinity"}, "no config"),
    ],
)
def test_a_wrong_question_is_answered_with_a_sentence(fields: dict[str, Any], says: str) -> None:
    assert says in refused("convert", **fields)["message"]


def test_a_refusal_names_what_would_be_possible() -> None:
    text = (GOLDEN / "fork-samples" / "input.sh").read_text()
    error = refused("convert", text=text, name="run.sh", to="trinity")
    assert error["exit"] == 3
    assert error["choices"]


def test_names_never_lead_to_files_of_this_machine(tmp_path: Path) -> None:
    secret = tmp_path / "base.yaml"
    secret.write_text("trainer:\n  project_name: found_it\n")
    data = ask("convert", text=README, name=str(tmp_path / "input.sh"), to="trinity")
    assert data["command"].split()[2] == "input.sh"
    assert "found_it" not in data["files"][0]["text"]


def test_secrets_are_withheld() -> None:
    text = README.replace(
        "trainer.nnodes=1", "trainer.nnodes=1 +trainer.wandb_api_key=0123456789abcdef0123456789abcdef01234567"
    )
    answer = answers.answer("convert", {"text": text, "name": "run.sh", "to": "trinity"})
    assert answer.status == 200
    assert b"0123456789abcdef0123" not in answer.body
