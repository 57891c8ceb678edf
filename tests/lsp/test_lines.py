"""Positions as editors count them."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rftconf.lsp.lines import Lines, Units, edited

TEXT = st.text(st.sampled_from("ab \t\r\n\x0c\u2028\x85é\U0001f600"), max_size=40)
UNITS = st.sampled_from(["utf-8", "utf-16", "utf-32"])


@given(TEXT, UNITS, st.integers(0, 40))
def test_there_and_back(text: str, units: Units, index: int) -> None:
    lines = Lines(text, units)
    offset = min(index, len(text))
    inside_a_break = text[offset - 1 : offset + 1] == "\r\n"
    assert lines.offset(*lines.position(offset)) == (offset - 1 if inside_a_break else offset)


@given(TEXT, UNITS, st.integers(-2, 50), st.integers(-2, 50))
def test_any_position_is_somewhere(text: str, units: Units, line: int, column: int) -> None:
    assert 0 <= Lines(text, units).offset(line, column) <= len(text)


@given(TEXT, UNITS, st.integers(0, 40), st.integers(0, 40), TEXT)
def test_an_edit_replaces_what_is_between(text: str, units: Units, first: int, last: int, new: str) -> None:
    lines = Lines(text, units)
    start, end = sorted((min(first, len(text)), min(last, len(text))))
    start, end = (lines.offset(*lines.position(index)) for index in (start, end))
    assert edited(lines, lines.position(start), lines.position(end), new) == text[:start] + new + text[end:]


@pytest.mark.parametrize(("units", "column"), [("utf-8", 6), ("utf-16", 3), ("utf-32", 2)])
def test_units(units: Units, column: int) -> None:
    assert Lines("x\né\U0001f600b", units).position(4) == (1, column)


def test_only_the_protocols_line_ends_count() -> None:
    assert Lines("a\u2028b\x0cc\x85d\re\r\nf").position(11) == (2, 0)


def test_an_edit_turned_round_only_inserts() -> None:
    assert edited(Lines("abc"), (0, 2), (0, 1), "x") == "abxc"
