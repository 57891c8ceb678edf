"""Rows run when asked for, in any order, once; what sleeps says why."""

from __future__ import annotations

from dataclasses import replace
from random import Random
from typing import Any

import pytest

from rftconf.base.symbols import Var, formula
from rftconf.load.effective import effective
from rftconf.mappers.reading import Reading
from rftconf.mappers.rows import Row
from rftconf.mappers.tables import table_of
from rftconf.plan.origin import Kind
from rftconf.schemas import registry
from rftconf.schemas.guess import Guess
from rftconf.text.document import Leaf
from tests.laws.flip_base import Base
from tests.laws.flip_bases import BASES, VERL_GRPO
from tests.laws.round_trips import HERE


def reading(framework: str, flat: dict[str, Any], trainer: str = "") -> Reading:
    known = registry.framework(framework)
    leaves = {key: Leaf(key, value, HERE, HERE, str(value)) for key, value in flat.items()}
    native = effective(Guess(framework, known.newest, trainer or known.trainer, (), certain=True), leaves).native
    return Reading(table_of(framework), native)


@pytest.mark.parametrize(
    ("framework", "base"),
    [pytest.param(name, base, id=f"{name}: {base.name}") for name, bases in BASES.items() for base in bases],
)
def test_the_order_of_rows_is_free(framework: str, base: Base) -> None:
    first = reading(framework, base.flat, base.trainer)
    first.read_all()
    table = table_of(framework)
    rows = [row for row in table.rows if not (isinstance(row, Row) and row.alias)]
    Random(0).shuffle(rows)
    rows += [row for row in table.rows if isinstance(row, Row) and row.alias]  # an alias comes after its owner
    other = reading(framework, base.flat, base.trainer)
    shuffled = Reading(replace(table, rows=tuple(rows), owners={}), other.source)
    shuffled.read_all()
    assert shuffled.values == first.values


def test_asking_for_one_value_runs_what_it_needs_and_no_more() -> None:
    read = reading("verl", VERL_GRPO)
    assert read.plan("stage.batch.sequences_per_update") == 64 * 8
    assert "stage.batch.responses_per_prompt" in read.values
    assert "stage.optim.actor.lr" not in read.values


def test_origins_tell_written_from_default() -> None:
    read = reading("verl", VERL_GRPO)
    read.read_all()
    assert read.origins["stage.batch.responses_per_prompt"].kind is Kind.WRITTEN
    assert read.origins["stage.batch.responses_per_prompt"].keys == ("actor_rollout_ref.rollout.n",)
    assert read.origins["stage.optim.actor.weight_decay"].kind is Kind.DEFAULT


def test_keys_that_do_nothing_say_why() -> None:
    read = reading("verl", {**VERL_GRPO, "critic.optim.lr": 1e-4})
    read.read_all()
    assert read.inactive["critic.optim.lr"] == "there is no critic in this run"
    assert read.values["stage.optim.critic.lr"] is None


def test_what_cannot_be_counted_is_noted_not_guessed() -> None:
    read = reading("trinity", {"algorithm.repeat_times": 8, "trainer.save_interval": 10, "buffer.batch_size": Var("B")})
    read.read_all()
    saved = read.values["stage.cadence.save_rollouts"]
    assert saved is None or saved == 10 or "B" in formula(saved)


def test_unknown_values_flow_through_products() -> None:
    read = reading("verl", {**VERL_GRPO, "actor_rollout_ref.rollout.n": Var("N")})
    assert formula(read.plan("stage.batch.sequences_per_update")) == "N * 64"


def test_items_of_lists_are_counted() -> None:
    read = reading("trinity", dict(next(b.flat for b in BASES["trinity"] if b.name == "two data sets")))
    read.read_all()
    assert read.items("stage.data.train") == 2
    assert read.values["stage.data.train[1].uri"] == "/data/code"
