"""Losses as ROLL has them, by numbers that are worked out by hand."""

from __future__ import annotations

import math

import pytest

pytest.importorskip("torch", reason="needs the runner's environment (make runner-env)")
import torch
from rftconf_runner import losses


def test_topr_of_roll_tells_good_answers_by_their_score_and_not_by_their_advantage() -> None:
    """Both ratios are e: a good answer counts in full by its weight, another with a ratio of 1 at most; gradients go through log-probs alone."""
    own, old = torch.tensor([[-1.0], [-1.0], [-2.0]], requires_grad=True), torch.tensor([[-2.0], [-2.0], [-1.0]])
    gains, good = torch.tensor([[-0.5], [-0.5], [2.0]]), torch.tensor([[1.0], [0.0], [0.0]])
    bounds = losses.Bounds(0.2, 0.2, None, {"topr_positive_weight": 3.0, "topr_negative_weight": 2.0}, good)
    loss = losses.POLICY["topr_by_reward"](own, old, gains, torch.ones_like(gains), bounds)
    bad = 2.0 * math.exp(-1)
    assert loss.flatten().tolist() == pytest.approx([-1.5, -1.0, bad * 4.0])
    loss.sum().backward()
    assert own.grad is not None
    assert own.grad.flatten().tolist() == pytest.approx([1.5, 1.0, -2.0 * bad])


def test_the_second_bound_of_a_sequences_ratio_is_for_bad_answers() -> None:
    own, old = torch.full((2, 2), -1.0), torch.full((2, 2), -3.0)
    gains, mask = torch.tensor([[-1.0, -1.0], [1.0, 1.0]]), torch.ones(2, 2)
    loss = losses.POLICY["gspo"](own, old, gains, mask, losses.Bounds(0.2, 0.2, 1.4))
    assert loss[:, 0].tolist() == pytest.approx([1.4, -1.2])
