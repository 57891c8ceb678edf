"""Splicing by span."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rftconf.base.patch import OverlappingPatchesError, Patch, apply
from rftconf.base.span import LineIndex, Span
from rftconf.text.yaml.leaves import read_yaml

TEXT = "a: 1  # one\nb:\n  c: x\r\n  d: [1, 2]\n"


def span(start: int, end: int) -> Span:
    return LineIndex(TEXT).span(start, end)


def test_a_value_changes_and_nothing_else() -> None:
    leaf = next(leaf for leaf in read_yaml("f", TEXT)[0] if leaf.key == "b.c")
    assert apply(TEXT, [Patch(leaf.place.span, "long text")]) == TEXT.replace("c: x", "c: long text")


def test_order_does_not_matter_and_insertions_keep_theirs() -> None:
    patches = [Patch(span(3, 4), "22"), Patch(span(0, 1), "key"), Patch(span(5, 5), "<"), Patch(span(5, 5), ">")]
    assert apply("a: 1 b", patches) == "key: 22 <>b"
    assert apply("abc", []) == "abc"


@pytest.mark.parametrize("second", [(1, 3), (2, 4), (2, 2), (0, 9)])
def test_overlaps_are_refused(second: tuple[int, int]) -> None:
    with pytest.raises(OverlappingPatchesError):
        apply("abcdefghij", [Patch(Span(1, 3, 1, 2), "x"), Patch(Span(*second, 1, 1), "y")])


def test_outside_is_refused() -> None:
    with pytest.raises(ValueError, match="outside a text of 3"):
        apply("abc", [Patch(Span(2, 4, 1, 3), "x")])


@given(
    st.text(max_size=30), st.lists(st.tuples(st.integers(0, 30), st.integers(0, 4), st.text(max_size=3)), max_size=5)
)
def test_every_part_outside_stays(text: str, new_expected: list[tuple[int, int, str]]) -> None:
    patches: list[Patch] = []
    index = 0
    for gap, size, new in new_expected:
        start = index + gap
        if start + size <= len(text):
            patches.append(Patch(Span(start, start + size, 1, 1), new))
            index = start + size
    expected, last = "", 0
    for patch in patches:
        expected += text[last : patch.span.start] + patch.text
        last = patch.span.end
    assert apply(text, reversed(patches) if len({p.span.start for p in patches}) == len(patches) else patches) == (
        expected + text[last:]
    )
