"""`rftconf convert` for a folder, and for a run of several stages."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from rftconf.cli.app import run
from rftconf.verbs.convert_many import is_folder
from tests.cli.scripts import GRPO
from tests.sources import ROOT

CASES = ROOT / "golden"


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    """A folder with a script, a staged YAML below it, a file that is no config and one that cannot be read."""
    source = tmp_path / "configs"
    (source / "staged").mkdir(parents=True)
    (source / "grpo.sh").write_text(GRPO)
    (source / "staged" / "two.yaml").write_text((CASES / "convert/stages/input.yaml").read_text())
    (source / "other.yaml").write_text("services: {db: {image: postgres}}\n")
    return source


def test_a_folder_keeps_its_places(tree: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["convert", str(tree), "--to", "verl", "-o", str(tmp_path / "out")]) == 0
    written = sorted(str(path.relative_to(tmp_path / "out")) for path in (tmp_path / "out").rglob("*.sh"))
    assert written == ["grpo.sh", "staged/two/01-warmup.sh", "staged/two/02-rl.sh", "staged/two/run.sh"]
    output = capsys.readouterr().err
    assert "2 of 3 files converted" in output
    assert "no config (1)" in output


def test_what_cannot_be_read_is_listed_and_decides_the_exit_code(
    tree: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tree / "broken.yaml").write_text("data: [\n")
    assert run(["convert", str(tree), "--to", "verl", "-o", str(tmp_path / "out")]) == 2
    output = capsys.readouterr().err
    assert "unreadable (1)" in output
    assert "broken.yaml:2:1: SYN201" in output
    assert (tmp_path / "out/grpo.sh").exists()


def test_a_refusal_is_worse_than_what_cannot_be_read(
    tree: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tree / "broken.yaml").write_text("data: [\n")
    (tree / "uneven.sh").write_text((CASES / "refused/uneven/input.sh").read_text())
    assert run(["convert", str(tree), "--to", "trinity", "-o", str(tmp_path / "out"), "--json", "-q"]) == 3
    files = json.loads(capsys.readouterr().out)["files"]
    assert {Path(file["source"]).name: file["exit"] for file in files} == {
        "broken.yaml": 2,
        "grpo.sh": 0,
        "other.yaml": None,
        "two.yaml": 0,
        "uneven.sh": 3,
    }


def test_losses_can_be_forbidden_file_by_file(tree: Path, tmp_path: Path) -> None:
    assert run(["convert", str(tree), "--to", "verl", "-o", str(tmp_path / "out"), "--on-loss", "error", "-q"]) == 1
    assert (tmp_path / "out/grpo.sh").exists()
    assert not (tmp_path / "out/staged").exists()


def test_two_files_of_one_name_do_not_overwrite_each_other(tree: Path, tmp_path: Path) -> None:
    (tree / "grpo.yaml").write_text((CASES / "convert/ulysses/input.yaml").read_text())
    assert run(["convert", str(tree), "--to", "verl", "-o", str(tmp_path / "out"), "-q"]) == 0
    assert {path.name for path in (tmp_path / "out").glob("grpo*")} == {"grpo.sh", "grpo.yaml.sh"}


def test_the_outputs_of_a_run_before_are_not_read(tree: Path) -> None:
    for _ in range(2):
        assert run(["convert", str(tree), "--to", "verl", "-o", str(tree / "out"), "-q"]) == 0
    assert not (tree / "out/out").exists()


@pytest.mark.parametrize("more", [[], ["-o", "out", "--ledger", "ledger.json"]])
def test_a_folder_needs_a_folder_and_has_many_ledgers(
    tree: Path, more: list[str], monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tree.parent)
    assert run(["convert", str(tree), "--to", "verl", *more]) == 2
    assert "folder" in capsys.readouterr().err


def test_a_staged_run_becomes_a_folder(tree: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    staged, out = str(tree / "staged/two.yaml"), tmp_path / "run"
    assert run(["convert", staged, "--to", "verl", "-o", str(out), "--ledger", str(tmp_path / "ledger.json")]) == 0
    assert sorted(path.name for path in out.iterdir()) == ["01-warmup.sh", "02-rl.sh", "run.sh"]
    assert json.loads((tmp_path / "ledger.json").read_text())["target"]["framework"] == "verl"
    assert "written, in this order" in capsys.readouterr().err


def test_one_file_of_a_staged_run_is_its_last_training(tree: Path, tmp_path: Path) -> None:
    file = tmp_path / "rl.sh"
    assert run(["convert", str(tree / "staged/two.yaml"), "--to", "verl", "-o", str(file), "-q"]) == 0
    assert "verl.trainer.main_ppo" in file.read_text()


def test_what_names_a_folder(tmp_path: Path) -> None:
    (tmp_path / "there").write_text("")
    assert is_folder(tmp_path)
    assert is_folder(tmp_path / "new")
    assert not is_folder(tmp_path / "there")
    assert not is_folder(tmp_path / "new.sh")
