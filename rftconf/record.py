"""Dataclasses that nobody changes, for what there are hundreds of for every file.

A frozen dataclass asks `object.__setattr__` for each field, and takes four times as long to make as one with plain
slots. mypy takes these for frozen, and an assignment to a field does not pass the gate.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TypeVar, dataclass_transform

T = TypeVar("T")


@dataclass_transform(frozen_default=True, field_specifiers=(field,))
def record(cls: type[T]) -> type[T]:
    """`cls` as a dataclass with slots that compares and hashes by its fields."""
    return dataclass(slots=True, unsafe_hash=True)(cls)
