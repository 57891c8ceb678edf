"""A policy loss becomes one number by one of these words; a sum is divided by a length."""

from __future__ import annotations

import pytest

from rftconf.base.ledger import State
from rftconf.mappers.aggregation import AGG, SUMMED, TOKENS, read_aggregation, write_aggregation
from rftconf.mappers.rows import Fold
from rftconf.mappers.shapes import Pair, only_written, together
from rftconf.mappers.writing import Writing
from tests.mappers.test_precedence import reading
from tests.mappers.test_shapes import KEY, table

LENGTH = "stage.length.response_max_tokens"


@pytest.mark.parametrize(
    ("mode", "word", "tokens"), [(SUMMED, "sum-over-len", 512), ("token-mean", "token-mean", None)]
)
def test_a_sum_is_divided_by_the_padded_length(mode: str, word: str, tokens: int | None) -> None:
    reads = Fold(
        (), (), lambda r: read_aggregation(r, r.native(KEY), KEY, padded_by="length"), lambda _: None, "the loss"
    )
    result = reading(together(Pair("length", LENGTH), reads, why="the loss"), chatty=mode, length=512)
    assert (result.values[AGG], result.values[TOKENS]) == (word, tokens)
    assert (result.origins[AGG].keys, result.origins[TOKENS].keys) == ((KEY,), ("length",))


@pytest.mark.parametrize(
    ("word", "mode", "state"),
    [
        ("sum-over-len", SUMMED, State.EXACT),
        ("seq-mean-sum-over-len", SUMMED, State.NARROWED),
        ("token-sum", "token-mean", State.NARROWED),
        ("token-mean", "token-mean", State.EXACT),
    ],
)
def test_each_word_is_written_under_every_key(word: str, mode: str, state: State) -> None:
    keys = {KEY: "", "further": "here as well"}
    writes = only_written(lambda w: write_aggregation(w, "This", keys, larger_by="G"), why="the loss")
    writing = Writing(table(writes), "roll", "0.3.0", "rlvr", {AGG: word, TOKENS: 512, LENGTH: 1024}, {})
    writing.write_all()
    assert {key: (out.value, out.state, out.how) for key, out in writing.out.items()} == {
        KEY: (mode, state, ""),
        "further": (mode, state, "here as well"),
    }
    assert writing.outcomes[TOKENS].state is State.NO_COUNTERPART
