"""`rftconf init`: settings from what lies in a folder; nothing that is there is lost."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from rftconf.cli.app import run
from rftconf.lint import settings
from rftconf.lint.rule import trinity, verl
from rftconf.text import toml
from tests.lint.bases import as_shell, as_yaml

PYPROJECT = '# mine\n[project]\nname = "x"  # a name\n\n[tool.other]\nlist = ["""\n[tool.fake]\n"""]\n'


@pytest.fixture
def project(tmp_path: Path) -> Path:
    (tmp_path / "runs").mkdir()
    (tmp_path / "runs" / "a.sh").write_text(as_shell(verl()))
    (tmp_path / "runs" / "b.sh").write_text(as_shell(verl("trainer.nnodes=2")))
    (tmp_path / "compose.yaml").write_text("services:\n  web:\n    image: nginx\n")
    return tmp_path


def test_what_is_written_is_read_again(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["init", str(project)]) == 0
    new_settings = settings.find(project / "runs")
    assert new_settings.values == {"framework": "verl", "severity": "warning"}
    output = capsys.readouterr()
    assert output.out == ""
    assert "2 configs found" in output.err
    assert "pre-commit" in output.err
    assert run(["check", str(project), "-q"]) == 0


def test_a_release_is_written_when_it_is_named(project: Path) -> None:
    assert run(["init", str(project), "--from-release", "0.7.1", "-q"]) == 0
    assert settings.find(project).get("release") == "0.7.1"
    assert run(["init", str(project), "--from-release", "9.9", "--force", "-q"]) == 2


def test_several_frameworks_are_guessed_file_by_file(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (project / "c.yaml").write_text(as_yaml(trinity()))
    assert run(["init", str(project)]) == 0
    assert settings.find(project).values == {"severity": "warning"}
    err = capsys.readouterr().err
    assert "# yaml-language-server: $schema=trinity-0.6.0.schema.json" in err
    assert run(["init", str(project), "--force", "--from-release", "0.6.0"]) == 2
    assert "say with --from" in capsys.readouterr().err


def test_nothing_is_written_over_unasked(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = project / "rftconf.toml"
    file.write_text("severity = 'info'\n")
    assert run(["init", str(project)]) == 2
    assert "--force" in capsys.readouterr().err
    assert file.read_text() == "severity = 'info'\n"
    assert run(["init", str(project), "--force", "-q"]) == 0
    assert settings.find(project).get("severity") == "warning"


def test_pyproject_keeps_all_the_rest(project: Path) -> None:
    file = project / "pyproject.toml"
    assert run(["init", str(project), "--pyproject"]) == 2
    file.write_text(PYPROJECT)
    assert run(["init", str(project), "--pyproject", "-q"]) == 0
    assert file.read_text().startswith(PYPROJECT)
    assert toml.loads(file.read_text())["tool"]["rftconf"]["framework"] == "verl"
    assert run(["init", str(project), "--pyproject", "-q"]) == 2
    with file.open("a") as more:
        more.write("[tool.rftconf.cluster]\nnodes = 1\n[[tool.list]]\na = 1\n")
    assert run(["init", str(project), "--pyproject", "-q", "--force"]) == 0
    after = file.read_text()
    assert after.startswith(PYPROJECT)
    assert "cluster" not in toml.loads(after)["tool"]["rftconf"]
    assert toml.loads(after)["tool"]["list"] == [{"a": 1}]


def test_a_section_that_cannot_be_cut_out_is_left(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    text = '[tool]\nrftconf = {severity = "info"}\n'
    (project / "pyproject.toml").write_text(text)
    assert run(["init", str(project), "--pyproject", "--force"]) == 2
    assert "by hand" in capsys.readouterr().err
    assert (project / "pyproject.toml").read_text() == text


def test_dry_run_and_json(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["init", str(project), "--dry-run", "-q"]) == 0
    output = capsys.readouterr().out
    assert toml.loads(output)["framework"] == "verl"
    assert run(["init", str(project), "--dry-run", "--json"]) == 0
    data = json.loads(capsys.readouterr().out)
    assert data["text"] == output
    assert data["written"] is False
    assert [Path(c["file"]).name for c in data["configs"]] == ["a.sh", "b.sh"]
    assert not (project / "rftconf.toml").exists()


def test_no_config_is_an_error_with_a_hint(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["init", str(tmp_path)]) == 2
    assert "name the folder" in capsys.readouterr().err
    assert run(["init", str(tmp_path / "none")]) == 2
