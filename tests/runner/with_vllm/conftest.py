"""The demo, made once, and the end of what runs on it."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest


@pytest.fixture(scope="session")
def demo(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    from tests.runner.with_vllm import session
    from tests.runner.with_vllm.test_demo import python

    folder = tmp_path_factory.mktemp("demo")
    done = python("-m", "rftconf_runner.demo", str(folder))
    assert done.returncode == 0, done.stderr
    yield folder
    session.close()
