"""Every task that people put to agents is solved by calls of the tools alone."""

from __future__ import annotations

import re
from typing import Any

import pytest

pytest.importorskip("mcp")

from tests.mcp.client import ROOT
from tests.mcp.tasks.solve import Task, problems, tasks

TASKS = tasks()


@pytest.mark.parametrize("task", TASKS, ids=[task.name for task in TASKS])
def test_a_task_is_solved(task: Task) -> None:
    assert problems(task) == []


def test_the_page_tells_how_many_there_are_and_every_tool_has_some() -> None:
    page = (ROOT / "docs" / "agents.md").read_text()
    assert re.findall(r"(\d+) of (\d+) written tasks", page) == [(str(len(TASKS)), str(len(TASKS)))]
    assert len(TASKS) >= 50
    assert len({task.question for task in TASKS}) == len(TASKS)
    used = {entry["tool"] for task in TASKS for entry in task.calls}
    assert used == {"check", "fix", "convert", "budget", "fit", "diff", "explain", "migrate", "new"}


def test_an_outcome_that_is_not_so_is_seen() -> None:
    wrong: list[dict[str, Any]] = [
        {"at": "clean", "is": False},
        {"at": "findings.*.code", "holds": "KEY001"},
        {"at": "clean"},
    ]
    task = Task("", "", [{"tool": "check", "config": {"path": "readme/input.sh"}}], wrong)
    assert len(problems(task)) == 3
