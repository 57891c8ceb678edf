"""The order of keys in what is written: entries of a named mapping stand as they stood in the source."""

from __future__ import annotations

import pytest

from rftconf.convert.output import first_seen, reading_order
from rftconf.schemas import catalogue

ROLL = catalogue.load("roll", "0.3.0", "rlvr")
SECTIONS = ("rewards",)


@pytest.mark.parametrize(
    "keys",
    [
        ("rewards.math.worker_cls", "rewards.code[0].worker_cls", "rewards.code[1].use_local", "rewards.qa.world_size"),
        ("rewards.qa.tag_included[0].a", "rewards.code.world_size"),
        ("custom_envs.Maze.agent_system_template[0].a", "custom_envs.Frozen.max_steps"),
    ],
)
def test_an_entry_keeps_its_place_where_it_is_or_has_a_list(keys: tuple[str, ...]) -> None:
    order, backwards = first_seen(keys), list(reversed(keys))
    assert sorted(backwards, key=lambda key: reading_order(ROLL, SECTIONS, key, order)) == list(keys)
