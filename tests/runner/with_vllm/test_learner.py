"""A step of the optimizer, without ranks: schedules, and a loss that is no number."""

from __future__ import annotations

import pytest

pytest.importorskip("vllm", reason="needs the runner's environment (make runner-env)")
import torch
from rftconf_runner.gates import GateError
from rftconf_runner.job import Offload, Optimizer
from rftconf_runner.sharded import Learner, learning_rate

SETTINGS = Optimizer(1e-2, (0.9, 0.999), 0.0, 1.0, "constant", 0, 0, 0.0)


@pytest.mark.parametrize("bad", [float("nan"), float("inf")])
def test_a_loss_that_is_no_number_changes_no_weight(bad: float) -> None:
    model = torch.nn.Linear(2, 1)
    learner, before = Learner(model, SETTINGS, Offload(), 4, 0, 1), model.weight.detach().clone()
    with pytest.raises(GateError, match=r"update 1: the loss is (nan|-?inf)"):
        learner.step(lambda: [learner.backward(model(torch.ones(1, 2)).sum() * bad)])
    assert torch.equal(model.weight, before)
    assert learner.done == 0
    learner.step(lambda: [learner.backward(model(torch.ones(1, 2)).sum())])
    assert not torch.equal(model.weight, before)


def test_schedules_tick_once_an_update() -> None:
    falling = Optimizer(1.0, (0.9, 0.999), 0.0, 1.0, "linear", 2, 6, 0.5)
    rates = [learning_rate(falling, update, 100) for update in range(8)]
    assert rates == pytest.approx([0.0, 0.5, 1.0, 0.875, 0.75, 0.625, 0.5, 0.5])
    stairs = Optimizer(1.0, (0.9, 0.999), 0.0, 1.0, "constant", 40, 0, 0.0, tick=4)
    rates = [learning_rate(stairs, update, 100) for update in range(44)]
    assert rates[:9] == pytest.approx(
        [0.0] * 4 + [0.1] * 4 + [0.2]
    )  # MAPPING H44: k/10 of it in all updates of period k
    assert rates[39:] == pytest.approx([0.9, 1.0, 1.0, 1.0, 1.0])
    cosine = Optimizer(1.0, (0.9, 0.999), 0.0, 1.0, "cosine", 0, 0, 0.0)
    assert [learning_rate(cosine, update, 4) for update in (0, 2, 4)] == pytest.approx([1.0, 0.5, 0.0])
