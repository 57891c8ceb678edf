"""Each gate fires, and is silent when it should be."""

from __future__ import annotations

import math

import pytest

pytest.importorskip("numpy", reason="needs the runner's environment (make runner-env)")
import numpy as np
from rftconf_runner import consistency_checks


def parity(engine: list[float], trainer: list[float], dtype: str) -> float:
    return consistency_checks.parity([consistency_checks.gap_between(np.array(engine), np.array(trainer))], dtype)


def test_engine_and_trainer_that_agree() -> None:
    assert parity([-1.0, -2.0, -3.0], [-1.0, -2.000001, -3.0], "float32") == pytest.approx(1e-6)
    assert parity([], [], "float32") == parity([], [], "bfloat16") == 0.0


@pytest.mark.parametrize("stale", [-2.1, math.nan, -math.inf])
def test_an_engine_with_other_weights(stale: float) -> None:
    with pytest.raises(consistency_checks.GateError, match="stale"):
        parity([-1.0, stale], [-1.0, -2.0], "float32")


def test_half_precision_is_given_its_rounding() -> None:
    parity([-1.0], [-1.05], "bfloat16")
    with pytest.raises(consistency_checks.GateError):
        parity([-1.0], [-1.05], "float32")


def test_half_precision_is_judged_by_all_tokens() -> None:
    """One in a hundred that is off by 0.5 is a kernel's rounding; all that are off by 0.2 are another model's."""
    drawn = [-1.0] * 100
    assert parity(drawn, [-1.5, *drawn[1:]], "bfloat16") == pytest.approx(0.005)
    with pytest.raises(consistency_checks.GateError, match=r"differ by 0\.2 on average; more than 0\.1 in bfloat16"):
        parity(drawn, [-1.2] * 100, "bfloat16")
    with pytest.raises(consistency_checks.GateError):
        parity(drawn, [math.nan, *drawn[1:]], "bfloat16")


@pytest.mark.parametrize("gap", [0.002, math.nan])
def test_a_first_ratio_that_is_not_one(gap: float) -> None:
    consistency_checks.first_ratio(0.0005, consistency_checks.FIRST_RATIO_MAX["float32"])
    with pytest.raises(consistency_checks.GateError, match="old log-probs"):
        consistency_checks.first_ratio(gap, consistency_checks.FIRST_RATIO_MAX["float32"])
