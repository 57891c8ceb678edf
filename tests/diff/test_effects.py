"""Every plan field has one row that says what it does; the roles are the plan's own."""

from __future__ import annotations

from collections import Counter

import pytest

from rftconf.cli import options
from rftconf.diff.effects import COUNTED, Effect, _pattern, _row_of, known_of
from rftconf.diff.table import GROUPS, ROWS
from rftconf.plan.index import fields


@pytest.mark.parametrize("path", fields())
def test_every_field_has_a_row(path: str) -> None:
    known = known_of(path, "rl")
    assert known.group in GROUPS
    assert known.does[0].isupper()
    assert known.does.endswith(".")
    assert "{}" not in known.does


def test_every_row_is_about_a_field() -> None:
    used = {_row_of(path)[0].fields for path in fields()}
    assert [row.fields for row in ROWS if row.fields not in used] == []


def test_no_two_rows_are_about_one_field() -> None:
    """A row without `*` may stand for one field of a row with it, and for nothing else."""
    assert [fields for fields, count in Counter(row.fields for row in ROWS).items() if count > 1] == []
    for path in fields():
        stars = [row.fields.count("*") for row in ROWS if _pattern(row.fields).fullmatch(path)]
        assert stars.count(min(stars)) == 1, path


def test_what_is_no_field_is_an_error() -> None:
    with pytest.raises(KeyError):
        known_of("stage.no_such_field", "rl")


@pytest.mark.parametrize(
    ("path", "effect"),
    [
        ("stage.batch.sequences_per_update", Effect.MATHEMATICS),
        ("stage.sampling.eval.temperature", Effect.MEASUREMENT),
        ("stage.data.eval[1].uri", Effect.MEASUREMENT),
        ("stage.cadence.save_rollouts", Effect.MEASUREMENT),
        ("stage.placement.layout", Effect.PERFORMANCE),
        ("identity.project", Effect.BOOKKEEPING),
    ],
)
def test_effects(path: str, effect: Effect) -> None:
    assert known_of(path, "rl").effect is effect


def test_a_run_that_only_evaluates_is_what_it_measures() -> None:
    assert known_of("stage.sampling.eval.temperature", "eval").effect is Effect.MATHEMATICS


def test_a_sentence_says_of_whom_it_speaks() -> None:
    assert known_of("stage.optim.critic.lr", "rl").does == "How far the critic moves in one update."
    assert known_of("stage.data.train[0].uri", "rl").does == "The rows for training."


def test_the_command_line_completes_the_same_words() -> None:
    assert tuple(Effect) == options.EFFECTS
    assert set(COUNTED) < set(Effect)
