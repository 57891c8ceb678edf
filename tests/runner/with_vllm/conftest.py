"""The demo with a smaller model, made once, and the end of what runs on it."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path

import pytest


@pytest.fixture(scope="session")
def demo(tmp_path_factory: pytest.TempPathFactory) -> Path:
    from rftconf_runner.demo import make

    from tests.runner.with_vllm import session

    folder = tmp_path_factory.mktemp("demo")
    make(folder, layers=session.LAYERS)
    return folder


@pytest.fixture
def alone() -> Iterator[None]:
    """A process group of one; an engine in this process may have made it."""
    import torch

    is_new = not torch.distributed.is_initialized()
    if is_new:
        torch.distributed.init_process_group("gloo", store=torch.distributed.HashStore(), rank=0, world_size=1)
    yield
    if is_new:
        torch.distributed.destroy_process_group()


@pytest.fixture(scope="session", autouse=True)
def _ended() -> Iterator[None]:
    """Ray and all that is on it, where a test has begun it."""
    yield
    if "tests.runner.with_vllm.session" in sys.modules:
        from tests.runner.with_vllm import session

        session.close()
