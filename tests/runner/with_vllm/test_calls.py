"""The arguments of a call to all actors are pickled once, however many actors there are."""

from __future__ import annotations

from typing import Any

import pytest

pytest.importorskip("vllm", reason="needs the runner's environment (make runner-env)")
import ray
from rftconf_runner.places import call

from tests.runner.with_vllm import session

pytestmark = pytest.mark.filterwarnings("default")
PICKLED = list[str]()


class Lesson:
    """Says when it is pickled."""

    def __reduce__(self) -> tuple[Any, ...]:
        PICKLED.append("lesson")
        return int, (7,)


class Rank:
    def added(self, lessons: list[int], version: int) -> int:
        return sum(lessons) + version


def test_a_list_is_pickled_once_for_all() -> None:
    session.connected()
    actors = [ray.remote(num_cpus=0)(Rank).remote() for _ in range(3)]
    assert call(actors, "added", [Lesson(), Lesson()], 1) == [15] * 3
    assert PICKLED == ["lesson"] * 2
    assert call(actors[:1], "added", [Lesson()], 2) == [9]
