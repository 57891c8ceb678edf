"""The figures of docs/migrating.md are those of the results, whatever they are."""

from __future__ import annotations

import importlib
import json
import sys
from typing import Any

import pytest

from tests.sources import ROOT

CASE: dict[str, Any] = {
    "name": "a.sh",
    "own": "accepted",
    "after": "accepted",
    "lost": [],
    "read_back": [],
    "unread": [],
}
FOUND: dict[str, Any] = {
    "date": "2026-01-02",
    "sets": [
        {
            "set": "verl-0.5.0 to verl 0.9.1, 3 of 4 files",
            "examples": 6,
            "accepted by their own release": 5,
            "accepted before": 1,
            "accepted after": 4,
            "right": 2,
            "unknown or ignored keys": 7,
            "not right": [
                CASE | {"lost": ["data.x: gone"]},
                CASE | {"lost": ["data.x: gone"]},
                CASE | {"after": "load:\n no | such"},
            ],
            "accepted there and back": 5,
            "there and back, the same plan": 3,
            "there and back, all differences said": 4,
            "said there and back": {"stage.lr": 1},
            "silent": [{"name": "b.sh", "back": "accepted", "silent": ["stage.n: 1 -> 2"]}],
        }
    ],
}


@pytest.fixture
def pages(monkeypatch: pytest.MonkeyPatch) -> Any:
    """The generator of pages, whose parts import each other by their own names."""
    monkeypatch.setattr(sys, "path", [str(ROOT / "scripts"), *sys.path])
    return importlib.import_module("generate_docs")


def test_counts_reasons_and_what_nobody_names(pages: Any) -> None:
    text = pages.migrating_page.figures(FOUND, pages.row, pages.head)
    assert "Measured on 2026-01-02." in text
    assert "| verl-0.5.0 to verl 0.9.1 | 3 | 6 | 5 | 1 | 4 | 2 | 7 |" in text
    assert "| verl-0.5.0 to verl 0.9.1 | 2 | `data.x: gone` |" in text
    assert "| verl-0.5.0 to verl 0.9.1 | 1 | `refused: load: no \\| such` |" in text
    assert "| verl-0.5.0 to verl 0.9.1 | 5 | 5 | 3 | 4 |" in text
    assert "differences that `migrate` names: `stage.lr` (1)" in text
    assert "Not restored and not named: b.sh: `stage.n: 1 -> 2`." in text


def test_the_page_shows_the_newest_results(pages: Any) -> None:
    data = json.loads(pages.migrating_page.newest().read_text())
    page = pages.migrating_page.PAGE.read_text()
    assert f"Measured on {data['date']}." in page
    assert all(entry["set"].partition(",")[0] in page for entry in data["sets"])
