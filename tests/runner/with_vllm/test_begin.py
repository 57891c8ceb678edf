"""Ranks that begin anew where another process died: what they held is gone before the next is loaded."""

from __future__ import annotations

import weakref
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("vllm", reason="needs the runner's environment (make runner-env)")
import torch
from rftconf_runner import critic, policy
from rftconf_runner.job_reader import job_of
from rftconf_runner.ulysses import Sequences
from torch.distributed.device_mesh import init_device_mesh

from tests.runner.test_job import EVERYTHING, plan

pytestmark = [pytest.mark.filterwarnings("default"), pytest.mark.usefixtures("alone")]


def rank(kind: Any) -> Any:
    """One of one, that has met nobody."""
    result = object.__new__(kind)
    result.rank, result.mesh, result.spread = 0, init_device_mesh("cpu", (1,)), Sequences(0, 1, 1)
    return result


def watched(module: Any, monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """How many of the models that were loaded are still there, each time that one is."""
    load, models, living = module._load, list[Any](), list[int]()

    def loads(*request: Any) -> Any:
        living.append(sum(model() is not None for model in models))
        model = load(*request)
        models.append(weakref.ref(model))
        return model

    monkeypatch.setattr(module, "_load", loads)
    return living


def learns(entry: Any) -> None:
    """The optimizer has moments then, and the model gradients' places."""
    ids = torch.arange(32).view(2, 16) % 60 + 3
    entry.learner.step(lambda: [entry.learner.backward(entry.learner.model(ids).logits.float().square().mean())])


@pytest.mark.parametrize("name", ["policy", "critic"])
def test_no_two_models_at_a_time(demo: Path, name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """But for the reference, which is there beside the policy."""
    model = str(demo / "model")
    job = replace(job_of(plan(**{**EVERYTHING, "critic__model__path": model})), model=model)
    assert job.critic is not None
    module, kind = (policy, policy.Policy) if name == "policy" else (critic, critic.Critic)
    living, entry = watched(module, monkeypatch), rank(kind)
    begin: Callable[[], None] = (
        (lambda: entry.begin(job, None)) if name == "policy" else (lambda: entry.begin(job, job.critic, None))
    )
    for _ in range(3):
        begin()
        learns(entry)
    assert living == ([0, 1] * 3 if name == "policy" else [0] * 3)
