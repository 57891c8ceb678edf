"""Number types, seed and weight decay of a trainer are in the same fields whichever back end it is.

Megatron's `dtype` is what FSDP calls the type of the computation; beside it Megatron's optimizers keep single-precision
weights of what is learned. Both seed their processes. Megatron lets no weight decay act on vectors (norms, biases).
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeVar

ROLES = ("actor", "reference", "critic")
LEARNED = ("actor", "critic")
AT = "stage.placement."
MEGATRON, MASTER = "megatron", "fp32"
HALVES = ("float16", "fp16")
"""Names of 16 bits with a short exponent, in which Megatron multiplies its loss."""
NUMBER_TYPES = {"float32": "fp32", "bf16": "bfloat16", "fp16": "float16"}
"""Other names of types of numbers, which frameworks take as well, to the plan's."""
_TYPED = ("dtype", "compute_dtype", "model_dtype")
"""Last parts of the fields that hold a type of numbers."""
DECAYED, MATRICES = "decayed", "matrices"
"""An optimizer's extra argument that says on which weights the decay acts, and that it is on matrices alone."""
MOVED = (("megatron.dtype", "compute_dtype"), ("megatron.seed", "seed"))
"""Fields of Megatron's, and those of every trainer's that mean the same."""
OWN = ("compute_dtype", "model_dtype", "seed")
"""Fields that say nothing of a role that Megatron trains: its own do."""

T = TypeVar("T")


def number_type(word: Any) -> Any:
    """Return the plan's name of a type of numbers (`bfloat16` for `bf16`), and anything else as it is."""
    return NUMBER_TYPES.get(word, word) if isinstance(word, str) else word


def moved(values: Mapping[str, T], plan: Mapping[str, Any]) -> dict[str, T]:
    """`values` by path with Megatron's fields in every trainer's place, for the roles that Megatron has in `plan`."""
    moved_values = dict(values)
    for role in ROLES:
        path = f"{AT}{role}."
        if plan.get(path + "backend") != MEGATRON:
            continue
        for name in OWN:
            moved_values.pop(path + name, None)
        for name, target_name in MOVED:
            if path + name in moved_values:
                moved_values[path + target_name] = moved_values.pop(path + name)
    return moved_values


def in_every_trainers_words(values: Mapping[str, Any]) -> dict[str, Any]:
    """One stage's values, number types, seeds and decay in the fields that every trainer has."""
    words = moved(values, values)
    for role in LEARNED:
        path = f"{AT}{role}."
        if values.get(path + "backend") == MEGATRON:
            if path + "compute_dtype" in words:
                words[path + "model_dtype"] = MASTER
            _say_what_decays(words, f"stage.optim.{role}.")
    return with_one_name_each(words)


def with_one_name_each(values: Mapping[str, Any]) -> dict[str, Any]:
    """One stage's values, with the plan's name of every type of numbers that has another."""
    return {path: number_type(value) if path.rpartition(".")[2] in _TYPED else value for path, value in values.items()}


def _say_what_decays(values: dict[str, Any], path: str) -> None:
    """Matrices do (megatron.core.optimizer gives parameters of one dimension a `wd_mult` of 0)."""
    extra = values.get(path + "extra") or {}
    if values.get(path + "weight_decay") not in (0, None) and isinstance(extra, dict):
        values[path + "extra"] = {**extra, DECAYED: MATRICES}


def trained_apart(a: Mapping[str, Any], b: Mapping[str, Any]) -> bool:
    """True where one stage's role is Megatron's and the other's somebody else's: the two say the same in different fields."""
    backends = [[values.get(f"{AT}{role}.backend") for values in (a, b)] for role in ROLES]
    return any(None not in pair and (pair[0] == MEGATRON) != (pair[1] == MEGATRON) for pair in backends)
