"""A release takes the changes that lie in files, and those that stand under Unreleased, and leaves older ones alone."""

from __future__ import annotations

import importlib
import sys
from typing import Any

import pytest

from tests.sources import ROOT


@pytest.fixture
def changelog(monkeypatch: pytest.MonkeyPatch) -> Any:
    monkeypatch.setattr(sys, "path", [str(ROOT / "scripts"), *sys.path])
    return importlib.import_module("changelog")


def test_files_come_first_then_the_lines_that_stood_there(changelog: Any) -> None:
    before = "# Changelog\n\n## Unreleased\n\n* Two.\n\n## 0.1.0 (2026-01-01)\n\n* Old.\n"
    assert changelog.released(before, ["One is\nlong.\n"], "0.2.0", "2026-02-03") == (
        "# Changelog\n\n## Unreleased\n\n## 0.2.0 (2026-02-03)\n\n* One is long.\n* Two.\n\n## 0.1.0 (2026-01-01)\n\n* Old.\n"
    )


def test_the_first_release_has_nothing_below_it(changelog: Any) -> None:
    assert changelog.released("## Unreleased\n\n* Two.\n", [], "0.1.0", "2026-01-01") == (
        "## Unreleased\n\n## 0.1.0 (2026-01-01)\n\n* Two.\n"
    )


@pytest.mark.parametrize("text", ["# Changelog\n", "## Unreleased\n\n## 0.1.0\n\n* Old.\n"])
def test_a_release_of_nothing_is_refused(changelog: Any, text: str) -> None:
    with pytest.raises(ValueError, match=r"CHANGELOG\.md (has )?no"):
        changelog.released(text, [], "0.2.0", "2026-01-01")


def test_todays_changelog_can_be_released(changelog: Any) -> None:
    text = (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")
    released = changelog.released(text, [], "9.9.9", "2030-01-01")
    assert released.count("\n* ") == text.count("\n* ")
    assert "## Unreleased\n\n## 9.9.9 (2030-01-01)\n\n* " in released
