"""What a codec reads it writes back, and what it cannot write it says."""

from __future__ import annotations

from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rftconf.base.ledger import State
from rftconf.base.symbols import Expr, Var
from rftconf.mappers.codecs import MISSING, Codec, counts, maps, negated, off_as, same, words
from rftconf.mappers.rows import Each, Row
from rftconf.mappers.tables import table_of
from rftconf.plan.units import Rates, Unit
from rftconf.schemas import registry


@dataclass
class Context:
    """As much of a run as codecs ask for."""

    worth: dict[Unit, Any] = field(default_factory=dict)
    same_framework: bool = False
    trainer: str = "fsdp"
    backend: str = "fsdp"

    def plan(self, path: str) -> Any:
        return "megatron" if path == "stage.placement.actor.backend" else None  # FSDP takes fewer schedules

    def since(self, release: str) -> bool:
        return bool(release)

    def convert(self, value: Any, source: Unit, target: Unit) -> Any:
        return Rates(self.worth).convert(value, source, target)


HERE = Context({Unit.PROMPTS: 8, Unit.SEQUENCES: 1})
REGISTERED = [
    pytest.param(row.codec, id=f"{framework}:{row.native}")
    for framework in registry.FRAMEWORKS
    for entry in table_of(framework).rows
    for row in (entry.rows if isinstance(entry, Each) else (entry,) if isinstance(entry, Row) else ())
    if isinstance(row.codec, words)
]


@pytest.mark.parametrize("codec", REGISTERED)
def test_every_word_that_is_read_can_be_written(codec: words[Any, Any]) -> None:
    for native in codec.table:
        plan = codec.get(native, HERE, None)
        put = codec.put(plan, HERE, None)
        assert put.state is State.EXACT
        assert codec.get(put.value, HERE, None) == plan


@pytest.mark.parametrize("codec", REGISTERED)
def test_narrowed_words_say_why_and_have_no_exact_one(codec: words[Any, Any]) -> None:
    for word, (native, why) in codec.narrowed.items():
        assert word not in codec.back
        put = codec.put(word, HERE, None)
        assert (put.value, put.state, put.note) == (native, State.NARROWED, why)
        assert len(why.split()) > 3


def test_a_word_without_a_counterpart_is_a_loss_elsewhere_and_kept_at_home() -> None:
    codec = words({"a": "A"})
    assert codec.put("B", HERE, None).state is State.NO_COUNTERPART
    home = codec.put("B", Context(same_framework=True), None)
    assert (home.value, home.state) == ("B", State.EXACT)


@given(st.integers(1, 10**6), st.integers(1, 64))
def test_counts_come_back(value: int, n: int) -> None:
    context, codec = Context({Unit.PROMPTS: n, Unit.SEQUENCES: 1}), counts(Unit.PROMPTS)
    read = codec.get(value, context, Unit.SEQUENCES)
    assert read == value * n
    assert codec.put(read, context, Unit.SEQUENCES).value == value


@given(st.integers(1, 10**6), st.integers(2, 64))
def test_counts_that_are_not_whole_are_rounded_up_with_both_numbers(value: int, n: int) -> None:
    put = counts(Unit.PROMPTS).put(value, Context({Unit.PROMPTS: n, Unit.SEQUENCES: 1}), Unit.SEQUENCES)
    exact = Fraction(value, n)
    assert put.value == -(-value // n)
    assert (put.state is State.ROUNDED) == (exact.denominator != 1)
    if put.state is State.ROUNDED:
        assert str(value) in put.note
        assert str(put.value) in put.note


def test_a_count_that_means_never_is_none() -> None:
    codec = counts(Unit.ROLLOUTS, off=(-1, 0, None))
    assert [codec.get(value, HERE, Unit.ROLLOUTS) for value in (-1, 0, None, 5)] == [None, None, None, 5]
    assert codec.put(None, HERE, Unit.ROLLOUTS).value == -1


CODECS: list[tuple[Codec[Any, Any], list[Any]]] = [
    (same, [1, "x", None, {"a": 1}, True]),
    (negated(), [True, False, None]),
    (off_as((-1, None)), [-1, 0.5, {"a": 1}, [1]]),
    (off_as(({}, None)), [{}, {"a": 1}]),
    (maps(lambda v: v * 2, lambda v: v // 2), [3, 0, None]),
]


@pytest.mark.parametrize(("codec", "values"), CODECS)
def test_what_is_read_is_written_back(codec: Codec[Any, Any], values: list[Any]) -> None:
    for value in values:
        read = codec.get(value, HERE, None)
        if isinstance(codec, negated) and read is None:
            continue
        assert codec.put(read, HERE, None).value == value


@pytest.mark.parametrize("codec", [words({"a": "A"}), negated(), maps(str, str)])
def test_what_depends_on_an_unknown_value_is_left_open(codec: Codec[Any, Any]) -> None:
    put = codec.put(Var("X"), HERE, None)
    assert (put.value, put.state) == (MISSING, State.UNRESOLVED)
    assert "X" in put.note


@pytest.mark.parametrize("codec", [same, off_as((0,)), counts(Unit.SEQUENCES)])
def test_what_does_not_depend_on_the_value_lets_unknown_ones_pass(codec: Codec[Any, Any]) -> None:
    put = codec.put(codec.get(Var("X"), HERE, Unit.SEQUENCES), HERE, Unit.SEQUENCES)
    assert put.value == Var("X")


def test_unknown_counts_stay_expressions() -> None:
    read = counts(Unit.PROMPTS).get(Var("B"), HERE, Unit.SEQUENCES)
    assert isinstance(read, Expr)
    assert counts(Unit.PROMPTS).put(read, HERE, Unit.SEQUENCES).value == Var("B")
