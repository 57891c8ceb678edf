"""Engines: what a share of the GPU covers, how weights are split, and what sleep leaves."""

from __future__ import annotations

from dataclasses import replace

import pytest

from rftconf.budget.facts.gpus import gpu_named
from rftconf.budget.facts.models import resolve
from rftconf.budget.terms import engine as engines
from rftconf.budget.terms.engine import Engine
from rftconf.budget.terms.kv_cache import block_bytes, blocks_per_request, smallest
from rftconf.budget.terms.term import total

H100 = gpu_named("h100")
QWEN = Engine(resolve("Qwen/Qwen2.5-7B").architecture, tp=2, fraction=0.6)
MIXTURE = Engine(resolve("Qwen/Qwen3-30B-A3B").architecture, tp=4)


def test_the_share_covers_everything_but_the_graphs() -> None:
    terms = [t for t in engines.awake(QWEN, H100) if t.name != "CUDA graphs"]
    share = int(QWEN.fraction * H100.usable)
    assert share - block_bytes(QWEN.shape) < total(terms) <= share


def test_sglangs_share_covers_weights_and_cache() -> None:
    sglang = replace(QWEN, name="sglang")
    terms = [t for t in engines.awake(sglang, H100) if t.name in ("engine weights", "KV cache")]
    assert total(terms) == pytest.approx(QWEN.fraction * H100.usable, rel=1e-3)
    assert sglang.shape.block_tokens == 1


@pytest.mark.parametrize("tp", [1, 2, 4])
def test_tensor_parallel_divides_the_weights(tp: int) -> None:
    size = engines.weights(replace(QWEN, tp=tp)).size
    assert size * tp == pytest.approx(2 * QWEN.architecture.parameters, rel=1e-3)


def test_experts_are_spread_over_data_parallel_engines_too() -> None:
    plain, spread = engines.weights(replace(MIXTURE, dp=2)).size, engines.weights(replace(MIXTURE, dp=2, ep=8)).size
    assert 0.5 < spread / plain < 0.56


def test_pipeline_stages_hold_one_end_each() -> None:
    assert engines.weights(replace(QWEN, pp=2)).size < 0.6 * engines.weights(QWEN).size


def test_sleep_leaves_more_with_more_gpus() -> None:
    remaining = [total(engines.asleep(replace(QWEN, tp=tp))) for tp in (1, 2, 4, 8, 16)]
    assert remaining == sorted(remaining)
    assert remaining[0] < remaining[3] == remaining[4]


def test_a_cache_just_large_enough_for_one_request() -> None:
    shape = replace(QWEN.shape, max_model_tokens=32768)
    room = smallest(shape)
    assert room == (blocks_per_request(shape) + 1) * block_bytes(shape)
    assert room // block_bytes(shape) >= blocks_per_request(shape)


def test_eager_engines_capture_no_graphs() -> None:
    assert engines.graphs(replace(QWEN, eager=True)).size == 0
    assert engines.graphs(QWEN).size > 0
