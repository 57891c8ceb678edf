"""What the documents say is so: commands run, examples are the golden files, quoted names exist."""

from __future__ import annotations

import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

from rftconf.base.ledger import State
from rftconf.schemas import registry
from tests.sources import ROOT

README = (ROOT / "README.md").read_text(encoding="utf-8")
EXAMPLE = ROOT / "golden" / "convert" / "readme"
DOCUMENTS = sorted([*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md")])


def blocks(language: str, text: str = README) -> list[str]:
    """The fenced blocks of a language, without the fences."""
    return re.findall(rf"^```{language}\n(.*?)^```$", text, re.DOTALL | re.MULTILINE)


@pytest.mark.parametrize(
    ("language", "name"), [("bash", "input.sh"), ("yaml", "expected.yaml"), ("text", "report.txt")]
)
def test_the_example_is_the_golden_case(language: str, name: str) -> None:
    """Every line shown stands in the file, in that order; `…` stands for lines left out."""
    (output,) = blocks(language)
    lines = iter((EXAMPLE / name).read_text(encoding="utf-8").splitlines())
    missing = [line for line in output.splitlines() if line != "…" and line not in lines]
    assert missing == []


def commands() -> tuple[str, str]:
    """The newcomer's two commands."""
    first, second = (block.strip() for block in blocks("console"))
    return first, second


def test_the_first_command_converts_as_shown() -> None:
    *setup, convert = commands()[0].split(" && ")
    assert setup == ["python3 -m venv .venv", ".venv/bin/pip install -q ."]
    program, *arguments = shlex.split(convert)
    assert program == ".venv/bin/rftconf"
    done = subprocess.run([sys.executable, "-m", "rftconf", *arguments], cwd=ROOT, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert done.stdout == (EXAMPLE / "expected.yaml").read_text(encoding="utf-8")
    assert "You must decide" in done.stderr


def test_the_second_command_is_what_ci_runs() -> None:
    second = commands()[1]
    assert re.search(rf"^step .* {re.escape(second)}$", (ROOT / ".ci" / "run").read_text(), re.MULTILINE)
    program, *targets = second.split()
    assert program == "make"
    assert set(targets) <= make_targets()


def make_targets() -> set[str]:
    return set(re.findall(r"^([a-z-]+):", (ROOT / "Makefile").read_text(), re.MULTILINE))


@pytest.mark.parametrize("document", DOCUMENTS, ids=lambda path: str(path.relative_to(ROOT)))
def test_links_lead_somewhere(document: Path) -> None:
    targets = re.findall(r"\]\(([^)#:]+)(?:#[^)]*)?\)", document.read_text(encoding="utf-8"))
    assert [target for target in targets if not (document.parent / target).exists()] == []


@pytest.mark.parametrize("document", DOCUMENTS, ids=lambda path: str(path.relative_to(ROOT)))
def test_files_that_are_named_exist(document: Path) -> None:
    """A name in backticks that looks like a path of ours is one, from the root, from `rftconf/` or as a file's name."""
    named = set(re.findall(r"`([\w./*<>-]+(?:/|\.(?:py|md|json|sh|toml|yaml)))`", document.read_text(encoding="utf-8")))
    missing = [name for name in sorted(named) if not exists(name)]
    assert missing == []


def exists(name: str) -> bool:
    pattern = re.sub(r"<\w+>", "*", name).rstrip("/")
    places = (ROOT, ROOT / "rftconf", ROOT / "rftconf" / "mappers", ROOT / "rftconf" / "schemas", ROOT / "tests")
    is_found_there = any(any(place.glob(pattern)) for place in places)
    return is_found_there or any((ROOT / "rftconf").rglob(pattern)) or name in OF_OTHERS


OF_OTHERS = {".hydra/config.yaml", "config.yaml", "case.toml", "NOTES.md", "run_grpo.sh"}
"""Files of a user, or of each golden case."""


@pytest.mark.parametrize("document", DOCUMENTS, ids=lambda path: str(path.relative_to(ROOT)))
def test_make_targets_that_are_named_exist(document: Path) -> None:
    named = re.findall(r"(?:`|^)make ([a-z][a-z -]*)", document.read_text(encoding="utf-8"), re.MULTILINE)
    assert {target for line in named for target in line.split()} <= make_targets()


def test_verbs_and_options_that_are_named_exist() -> None:
    import typer.main

    from rftconf.cli.parser import application

    command = typer.main.get_command(application())
    verbs = getattr(command, "commands")  # noqa: B009 - a click Group, which typer's type does not say
    names = set(re.findall(r"^\| `rftconf (\w+)", README, re.MULTILINE))
    assert names == set(verbs)
    options = {name for verb in verbs.values() for parameter in verb.params for name in parameter.opts}
    assert set(re.findall(r"`(--[a-z-]+)", README)) <= options


def test_states_and_releases_are_all_named() -> None:
    states = re.search(r"ends in one state: (.*?)\. So do", README, re.DOTALL)
    assert states is not None
    assert re.findall(r"`([a-z-]+)`", states[1]) == [state.value for state in State]
    plain = " ".join(README.split())
    for framework in registry.FRAMEWORKS.values():
        assert f"{framework.title} {', '.join(framework.releases)}" in plain


def test_architecture_fits_two_pages() -> None:
    assert len((ROOT / "ARCHITECTURE.md").read_text(encoding="utf-8").splitlines()) <= 110


def test_decisions_are_numbered_without_gaps() -> None:
    numbers = sorted(int(path.name[:4]) for path in (ROOT / "docs" / "adr").glob("*.md"))
    assert numbers == list(range(1, len(numbers) + 1))
