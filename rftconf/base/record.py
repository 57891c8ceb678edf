"""Dataclasses that nobody changes, cheap to make: for what there are hundreds of, and for what every command defines.

A frozen dataclass asks `object.__setattr__` for each field, and takes four times as long to make as one with plain
slots. mypy takes these for frozen, and an assignment to a field does not pass the gate.

A dataclass writes five methods when its module is imported; with a hundred and forty classes that is a third of a cold
start. A record's are written when they are first called.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, fields
from typing import Any, TypeVar

from rftconf.base.older_python import dataclass_transform

T = TypeVar("T")
_METHODS = ("__init__", "__eq__", "__hash__", "__repr__")


@dataclass_transform(frozen_default=True, field_specifiers=(field,))
def record(cls: type[T]) -> type[T]:
    """`cls` as a dataclass with slots that compares and hashes by its fields."""
    record_class = dataclass(slots=True, init=False, repr=False, eq=False)(cls)
    for name in _METHODS:
        if name not in cls.__dict__:
            setattr(record_class, name, _later(record_class, name))
    return record_class


def _later(cls: type, name: str) -> Callable[..., Any]:
    """A method that is put in its place when it is called."""

    def first(*arguments: Any, **named: Any) -> Any:
        method = _written_as_dataclass(cls, name)
        method.__qualname__ = f"{cls.__qualname__}.{name}"
        setattr(cls, name, method)
        return method(*arguments, **named)

    return first


def _written_as_dataclass(cls: Any, name: str) -> Callable[..., Any]:
    """The method as dataclasses writes it, of a plain class with the same fields."""
    body: dict[str, Any] = {"__module__": cls.__module__, "__doc__": cls.__doc__ or cls.__name__, "__annotations__": {}}
    for spec in fields(cls):
        body["__annotations__"][spec.name] = object
        values = {
            key: getattr(spec, key)
            for key in ("default", "default_factory", "init", "repr", "hash", "compare", "kw_only")
        }
        body[spec.name] = field(**values)
    if hasattr(cls, "__post_init__"):
        body["__post_init__"] = cls.__post_init__
    compares = name in ("__eq__", "__hash__")
    options = {
        "init": name == "__init__",
        "repr": name == "__repr__",
        "eq": compares,
        "unsafe_hash": name == "__hash__",
    }
    # with slots, dataclasses sets what has a default and is no parameter
    slots = any(not member.init for member in fields(cls))
    method: Callable[..., Any] = dataclass(slots=slots, **options)(type(cls.__name__, (), body)).__dict__[name]
    return method
