"""`device_mapping` is read as text, and never run."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rftconf.base.ledger import State
from rftconf.mappers.roll.devices import contiguous, devices, mapping
from tests.mappers.roll_runs import CONFIG, INFER, STRATEGY, TRAIN, from_roll, to_roll

WIDE, NARROW = TRAIN + "device_mapping", INFER + "device_mapping"


@pytest.mark.parametrize(
    ("text", "ids"),
    [
        ("list(range(0,8))", list(range(8))),
        ("list(range(0, 4)) + list(range(8, 12))", [0, 1, 2, 3, 8, 9, 10, 11]),
        ("[0, 1] + [5]", [0, 1, 5]),
        ("list(range(0, 2*4))", list(range(8))),
        ("list(range(0, 8, 2))", [0, 2, 4, 6]),
        ("range(3)", [0, 1, 2]),
        ("sorted([3, 1])", [1, 3]),
        ("(0, 1)", [0, 1]),
        ("[]", []),
    ],
)
def test_lists_of_devices(text: str, ids: list[int]) -> None:
    assert devices(text) == ids


@pytest.mark.parametrize(
    "text",
    [
        "__import__('os').system('true')",
        "list(range(0, 10**9))",
        "list(range(0, 99999999999))",
        "[0] * 999999999",
        "[x for x in range(8)]",
        "list(range(0, 8)",
        "list(range(0, 8, 0))",
        "[True]",
        "[-1]",
        "['0']",
        "open('x')",
        "list(range(0, 8)) if 1 else []",
        "(" * 5000,
        "8",
        "",
    ],
)
def test_anything_else_is_refused_with_a_sentence(text: str) -> None:
    with pytest.raises(ValueError, match=r"\w+ \w+"):
        devices(text)


@given(first=st.integers(0, 500), count=st.integers(1, 500))
def test_what_is_written_is_read_back(first: int, count: int) -> None:
    ids = devices(mapping(first, count))
    assert ids == list(range(first, first + count))
    assert contiguous(ids)


def test_a_bad_mapping_is_an_error_with_its_place() -> None:
    (finding,) = from_roll({WIDE: "__import__('os')"}).value_errors
    assert (finding.leaf.key, finding.leaf.place.file, finding.leaf.place.span.line > 1) == (WIDE, "input.yaml", True)
    assert "never runs what it reads" in finding.why


@pytest.mark.parametrize("mapped", [[0, "x"], [0.5], [0, None], [-1], [True], [[0]], 5])
def test_a_list_of_something_else_is_an_error_too(mapped: object) -> None:
    reading = from_roll({WIDE: mapped})
    assert [finding.leaf.key for finding in reading.value_errors] == [WIDE]
    assert reading.plan("stage.placement.actor.gpus") is None
    assert reading.plan("stage.algorithm.advantage") == from_roll({}).plan("stage.algorithm.advantage")


def test_a_yaml_list_of_devices_is_read_and_said() -> None:
    done = from_roll({WIDE: [0, 1, 2, 3]})
    assert done.plan("stage.placement.actor.gpus") == 4
    assert "device_mapping is a YAML list" in done.notes


@pytest.mark.parametrize(
    ("train", "infer", "layout", "nodes"),
    [
        ("list(range(0,8))", "list(range(0,8))", "colocated", 1),
        ("list(range(0,8))", "list(range(8,16))", "disaggregated", 2),
        ("list(range(0,8))", "list(range(0,6))", "colocated", 1),
    ],
)
def test_overlap_is_sharing(train: str, infer: str, layout: str, nodes: int) -> None:
    done = from_roll({WIDE: train, NARROW: infer})
    assert done.plan("stage.placement.layout") == layout
    assert done.plan("cluster.nodes") == nodes
    assert ("elsewhere they share all or none" in done.notes) == (infer == "list(range(0,6))")


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize(
    "text",
    ["[1]+" * 2400 + "[1]", "[" + "0+" * 4500 + "0]", "[" * 3000, "1is 2", "'\\d'", "\0", "[0x" + "f" * 9000 + "]"],
)
def test_deep_and_odd_texts_are_refused_in_a_sentence(text: str) -> None:
    with pytest.raises(ValueError, match=r"^(is|names) "):
        devices(text)


@pytest.mark.parametrize("engine", ["veomni", "torchtitan"])
def test_engines_that_shard_as_fsdp_does_become_fsdp2(engine: str) -> None:
    done = to_roll({"model_engine": engine})
    assert done.out[TRAIN + STRATEGY] == "fsdp2_train"
    assert done.line("model_engine").state is State.NARROWED


def test_a_whole_copy_on_every_gpu_is_said_to_be_sharded() -> None:
    """ROLL 0.3.0, fsdp2_strategy.create_device_mesh_with_ep: sizes up to 1 shard over all GPUs."""
    key = "actor_rollout_ref.actor.fsdp_config.fsdp_size"
    done = to_roll({key: "1"})
    assert done.line(key).state is State.NARROWED
    assert done.out[TRAIN + CONFIG + "fsdp_size"] == 1
