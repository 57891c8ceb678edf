"""`rftconf convert --certify` and `rftconf verify` as a person uses them: what is true holds, what was changed is named."""

from __future__ import annotations

import json
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from rftconf.cli.app import run
from tests.certificate.making import GUIDE, NAME, certified, rewrite
from tests.cli.scripts import GRPO, written
from tests.sources import ROOT

Captured = pytest.CaptureFixture[str]


def test_what_was_just_written_holds(tmp_path: Path, capsys: Captured) -> None:
    path = certified(tmp_path)
    assert run(["verify", str(path)]) == 0
    out = capsys.readouterr().out
    assert f"{path}: it holds" in out
    assert "different" in out
    assert "✗" not in out


def test_it_says_what_differs_and_why(tmp_path: Path) -> None:
    data = json.loads(certified(tmp_path).read_text())
    assert (data["verdict"], data["mathematics"]) == ("different", "different")
    assert data["source_run"]["math_id"] != data["target_run"]["math_id"]
    overlong = next(
        difference for difference in data["differences"] if difference["path"] == "stage.length.overlong_prompt"
    )
    (line,) = overlong["ledger"]
    assert line.startswith(
        "data.filter_overlong_prompts: narrowed, Trinity keeps an overlong prompt as a masked answer"
    )
    invariants = {
        invariant["name"]: (invariant["source"], invariant["target"], invariant["same"])
        for invariant in data["invariants"]
    }
    assert invariants["updates in all"] == (420, 420, True)
    assert invariants["data-parallel ranks"] == (8, 4, False)
    assert [output["file"] for output in data["outputs"]] == ["grpo.yaml"]
    assert data["source"]["file"] == "run.sh"
    assert data["ledger"]["sources"][0]["place"]["file"] == "run.sh"


def test_the_same_conversion_is_the_same_certificate(tmp_path: Path) -> None:
    first = certified(tmp_path).read_bytes()
    (tmp_path / "b").mkdir()
    assert certified(tmp_path / "b").read_bytes() == first


def test_a_folder_can_be_moved(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "a").mkdir()
    monkeypatch.chdir(tmp_path / "a")
    shutil.copy(GUIDE, "run.sh")
    assert run(["convert", "run.sh", "--to", "trinity", "-q", "-o", "grpo.yaml", "--certify"]) == 0
    monkeypatch.chdir(tmp_path)
    shutil.move("a", "b")
    assert run(["verify", f"b/{NAME}"]) == 0
    assert run(["verify", str(tmp_path / "b" / NAME)]) == 0


def test_files_in_several_folders(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: Captured) -> None:
    """As a checkout has them: the script in one, what it sources in another, the output in a third; several launches."""
    monkeypatch.chdir(tmp_path)
    for name in ("conf", "lib", "out"):
        (tmp_path / name).mkdir()
    (tmp_path / "lib" / "common.sh").write_text("BATCH=64\n")
    script = (
        GRPO.replace("BATCH=${BATCH:-256}\n", "source lib/common.sh\n")
        + "python3 -m verl.trainer.main_ppo trainer.nnodes=2\n"
    )
    written(tmp_path / "conf", script)
    how = ["--source", "lib/common.sh", "--launch", "1", "--args", "trainer.save_freq=3"]
    more = ["--to", "trinity", "-q", "-o", "out/x.yaml", "--certify", *how]
    assert run(["convert", "conf/run.sh", *more]) == 0
    path = tmp_path / "out" / "x.yaml.certificate.json"
    data = json.loads(path.read_text())
    assert (data["source"]["file"], data["outputs"][0]["file"]) == ("../conf/run.sh", "x.yaml")
    assert data["request"]["sources"][0]["file"] == "../lib/common.sh"
    assert {line["place"]["file"] for line in data["ledger"]["sources"]} == {"../conf/run.sh", "--args"}
    monkeypatch.chdir("/")
    assert run(["verify", str(path)]) == 0
    (tmp_path / "lib" / "common.sh").write_text("BATCH=128\n")
    assert run(["verify", str(path), "-q"]) == 1
    assert "the file ../lib/common.sh" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("file", "old", "new", "named"),
    [
        ("grpo.yaml", "repeat_times: 8", "repeat_times: 4", "the file grpo.yaml"),
        ("grpo.yaml", "repeat_times: 8", "repeat_times: 4", "target_run.math_id"),
        ("grpo.yaml", "repeat_times: 8", "repeat_times: 4", "grpo.yaml is not what the source becomes"),
        ("grpo.yaml", "# actor_rollout_ref.rollout.n=8", "# hello", "the file grpo.yaml"),
        ("run.sh", "rollout.n=8", "rollout.n=4", "source_run.math_id"),
        ("run.sh", "# GRPO with", "# PPO with", "the file run.sh"),
    ],
)
def test_a_changed_file_is_named(file: str, old: str, new: str, named: str, tmp_path: Path, capsys: Captured) -> None:
    path = certified(tmp_path)
    text = (tmp_path / file).read_text()
    assert old in text
    (tmp_path / file).write_text(text.replace(old, new))
    assert run(["verify", str(path), "--quiet"]) == 1
    out = " ".join(capsys.readouterr().out.split())
    assert named in out
    assert "✓" not in out


@pytest.mark.parametrize("file", ["run.sh", "grpo.yaml"])
def test_a_file_that_is_gone_is_named(file: str, tmp_path: Path, capsys: Captured) -> None:
    path = certified(tmp_path)
    (tmp_path / file).unlink()
    assert run(["verify", str(path)]) == 1
    assert f"the file {file}" in capsys.readouterr().out


def leaves(node: Any, route: tuple[str | int, ...] = ()) -> Iterator[tuple[str | int, ...]]:
    if isinstance(node, dict):
        for name, value in node.items():
            yield from leaves(value, (*route, name))
    elif isinstance(node, list):
        for index, value in enumerate(node):
            yield from leaves(value, (*route, index))
    else:
        yield route


def other(value: Any) -> Any:
    """Another value of the same type."""
    if isinstance(value, bool):
        return not value
    if isinstance(value, (int, float)):
        return value + 1
    return f"{value}x" if isinstance(value, str) else "x"


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return certified(tmp_path_factory.mktemp("certified"))


IN_PROCESS = settings(max_examples=12, deadline=None, derandomize=True, suppress_health_check=list(HealthCheck))


@IN_PROCESS
@given(data=st.data())
def test_a_changed_leaf_never_holds(whole: Path, data: st.DataObject, capsys: Captured) -> None:
    """Whoever also puts the digest right is found out by what the files say."""
    recorded = json.loads(whole.read_text())
    routes = [route for route in leaves(recorded) if route[0] not in ("digest", "request", "rftconf")]
    route = data.draw(st.sampled_from(routes))

    def change(values: dict[str, Any]) -> None:
        node: Any = values
        for part in route[:-1]:
            node = node[part]
        node[route[-1]] = other(node[route[-1]])

    forged = whole.with_name("forged.json")
    forged.write_text(whole.read_text())
    rewrite(forged, change)
    assert run(["verify", str(forged), "-o", str(whole.with_name("said"))]) in (1, 2), route


@IN_PROCESS
@given(data=st.data())
def test_a_changed_byte_never_holds(whole: Path, data: st.DataObject) -> None:
    file = whole.with_name(data.draw(st.sampled_from(["run.sh", "grpo.yaml", NAME])))
    before = file.read_bytes()
    index = data.draw(st.integers(0, len(before) - 1))
    byte = data.draw(st.integers(32, 126).filter(lambda number: number != before[index]))
    try:
        file.write_bytes(before[:index] + bytes([byte]) + before[index + 1 :])
        assert run(["verify", str(whole), "-o", str(whole.with_name("said"))]) in (1, 2)
    finally:
        file.write_bytes(before)


def test_all_outputs_of_a_staged_run_are_certified(tmp_path: Path, capsys: Captured) -> None:
    source = shutil.copy(ROOT / "golden" / "convert" / "sft-then-rl" / "input.yaml", tmp_path / "stages.yaml")
    folder = tmp_path / "run"
    assert run(["convert", str(source), "--to", "verl", "-q", "-o", str(folder), "--certify"]) == 0
    path = folder / "certificate.json"
    data = json.loads(path.read_text())
    assert {output["file"] for output in data["outputs"]} == {file.name for file in folder.iterdir()} - {path.name}
    assert {invariant["stage"] for invariant in data["invariants"]} == {0, 1}
    assert run(["verify", str(path)]) == 0
    launcher = next(output["file"] for output in data["outputs"] if output["file"] == data["outputs"][-1]["file"])
    (folder / launcher).write_text((folder / launcher).read_text() + "\n")
    assert run(["verify", str(path), "-q"]) == 1
    assert launcher in capsys.readouterr().out


def test_adapters_are_certified(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    path = certified(tmp_path, "", "--adapters", "adapters")
    names = [output["file"] for output in json.loads(path.read_text())["outputs"]]
    assert names[0] == "grpo.yaml"
    assert len(names) > 1
    assert all(name.startswith("adapters/") for name in names[1:])
    assert run(["verify", str(path)]) == 0
    stub = tmp_path / names[1]
    stub.write_text(stub.read_text() + "#\n")
    assert run(["verify", str(path)]) == 1


def test_no_secret_is_written(tmp_path: Path, capsys: Captured, monkeypatch: pytest.MonkeyPatch) -> None:
    token = "hf_" + "a1b2c3d4e5f6g7h8"
    script = written(
        tmp_path, GRPO.replace('"$@"', "+hf=$TOKEN trainer.project_name=$PROJECT trainer.experiment_name=$RUN")
    )
    monkeypatch.setenv("RUN", "from-outside")
    path = certified(tmp_path, script, "--set", f"TOKEN={token}", "--set", "PROJECT=p", "--env", "RUN")
    request = json.loads(path.read_text())["request"]
    assert (request["withheld"], request["from_environment"], request["bindings"]) == (
        ["TOKEN"],
        ["RUN"],
        {"PROJECT": "p"},
    )
    assert token not in path.read_text()
    assert run(["verify", str(path)]) == 2
    assert "give it with --set TOKEN=VALUE" in capsys.readouterr().err
    assert run(["verify", str(path), "--set", f"TOKEN={token}"]) == 0
    monkeypatch.delenv("RUN")
    assert run(["verify", str(path), "--set", f"TOKEN={token}"]) == 2


def test_nothing_is_certified_where_nothing_is_written(tmp_path: Path) -> None:
    source = shutil.copy(GUIDE, tmp_path / "run.sh")
    more = ["--on-loss", "error", "--certify", "-q", "-o", str(tmp_path / "grpo.yaml")]
    assert run(["convert", str(source), "--to", "trinity", *more]) == 1
    assert [file.name for file in tmp_path.iterdir()] == ["run.sh"]


def test_json(tmp_path: Path, capsys: Captured) -> None:
    path = certified(tmp_path)
    assert run(["verify", str(path), "--json"]) == 0
    data = json.loads(capsys.readouterr().out)
    assert data["holds"] is True
    assert all(check["holds"] for check in data["checks"])


def test_the_schema_describes_it(tmp_path: Path, capsys: Captured) -> None:
    import jsonschema

    assert run(["schema", "certificate"]) == 0
    jsonschema.validate(json.loads(certified(tmp_path).read_text()), json.loads(capsys.readouterr().out))
