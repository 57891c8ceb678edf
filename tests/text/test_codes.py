"""Each code that the readers say is described, and each of theirs that is described is said somewhere."""

from __future__ import annotations

import re

from rftconf.lint.codes import CODES
from tests.sources import modules

NEVER_SAID = {"SYN210"}
"""Described without a reader that says it."""


def test_codes_and_their_descriptions_agree() -> None:
    files = [path for path in modules("rftconf") if path.parts[-2:] != ("lint", "codes.py")]
    messages = {code for file in files for code in re.findall(r'"(SYN\d{3})"', file.read_text(encoding="utf-8"))}
    described = {code for code in CODES if code.startswith("SYN")}
    assert len(messages) > 50
    assert messages - described == set()
    assert described - messages == NEVER_SAID
