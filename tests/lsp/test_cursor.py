"""Where a cursor stands in half-written texts."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rftconf.lsp.cursor import Cursor, in_overrides, in_yaml, key_at

YAML = [
    ("|", "key", "", ""),
    ("al|", "key", "", "al"),
    ("algorithm:\n  rep|", "key", "algorithm", "rep"),
    ("algorithm:\n  a: 1\n\n  # note\n  rep|", "key", "algorithm", "rep"),
    ("algorithm:\n  optimizer:\n    lr: 1\n  rep|", "key", "algorithm", "rep"),
    ("a:\n  b:\n    c: 1\nd|", "key", "", "d"),
    ("a:\n  - na|", "key", "a[]", "na"),
    ("a:\n- x: 1\n  na|", "key", "a[]", "na"),
    ("a:\n  - x: 1\n    y:\n      z: 2\n  - na|", "key", "a[]", "na"),
    ("a:\n  - x: 1\n    y:\n      z|", "key", "a[].y", "z"),
    ("a:\n  - - na|", "key", "a[][]", "na"),
    ("a:\n  b: tr|", "value", "a.b", "tr"),
    ('a:\n  - b: "tr|', "value", "a[].b", "tr"),
    ("a:\n  b: |", "value", "a.b", ""),
    ("'a':\n  b|", "key", "a", "b"),
]


@pytest.mark.parametrize(("text", "kind", "path", "typed"), YAML)
def test_yaml(text: str, kind: str, path: str, typed: str) -> None:
    position = text.index("|")
    cursor = in_yaml(text.replace("|", ""), position)
    assert cursor is not None
    assert (cursor.kind, cursor.path, cursor.typed, cursor.start) == (kind, path, typed, position - len(typed))


@pytest.mark.parametrize("text", ["a: {b|", "a: [x, y|", "# a|", "a: b # c|", "a: 'x y|"])
def test_nothing_is_written_there(text: str) -> None:
    assert in_yaml(text.replace("|", ""), text.index("|")) is None


OVERRIDES = [
    ("python -m x \\\n  data.tr|", Cursor("key", "", "data.tr", 16)),
    ("python -m x \\\n  +al|", Cursor("key", "", "al", 17, "+")),
    ("python -m x \\\n  data.a=gr|", Cursor("value", "data.a", "gr", 23)),
    ("A=(\n  'data.a=\"gr|", Cursor("value", "data.a", "gr", 15)),
    ("A=(\n  da|", Cursor("key", "", "da", 6)),
    ("da|", Cursor("key", "", "da", 0)),
]


@pytest.mark.parametrize(("text", "expected"), OVERRIDES)
def test_overrides(text: str, expected: Cursor) -> None:
    assert in_overrides(text.replace("|", ""), text.index("|")) == expected


@pytest.mark.parametrize("text", ["ls da|", "# data.tr|", "  # a.b=|", 'echo "$x|'])
def test_no_override_stands_there(text: str) -> None:
    assert in_overrides(text.replace("|", ""), text.index("|")) is None


def test_the_key_under_the_cursor() -> None:
    assert key_at("algorithm:\n  repeat_times: 8\n", 16, "yaml") == "algorithm.repeat_times"
    assert key_at("algorithm:\n  repeat_times: 8\n", 27, "yaml") == ""
    assert key_at("run data.train_batch_size=8", 8, "shell") == "data.train_batch_size"


@given(st.text(st.sampled_from("ab:-. \n\t'\"[{+=\\#"), max_size=60), st.integers(0, 60))
def test_any_text_is_bearable(text: str, index: int) -> None:
    for look in (in_yaml, in_overrides):
        cursor = look(text, min(index, len(text)))
        assert cursor is None or text[cursor.start : min(index, len(text))] == cursor.typed
