"""FSDP terms against PyTorch's own FSDP memory tracker: fake tensors, a fake process group of 8, no GPU."""

from __future__ import annotations

import os
from collections.abc import Iterator

import pytest

from rftconf.budget import trainer
from rftconf.budget.architecture import Architecture, Attention, Dense, Layers
from rftconf.budget.implementations import GENERIC
from rftconf.budget.recipe import Training
from rftconf.budget.term import total

torch = pytest.importorskip(
    "torch", reason="needs PyTorch (the runner's environment); rftconf itself does not import it"
)
pytestmark = pytest.mark.filterwarnings("default")

RANKS, TOKENS = 8, 64


@pytest.fixture(scope="module")
def mesh() -> Iterator[object]:
    """A process group whose collectives do nothing."""
    import torch.distributed as dist
    from torch.distributed.device_mesh import init_device_mesh
    from torch.testing._internal.distributed.fake_pg import FakeStore

    os.environ.setdefault("TORCH_COMPILE_DISABLE", "1")
    dist.init_process_group("fake", rank=0, world_size=RANKS, store=FakeStore())
    yield init_device_mesh("cpu", (RANKS,))
    dist.destroy_process_group()


def tracked(arch: Architecture, mesh: object) -> int:
    """Bytes at the peak of the second of two micro-batches, as FSDPMemTracker counts them."""
    from torch._subclasses.fake_tensor import FakeTensorMode
    from torch.distributed._tools.fsdp2_mem_tracker import FSDPMemTracker
    from torch.distributed.fsdp import MixedPrecisionPolicy, fully_shard

    from tests.budget.with_torch.toy import Decoder, loss_of

    policy = MixedPrecisionPolicy(param_dtype=torch.bfloat16, reduce_dtype=torch.float32)
    with FakeTensorMode():
        model = Decoder(arch)
        assert sum(p.numel() for p in model.parameters()) == arch.parameters
        for layer in model.layers:
            fully_shard(layer, mesh=mesh, mp_policy=policy)
        fully_shard(model, mesh=mesh, mp_policy=policy)
        ids = torch.randint(0, arch.vocabulary, (1, TOKENS))
        tracker = FSDPMemTracker(model)
        tracker.track_inputs((ids,))

        def step() -> None:
            loss_of(model, ids).backward()

        step()
        with tracker:
            step()
        (peak,) = tracker.get_tracker_snapshot("peak").values()
    return int(peak["Total"])


SIZES = {
    "wide layers": (2048, 2048, 4, 5632),
    "middle": (8192, 1024, 6, 4096),
    "many layers": (2048, 1024, 12, 2816),
    "large vocabulary": (32768, 1024, 4, 4096),
    "larger vocabulary": (65536, 512, 4, 2048),
}


@pytest.mark.parametrize("name", SIZES)
def test_the_account_is_within_five_percent_of_the_tracker(name: str, mesh: object) -> None:
    vocabulary, hidden, depth, width = SIZES[name]
    mixer = Attention(hidden // 64, hidden // 64, 64)
    arch = Architecture("toy", hidden, vocabulary, (Layers(depth, mixer, Dense(width)),))
    job = Training(arch, GENERIC[-1], gpus=RANKS, tokens=TOKENS, adam_bytes=0, backend="fsdp")
    moments = (trainer.at_loss(job), trainer.at_layer(job), trainer.at_end(job))
    # The tracker counts what is allocated; the reduced group is reserved beside it, on a stream of its own.
    allocated = [[t for t in moment if t.name != "largest reduced group"] for moment in moments]
    said = max(total(moment) for moment in allocated) - trainer.WORKSPACE
    assert said == pytest.approx(tracked(arch, mesh), rel=0.05)
