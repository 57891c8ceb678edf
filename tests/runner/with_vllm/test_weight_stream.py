"""Weights that go in buckets come out as they were, and what an engine should hold is reckoned on the way."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("vllm", reason="needs the runner's environment (make runner-env)")
import ray
import torch
from rftconf_runner import weight_handover
from rftconf_runner.expected_digests import Expectation
from rftconf_runner.places import NOWHERE
from rftconf_runner.slots import Layout as Bundles
from rftconf_runner.weight_bucket import ALIGNED_BYTES, Named
from rftconf_runner.weight_handover import beside, hand_over
from rftconf_runner.weight_stream import Bucket, Sender, opened, received
from rftconf_runner.weights import Layout, Piece, expected

from tests.runner.with_vllm.test_demo import trained, without_times

WEIGHTS = [
    ("fp32", torch.randn(30, 5)),
    ("bf16", torch.randn(700).bfloat16()),
    ("scalar", torch.tensor(2.5, dtype=torch.float16)),
    ("none", torch.empty(0, 4)),
    ("view", torch.randn(4, 60).t()),
    ("whole", torch.arange(9)),
    ("truth", torch.tensor([True, False, True])),
]


@pytest.mark.parametrize("size", [ALIGNED_BYTES, 3 * ALIGNED_BYTES, 1 << 20])
def test_tensors_come_out_of_buckets_as_they_went_in(size: int) -> None:
    """The receiver keeps none of the buffer, which is filled again when the next bucket is asked for."""
    sender = Sender(WEIGHTS, "cpu", size)
    opening = sender.shared()
    buffer, filled = opened(opening), list[int]()
    assert buffer.data_ptr() != sender.buffer.data_ptr()

    def ask() -> Bucket:
        pieces = sender.next()
        filled.append(sum(piece.size for piece in pieces))
        assert all(piece.place % ALIGNED_BYTES == 0 and piece.place + piece.size <= size for piece in pieces)
        return pieces

    names = [name for name, _ in WEIGHTS]
    tensors = list(received(ask, buffer))
    sender.buffer.fill_(255)
    assert [name for name, _ in tensors] == names
    for (_, was), (_, target) in zip(WEIGHTS, tensors, strict=True):
        assert (was.dtype, was.shape) == (target.dtype, target.shape)
        assert torch.equal(was, target)
    assert sum(filled) == sum(tensor.nbytes for _, tensor in WEIGHTS)
    assert filled[-1] == 0


def test_a_tensor_is_gathered_when_there_is_room_for_it() -> None:
    """At most one that is not sent is there at a time."""
    gathered = list[str]()

    def in_turn() -> Iterator[Named]:
        for number in range(8):
            gathered.append(str(number))
            yield str(number), torch.zeros(ALIGNED_BYTES)

    sender = Sender(in_turn(), "cpu", 2 * 4 * ALIGNED_BYTES)
    assert [len(sender.next()) for _ in range(2)] == [2, 2]
    assert len(gathered) == 4


ENGINE = Layout(
    {
        "a.qkv.weight": Piece((8, 6), (4, 2, 2)),
        "a.o.weight": Piece((12, 3)),
        "a.experts.routed_experts.w13_weight": Piece((16, 3), (4,) * 4),
        "a.experts.routed_experts.w2_weight": Piece((6, 4), (3, 3)),
        "embed.weight": Piece((20, 6), (), padded=True),
        "lonely.weight": Piece((5, 5), (2, 3)),
    },
    {"qkv": ("q", "k", "v")},
    1,
    2,
)


def checkpoint_tensors() -> list[Named]:
    torch.manual_seed(1)
    shapes = {
        "a.v.weight": (4, 6),
        "embed.weight": (33, 6),
        "a.q.weight": (8, 6),
        "a.k.weight": (4, 6),
        "a.o.weight": (12, 6),
    }
    for number in range(2):
        shapes |= {f"a.experts.{number}.{kind}_proj.weight": (8, 3) for kind in ("up", "gate")}
        shapes |= {f"a.experts.{number}.down_proj.weight": (3, 8)}
    shapes |= {"lonely.weight": (4, 5), "unknown.weight": (3, 7)}
    return [(name, torch.randn(shape).bfloat16()) for name, shape in shapes.items()]


def shapes_of(weights: list[Named]) -> list[Named]:
    return [(name, torch.empty_like(tensor, device="meta")) for name, tensor in weights]


@pytest.mark.parametrize("rank", [0, 1])
def test_what_is_reckoned_tensor_by_tensor_is_what_is_expected_of_all(rank: int) -> None:
    weights, engine = checkpoint_tensors(), replace(ENGINE, rank=rank)
    expectation = Expectation(shapes_of(weights), engine)
    for name, tensor in reversed(weights):
        expectation.add(name, tensor)
    digests = expectation.digests()
    assert digests == expected(weights, engine)
    assert digests["lonely.weight"] == ""
    assert {"a.qkv.weight", "embed.weight", "unknown.weight"} <= digests.keys()


def test_stacked_experts_are_reckoned_where_they_lie() -> None:
    pieces = {f"m.experts.routed_experts.{name}": Piece(shape, parts) for name, shape, parts in (
        ("w13_weight", (24, 3), (6,) * 4), ("w2_weight", (6, 6), (3, 3)))}  # fmt: skip
    weights = [("m.experts.gate_up_proj", torch.randn(2, 3, 12)), ("m.experts.down_proj", torch.randn(2, 6, 3))]
    expectation = Expectation(shapes_of(weights), Layout(pieces, {}))
    assert [*expectation.noting(weights)] == weights
    assert expectation.digests() == expected(weights, Layout(pieces, {}))


class Slots:
    def __init__(self, layout: Bundles, unit: str = "GPU") -> None:
        self.layout, self.unit = layout, unit


def test_an_engine_is_served_by_the_rank_on_its_own_gpu() -> None:
    def numbers(trainers: tuple[int, ...], engines: tuple[int, ...], unit: str = "GPU") -> list[int]:
        slots: Any = Slots(Bundles(trainers, (), engines), unit)
        return beside(replace(NOWHERE, slots=slots))

    assert numbers((0, 1, 2), (2, 1)) == [2, 1]
    assert numbers((0, 1), (1, 2)) == []
    assert numbers((0, 1), (0, 1), "CPU") == []
    assert beside(NOWHERE) == []


class Actor:
    """Says what it is called for, and returns what it is to return, most often nothing."""

    def __init__(self, name: str, messages: list[str], **returned: Any) -> None:
        self.name, self.messages, self.returned = name, messages, returned

    def __getattr__(self, method: str) -> Any:
        def remote(*_: Any) -> Any:
            self.messages.append(f"{self.name} {method}")
            return self.returned.get(method)

        return type("Method", (), {"remote": staticmethod(remote)})


OFFERED = ["e layout", "t0 offer", "e open"]
THROUGH_HOST = ["t0 weights", "t1 weights", "e load", "e held", "t0 expected"]


@pytest.mark.parametrize(
    ("offer", "opens", "calls"),
    [
        ("buffer", True, [*OFFERED, "e take", "e held", "t1 attend", "t0 reckoned"]),
        ("buffer", False, [*OFFERED, "t0 withdraw", *THROUGH_HOST]),
        (None, True, ["e layout", "t0 offer", "t0 withdraw", *THROUGH_HOST]),
    ],
)
def test_who_is_called_and_when(
    monkeypatch: pytest.MonkeyPatch, offer: str | None, opens: bool, calls: list[str]
) -> None:
    """A rank without an engine takes part; where a buffer cannot be shared, weights go through the host's memory."""
    monkeypatch.setattr(ray, "get", lambda refs: refs)
    monkeypatch.setattr(weight_handover, "beside", lambda _: [0])
    messages = list[str]()
    engine = Actor("e", messages, layout=ENGINE, open=opens, held={"w": "digest"})
    first = Actor("t0", messages, offer=offer, reckoned={"w": "digest"}, expected=[{"w": "digest"}])
    places = replace(NOWHERE, ranks=[first, Actor("t1", messages)], engines=[[engine]])
    assert hand_over(places, 1) == [[]]
    assert messages == calls


@pytest.mark.filterwarnings("default")
@pytest.mark.parametrize("rank", ["0", "4"])
def test_a_run_learns_the_same_bit_for_bit_by_buckets(demo: Path, monkeypatch: pytest.MonkeyPatch, rank: str) -> None:
    """Two ranks, two engines, with and without adapters; memory that processes of the host share stands in for a GPU's."""
    short = {"trainer__total_training_steps": "2", "trainer__n_gpus_per_node": "2"}
    short |= {"actor_rollout_ref__model__lora_rank": rank, "actor_rollout_ref__model__lora_alpha": rank}
    plain = without_times(trained(demo, f"whole-{rank}", **short))
    served = list[int]()

    def numbers(places: Any) -> list[int]:
        served.append(len(places.engines))
        return list(range(len(places.engines)))

    def never(*_: Any) -> Any:
        raise AssertionError("weights went through the host's memory")

    monkeypatch.setattr(weight_handover, "beside", numbers)
    monkeypatch.setattr(weight_handover, "_through_host", never)
    assert without_times(trained(demo, f"buckets-{rank}", **short)) == plain
    assert served == [2] * 3
