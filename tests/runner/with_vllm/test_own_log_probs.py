"""A period's one update computes the log-probs that its ratio is against, and compares them with the engine's itself."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

pytest.importorskip("vllm", reason="needs the runner's environment (make runner-env)")
import torch
from rftconf_runner.consistency_checks import GateError
from rftconf_runner.demo import make
from rftconf_runner.job import Job, Micro, Offload, Optimizer
from rftconf_runner.job_reader import job_of
from rftconf_runner.lessons import Lesson, Sample
from rftconf_runner.policy import Policy
from rftconf_runner.sharded import Learner
from rftconf_runner.ulysses import Sequences

from tests.runner.test_job import EVERYTHING, plan
from tests.runner.with_vllm.test_packing import lessons

pytestmark = pytest.mark.filterwarnings("default")
SETTINGS = Optimizer(1e-2, (0.9, 0.999), 0.0, 1.0, "constant", 0, 0, 0.0)
VERSION = 3


@pytest.fixture(scope="module")
def model(tmp_path_factory: pytest.TempPathFactory) -> Any:
    from transformers import AutoModelForCausalLM

    folder = tmp_path_factory.mktemp("model")
    make(folder)
    return AutoModelForCausalLM.from_pretrained(folder / "model", dtype=torch.float32)


def rank(model: Any, job: Job) -> Any:
    """A rank of one, without Ray or shards."""
    kind: Any = Policy
    result = object.__new__(kind)
    result.job, result.rank, result.spread = job, 0, Sequences(0, 1, 1)
    result.learner = Learner(model, SETTINGS, Offload(), 4, 0, 1)
    return result


def alone(**changes: Any) -> Job:
    """One update of ten sequences a period, in micro-batches of four."""
    return replace(job_of(plan()), prompts=2, responses=5, update=10, ranks=1, micro=Micro(4, 0), **changes)


def drawn(entry: Any, off: float = 0.0, version: int = VERSION) -> list[Lesson]:
    """Lessons whose answers were drawn with the trainer's own log-probs, but for one token's of the last, which is `off`."""
    samples = [lesson.sample for lesson in lessons()]
    rows = entry._log_probs(entry.learner.states, samples)
    rows[-1] = (*rows[-1][:-1], rows[-1][-1] + off)
    return [
        Lesson(Sample(s.prompt, s.answer, version, index, row), lesson.advantages, ())
        for index, (s, row, lesson) in enumerate(zip(samples, rows, lessons(), strict=True))
    ]


def test_which_periods_need_no_pass_of_their_own() -> None:
    job = alone()
    assert job.old_in_update
    assert replace(job, old="current").old_in_update
    assert not replace(job, old="engine").old_in_update
    assert not replace(job, update=5).old_in_update
    assert not replace(job, passes=2).old_in_update
    everything = job_of(plan(**EVERYTHING))
    assert not replace(job, critic=everything.critic).old_in_update
    assert not replace(job, kl_reward=everything.kl_reward).old_in_update


def test_a_difference_from_the_engine_stops_before_a_weight_changes(model: Any) -> None:
    entry = rank(model, alone())
    before = [parameter.detach().clone() for parameter in model.parameters()]
    for off in (1e-2, float("nan"), float("inf")):
        with pytest.raises(GateError, match="log-probs of engine and trainer differ by"):
            entry.update(drawn(entry, off), VERSION)
    assert all(torch.equal(a, b) for a, b in zip(before, model.parameters(), strict=True))
    assert entry.learner.done == 0
    done = entry.update(drawn(entry), VERSION)
    assert done.parity is not None
    assert done.parity <= 1e-5
    assert done.ratio_gap == 0
    assert not all(torch.equal(a, b) for a, b in zip(before, model.parameters(), strict=True))


def test_answers_of_other_weights_are_not_compared(model: Any) -> None:
    """Their engine's log-probs are of those, and differ rightly."""
    entry = rank(model, alone())
    assert entry.update(drawn(entry, 1.0, version=VERSION - 1), VERSION).parity is None
    mixed = [*drawn(entry)[:5], *drawn(entry, 1.0, version=VERSION - 1)[5:]]
    result = entry.update(mixed, VERSION).parity
    assert result is not None
    assert result <= 1e-5


def test_the_update_is_that_of_a_pass_before_it(model: Any) -> None:
    """Bit for bit: old log-probs of the same weights, taken in the same micro-batches."""
    norms: list[float] = []
    for job in (alone(), alone(passes=2)):  # of two updates the first, which reads what was taken before
        entry = rank(model, job)
        learned = drawn(entry)
        rows = entry._log_probs(entry.learner.states, [lesson.sample for lesson in learned])
        before = [replace(lesson, old=row) for lesson, row in zip(learned, rows, strict=True)]
        weights = {name: tensor.clone() for name, tensor in model.state_dict().items()}
        assert job.old_in_update is (not norms)
        norms.append(entry.update(before, VERSION).gradient_norm)
        model.load_state_dict(weights)
    assert norms[0] == norms[1]
