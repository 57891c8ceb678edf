"""What sentences cite: code and numbers that `rftconf explain` knows, never tables that a reader cannot open."""

from __future__ import annotations

import io
import re
import tokenize
from pathlib import Path

import pytest

from rftconf.explain.hazards import HAZARDS
from rftconf.report.wording import without_citations

ROOT = Path(__file__).resolve().parents[2]
UNKNOWN = re.compile(r"\brows? \d+(?:\.\d+)+|\bRULES \d|\bMAPPING\b|(?<![\w.\[/-])D\d{1,2}(?![\w-])")
HAZARD = re.compile(r"(?<![\w.\[/-])H(\d{1,2})(?![\w-])")
"""GPUs are H20, H100, H200 and H800 as well; hazards go up to two digits, and H20 is one of both."""
FOLDERS = ("rftconf", "runners", "scripts", "benches", "tests")
MODULES = sorted(p for folder in FOLDERS for p in (ROOT / folder).rglob("*.py"))


def _strings_and_comments(path: Path) -> list[tuple[int, str]]:
    source = io.StringIO(path.read_text(encoding="utf-8"))
    kinds = (tokenize.STRING, tokenize.COMMENT)
    return [(t.start[0], t.string) for t in tokenize.generate_tokens(source.readline) if t.type in kinds]


@pytest.mark.parametrize("folder", FOLDERS)
def test_nothing_is_cited_that_a_reader_cannot_open(folder: str) -> None:
    files = [path for path in MODULES if path.relative_to(ROOT).parts[0] == folder and path != Path(__file__)]
    assert files
    problems = [
        f"{path.relative_to(ROOT)}:{line}: {text[:80]}"
        for path in files
        for line, text in _strings_and_comments(path)
        if UNKNOWN.search(text)
    ]
    assert problems == []


def test_every_hazard_that_is_cited_can_be_explained() -> None:
    known = {hazard.number for hazard in HAZARDS}
    problems = [
        f"{path.relative_to(ROOT)}:{line}: H{number}"
        for path in MODULES
        if path.relative_to(ROOT).parts[0] != "tests"  # which also ask for numbers that are none
        for line, text in _strings_and_comments(path)
        for number in HAZARD.findall(text)
        if int(number) not in known
    ]
    assert problems == []


def test_a_sentence_is_shown_without_the_numbers_of_hazards() -> None:
    assert without_citations("H53: the offload (H53, H54) is off (rank 0)") == "the offload is off (rank 0)"
