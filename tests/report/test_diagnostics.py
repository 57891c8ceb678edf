"""Diagnostics point at the right characters and never show a secret."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rftconf.base.diagnostics import Diagnostic, Label, Severity
from rftconf.base.secrets import masked
from rftconf.base.span import LineIndex, Place
from rftconf.report.diagnostics import diagnostics_concise, diagnostics_json, diagnostics_text, summary
from rftconf.report.screen import Screen, columns_of

TEXT = "BS=100\nexport WANDB_API_KEY=abc123\npython3 -m verl \\\n\ta.b=1 \\\n  x='提示' c.d=2\n"


def place(part: str, text: str = TEXT) -> Place:
    position = text.index(part)
    return Place("run.sh", LineIndex(text).span(position, position + len(part)))


def found(part: str, **more: object) -> Diagnostic:
    return Diagnostic("KEY001", Severity.ERROR, "no such key", place(part), **more)  # type: ignore[arg-type]


def test_excerpt_with_help_and_related_places() -> None:
    diagnostic = found("a.b", help="did you mean a.c?", related=(Label(place("BS=100"), "BS is set here"),))
    assert diagnostics_text([diagnostic], {"run.sh": TEXT}, Screen(80)) == (
        "error KEY001: no such key\n"
        "  --> run.sh:4:2\n"
        "  4 |  a.b=1 \\\n"
        "    |  ^^^\n"
        "  note: BS is set here\n"
        "  --> run.sh:1:1\n"
        "  1 | BS=100\n"
        "    | ------\n"
        "  help: did you mean a.c?\n"
    )


def test_wide_characters_are_underlined_in_full() -> None:
    text = diagnostics_text([found("提示"), found("c.d")], {"run.sh": TEXT}, Screen(80))
    assert "  5 |   x='提示' c.d=2\n    |      ^^^^\n" in text
    assert "  5 |   x='提示' c.d=2\n    |            ^^^\n" in text


def test_a_text_that_is_not_at_hand_leaves_only_the_place() -> None:
    assert diagnostics_text([found("a.b")], {}, Screen(80)) == "error KEY001: no such key\n  --> run.sh:4:2\n"


def test_secrets_are_masked_in_excerpts() -> None:
    text = diagnostics_text([found("WANDB_API_KEY=abc123")], {"run.sh": TEXT}, Screen(80))
    assert "WANDB_API_KEY=******\n" in text
    assert "abc123" not in text


@pytest.mark.parametrize(
    ("line", "output"),
    [
        ("trainer.api_key='abc def'", "trainer.api_key='*******'"),
        ("x: sk-0123456789abcdef", "x: *******************"),
        ("password: hunter2", "password: *******"),
        ("HF_TOKEN=$TOKEN", "HF_TOKEN=$TOKEN"),
        ("ppo_max_token_len_per_gpu=16384", "ppo_max_token_len_per_gpu=16384"),
        ("tokenizer=abc", "tokenizer=abc"),
    ],
)
def test_what_counts_as_a_secret(line: str, output: str) -> None:
    assert masked(line) == output


@settings(max_examples=200, deadline=None)
@given(st.text(max_size=300), st.integers(0, 300), st.integers(0, 300), st.integers(40, 160))
def test_any_span_of_any_text_fits_the_screen(text: str, start: int, length: int, width: int) -> None:
    start = min(start, len(text))
    end = min(start + length, len(text))
    new_place = Place("f", LineIndex(text).span(start, end))
    out = diagnostics_text([Diagnostic("SYN001", Severity.WARNING, "m", new_place)], {"f": text}, Screen(width))
    assert all(c == "\n" or c.isprintable() for c in out)
    # Lines are cut by characters, and a wide character takes two columns.
    assert max(columns_of(output) for output in out.split("\n")) <= (width + 2) * (1 if text.isascii() else 2)


def test_concise_and_json_and_summary() -> None:
    diagnostics = [found("a.b"), Diagnostic("SYN002", Severity.WARNING, "empty")]
    assert diagnostics_concise(diagnostics) == "run.sh:4:2: KEY001 no such key\nSYN002 empty\n"
    data = diagnostics_json(diagnostics)
    assert data[0]["place"] == {
        "file": "run.sh",
        "line": 4,
        "col": 2,
        "start": TEXT.index("a.b"),
        "end": TEXT.index("a.b") + 3,
    }
    assert data[1]["place"] is None
    assert summary(diagnostics, 2) == "1 error, 1 warning in 2 files"
    assert summary([], 1) == "nothing found in 1 file"
