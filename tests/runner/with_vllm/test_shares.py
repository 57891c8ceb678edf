"""Each rank is handed the blocks of its own share: what it computes of them is what it computes of all sequences, and the store grows with the data."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

pytest.importorskip("vllm", reason="needs the runner's environment (make runner-env)")
import numpy as np
import ray
import torch
from rftconf_runner.advantage_estimation import credit, lessons_of
from rftconf_runner.job import KlPenalty
from rftconf_runner.job_reader import job_of
from rftconf_runner.lessons import Lesson, Sample
from rftconf_runner.micro_batching import micro_batches, share
from rftconf_runner.samples import Lessons, Samples, join_samples
from rftconf_runner.sequences import counted
from rftconf_runner.shares import Listener, keep_rows, tell_ranks

from benches.runner_scale import periods
from tests.runner.test_job import plan
from tests.runner.with_vllm import session
from tests.runner.with_vllm.test_demo import planned, without_times

pytestmark = pytest.mark.filterwarnings("default")
RANKS = 4


class Rank(Listener):
    """A rank that returns what it was called with."""

    def __init__(self, rank: int, size: int) -> None:
        self.share, self.shares = rank // size, RANKS // size

    def doubled(self, samples: Sequence[Sample]) -> list[Any]:
        """Return twice each log-prob of the share."""
        return [np.asarray(sample.drawn) * 2 for sample in share(samples, self.share, self.shares)]

    def update(self, lessons: Sequence[Lesson], version: int) -> dict[str, Any]:
        """Return what an update reads of the lessons."""
        own = share(lessons, self.share, self.shares)
        return {
            "lengths": [len(lesson) for lesson in lessons],
            "teaching": counted(lessons).sum().item(),
            "versions": [lesson.sample.version == version for lesson in lessons],
            "own": [([*s.sample.prompt], [*s.sample.answer], [*s.advantages], [*s.old], s.teaching) for s in own],
            "passes": [
                len(micro.items) for micro in micro_batches(lessons, job_of(plan()).micro, self.share, self.shares)
            ],
        }


def samples_of(count: int) -> list[Sample]:
    """Sequences of different lengths, which two versions drew."""
    return [
        Sample(
            (1, 2, number), tuple(range(number % 3 + 1)), number % 2, number, tuple(-0.5 for _ in range(number % 3 + 1))
        )
        for number in range(count)
    ]


@pytest.mark.parametrize("size", [1, 2])
def test_ranks_of_a_share_know_what_all_need(size: int) -> None:
    """The lessons come from three blocks, of which one is in the store; ranks of a size share them."""
    session.connected()
    samples = samples_of(24)
    parts = [Samples.of(samples[:8]), Samples.of(samples[8:16]), Samples.of(samples[16:])]
    stored = [
        Samples(part.own, part.numbers, type(part.at)((ray.put(part.at.blocks[0]),), part.at.of, part.at.rows))
        for part in parts[:1]
    ]
    whole = join_samples([*stored, *parts[1:]])
    actors = [ray.remote(num_cpus=0)(Rank).remote(rank, size) for rank in range(RANKS)]
    old, sums = keep_rows(actors, size, "doubled", whole, total)
    assert [row.tolist() for row in old] == [[-1.0] * len(sample.answer) for sample in samples]
    assert sum(sums) == -sum(len(sample.answer) for sample in samples)
    teaching = np.arange(24) % 5 > 0
    lessons = Lessons(whole, {"advantages": np.arange(24.0), "old": old}, teaching, np.zeros(24))[np.arange(24)[::-1]]
    results = tell_ranks(actors, size, "update", lessons, 1)
    assert [row for result in results[::size] for row in result["own"]] == [
        ([1, 2, n], [*range(n % 3 + 1)], [float(n)] * (n % 3 + 1), [-1.0] * (n % 3 + 1), n % 5 > 0)
        for n in reversed(range(24))
    ]
    every = Rank(0, size).update([*lessons], 1)
    for result in results:
        assert {name: result[name] for name in ("lengths", "teaching", "versions")} == {
            name: every[name] for name in ("lengths", "teaching", "versions")
        }


def total(drawn: Any, rows: Any, _: Samples) -> float:
    """Return the sum of all numbers; both rows must be of the same tokens."""
    assert drawn.lengths.tolist() == rows.lengths.tolist()
    return float(rows.values.sum())


def test_a_number_for_an_answer_is_the_number_of_its_tokens() -> None:
    """Credit of whole answers is what credit of tokens is, which a KL penalty of 0 asks for."""
    job = replace(job_of(plan()), prompts=4, responses=2, kl_reward=None, kl_loss=None, masks=None)
    samples, rewards = samples_of(8), [0.0, 1.0, 1.0, 1.0, 0.25, 0.5, 0.0, 1.0]
    zeros = [[0.0] * len(sample.answer) for sample in samples]
    for name in ("grpo", "rloo", "opo", "gpg", "reinforce", "reinforce_pp_baseline"):
        plain = replace(job, advantage=name, whitens=False)
        by_answer = credit(plain, samples, rewards, None, None, None, 0.0)
        penalized = replace(plain, kl_reward=KlPenalty("k1", 0.0))
        by_token = credit(penalized, samples, rewards, zeros, zeros, None, 0.0)
        assert by_answer.mask is None
        assert by_token.mask is not None
        mask: torch.Tensor = by_token.mask
        torch.testing.assert_close(by_answer.advantages.unsqueeze(-1) * mask, by_token.advantages, msg=name)
        rows = lessons_of(samples, by_answer, None, None, None)
        assert [len(lesson.advantages) for lesson in rows] == [len(sample.answer) for sample in samples]


@pytest.mark.parametrize("ranks", [2, 8])
def test_the_store_has_the_data_once(tmp_path: Path, ranks: int) -> None:
    """A period of 2,048 answers puts at most 1.2 times its data into the store, however many ranks there are."""
    session.connected()
    *_, last = periods(2048, ranks, 2, 128, 2, tmp_path)
    assert last["store_bytes"] <= 1.2 * last["data_bytes"], SimpleNamespace(**last)


def test_answers_read_where_they_are_scored(demo: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The reward's process reads the same texts as the driver, and the run is the same."""
    job_plan = planned(demo, "read", trainer__total_training_steps="2", trainer__save_freq="-1")
    expected = session.run(job_plan, demo / "read_here")
    monkeypatch.setattr("rftconf_runner.grading.TOKENS_HERE", 0)
    assert without_times(session.run(job_plan, demo / "read_there")) == without_times(expected)
