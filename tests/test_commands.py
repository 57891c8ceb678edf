"""Every command of the documentation runs, page by page in its order, and ends as the page says."""

from __future__ import annotations

import re
import shlex
import shutil
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from itertools import combinations
from pathlib import Path

import pytest

from rftconf.cli.app import run
from rftconf.load.load import load
from rftconf.schemas.registry import FRAMEWORKS
from rftconf.text.read.read import read
from rftconf.text.read.read_options import ReadOptions
from rftconf.text.source import open_source
from tests.sources import ROOT

PAGES = sorted([*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md"), ROOT / "runners" / "README.md"])
FENCES = re.compile(r"^```(?:console|shell|bash)\n(.*?)^```$", re.DOTALL | re.MULTILINE)
EXAMPLE = ROOT / "golden" / "convert" / "readme" / "input.sh"
OF_PARSER = "cli.md"
"""Its examples are those of `--help`, which do not say how they end: done, or with findings."""
NOT_HERE = ("rftconf run ", "rftconf lsp", "rftconf studio", "rftconf mcp")
"""One needs vLLM, the others answer an editor, a browser or an agent until it closes; they have tests of their own."""
ASKS = "rftconf new"
"""It asks at a terminal: tests/cli/test_new.py answers."""


@dataclass(frozen=True)
class Command:
    """One line of a page."""

    line: str
    exit_codes: tuple[int, ...]

    @property
    def words(self) -> list[str]:
        """Its arguments."""
        return shlex.split(self.line.partition(" > ")[0], comments=True)[1:]


def commands(page: Path) -> Iterator[Command]:
    """The lines of a page that start rftconf."""
    for block in FENCES.findall(page.read_text(encoding="utf-8")):
        for line in block.replace("\\\n", " ").splitlines():
            if line.startswith("rftconf ") and not line.startswith(NOT_HERE) and line != ASKS:
                match = re.search(r"# exit (\d)", line)
                usual = (0, 1) if page.name == OF_PARSER else (0,)
                yield Command(line, (int(match[1]),) if match else usual)


WITH_COMMANDS = [page for page in PAGES if any(commands(page))]


@cache
def converted(framework: str) -> str:
    """The example for another framework."""
    line = ["convert", str(EXAMPLE), "--to", framework, "--rows", "7473", "--quiet"]
    done = subprocess.run(
        [sys.executable, "-m", "rftconf", *line], cwd=ROOT, capture_output=True, text=True, check=True
    )
    return done.stdout


def lay_down(folder: Path) -> None:
    """The files that the pages name."""
    shutil.copy(EXAMPLE, folder / "run_grpo.sh")
    for framework in (name for name in FRAMEWORKS if name != "verl"):
        (folder / f"grpo_{framework}.yaml").write_text(converted(framework))
    shutil.copy(folder / "grpo_trinity.yaml", folder / "grpo.yaml")


def test_pages_with_commands_are_found() -> None:
    names = {page.relative_to(ROOT).as_posix() for page in WITH_COMMANDS}
    assert {"README.md", "docs/quickstart.md", "docs/new.md", "docs/memory.md", "docs/cli.md"} <= names
    assert len([name for name in names if name.startswith("docs/pairs/")]) == len(list(combinations(FRAMEWORKS, 2)))


@pytest.mark.parametrize("page", WITH_COMMANDS, ids=lambda page: page.relative_to(ROOT).as_posix())
def test_commands_end_as_the_page_says(page: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Examples of `--help` stand for themselves; those of a page may go on from the one before."""
    alone, first = page.name == OF_PARSER, tmp_path / "first"
    first.mkdir()
    lay_down(first)
    if alone:
        lay_down_for_help(first)
    monkeypatch.chdir(first)
    wrong = {}
    for index, command in enumerate(commands(page)):
        if alone:
            shutil.copytree(first, tmp_path / f"{index}")
            monkeypatch.chdir(tmp_path / f"{index}")
            if command.line.startswith("rftconf init"):
                of_one_framework(tmp_path / f"{index}")
        code = run(command.words)
        if code not in command.exit_codes:
            wrong[command.line] = code
    assert wrong == {}


def lay_down_for_help(folder: Path) -> None:
    """What the examples of `--help` name beside the usual."""
    (folder / "configs").mkdir()
    shutil.copy(folder / "run_grpo.sh", folder / "configs" / "run_grpo.sh")
    staged = folder / "sft_then_grpo.yaml"
    shutil.copy(ROOT / "golden" / "convert" / "sft-then-rl" / "input.yaml", staged)
    assert run(["convert", str(staged), "--to", "verl", "-o", f"{folder / 'run'}/", "--certify", "--quiet"]) == 0
    line = ["convert", str(folder / "run_grpo.sh"), "--to", "trinity", "--certify", "--quiet"]
    assert run([*line, "-o", str(folder / "grpo.yaml")]) == 0
    (folder / "configs" / "pyproject.toml").write_text('[project]\nname = "mine"\n')
    (folder / "examples").mkdir()
    shutil.copy(folder / "grpo_trinity.yaml", folder / "examples" / "grpo.yaml")
    for name in ("first", "second"):
        (folder / "runs" / name).mkdir(parents=True)
        (folder / "runs" / name / "metrics.jsonl").write_text('{"period": 1, "reward": 0.5, "kl": 0.1}\n')
    for name in ("run_grpo.jsonl", "grpo.jsonl"):
        (folder / name).write_text('{"step": 1, "run": "trainer", "critic/score/mean": 0.5}\n')
    (folder / "run.jsonl").write_text('{"step": 1, "data": {"actor/entropy": 0.5}}\n')


def of_one_framework(folder: Path) -> None:
    """A project as most are."""
    for file in folder.rglob("*.yaml"):
        file.unlink()


def test_the_numbers_of_the_concepts_are_those_of_the_example(tmp_path: Path) -> None:
    """Every `key: value` and `key=value` of docs/concepts.md stands in the example's config for that framework."""
    lay_down(tmp_path)
    text = (ROOT / "docs" / "concepts.md").read_text(encoding="utf-8")
    options = re.findall(r"`([\w.]+)(?:=|: )(\d+)`", text)
    assert options
    files = [tmp_path / "run_grpo.sh", *(tmp_path / f"grpo_{name}.yaml" for name in ("trinity", "roll", "chatlearn"))]
    loaded = [load(read(open_source(str(file)), ReadOptions())) for file in files]
    cells = [loaded.stages[-1].reading.source.cells for loaded in loaded]
    missing = [
        f"{key}={number}"
        for key, number in options
        if not any(key in cells and cells[key].value == int(number) for cells in cells)
    ]
    assert missing == []
