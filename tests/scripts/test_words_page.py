"""The page of one run in everybody's words: every framework stands under every concept, and facts by hand have their code."""

from __future__ import annotations

import importlib
import re
import sys
from typing import Any

import pytest

from rftconf.schemas.registry import FRAMEWORKS
from rftconf.text import toml
from tests.sources import ROOT


def script(name: str) -> Any:
    """A script is a module of its folder, not of a package."""
    folder = str(ROOT / "scripts")
    sys.path.insert(0, folder)
    try:
        return importlib.import_module(name)
    finally:
        sys.path.remove(folder)


WORDS, DOCS = script("words_page"), script("generate_docs")
OTHERS = toml.loads(WORDS.ELSEWHERE.read_text(encoding="utf-8"))["framework"]
NAMED_BY_HAND = tuple(name for concept in WORDS.CONCEPTS for name in concept.names if name != "warmup")


def page() -> str:
    text: str = WORDS.page(DOCS.row, DOCS.head)
    return text


@pytest.mark.parametrize("name", OTHERS)
def test_a_fact_by_hand_names_the_code_that_shows_it(name: str) -> None:
    other = OTHERS[name]
    assert set(NAMED_BY_HAND) <= set(other)
    for entry in (other[concept] for concept in NAMED_BY_HAND):
        assert entry["counts"].endswith(".")
        assert re.search(r"\w+\.py\b", entry["source"]), entry


def test_every_framework_that_is_read_stands_under_every_concept() -> None:
    sections = page().split("\n## ")[1:-1]
    assert [section.partition("\n")[0] for section in sections] == [concept.title for concept in WORDS.CONCEPTS]
    for section in sections:
        for framework in FRAMEWORKS.values():
            assert f"\n| {framework.title} | " in section


@pytest.mark.parametrize(
    ("framework", "keys", "counts"),
    [
        ("veRL", "actor_rollout_ref.actor.ppo_mini_batch_size: 128", "1 counts for 8 sequences"),
        ("ChatLearn", "runtime_args.sample_per_episode: 4096", "8 count for 1 prompt"),
        ("TRL", "max_steps: 400", "4 count for 1 period"),
        ("OpenRLHF", "train.batch_size: 1024", "counts sequences"),
    ],
)
def test_a_number_says_what_it_counts(framework: str, keys: str, counts: str) -> None:
    (line,) = [each for each in page().splitlines() if each.startswith(f"| {framework} | `{keys}`")]
    assert line.endswith(f"{counts} |")
