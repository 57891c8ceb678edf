"""FSDP terms against PyTorch's own FSDP memory tracker: fake tensors, a fake process group of 8, no GPU."""

from __future__ import annotations

import os
from collections.abc import Iterator
from typing import NamedTuple

import pytest

from rftconf.budget.facts.architecture import Architecture, Attention, Dense, Layers
from rftconf.budget.facts.implementations import GENERIC
from rftconf.budget.terms import fsdp_phases as trainer
from rftconf.budget.terms.term import total
from rftconf.budget.terms.training_job import Training

torch = pytest.importorskip(
    "torch", reason="needs PyTorch (the runner's environment); rftconf itself does not import it"
)
pytestmark = pytest.mark.filterwarnings("default")

RANKS, TOKENS = 8, 64


@pytest.fixture(scope="module")
def group() -> Iterator[None]:
    """A process group whose collectives do nothing."""
    import torch.distributed as dist
    from torch.testing._internal.distributed.fake_pg import FakeStore

    os.environ.setdefault("TORCH_COMPILE_DISABLE", "1")
    dist.init_process_group("fake", rank=0, world_size=RANKS, store=FakeStore())
    yield
    dist.destroy_process_group()


class Way(NamedTuple):
    """How the model is trained."""

    checkpointing: bool = True
    reshard: bool = True
    replicas: int = 1
    bf16: bool = False
    micro_batches: int = 2
    apart: bool = False
    """The embedding is a group of its own, as frameworks wrap it; else it is in one group with the head."""


def tracked(arch: Architecture, way: Way) -> int:
    """Bytes at the peak of the last micro-batch, as FSDPMemTracker counts them."""
    from torch._subclasses.fake_tensor import FakeTensorMode
    from torch.distributed._tools.fsdp2_mem_tracker import FSDPMemTracker
    from torch.distributed.device_mesh import init_device_mesh
    from torch.distributed.fsdp import MixedPrecisionPolicy, fully_shard

    from tests.budget.with_torch.toy import Decoder, loss_of

    shape = (RANKS,) if way.replicas == 1 else (way.replicas, RANKS // way.replicas)
    mesh = init_device_mesh("cpu", shape, mesh_dim_names=("replicate", "shard")[-len(shape) :])
    reduce = torch.bfloat16 if way.bf16 else torch.float32
    policy = MixedPrecisionPolicy(param_dtype=torch.bfloat16, reduce_dtype=reduce)
    with FakeTensorMode():
        model = Decoder(arch, checkpointing=way.checkpointing)
        model = model.to(torch.bfloat16) if way.bf16 else model
        assert sum(p.numel() for p in model.parameters()) == arch.parameters
        for layer in model.layers:
            fully_shard(layer, mesh=mesh, mp_policy=policy, reshard_after_forward=way.reshard)
        if way.apart:
            fully_shard(model.embed, mesh=mesh, mp_policy=policy)
        fully_shard(model, mesh=mesh, mp_policy=policy)
        ids = torch.randint(0, arch.vocabulary, (1, TOKENS))
        tracker = FSDPMemTracker(model)
        tracker.track_inputs((ids,))

        def step() -> None:
            loss_of(model, ids).backward()

        for _ in range(way.micro_batches - 1):
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
WAYS = {
    "checkpointing": Way(),
    "none": Way(checkpointing=False),
    "not resharded": Way(reshard=False),
    "as frameworks wrap": Way(apart=True),
    "replicas": Way(replicas=2, apart=True),
    "bf16": Way(bf16=True),
    "one micro-batch": Way(micro_batches=1),
}


@pytest.mark.parametrize("name", SIZES)
@pytest.mark.parametrize("how", WAYS)
@pytest.mark.usefixtures("group")
def test_the_account_is_within_five_percent_of_the_tracker(name: str, how: str) -> None:
    vocabulary, hidden, depth, width = SIZES[name]
    mixer, way = Attention(hidden // 64, hidden // 64, 64), WAYS[how]
    arch = Architecture("toy", hidden, vocabulary, (Layers(depth, mixer, Dense(width)),))
    job = Training(
        arch,
        GENERIC[-1],
        gpus=RANKS,
        tokens=TOKENS,
        shard=RANKS // way.replicas,
        micro_batches=way.micro_batches,
        adam_bytes=0,
        backend="fsdp2" if way.apart else "fsdp",
        checkpointing=way.checkpointing,
        reshard_after_forward=way.reshard,
        master_bytes=2 if way.bf16 else 4,
        reduce_bytes=2 if way.bf16 else 4,
    )
    # The tracker counts what is allocated; the reduced group is reserved beside it, on a stream of its own.
    moments = {name: terms for name, terms in trainer.moments(job).items() if name != "optimizer step"}
    allocated = [[t for t in moment if t.name != "largest reduced group"] for moment in moments.values()]
    answer = max(total(moment) for moment in allocated) - trainer.WORKSPACE
    assert answer == pytest.approx(tracked(arch, way), rel=0.05)
