"""Solves every task by calls of the tools alone, and prints how many: `python -m tests.mcp.tasks.solve`."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from mcp import Client

from rftconf.text import toml
from tests.mcp.client import GOLDEN, text_of, with_client

FOLDER = Path(__file__).parent


@dataclass(frozen=True)
class Task:
    """A question, the calls that answer it, and what has to be true of their answers."""

    name: str
    question: str
    calls: list[dict[str, Any]]
    outcome: list[dict[str, Any]]


def tasks() -> list[Task]:
    """Every task of the tables in this folder."""
    return [
        Task(f"{path.stem}-{number}", entry["question"], entry["calls"], entry["outcome"])
        for path in sorted(FOLDER.glob("*.toml"))
        for number, entry in enumerate(toml.loads(path.read_text())["task"], 1)
    ]


def problems(task: Task) -> list[str]:
    """Each part of the outcome that is not so; none for a task that is solved."""
    answers = with_client(lambda client: _answers(client, task), GOLDEN)
    return [f"{part}: {got!r:.300}" for part in task.outcome for got in _not_so(part, answers)]


async def _answers(client: Client, task: Task) -> list[Any]:
    """The content of each answer, or its sentence where it is an error."""
    answers: list[Any] = []
    for entry in task.calls:
        arguments = _filled({key: value for key, value in entry.items() if key != "tool"}, answers)
        result = await client.call_tool(entry["tool"], arguments)
        answers.append(text_of(result) if result.is_error else result.structured_content)
    return answers


def _filled(value: Any, answers: list[Any]) -> Any:
    """The arguments of a call, with `$1.files.0.text` as that part of the first answer."""
    if isinstance(value, dict):
        return {key: _filled(item, answers) for key, item in value.items()}
    if isinstance(value, list):
        return [_filled(item, answers) for item in value]
    if isinstance(value, str) and value.startswith("$"):
        number, _, path = value[1:].partition(".")
        return _part(answers[int(number) - 1], path)
    return value


def _part(content: Any, path: str) -> Any:
    """The part of an answer at a path such as `findings.*.code`; `*` gives a list over all items."""
    first, _, remainder = path.partition(".")
    if not path:
        return content
    if first == "*":
        items = content.values() if isinstance(content, dict) else content
        return [_part(item, remainder) for item in items]
    if isinstance(content, list):
        return _part(content[int(first)], remainder)
    if not isinstance(content, dict):
        return f"no {path} in {content!r:.200}"
    return _part(content.get(first), remainder)


def _not_so(part: dict[str, Any], answers: list[Any]) -> Iterator[Any]:
    value = _part(answers[part.get("of", len(answers)) - 1], part.get("at", ""))
    tests: dict[str, Callable[[Any], bool]] = {
        "is": lambda wish: value == wish,
        "holds": lambda wish: wish in (value if isinstance(value, (str, list, dict)) else str(value)),
        "lacks": lambda wish: wish not in (value if isinstance(value, (str, list, dict)) else str(value)),
        "mentions": lambda wish: wish in str(value),
        "above": lambda wish: value > wish,
        "below": lambda wish: value < wish,
    }
    if not any(word in part for word in tests):
        yield "the outcome tests nothing"
    for word, test in tests.items():
        if word in part and not test(part[word]):
            yield value


def main() -> int:
    """Solve all tasks; exit 1 where one is not solved."""
    unsolved = 0
    for task in tasks():
        wrong = problems(task)
        unsolved += bool(wrong)
        print(f"{'not solved' if wrong else 'solved':>10}  {task.name}: {task.question}", *wrong, sep="\n            ")
    print(f"{len(tasks()) - unsolved} of {len(tasks())} tasks are solved by calls of the tools")
    return int(bool(unsolved))


if __name__ == "__main__":
    sys.exit(main())
