"""Answers that a sync cuts, where the plan says so: they go on with the weights that came, and know the oldest that drew them."""

from __future__ import annotations

import os
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("vllm", reason="needs the runner's environment (make runner-env)")
import torch
from rftconf_runner.asking import Answer, GenerationRequest
from rftconf_runner.job_reader import job_of
from rftconf_runner.ledger import faults
from rftconf_runner.refusals import refusals
from rftconf_runner.rollout import ENVIRONMENT, Engine

from rftconf.plan.model import Plan
from tests.runner.with_vllm import session
from tests.runner.with_vllm.test_dapo_and_lag import ahead, ledger

pytestmark = pytest.mark.filterwarnings("default")
CUT_AFTER = 5
"""Steps of the engine; each gives every answer a token."""


@pytest.fixture(scope="module")
def engine(demo: Path) -> Iterator[Any]:
    """The actor's class in this process, with a plan that cuts."""
    plan = Plan.model_validate_json(ahead(demo, "cut", run_ahead_rollouts=1.0, in_flight="interrupt").read_text())
    assert refusals(plan) == []
    with pytest.MonkeyPatch.context() as patch:
        for name, value in ENVIRONMENT.items():
            patch.setitem(os.environ, name, value)
        yield Engine(job_of(plan))


ASKED = [GenerationRequest((5, 9, 7 + index), 40 + index) for index in range(4)]


def moved(engine: Any) -> list[tuple[str, torch.Tensor]]:
    from transformers import AutoModelForCausalLM

    model = AutoModelForCausalLM.from_pretrained(engine.job.model, dtype=torch.float32)
    return [(name, tensor + 0.02) for name, tensor in model.state_dict().items()]


def test_what_is_cut_goes_on(engine: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """Its beginning stays, drawn by the old weights; the rest is what the new ones draw after it."""
    whole = engine.generate(ASKED)
    assert all(entry.whole for entry in whole)
    steps, step = iter(range(1000)), engine.llm.llm_engine.step

    def counted() -> Any:
        if next(steps) == CUT_AFTER - 1:
            engine.cut(True)
        return step()

    with monkeypatch.context() as patch:
        patch.setattr(engine.llm.llm_engine, "step", counted)
        begun = engine.generate(ASKED)
    open_ = [entry for entry in begun if not entry.whole]
    assert open_
    assert all(0 < len(entry.tokens) <= CUT_AFTER for entry in open_)
    assert [entry.tokens for entry in begun] == [w.tokens[: len(b.tokens)] for w, b in zip(whole, begun, strict=True)]
    assert engine.generate(ASKED) == [Answer((), (), 0, whole=False)] * 4  # until it may go on
    assert not engine.llm.llm_engine.has_unfinished_requests()
    engine.cut(False)
    engine.load(moved(engine), 1)
    rests = engine.generate(
        [GenerationRequest(a.prompt, a.seed + 1, b.tokens) for a, b in zip(ASKED, begun, strict=True) if not b.whole]
    )
    for before, remainder in zip(open_, rests, strict=True):
        joined = before.followed(remainder)
        assert (joined.version, joined.whole, remainder.version) == (0, True, 1)
        assert joined.tokens[: len(before.tokens)] == before.tokens
        assert len(joined.tokens) == len(joined.log_probs) <= engine.job.response_tokens
    assert Answer((), (), 0, whole=False).followed(rests[0]).version == 1  # nothing was drawn by the old ones


def test_a_cut_is_heard_while_the_engine_generates(engine: Any) -> None:
    values: list[Any] = []
    slow = threading.Thread(target=lambda: values.extend(engine.generate(ASKED * 64)))
    slow.start()
    engine.cut(True)
    slow.join(60)
    engine.cut(False)
    assert not all(entry.whole for entry in values)


def test_a_run_that_cuts(demo: Path) -> None:
    """Every sequence is learned from once, and lag stays bounded."""
    plan = ahead(demo, "cuts", run_ahead_rollouts=1.0, in_flight="interrupt")
    metrics = session.run(plan, demo / "cuts")
    assert [sum(metric["lags"].values()) for metric in metrics] == [128] * 5
    assert metrics[0]["lag"] == 0
    assert max(metric["lag"] for metric in metrics) <= 1
    assert faults(ledger(demo / "cuts")) == []
