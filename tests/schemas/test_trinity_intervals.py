"""Two sync intervals as one: form A of the same run, or a loss that is said."""

from __future__ import annotations

from typing import Any

import pytest

from rftconf.schemas import catalogue, versions
from rftconf.schemas.trinity.intervals import BOTH, EVERY, EXPLORER, PROMPTS, TRAINER, USUAL
from tests.migrate.texts import migrated
from tests.schemas.shared import Cell

RUN = {"algorithm.repeat_times": 8, PROMPTS: 96, "buffer.train_batch_size": 256}
SETS = "buffer.explorer_input.eval_tasksets[0].path"


def down(keys: dict[str, Any]) -> tuple[dict[str, Any], list[str]]:
    """The keys as 0.5.2 has them, and those that were lost."""
    done = versions.downgrade("trinity", {key: Cell(value) for key, value in keys.items()}, "0.5.2")
    return {key: cell.value for key, cell in done.flat.items()}, [c.key for c in done.changes if c.lossy]


def test_a_balanced_pair_becomes_explore_steps_of_one_update() -> None:
    pair = {EXPLORER: 1, TRAINER: 3, "synchronizer.sync_offset": 1, "buffer.total_steps": 300, EVERY: 10}
    values, lost = down({**RUN, **pair})
    assert not lost
    assert EXPLORER not in values
    assert TRAINER not in values
    assert [values[key] for key in (PROMPTS, BOTH, "synchronizer.sync_offset", "buffer.total_steps", EVERY)] == [
        32,
        3,
        3,
        900,
        30,
    ]


def test_a_counter_that_nobody_writes_is_written_where_it_counts() -> None:
    assert USUAL[EVERY] == catalogue.load("trinity", "0.5.2").default(EVERY)
    assert EVERY not in down({**RUN, EXPLORER: 1, TRAINER: 3})[0]
    assert down({**RUN, EXPLORER: 1, TRAINER: 3, SETS: "/d"})[0][EVERY] == 300


def test_equal_intervals_are_one_whatever_they_count() -> None:
    values, lost = down({PROMPTS: "${oc.env:B}", EXPLORER: 2, TRAINER: 2, BOTH: 5})
    assert values == {PROMPTS: "${oc.env:B}", BOTH: 2}
    assert not lost
    assert down({EXPLORER: 2, BOTH: 2})[0] == {BOTH: 2}


@pytest.mark.parametrize(
    "second",
    [{TRAINER: 2}, {PROMPTS: "${oc.env:B}"}, {"buffer.train_batch_size": 250}, {"synchronizer.sync_offset": 0.5}],
    ids=["unbalanced", "unknown", "no whole prompts", "no whole step"],
)
def test_what_no_single_interval_says_is_a_loss(second: dict[str, Any]) -> None:
    values, lost = down({**RUN, EXPLORER: 1, TRAINER: 3, **second})
    assert sorted(lost) == sorted([EXPLORER, TRAINER])
    assert BOTH not in values


TEXT = """\
mode: both
algorithm: {algorithm_type: grpo, repeat_times: 8}
model: {model_path: /m, max_prompt_tokens: 512, max_response_tokens: 1024}
cluster: {node_num: 1, gpu_per_node: 8}
buffer:
  batch_size: 96
  train_batch_size: 256
  total_steps: 300
  explorer_input: {tasksets: [{name: a, path: /d}], eval_tasksets: [{name: e, path: /e}]}
explorer:
  rollout_model: {engine_num: 4}
synchronizer:
  explorer_sync_interval: 1
  trainer_sync_interval: 3
  sync_offset: 1
"""


def test_a_file_is_migrated_to_the_same_run() -> None:
    done = migrated(TEXT, "0.6.0", "0.5.2", "run.yaml", "trinity")
    for text in ("batch_size: 32", "\n  sync_interval: 3", "sync_offset: 3", "total_steps: 900", "eval_interval: 300"):
        assert text in done.text
    assert "explorer_sync_interval" not in done.text
    assert done.faithful


def test_a_file_that_cannot_be_is_no_faithful_one() -> None:
    text = TEXT.replace("trainer_sync_interval: 3", "trainer_sync_interval: 2")
    assert not migrated(text, "0.6.0", "0.5.2", "run.yaml", "trinity").faithful
