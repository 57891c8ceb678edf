"""Steps of one framework in those of another."""

from __future__ import annotations

from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rftconf.base.errors import UsageError
from rftconf.load.load import load, main_stage
from rftconf.metrics.naming import counter_of
from rftconf.metrics.steps import Moment, Steps, steps_of, together
from rftconf.metrics.table import COUNTERS
from rftconf.plan.units import Unit
from rftconf.text.read.read import read
from rftconf.text.source import Source

VERL, ROLL = Moment(counter_of("verl", "")), Moment(counter_of("roll", ""))
TRAINER, EXPLORER = (Moment(counter_of("trinity", run)) for run in ("trainer", "explorer"))
FOUR = Steps(
    {
        Unit.ROLLOUTS: Fraction(1),
        Unit.TRAIN_STEPS: Fraction(4),
        Unit.UPDATES: Fraction(4),
        Unit.EXPLORE_STEPS: Fraction(1),
    }
)


@pytest.mark.parametrize(
    ("step", "source", "target", "expected"),
    [
        (1, VERL, ROLL, 0),
        (0, ROLL, VERL, 1),
        (1, VERL, TRAINER, 4),
        (8, TRAINER, VERL, 2),
        (6, TRAINER, VERL, Fraction(3, 2)),
        (3, VERL, EXPLORER, 3),
        (12, TRAINER, ROLL, 2),
        (5, VERL, Moment(ROLL.counter, 1), 5),
        (0, VERL, Moment(ROLL.counter, 1), 0),
        (1, VERL, Moment(EXPLORER.counter, 1), 2),
        (2, Moment(EXPLORER.counter, 1), VERL, 1),
        (0, Moment(EXPLORER.counter, 1), VERL, 0),
    ],
)
def test_by_what_was_done(step: int, source: Moment, target: Moment, expected: Fraction) -> None:
    assert FOUR.convert(Fraction(step), source, target) == expected


MOMENTS = st.sampled_from([Moment(counter) for counter in COUNTERS])


@given(st.integers(0, 10**6), MOMENTS, MOMENTS)
def test_there_and_back(step: int, source: Moment, target: Moment) -> None:
    new_target = FOUR.convert(Fraction(step), source, target)
    assert FOUR.convert(new_target, target, source) == step


@given(st.integers(0, 10**6), st.integers(1, 10**6), MOMENTS, MOMENTS)
def test_later_stays_later(step: int, gap: int, source: Moment, target: Moment) -> None:
    early, late = (FOUR.convert(Fraction(index), source, target) for index in (step, step + gap))
    assert early < late


def test_without_a_config_only_equal_counters_are_known() -> None:
    bare = Steps()
    assert bare.knows(VERL, ROLL)
    assert bare.knows(VERL, Moment(ROLL.counter, 1))
    assert not bare.knows(VERL, TRAINER)
    assert not bare.knows(VERL, EXPLORER)


TRINITY = """
mode: both
algorithm: {{algorithm_type: grpo, repeat_times: 8}}
model: {{model_path: /m}}
cluster: {{node_num: 1, gpu_per_node: 8}}
buffer: {{batch_size: {batch}, train_batch_size: 2048}}
synchronizer: {{{sync}}}
"""


@pytest.mark.parametrize(
    ("batch", "sync", "explores"),
    [(256, "sync_interval: 4", 4), (1024, "explorer_sync_interval: 1, trainer_sync_interval: 4", 1)],
)
def test_a_config_tells_its_steps(batch: int, sync: str, explores: int) -> None:
    """The worked example, in both forms that Trinity has for it: 1024 prompts of 8 answers, updates of 2048."""
    document = read(Source("run.yaml", TRINITY.format(batch=batch, sync=sync)))
    names = steps_of(main_stage(load(document, framework="trinity")).reading, "run.yaml")
    assert names == {Unit.ROLLOUTS: 1, Unit.TRAIN_STEPS: 4, Unit.UPDATES: 4, Unit.EXPLORE_STEPS: explores}


def test_two_configs_of_one_run_agree() -> None:
    verl = {Unit.TRAIN_STEPS: Fraction(4)}
    steps = together({"a.sh": verl, "b.yaml": {Unit.TRAIN_STEPS: Fraction(4), Unit.EXPLORE_STEPS: Fraction(4)}})
    assert steps.per_period[Unit.EXPLORE_STEPS] == 4
    with pytest.raises(UsageError, match=r"b\.yaml has 2 train steps a rollout period, another config 4: not one run"):
        together({"a.sh": verl, "b.yaml": {Unit.TRAIN_STEPS: Fraction(2)}})
