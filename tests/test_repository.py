"""What stands beside the code for those who come to it: workflows, forms, citation, changes."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest
import yaml

from rftconf import __version__
from tests.sources import ROOT

WORKFLOWS = sorted((ROOT / ".github" / "workflows").glob("*.yml"))
FORMS = sorted(path for path in (ROOT / ".github" / "ISSUE_TEMPLATE").glob("*.yml") if path.name != "config.yml")


def loaded(path: Path) -> Any:
    return yaml.safe_load(path.read_text(encoding="utf-8"))


def by_name(path: Path) -> str:
    return path.name


@pytest.mark.parametrize("path", [*WORKFLOWS, ROOT / "action.yml"], ids=by_name)
def test_actions_are_pinned_to_a_commit_and_say_its_version(path: Path) -> None:
    used = re.findall(r"uses: (.*)", path.read_text(encoding="utf-8"))
    assert [line for line in used if not re.fullmatch(r"[\w./-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+", line)] == []
    assert used or path.name == "action.yml"


@pytest.mark.parametrize("path", WORKFLOWS, ids=by_name)
def test_workflows_may_read_and_nothing_else(path: Path) -> None:
    workflow = loaded(path)
    assert workflow["permissions"] == {}
    for job in workflow["jobs"].values():
        assert job["permissions"] == {"contents": "read"}
        assert job["timeout-minutes"] <= 60
        checkouts = [step for step in job["steps"] if "checkout" in step.get("uses", "")]
        assert [step["with"]["persist-credentials"] for step in checkouts] == [False]


@pytest.mark.parametrize("path", WORKFLOWS, ids=by_name)
def test_workflows_run_make_targets_that_exist(path: Path) -> None:
    targets = set(re.findall(r"^([a-z-]+):", (ROOT / "Makefile").read_text(encoding="utf-8"), re.MULTILINE))
    runs = [step["run"] for job in loaded(path)["jobs"].values() for step in job["steps"] if "run" in step]
    assert runs
    for run in runs:
        program, *named = run.split()
        assert program == "make"
        assert set(named) <= targets


@pytest.mark.parametrize("path", FORMS, ids=by_name)
def test_forms_are_what_github_takes(path: Path) -> None:
    """https://docs.github.com: a form has a name, a description and a body; inputs have an id and a label of their own."""
    form = loaded(path)
    assert {"name", "description", "body"} <= set(form)
    inputs = [item for item in form["body"] if item["type"] != "markdown"]
    assert {item["type"] for item in inputs} <= {"textarea", "input", "dropdown", "checkboxes"}
    ids = [item["id"] for item in inputs]
    assert len(set(ids)) == len(ids) > 0
    assert all(item["attributes"]["label"] for item in inputs)
    assert all(item["attributes"]["options"] for item in inputs if item["type"] == "dropdown")
    assert any(item.get("validations", {}).get("required") for item in inputs)


def test_the_citation_names_this_version_and_licence() -> None:
    citation = loaded(ROOT / "CITATION.cff")
    assert {"cff-version", "message", "title", "authors"} <= set(citation)
    assert citation["version"] == __version__
    assert citation["license"] in (ROOT / "pyproject.toml").read_text(encoding="utf-8")


def test_changes_are_sentences_that_fit_a_line_of_the_changelog() -> None:
    fragments = [path for path in (ROOT / "changes").glob("*") if path.name != "README.md"]
    assert [path.name for path in fragments if path.suffix != ".md"] == []
    wrong = [
        path.name
        for path in fragments
        if not (text := path.read_text(encoding="utf-8").strip()).endswith((".", ")")) or text.startswith(("#", "-"))
    ]
    assert wrong == []
