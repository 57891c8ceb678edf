"""A trainer's number types, seed and decay mean the same whichever back end's words say them."""

from __future__ import annotations

from typing import Any

import pytest

from rftconf.diff.compare import differences
from rftconf.plan.identity import math_id
from tests.plan.test_identity import plan

MEGATRON: dict[str, Any] = {
    "stage__placement__actor__backend": "megatron",
    "stage__placement__actor__megatron__dtype": "bfloat16",
    "stage__placement__actor__megatron__seed": 42,
    "stage__placement__actor__megatron__tp": 4,
    "stage__optim__actor__weight_decay": 0.0,
}
FSDP: dict[str, Any] = {
    "stage__placement__actor__backend": "fsdp2",
    "stage__placement__actor__compute_dtype": "bfloat16",
    "stage__placement__actor__model_dtype": "fp32",
    "stage__placement__actor__seed": 42,
    "stage__optim__actor__weight_decay": 0.0,
}


def test_one_run_in_two_back_ends_words_is_one_run() -> None:
    assert math_id(plan(**MEGATRON)) == math_id(plan(**FSDP))


def test_what_is_computed_otherwise_is_another_run() -> None:
    first = math_id(plan(**MEGATRON))
    for path, value in (("compute_dtype", "float32"), ("model_dtype", "bf16"), ("seed", 7)):
        assert math_id(plan(**{**FSDP, f"stage__placement__actor__{path}": value})) != first
    for path, second in (("dtype", "float16"), ("seed", 1)):
        assert math_id(plan(**{**MEGATRON, f"stage__placement__actor__megatron__{path}": second})) != first


def test_megatron_lets_only_matrices_decay() -> None:
    """Its optimizer leaves out parameters of one dimension, FSDP's AdamW has all of them decay."""
    decays = {"stage__optim__actor__weight_decay": 0.1}
    matrices = {"stage__optim__actor__extra": {"decayed": "matrices"}}
    text = math_id(plan(**{**MEGATRON, **decays}))
    assert text != math_id(plan(**{**FSDP, **decays}))
    assert text == math_id(plan(**{**FSDP, **decays, **matrices}))


def test_fields_that_do_nothing_beside_megatron_change_nothing() -> None:
    beside = {"stage__placement__actor__compute_dtype": "float32", "stage__placement__actor__model_dtype": "bf16"}
    assert math_id(plan(**MEGATRON, **beside)) == math_id(plan(**MEGATRON))


def test_a_comparison_says_what_the_ids_say() -> None:
    first, second = ({name.replace("__", "."): value for name, value in side.items()} for side in (MEGATRON, FSDP))
    paths = {difference.path for difference in differences((first, {}), (second, {}))}
    assert paths == {"stage.placement.actor.backend", "stage.placement.actor.megatron.tp"}
    new_differences = differences((first, {}), ({**second, "stage.placement.actor.compute_dtype": "float32"}, {}))
    assert "stage.placement.actor.compute_dtype" in {difference.path for difference in new_differences}


@pytest.mark.parametrize(("name", "other"), [("bfloat16", "bf16"), ("float16", "fp16"), ("fp32", "float32")])
def test_two_names_of_one_type_are_one_run(name: str, other: str) -> None:
    field = "stage__placement__actor__compute_dtype"
    runs = [plan(**{**FSDP, field: word}) for word in (name, other)]
    assert len({math_id(run) for run in runs}) == 1
    first, second = ({"stage.placement.actor.compute_dtype": word} for word in (name, other))
    assert list(differences((first, {}), (second, {}))) == []
