"""The table of accelerators and how names find rows."""

from __future__ import annotations

import pytest

from rftconf.base.errors import UsageError
from rftconf.budget.facts.gpus import GPUS, gpu_named


def test_there_are_enough_of_them_each_once_and_with_a_source() -> None:
    assert len({gpu.name for gpu in GPUS}) == len(GPUS) >= 30
    assert all(gpu.source for gpu in GPUS)
    measured = [gpu for gpu in GPUS if gpu.measured]
    assert len(measured) >= len(GPUS) - 1
    assert all(any(word in gpu.source for word in ("https://", "prime-rl", "public logs")) for gpu in measured)


@pytest.mark.parametrize("gpu", GPUS, ids=lambda gpu: gpu.name)
def test_usable_is_near_the_label_and_never_above_it(gpu: object) -> None:
    from rftconf.budget.facts.gpus import GIB, Gpu

    assert isinstance(gpu, Gpu)
    assert 0.9 * gpu.label_gb * 1e9 < gpu.usable < gpu.label_gb * GIB


@pytest.mark.parametrize(
    ("new_name", "name"),
    [
        ("h100", "h100-80g"),
        ("NVIDIA H100 80GB HBM3", "h100-80g"),
        ("A100-40GB", "a100-40g"),
        ("h20", "h20-96g"),
        ("RTX 4090", "rtx-4090-24g"),
        ("AMD Instinct MI300X", "mi300x-192g"),
    ],
)
def test_people_write_names_in_many_ways(new_name: str, name: str) -> None:
    assert gpu_named(new_name).name == name


def test_what_nobody_measured_has_an_interval_and_decides_nothing_within_it() -> None:
    from dataclasses import replace
    from itertools import takewhile

    from rftconf.budget.price import price
    from tests.budget.runs import setup

    run, known = setup(), gpu_named("h100")
    sizes = (replace(known, usable_gib=known.usable_gib - tenths / 10) for tenths in range(1, 700))
    tight = min(takewhile(lambda gpu: price(run, gpu).verdict == "fits", sizes), key=lambda gpu: gpu.usable)
    guessed = replace(tight, source="no public measurement at hand: as H100")
    assert tight.range == (tight.usable, tight.usable)
    assert guessed.range[0] < guessed.usable < guessed.range[1]
    assert (price(run, tight).verdict, price(run, guessed).verdict) == ("fits", "too close to tell")


def test_a_gpu_of_ones_own() -> None:
    assert gpu_named("fpga:12.5").usable == int(12.5 * (1 << 30))


@pytest.mark.parametrize("name", ["h1000", "", "x:", "x:-1", "x:nan", "x:inf"])
def test_an_unknown_one_names_the_nearest(name: str) -> None:
    with pytest.raises(UsageError, match=r"--gpu"):
        gpu_named(name)
