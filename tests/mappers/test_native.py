"""A config as flat keys, and what lies below one of them as a tree."""

from __future__ import annotations

import pytest

from rftconf.base.ledger import State
from rftconf.convert.convert import convert
from rftconf.load.load import load
from rftconf.mappers.native import Cell, Native, indexed
from rftconf.text.read.read import read
from rftconf.text.read.read_options import ReadOptions
from rftconf.text.source import Source


def native(cells: dict[str, object]) -> Native:
    """A config of which nothing is a default."""
    added = {name: place for place, name in enumerate(cells)}
    return Native("roll", "0.3.0", "agentic", {name: Cell(value) for name, value in cells.items()}, indexed({}), added)


def test_a_branch_is_a_tree() -> None:
    config = native({"a.b.c": 1, "a.b.d": None, "a.e": [1, 2], "f": 3})
    assert config.branch("a") == {"b": {"c": 1, "d": None}, "e": [1, 2]}
    assert config.branch("g") == {}


def test_lists_of_mappings_are_lists() -> None:
    cells = {"env.tools[0].id": "python", "env.tools[0].args.timeout": 5, "env.tools[1].id": "search", "env.n": 1}
    config = native(dict(cells))
    assert config.branch("env") == {"tools": [{"id": "python", "args": {"timeout": 5}}, {"id": "search"}], "n": 1}


def test_names_with_dots_stay_names() -> None:
    config = native({'env.scores["a.b"].weight': 2})
    assert config.branch("env") == {"scores": {"a.b": {"weight": 2}}}


CRITIC = (
    "python3 -m verl.trainer.main_ppo algorithm.adv_estimator=gae data.train_files=/d/a.parquet data.train_batch_size=64 "
    "actor_rollout_ref.model.path=/m critic.model.path=/c actor_rollout_ref.actor.ppo_mini_batch_size=64 trainer.n_gpus_per_node=8 "
    "+critic.fsdp.param_offload=true"
)


@pytest.mark.parametrize(
    ("release", "state", "offloads"), [("0.6.1", State.UNKNOWN, False), ("0.9.1", State.EXACT, True)]
)
def test_a_key_of_a_newer_release_does_nothing_in_an_older_one(release: str, state: State, offloads: bool) -> None:
    document = read(Source("run.sh", CRITIC), ReadOptions())
    loaded = load(document, framework="verl", release=release)
    assert loaded.stages[0].values["stage.placement.critic.offload.param"] is offloads
    (line,) = (
        line
        for line in convert(document, "trinity", framework="verl", release=release).ledger.sources
        if ".fsdp." in line.key
    )
    assert line.state is state
    assert ("a newer release reads it" in line.reason) is (state is State.UNKNOWN)
