"""What is put into one buffer comes out as it was, also where another process reads it."""

from __future__ import annotations

import pickle

import pytest

pytest.importorskip("vllm", reason="needs the runner's environment (make runner-env)")
import torch
from rftconf_runner.weight_bucket import ALIGNED_BYTES, Parcel

WEIGHTS = [
    ("fp32", torch.randn(3, 5)),
    ("bf16", torch.randn(7).bfloat16()),
    ("one", torch.tensor(2.5, dtype=torch.float16)),
    ("none", torch.empty(0, 4)),
    ("view", torch.randn(4, 6).t()),
    ("whole", torch.arange(9)),
]


def pickled(parcel: Parcel) -> Parcel:
    """Pack as Ray does: buffers lie beside the stream, and nobody may write to them."""
    buffers: list[pickle.PickleBuffer] = []
    stream = pickle.dumps(parcel, protocol=5, buffer_callback=buffers.append)
    assert len(stream) < 2000
    new_parcel: Parcel = pickle.loads(stream, buffers=[bytes(buffer) for buffer in buffers])
    return new_parcel


@pytest.mark.filterwarnings("error")
def test_tensors_come_out_as_they_went_in() -> None:
    for parcel in (Parcel(WEIGHTS), pickled(Parcel(WEIGHTS))):
        assert len(parcel) == len(WEIGHTS)
        for (name, tensor), (was, target) in zip(WEIGHTS, parcel, strict=True):
            assert (name, tensor.dtype, tensor.shape) == (was, target.dtype, target.shape)
            assert torch.equal(tensor, target)
        assert [name for name, _ in parcel[1:3]] == ["bf16", "one"]
        assert all(start % ALIGNED_BYTES == 0 for *_, start in parcel.labels)


def test_a_parcel_of_nothing() -> None:
    """What ranks other than the first send."""
    assert list(Parcel([])) == []
