"""No mapper knows the other side: what a table says is true for any target."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

import rftconf.mappers
from rftconf.schemas import registry

MAPPERS = Path(rftconf.mappers.__file__).parent
FOLDERS = sorted(folder.name for folder in MAPPERS.iterdir() if (folder / "table.py").exists())
NAMES = {
    "verl": "veRL|verl",
    "trinity": "Trinity(-RFT)?|trinity",
    "roll": "ROLL",
    "chatlearn": "ChatLearn|chatlearn",
    "trl": "TRL|trl",
    "openrlhf": "OpenRLHF|openrlhf",
    "nemo_rl": "NeMo-RL|nemo_rl",
}
"""How sentences call the frameworks; "roll" is a word of its own."""


def others(framework: str) -> re.Pattern[str]:
    """The names that sentences of `framework` may not contain. Names of code (`verl_config`, `trainer/verl`) are not names."""
    pattern = "|".join(names for name, names in NAMES.items() if name != framework)
    return re.compile(rf"(?<![\w/.-])({pattern})(?![\w/]|\.\w)")


def sentences(file: Path) -> Iterator[tuple[int, str]]:
    """Every string of a file that is more than one word, without docstrings."""
    tree = ast.parse(file.read_text(encoding="utf-8"))
    documentation = {
        id(node.value) for node in ast.walk(tree) if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)
    }
    for node in ast.walk(tree):
        if not isinstance(node, ast.Constant) or not isinstance(node.value, str) or id(node) in documentation:
            continue
        if " " in node.value.strip():
            yield node.lineno, node.value


def test_every_framework_has_a_name_to_look_for() -> None:
    assert set(NAMES) >= set(registry.FRAMEWORKS)
    assert set(NAMES) >= set(FOLDERS)


@pytest.mark.parametrize("framework", FOLDERS)
def test_no_sentence_names_another_framework(framework: str) -> None:
    places = [
        (file.name, line, text) for file in sorted((MAPPERS / framework).glob("*.py")) for line, text in sentences(file)
    ]
    assert len(places) > 50
    assert [s for s in places if others(framework).search(s[2])] == []


@pytest.mark.parametrize("framework", FOLDERS)
def test_no_sentence_says_what_all_others_do(framework: str) -> None:
    claims = re.compile(
        r"no other framework|other frameworks? |\bothers (have|start|keep)|only \w+ (implements|offers|has it)"
    )
    texts = [text for file in sorted((MAPPERS / framework).glob("*.py")) for _, text in sentences(file)]
    assert [text for text in texts if claims.search(text)] == []


@pytest.mark.parametrize(
    ("framework", "sentence", "named"),
    [
        ("verl", "Trinity fixes both", True),
        ("verl", "veRL fixes both", False),
        ("trinity", "veRL waits for all", True),
        ("trinity", "with verl < 0.8", True),
        ("trinity", "verl_config: what dp_critic reads", False),
        ("trinity", "trainer/verl/trainer.py", False),
        ("chatlearn", "a roll of the dice", False),
    ],
)
def test_what_counts_as_a_name(framework: str, sentence: str, named: bool) -> None:
    assert bool(others(framework).search(sentence)) is named
