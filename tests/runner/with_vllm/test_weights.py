"""What a real engine holds after a sync, and that each difference is named."""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("vllm", reason="needs the runner's environment (make runner-env)")
import ray
import torch
from rftconf_runner import consistency_checks
from rftconf_runner.demo import make
from rftconf_runner.places import NOWHERE
from rftconf_runner.rollout import CPU_CACHE_BYTES, ENVIRONMENT
from rftconf_runner.weight_digest import digest
from rftconf_runner.weight_handover import hand_over
from rftconf_runner.weights import Digests, Layout, Piece, digest_model, expected, layout

from tests.runner.with_vllm.engines import There, missed

pytestmark = pytest.mark.filterwarnings("default")
Weights = list[tuple[str, torch.Tensor]]


@pytest.fixture(scope="module")
def model(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("model")
    make(folder)
    return folder / "model"


@pytest.fixture(scope="module")
def engine(model: Path) -> Iterator[Any]:
    with pytest.MonkeyPatch.context() as patch:
        for name, value in ENVIRONMENT.items():
            patch.setitem(os.environ, name, value)
        from vllm import LLM

        size = {"kv_cache_memory_bytes": CPU_CACHE_BYTES, "max_model_len": 64}
        yield LLM(str(model), dtype="float32", enforce_eager=True, distributed_executor_backend="uni", **size)


@pytest.fixture(scope="module")
def weights(model: Path) -> Weights:
    from transformers import AutoModelForCausalLM

    return list(AutoModelForCausalLM.from_pretrained(model, dtype=torch.float32).state_dict().items())


def loaded(engine: Any, weights: Weights) -> There:
    engine.collective_rpc("reload_weights", kwargs={"weights_iterator": list(weights)})
    rows = {name: len(tensor) for name, tensor in weights}
    values: list[There] = engine.collective_rpc(
        lambda worker: (layout(worker.get_model()), digest_model(worker.get_model(), rows))
    )
    return values[0]


def test_after_a_sync_the_engine_holds_every_tensor(engine: Any, weights: Weights) -> None:
    moved = [(name, tensor + 0.01 * torch.randn_like(tensor)) for name, tensor in weights]
    assert missed(moved, loaded(engine, moved)) == []
    assert missed(weights, loaded(engine, weights)) == []


@pytest.mark.parametrize(
    ("tensor", "named"),
    [
        ("lm_head.weight", "lm_head.weight"),
        ("model.layers.3.self_attn.k_proj.weight", "model.layers.3.self_attn.qkv_proj.weight"),
        ("model.layers.7.mlp.down_proj.weight", "model.layers.7.mlp.down_proj.weight"),
        ("model.norm.weight", "model.norm.weight"),
    ],
)
def test_one_stale_number_is_named(engine: Any, weights: Weights, tensor: str, named: str) -> None:
    target = loaded(engine, weights)
    moved = [(name, value.clone()) for name, value in weights]
    dict(moved)[tensor].view(-1)[5] += 1e-6
    names = missed(moved, target)
    assert names == [named]
    with pytest.raises(consistency_checks.GateError, match=rf"engine 0 does not hold the trainer's {named}"):
        consistency_checks.same_weights([names])


def test_a_tensor_that_only_one_side_has_is_named(engine: Any, weights: Weights) -> None:
    target = loaded(engine, weights)
    assert missed(weights[1:], target) == [weights[0][0]]
    assert missed([*weights, ("extra", torch.ones(2))], target) == ["extra"]


KEYS_AND_VALUES = torch.arange(24.0).view(6, 4)


def ranks_hold(tensor: torch.Tensor, parts: list[torch.Tensor], ranks: int, **more: Any) -> list[list[str]]:
    """What each rank of an engine is told that holds one of `parts`."""
    return [
        missed(
            [("w.weight", tensor)],
            (Layout({"w.weight": Piece(tuple(part.shape), **more)}, {}, index, ranks), {"w.weight": digest(part)}),
        )
        for index, part in enumerate(parts)
    ]


def test_each_rank_is_compared_with_its_own_part() -> None:
    rows, columns = list(KEYS_AND_VALUES.chunk(2)), list(KEYS_AND_VALUES.chunk(2, 1))
    assert ranks_hold(KEYS_AND_VALUES, rows, 2) == ranks_hold(KEYS_AND_VALUES, columns, 2) == [[], []]
    assert ranks_hold(KEYS_AND_VALUES, [KEYS_AND_VALUES] * 2, 2) == [[], []]
    assert ranks_hold(KEYS_AND_VALUES, rows[::-1], 2) == [["w.weight"], ["w.weight"]]
    twice = [rows[0], rows[0], rows[1], rows[1]]  # more ranks than heads: as vLLM repeats keys and values
    assert ranks_hold(KEYS_AND_VALUES, twice, 4) == [[]] * 4
    assert ranks_hold(KEYS_AND_VALUES, [rows[0], rows[1]] * 2, 4) == [[], ["w.weight"], ["w.weight"], []]


def test_what_no_rank_holds_is_named() -> None:
    """Two ranks with a third each leave a third to nobody."""
    thirds = list(KEYS_AND_VALUES.chunk(3))[:2]
    assert ranks_hold(KEYS_AND_VALUES, thirds, 2) == [["w.weight"], ["w.weight"]]
    assert ranks_hold(KEYS_AND_VALUES, thirds, 2, padded=True) == [["w.weight"], ["w.weight"]]


class Actor:
    """Whose every method returns at once what it is to return."""

    def __init__(self, **returned: Any) -> None:
        for name, value in returned.items():
            setattr(self, name, type("Method", (), {"remote": staticmethod(lambda *_, value=value: value)}))


def test_engines_that_lay_weights_out_alike_are_expected_to_hold_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    """The trainer's first rank computes the digests once; each engine is asked for its own."""
    layouts: list[Layout] = []

    def counted(weights: Weights, kinds: list[Layout]) -> list[Digests]:
        layouts.extend(kinds)
        return [expected(weights, own) for own in kinds]

    monkeypatch.setattr(ray, "get", lambda refs: refs)
    whole = [("w.weight", KEYS_AND_VALUES)]
    alike, halves = (
        Layout({"w.weight": Piece((6, 4))}, {}),
        [Layout({"w.weight": Piece((3, 4))}, {}, path, 2) for path in (0, 1)],
    )
    right, wrong = {"w.weight": digest(KEYS_AND_VALUES)}, {"w.weight": digest(KEYS_AND_VALUES + 1)}
    parts = [{"w.weight": digest(part)} for part in KEYS_AND_VALUES.chunk(2)]
    ones = [[Actor(layout=alike, load=alike, held=values)] for values in (right, wrong, right)]
    divided = [
        [Actor(layout=own, load=own, held=part) for own, part in zip(halves, values, strict=True)]
        for values in (parts, parts[::-1])
    ]
    trainer = Actor(weights=whole)
    trainer.expected = type("Method", (), {"remote": staticmethod(counted)})  # type: ignore[attr-defined]
    new_places = replace(NOWHERE, ranks=[trainer], engines=[*ones, *divided])
    assert hand_over(new_places, 3) == [[], ["w.weight"], [], [], ["w.weight"]]
    assert layouts == [alike, *halves]
