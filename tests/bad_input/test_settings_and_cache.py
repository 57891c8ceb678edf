"""What a project brings beside its configs: settings, baselines, caches, folders with links."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

from tests.bad_input.test_cli import run

GOLDEN = Path(__file__).parents[2] / "golden/convert"
CONFIG = (GOLDEN / "roll-single-to-verl/input.yaml").read_text(encoding="utf-8")


@pytest.fixture
def project(tmp_path: Path) -> Path:
    folder = tmp_path / "project"
    folder.mkdir()
    (folder / "run.yaml").write_text(CONFIG, encoding="utf-8")
    return folder


@pytest.mark.parametrize(
    "text",
    [b"a = [", b"a = " + b"[" * 50_000, b"\xff\xfe\x00", b"cluster = {nodes = " + b"9" * 5000 + b"}", b"severity = {}"],
)
def test_settings_that_are_none(project: Path, text: bytes) -> None:
    (project / "rftconf.toml").write_bytes(text)
    done = run(["check", "run.yaml"], project)
    assert done.returncode == 2
    assert "rftconf.toml" in done.stderr
    assert "defect" not in done.stderr


@pytest.mark.parametrize("text", [b"tool = 5", b"\xff", b"tool = [["])
def test_somebody_else_s_pyproject_is_passed_over(project: Path, text: bytes) -> None:
    (project / "pyproject.toml").write_bytes(text)
    assert run(["check", "run.yaml"], project).returncode == 1


@pytest.mark.parametrize("option", ["--config", "--baseline"])
def test_a_pipe_is_not_waited_for(project: Path, option: str) -> None:
    os.mkfifo(project / "pipe.toml")
    done = run(["check", "run.yaml", option, "pipe.toml"], project)
    assert done.returncode == 2
    assert "pipe.toml: is a pipe" in done.stderr


def test_a_cache_that_links_elsewhere_is_not_written(project: Path) -> None:
    outside = project.parent / "outside"
    outside.mkdir()
    (project / "rftconf.toml").write_text("")
    (project / ".rftconf_cache").symlink_to(outside)
    assert run(["check", "run.yaml", "--cache"], project).returncode == 1
    assert not list(outside.iterdir())


def test_an_ignore_file_that_links_elsewhere_is_not_written(project: Path) -> None:
    (project / "rftconf.toml").write_text("")
    (project / ".rftconf_cache").mkdir()
    (project / ".rftconf_cache" / ".gitignore").symlink_to(project.parent / "made")
    assert run(["check", "run.yaml", "--cache"], project).returncode == 1
    assert not (project.parent / "made").exists()


@pytest.mark.parametrize(
    "row", ['[1, "error", 2, 3, 4, 5, 6, 7]', '["KEY001", "error", "m", ["f", "a", 0, 0, 0], [], "", null, "k"]']
)
def test_a_cache_that_somebody_wrote_is_not_believed(project: Path, row: str) -> None:
    (project / "rftconf.toml").write_text("")
    first = run(["check", "run.yaml", "--cache"], project)
    (path,) = (project / ".rftconf_cache").glob("*/*.json")
    path.write_text(f'{{"found": [{row}], "readable": true, "config": true}}')
    again = run(["check", "run.yaml", "--cache"], project)
    assert (again.returncode, again.stdout) == (first.returncode, first.stdout)


def test_fixes_stay_in_the_folder(project: Path) -> None:
    outside = project.parent / "outside.yaml"
    outside.write_text(CONFIG, encoding="utf-8")
    (project / "link.yaml").symlink_to(outside)
    (project / "loop.yaml").symlink_to("loop.yaml")
    (project / "loop").symlink_to(".")
    for name in (".", "**/*.yaml"):
        done = run(["check", name, "--fix", "--unsafe-fixes"], project)
        assert done.returncode in (0, 1), done.stderr
        assert outside.read_text(encoding="utf-8") == CONFIG


def test_a_folder_is_not_converted_onto_itself(project: Path) -> None:
    done = run(["convert", ".", "--to", "verl", "-o", "."], project)
    assert done.returncode == 2
    assert "the folder that is converted" in done.stderr


def test_what_is_converted_is_not_written_over(tmp_path: Path) -> None:
    script = (GOLDEN / "roll-single-to-verl/expected.sh").read_text(encoding="utf-8")
    (tmp_path / "in" / "in").mkdir(parents=True)
    (tmp_path / "in" / "run.sh").write_text(script, encoding="utf-8")
    (tmp_path / "in" / "in" / "run.sh").write_text(script.replace("--", "--", 1), encoding="utf-8")
    (tmp_path / "out").mkdir()
    (tmp_path / "out" / "run.sh").symlink_to(tmp_path / "in" / "run.sh")
    done = run(["convert", "in", "--to", "verl", "-o", "out"], tmp_path)
    assert done.returncode == 2
    assert "not written over" in done.stderr
    assert (tmp_path / "in" / "run.sh").read_text(encoding="utf-8") == script


def test_names_that_are_no_utf_8(project: Path) -> None:
    name = os.fsdecode(b"n\xff.yaml")
    (project / name).write_text(CONFIG, encoding="utf-8")
    (project / "rftconf.toml").write_text("")
    arguments = ["--cache", "--output", "sarif=s.sarif", "--output", "junit=j.xml", "--output", "gitlab=g.json"]
    assert run(["check", ".", "--statistics", *arguments], project).returncode == 1
    for log in ("s.sarif", "g.json"):
        json.loads((project / log).read_text(encoding="utf-8"))
    assert "n%FF.yaml" in (project / "s.sarif").read_text(encoding="utf-8")
    assert "n\\udcff.yaml" in (project / "j.xml").read_text(encoding="utf-8")
    (data, *_) = json.loads(run(["check", name, "--json"], project).stdout)
    assert data["place"]["file"] == name
    assert run(["convert", name, "--to", "verl", "-o", "o.sh", "--ledger", "l.json"], project).returncode == 0


@pytest.mark.parametrize("kind", ["pipe", "link"])
def test_adapters_go_through_no_link_and_wait_for_no_pipe(project: Path, kind: str) -> None:
    (project / "ad").mkdir()
    place = project / "ad" / "convert_data.py"
    if kind == "pipe":
        os.mkfifo(place)
    else:
        place.symlink_to(project.parent / "made.py")
    done = run(["convert", "run.yaml", "--to", "verl", "--adapters", "ad", "-o", "o.sh"], project)
    assert done.returncode == 2
    assert "is not rftconf's" in done.stderr
    assert not (project.parent / "made.py").exists()


@pytest.mark.parametrize(
    "options",
    [
        ["--nodes", "1000000000", "--gpus-per-node", "1000000000"],
        ["--gpus-per-node", "100000000"],
        ["--step-seconds", "inf"],
        ["--gpu", "x:1e-320"],
        ["--model", "~nosuch/x"],
        ["--model", "a" * 5000],
    ],
)
def test_a_budget_of_nothing_real(project: Path, options: list[str]) -> None:
    done = run(["budget", "run.yaml", "--gpu", "h100", "--model", "Qwen3-8B", "--fit", "--front", *options], project)
    assert done.returncode == 2
    assert "defect" not in done.stderr


@pytest.mark.parametrize("verb", [["check"], ["plan"], ["convert", "--to", "verl"], ["budget", "--gpu", "h100"]])
def test_a_name_too_long_for_a_file(project: Path, verb: list[str]) -> None:
    done = run([*verb, "a" * 5000], project)
    assert done.returncode == 2
    assert "defect" not in done.stderr
