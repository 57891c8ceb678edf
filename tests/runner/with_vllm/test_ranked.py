"""Engines over two GPUs, here two processes: what they hold, what they draw, and what becomes of them when one rank dies."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("vllm", reason="needs the runner's environment (make runner-env)")
import ray
import torch
from rftconf_runner import consistency_checks
from rftconf_runner.asking import GenerationRequest
from rftconf_runner.demo import SIZES, make
from rftconf_runner.faults import VARIABLE
from rftconf_runner.job import Job
from rftconf_runner.job_reader import job_of
from rftconf_runner.ledger import faults
from rftconf_runner.ranked import divides

from rftconf.plan.model import Plan
from tests.runner.test_job import plan
from tests.runner.with_vllm import engines, session
from tests.runner.with_vllm.engines import There, missed
from tests.runner.with_vllm.test_dapo_and_lag import ahead, ledger
from tests.runner.with_vllm.test_demo import planned, trained, without_times

pytestmark = pytest.mark.filterwarnings("default")
Weights = list[tuple[str, torch.Tensor]]
VOCABULARY = 103
"""No multiple of 64: vLLM pads it before it divides it."""
ASKED = [
    GenerationRequest(tuple(3 + (7 * index + step) % 60 for step in range(3 + index)), index) for index in range(8)
]


def odd(folder: Path) -> Path:
    """A model with one head of keys, which both ranks repeat, a tied head, and biases."""
    from transformers import Qwen2Config, Qwen2ForCausalLM

    sizes = {name: size for name, size in SIZES.items() if name != "head_dim"}
    sizes |= {"num_key_value_heads": 1, "num_hidden_layers": session.LAYERS}
    make(folder)
    torch.manual_seed(1)
    model = Qwen2ForCausalLM(Qwen2Config(vocab_size=VOCABULARY, tie_word_embeddings=True, **sizes))
    for name, parameter in model.named_parameters():
        if name.endswith(".bias"):  # which begin as nothing, and would be equal wherever they are cut
            torch.nn.init.normal_(parameter, std=0.1)
    model.save_pretrained(folder / "model")
    return folder / "model"


def plain(folder: Path) -> Path:
    make(folder, layers=session.LAYERS)
    return folder / "model"


class Pair:
    """One engine on one process, and one on two."""

    def __init__(self, model: Path) -> None:
        from transformers import AutoModelForCausalLM

        session.connected()
        job = replace(job_of(plan()), model=str(model), tokenizer=str(model), temperature=0.0, tempered=False)
        self.jobs = job, replace(job, tp=2)
        self.one, self.two = map(engines.engine, self.jobs)
        ray.get([rank.begin.remote(job) for job, ranks in self for rank in ranks])
        self.weights: Weights = list(
            AutoModelForCausalLM.from_pretrained(model, dtype=torch.float32).state_dict().items()
        )

    def moved(self, by: float) -> Weights:
        torch.manual_seed(2)
        values: dict[int, torch.Tensor] = {}
        for _, tensor in self.weights:  # a tied head stays the embedding
            values.setdefault(tensor.data_ptr(), tensor + by * torch.randn_like(tensor))
        return [(name, values[tensor.data_ptr()]) for name, tensor in self.weights]

    def load(self, weights: Weights) -> list[There]:
        ranks = (*self.one, *self.two)
        loads, entries = [rank.load.remote(weights, 1) for rank in ranks], [rank.held.remote() for rank in ranks]
        return list(zip(ray.get(loads), ray.get(entries), strict=True))

    def draw(self) -> list[Any]:
        return list(ray.get([rank.generate.remote(ASKED) for rank in (*self.one, *self.two)]))

    def __iter__(self) -> Iterator[tuple[Job, list[Any]]]:
        return zip(self.jobs, (self.one, self.two), strict=True)

    def end(self) -> None:
        for job, ranks in self:
            engines.keep(job, ranks)


@pytest.fixture(scope="module", params=[plain, odd], ids=["plain", "odd"])
def pair(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Pair]:
    new_pair = Pair(request.param(tmp_path_factory.mktemp("model")))
    yield new_pair
    new_pair.end()


def test_two_ranks_draw_what_one_draws(pair: Pair) -> None:
    """Greedily, token for token; the second rank draws the same and says nothing. Also after a sync."""
    for by in (0.0, 0.05):
        pair.load(pair.moved(by))
        entry, two, silent = pair.draw()
        assert [answer.tokens for answer in two] == [answer.tokens for answer in entry]
        assert silent == []
        gaps = [
            abs(a - b) for x, y in zip(entry, two, strict=True) for a, b in zip(x.log_probs, y.log_probs, strict=True)
        ]
        assert max(gaps) <= consistency_checks.PARITY_MAX["float32"]


def test_every_number_is_held_by_some_rank_and_compared(pair: Pair) -> None:
    """Each tensor, changed anywhere in one of its quarters, by rows and by columns, is named by a rank."""
    weights = pair.moved(0.05)
    _, *ranks = pair.load(weights)
    assert [missed(weights, rank) for rank in ranks] == [[], []]
    for index, (name, tensor) in enumerate(weights):
        for axis in range(tensor.dim()):
            for quarter in range(4):
                changed = tensor.clone()
                changed.chunk(4, axis)[quarter].add_(1e-3)
                wrong = [*weights[:index], (name, changed), *weights[index + 1 :]]
                assert any(missed(wrong, rank) for rank in ranks), (name, axis, quarter)


def test_a_rank_that_took_another_ranks_part_is_named(pair: Pair) -> None:
    """As one that was told a wrong number would."""
    weights = pair.moved(0.05)
    _, first, second = pair.load(weights)
    for entry, rank in ((first, 1), (second, 0)):
        names = missed(weights, (replace(entry[0], rank=rank), entry[1]))
        assert "model.layers.0.mlp.down_proj.weight" in names
        assert "model.layers.0.self_attn.qkv_proj.weight" in names
        assert "model.norm.weight" not in names


def test_heads_that_cannot_be_shared(demo: Path) -> None:
    """The demo has four, and two of keys, which more ranks repeat."""
    job = replace(job_of(plan()), model=str(demo / "model"))
    for ranks in (1, 2, 4):
        divides(replace(job, tp=ranks))
    for ranks in (3, 8):
        with pytest.raises(ValueError, match=rf"engines of {ranks} GPUs cannot share 4 heads and 2 of keys"):
            divides(replace(job, tp=ranks))


TWO_GPUS = {"trainer__n_gpus_per_node": "2", "trainer__total_training_steps": "4", "trainer__save_freq": "1"}
DIVIDED = {**TWO_GPUS, "actor_rollout_ref__rollout__tensor_model_parallel_size": "2"}


@pytest.fixture(scope="module")
def divided(demo: Path) -> list[dict[str, Any]]:
    return without_times(trained(demo, "divided", **DIVIDED))


def test_a_run_on_one_divided_engine(demo: Path, divided: list[dict[str, Any]]) -> None:
    """It begins with the numbers of a run on two whole engines, and passes every gate to its end."""
    whole = trained(demo, "two-engines", **{**TWO_GPUS, "trainer__total_training_steps": "1"})[0]
    assert divided[0]["reward"] == whole["reward"]
    assert divided[0]["loss"] == pytest.approx(whole["loss"], abs=1e-5)
    assert divided[0]["gradient_norm"] == pytest.approx(whole["gradient_norm"], rel=1e-4)
    assert max(entry["parity"] for entry in divided) <= consistency_checks.PARITY_MAX["float32"]
    assert divided[-1]["reward"] > divided[0]["reward"]


def test_a_rank_that_dies_takes_its_engine_along(
    demo: Path, divided: list[dict[str, Any]], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Both ranks are replaced, and the numbers are those of a run without a death."""
    monkeypatch.setenv(VARIABLE, "engine@generate:2")  # the last of its actors
    metrics = session.run(planned(demo, "rank-killed", **DIVIDED), demo / "rank-killed")
    assert "engine 0.1 died in period 2" in (demo / "rank-killed" / "events.jsonl").read_text()
    assert without_times(metrics) == divided


def test_ranks_are_cut_at_the_same_step(demo: Path) -> None:
    """Each hears of a sync when it does; one that stopped alone would leave the other waiting for ever."""
    file = ahead(demo, "divided-cuts", run_ahead_rollouts=1.0, in_flight="interrupt")
    changed = Plan.model_validate_json(file.read_text())
    changed.stages[0].placement.rollout.gpus, changed.stages[0].placement.rollout.tp = 2, 2
    changed.cluster.gpus_per_node = 2
    file.write_text(changed.model_dump_json())
    metrics = session.run(file, demo / "divided-cuts")
    assert [sum(metric["lags"].values()) for metric in metrics] == [128] * 5
    assert max(metric["lag"] for metric in metrics) <= 1
    assert faults(ledger(demo / "divided-cuts")) == []
