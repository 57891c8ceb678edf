"""A step of the optimizer, on one rank: schedules, a loss that is no number, and gradients of several passes."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("vllm", reason="needs the runner's environment (make runner-env)")
import torch
from rftconf_runner.consistency_checks import GateError
from rftconf_runner.job import Offload, Optimizer
from rftconf_runner.sharded import Learner, decaying, learning_rate, loss_scale, shard, whole
from torch.distributed.device_mesh import init_device_mesh
from torch.distributed.fsdp._fully_shard import _fsdp_param_group

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


def learner(demo: Path, computed: str) -> Learner:
    """Of the demo's model, kept in 32 bits, on one rank."""
    from transformers import AutoModelForCausalLM

    model = AutoModelForCausalLM.from_pretrained(demo / "model", dtype=torch.float32)
    sharded = shard(model, init_device_mesh("cpu", (1,)), computed, checkpointing=False, offload=Offload())
    return Learner(sharded, SETTINGS, Offload(), 9, 0, 1)


def gradients(
    new_learner: Learner, lefts: list[int], monkeypatch: pytest.MonkeyPatch
) -> tuple[list[torch.Tensor], int]:
    """What a pass for each of `lefts` adds up to, and how often FSDP took a layer's gradients over."""
    taken, own = list[Any](), _fsdp_param_group.foreach_reduce

    def counted(*arguments: Any, **more: Any) -> Any:
        taken.append(arguments)
        return own(*arguments, **more)

    monkeypatch.setattr(_fsdp_param_group, "foreach_reduce", counted)
    for number, remaining in enumerate(lefts):
        ids = (torch.arange(32).view(2, 16) * (number + 3)) % 60 + 3
        new_learner.backward(new_learner.model(ids, labels=ids).loss, remaining)
    monkeypatch.setattr(_fsdp_param_group, "foreach_reduce", own)
    return [whole(parameter.grad) for parameter in new_learner.model.parameters()], len(taken)


@pytest.mark.usefixtures("alone")
@pytest.mark.parametrize("computed", ["float32", "bfloat16"])
def test_one_rank_takes_gradients_over_once_and_they_are_the_same(
    demo: Path, computed: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    each, often = gradients(learner(demo, computed), [0, 0, 0], monkeypatch)
    last, once = gradients(learner(demo, computed), [2, 1, 0], monkeypatch)
    assert often == 3 * once
    assert once > 1
    assert all(torch.equal(first, second) for first, second in zip(each, last, strict=True))
    assert any(entry.abs().max() > 0 for entry in each)


def updated(new_learner: Learner, rows: torch.Tensor) -> Iterator[float]:
    """Yield the gradient's norm of each of five updates."""
    for _ in range(5):
        yield new_learner.step(lambda: [new_learner.backward(new_learner.model(rows).square().mean())])[1]


def test_a_scaled_loss_learns_the_same() -> None:
    """A power of two is exact: gradients and weights are those without a scale, and it doubles as Megatron's does."""
    weights = []
    for settings in (SETTINGS, replace(SETTINGS, scale=(32768.0, 2))):
        torch.manual_seed(7)
        model, rows = torch.nn.Linear(5, 3), torch.randn(4, 5)
        norms = list(updated(Learner(model, settings, Offload(), 9, 0, 1), rows))
        weights.append((model.weight.detach(), norms))
    assert torch.equal(weights[0][0], weights[1][0])
    assert weights[0][1] == weights[1][1]
    grown = replace(SETTINGS, scale=(32768.0, 1000))
    assert [loss_scale(grown, update) for update in (0, 999, 1000, 2000)] == [32768, 32768, 65536, 131072]
    assert loss_scale(SETTINGS, 10**6) == 1


def test_schedules_tick_once_an_update() -> None:
    falling = Optimizer(1.0, (0.9, 0.999), 0.0, 1.0, "linear", 2, 6, 0.5)
    rates = [learning_rate(falling, update, 100) for update in range(8)]
    assert rates == pytest.approx([0.0, 0.5, 1.0, 0.875, 0.75, 0.625, 0.5, 0.5])
    stairs = Optimizer(1.0, (0.9, 0.999), 0.0, 1.0, "constant", 40, 0, 0.0, tick=4)
    rates = [learning_rate(stairs, update, 100) for update in range(44)]
    assert rates[:9] == pytest.approx([0.0] * 4 + [0.1] * 4 + [0.2])  # H44: k/10 of it in all updates of period k
    assert rates[39:] == pytest.approx([0.9, 1.0, 1.0, 1.0, 1.0])
    cosine = Optimizer(1.0, (0.9, 0.999), 0.0, 1.0, "cosine", 0, 0, 0.0)
    assert [learning_rate(cosine, update, 4) for update in (0, 2, 4)] == pytest.approx([1.0, 0.5, 0.0])


def test_norms_and_biases_decay_unless_only_matrices_do() -> None:
    """What Megatron's optimizer leaves out: parameters of one dimension."""
    model = torch.nn.Sequential(torch.nn.Linear(3, 3), torch.nn.LayerNorm(3))
    everything, matrices = replace(SETTINGS, weight_decay=0.5), replace(SETTINGS, weight_decay=0.5, matrices=True)
    (whole_group,) = decaying([*model.parameters()], everything)
    assert (len(whole_group["params"]), whole_group["weight_decay"]) == (4, 0.5)
    shares = [(len(entry["params"]), entry["weight_decay"]) for entry in decaying([*model.parameters()], matrices)]
    assert shares == [(1, 0.5), (3, 0.0)]
    before = {name: tensor.detach().clone() for name, tensor in model.named_parameters()}
    new_learner = Learner(model, replace(matrices, lr=0.1), Offload(), 4, 0, 1)
    new_learner.step(lambda: [new_learner.backward((model(torch.ones(1, 3)) * 0).sum())])
    unchanged = {name for name, tensor in model.named_parameters() if torch.equal(tensor, before[name])}
    assert unchanged == {"0.bias", "1.weight", "1.bias"}
    assert torch.allclose(model[0].weight, before["0.weight"] * (1 - 0.1 * 0.5))


@pytest.mark.usefixtures("alone")
def test_a_sharded_model_is_divided_by_its_whole_weights(demo: Path) -> None:
    """The optimizer's state comes back from a checkpoint as well."""
    from transformers import AutoModelForCausalLM

    model = AutoModelForCausalLM.from_pretrained(demo / "model", dtype=torch.float32)
    sharded = shard(model, init_device_mesh("cpu", (1,)), "float32", checkpointing=False, offload=Offload())
    groups = Learner(
        sharded, replace(SETTINGS, weight_decay=0.1, matrices=True), Offload(), 9, 0, 1
    ).optimizer.param_groups
    assert [{parameter.ndim for parameter in group["params"]} for group in groups] == [{2}, {1}]
