"""Files of metrics are read as curves by the prompts seen, and the curves of two runs are compared."""

from __future__ import annotations

import json
import math
import random
import time
from collections.abc import Callable
from fractions import Fraction
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rftconf.base.errors import UsageError
from rftconf.metrics.curves import RunClock, RunCurves, curves_of
from rftconf.metrics.log_lines import LARGEST
from rftconf.metrics.overlay import WINDOWS, lay_over
from rftconf.metrics.steps import Steps
from rftconf.plan.units import Unit

CLOCK = RunClock(Steps({Unit.ROLLOUTS: Fraction(1), Unit.TRAIN_STEPS: Fraction(4), Unit.UPDATES: Fraction(4)}), 512)
SCORE, NORM = "critic/score/mean", "actor/grad_norm"


def run_of(framework: str, *lines: dict[str, Any], clock: RunClock = CLOCK) -> RunCurves:
    text = "".join(f"{json.dumps(line)}\n" for line in lines)
    return curves_of(text, "run.jsonl", framework, clock)


def verl_run(score: Callable[[int], float], periods: int = 64, noise: float = 0.0, seed: int = 0) -> RunCurves:
    chance = random.Random(seed)
    lines = [{"step": step, "data": {SCORE: score(step) + chance.gauss(0, noise)}} for step in range(1, periods + 1)]
    return run_of("verl", *lines)


def learned(period: float) -> float:
    return 0.2 + 0.5 * (1 - math.exp(-period / 20))


def test_a_step_is_worth_the_prompts_that_were_trained_on() -> None:
    verl = run_of("verl", {"step": 1, SCORE: 0.5}, {"step": 2, SCORE: 0.6})
    roll = run_of("roll", {"step": 0, SCORE: 0.5}, {"step": 1, SCORE: 0.6})
    trinity = run_of("trinity", {"step": 4, "run": "trainer", SCORE: 0.5}, {"step": 8, "run": "trainer", SCORE: 0.6})
    assert verl.curves[SCORE].points == ((512.0, 0.5), (1024.0, 0.6))
    assert roll.curves[SCORE].points == trinity.curves[SCORE].points == verl.curves[SCORE].points


def test_openrlhf_and_trl_stand_at_their_trainers_steps_and_not_at_wandbs() -> None:
    lines = [{"train/global_step": 1, "_step": 3, "train/policy_loss": 0.5}, {"_step": 4, "train/policy_loss": 0.6}]
    assert run_of("openrlhf", *lines).curves["train/policy_loss"].points == ((512.0, 0.5),)
    assert run_of("trl", *lines).curves["train/policy_loss"].points == ((128.0, 0.5),)
    evaluation = {"eval/global_step": 2, "_step": 5, "eval/eval_gsm8k_pass1": 0.4}
    assert run_of("openrlhf", evaluation).curves["eval/eval_gsm8k_pass1"].points == ((1024.0, 0.4),)


def test_validation_stands_where_its_weights_were() -> None:
    """veRL logs the validation before training at step 0, ROLL measures at the head of a period."""
    name = "val_correct/gsm8k/mean"
    assert run_of("roll", {"step": 3, name: 0.4}).curves[name].points == ((1536.0, 0.4),)
    name = "val-core/gsm8k/acc/mean@1"
    assert run_of("verl", {"step": 0, name: 0.1}, {"step": 3, name: 0.4}).curves[name].points == (
        (0.0, 0.1),
        (1536.0, 0.4),
    )


def test_the_runners_own_file_is_known_by_its_steps() -> None:
    run = run_of("verl", {"period": 1, "reward": 0.5})
    assert (run.framework, run.curves["reward"].points) == ("runner", ((512.0, 0.5),))


def test_what_is_no_measurement_is_no_point() -> None:
    huge = 10**400
    run = run_of("verl", {"step": 1, SCORE: True, NORM: 1.0, "a": "text", "b": None, "c": huge, "d": 2 * LARGEST})
    assert set(run.curves) == {NORM}
    assert set(run.left_out) == {SCORE, "a", "b", "c", "d"}


def test_a_file_that_tells_no_curve_is_refused_by_its_reason() -> None:
    with pytest.raises(UsageError, match="has no metrics: one JSON object a line"):
        run_of("verl")
    with pytest.raises(UsageError, match=r"no metric beside a step of veRL \(step"):
        run_of("verl", {SCORE: 1.0})
    unknown = RunClock(Steps(), 512)
    with pytest.raises(UsageError, match="its config does not tell how many a rollout period has"):
        run_of("trinity", {"step": 4, "run": "trainer", SCORE: 0.5}, clock=unknown)


def test_the_place_from_which_two_runs_differ_is_found() -> None:
    """The score of B stays behind from period 32 on; noise is a tenth of the difference that this becomes."""
    a = verl_run(learned, noise=0.01, seed=1)
    b = verl_run(lambda period: learned(period) - (0.1 if period > 32 else 0), noise=0.01, seed=2)
    (pair,) = lay_over(a, b).differences
    width = (64 - 1) * 512 / WINDOWS
    assert pair.differs_from is not None
    assert abs(pair.differs_from - 32 * 512) <= width
    assert pair.gap == pytest.approx(0.1 / 0.69, abs=0.03)


def test_chance_alone_seldom_makes_curves_differ() -> None:
    runs = [verl_run(learned, 64, 0.05, seed) for seed in range(200)]
    overlays = [lay_over(a, b) for a, b in zip(runs[::2], runs[1::2], strict=True)]
    assert sum(len(overlay.differences) for overlay in overlays) <= 3


@given(st.lists(st.floats(-1e6, 1e6), min_size=1, max_size=50))
def test_a_run_is_itself(values: list[float]) -> None:
    lines = [{"step": step, SCORE: value, "own": value} for step, value in enumerate(values, 1)]
    overlay = lay_over(run_of("verl", *lines), run_of("verl", *lines))
    assert overlay.differences == ()
    assert [pair.says for pair in overlay.agreements] == ["mean score of a sequence, before any KL penalty", "own"]


def test_the_same_values_in_two_frameworks_steps_agree() -> None:
    verl = verl_run(learned)
    lines = [{"step": step, "run": "trainer", SCORE: learned(step / 4)} for step in range(1, 257)]
    assert lay_over(verl, run_of("trinity", *lines)).differences == ()


def test_validation_of_the_same_data_set_alone_is_compared() -> None:
    verl = run_of("verl", {"step": 1, "val-core/gsm8k/acc/mean@1": 0.4, "val-core/math/acc/mean@1": 0.1})
    trinity = run_of("trinity", {"step": 1, "run": "explorer", "eval/gsm8k/accuracy": 0.4}, clock=EXPLORED)
    overlay = lay_over(verl, trinity)
    assert overlay.without_overlap == ("share of right answers in validation, a data set at a time",)
    assert overlay.only_a == ("val-core/math/acc/mean@1",)


def test_many_names_are_compared_in_a_moment() -> None:
    """5,000 data sets on each side, of which half have a counterpart: a look at every pair would take four seconds."""
    names = [f"val-core/set{number}/acc/mean@1" for number in range(7_500)]
    a = run_of("verl", {"step": 1, **dict.fromkeys(names[:5_000], 0.5)})
    b = run_of("verl", {"step": 1, **dict.fromkeys(names[2_500:], 0.5)})
    began = time.process_time()
    overlay = lay_over(a, b)
    assert len(overlay.agreements) == 2_500
    assert time.process_time() - began < 2


def test_a_name_that_is_too_long_is_nobodys() -> None:
    name = f"val-core/{'/acc/mean@' * 20_000}x"
    assert run_of("verl", {"step": 1, SCORE: 1.0, name: 1.0}).curves[name].match is None


EXPLORED = RunClock(Steps({Unit.ROLLOUTS: Fraction(1), Unit.EXPLORE_STEPS: Fraction(4)}), 512)


def test_runs_without_prompts_in_common_are_not_compared() -> None:
    overlay = lay_over(run_of("verl", {"step": 1, SCORE: 0.4}), run_of("verl", {"step": 9, SCORE: 0.4}))
    assert (overlay.differences, overlay.agreements) == ((), ())
    assert overlay.without_overlap == ("mean score of a sequence, before any KL penalty",)
