"""The support pages: no key of any catalogue is without a state, whatever framework was added."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from rftconf.mappers.tables import all_tables, table_of
from rftconf.schemas import catalogue, registry
from tests.sources import ROOT

DOCS = ROOT / "docs" / "support"
TABLES = [
    (name, kind) for name, kind in all_tables() if not kind or table_of(name, kind).rows is not table_of(name).rows
]
PAGES = ["-".join(filter(None, entry)) for entry in TABLES]


def page(name: str) -> str:
    return (DOCS / f"{name}.md").read_text()


def test_every_framework_and_program_has_a_table_and_a_page() -> None:
    named = {framework for framework, _ in all_tables()}
    assert named == {framework.name for framework in registry.variants()}
    assert {file.stem for file in DOCS.glob("*.md")} == {*PAGES, "plan-fields"}


@pytest.mark.parametrize("entry", TABLES, ids="-".join)
def test_every_key_of_every_release_is_on_its_page(entry: tuple[str, str]) -> None:
    known, text = registry.framework(entry[0]), page("-".join(filter(None, entry)))
    listed = set(re.findall(r"`([^`]+)`", text))
    keys = {
        key
        for release in known.releases
        for trainer in table_of(*entry).trainers or known.trainers_of(release)
        for key in catalogue.load(known.name, release, trainer).keys
        if not key.endswith("_target_") and not key.startswith("stages[]")
    }
    assert len(keys) > 5
    assert sorted(keys - listed) == []


@pytest.mark.parametrize("name", PAGES)
def test_every_line_of_a_page_says_something(name: str) -> None:
    """A key has plan fields, a newer name, or a reason; an empty cell would be a key without a state."""
    lines = page(name).splitlines()
    assert [line for line in lines if line.startswith("| `") and re.search(r"\|\s+\||\| `` \|", line)] == []
    assert [line for line in lines if re.match(r"\* : ", line)] == []


def test_the_index_counts_every_listed_key_of_the_newest_release() -> None:
    lines = [line for line in Path(ROOT / "docs/support.md").read_text().splitlines() if line.startswith("| [")]
    assert len(lines) == len(PAGES)
    for line, entry in zip(lines, TABLES, strict=True):
        numbers = [int(cell) for cell in re.findall(r"(?<=\| )\d+(?= \|)", line)]
        assert numbers[0] > 0, (line, table_of(*entry))
