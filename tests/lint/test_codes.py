"""Every code that the sources can say has a page."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from rftconf.lint import registry
from rftconf.lint.codes import about, every, page

SOURCES = Path(__file__).parents[2] / "rftconf"
CODE = re.compile(r'"([A-Z]{3}\d{3})"')


def test_every_code_in_the_sources_is_explained() -> None:
    messages = {code for path in SOURCES.rglob("*.py") for code in CODE.findall(path.read_text())}
    assert len(messages) > 40
    assert messages - set(every()) == set()


@pytest.mark.parametrize("code", every())
def test_pages_fit_a_terminal(code: str) -> None:
    text = page(code)
    entry = about(code)
    assert entry is not None
    assert text.startswith(f"{code}: {entry.title}\n")
    assert entry.why
    assert all(len(line) <= 100 for line in text.splitlines()[1:])


def test_no_code_is_used_twice() -> None:
    codes = [rule.code for rule in registry.rules()]
    assert sorted(codes) == sorted({*codes})
