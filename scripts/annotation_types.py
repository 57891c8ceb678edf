"""Python annotations and default values as the short type texts of the catalogues."""

from __future__ import annotations

import collections.abc
import dataclasses
import enum
import types
import typing
from typing import Any

Described = tuple[str, bool, list[Any]]
"""Type text, whether null is a value, the values allowed (empty: any)."""

_PLAIN: dict[Any, str] = {int: "int", float: "float", bool: "bool", str: "str", dict: "dict", list: "list"}


def of_annotation(hint: Any) -> Described:
    """The type text of one annotation, e.g. `Optional[list[int]]` is (`list[int]`, True, [])."""
    if hint in _PLAIN:
        return _PLAIN[hint], False, []
    origin, args = typing.get_origin(hint), typing.get_args(hint)
    if origin in (typing.Union, types.UnionType):
        return _of_union(args)
    if origin is typing.Literal:
        return _PLAIN.get(type(args[0]), "any"), None in args, [a for a in args if a is not None]
    if origin in (list, tuple, set, collections.abc.Sequence):
        inner = of_annotation(args[0])[0] if args else "any"
        return ("list" if inner == "any" else f"list[{inner}]"), False, []
    if isinstance(hint, type) and issubclass(hint, enum.Enum):
        return "str", False, [*(member.value for member in hint), *getattr(type(hint), "name_aliases", ())]
    if (
        origin is dict
        or dataclasses.is_dataclass(hint)
        or getattr(hint, "__name__", "") in ("DictConfig", "BaseConfig")
    ):
        return "dict", False, []
    return "any", hint is Any, []


def _of_union(args: tuple[Any, ...]) -> Described:
    parts = [of_annotation(arg) for arg in args if arg is not type(None)]
    names = list(dict.fromkeys(part[0] for part in parts))
    choices = parts[0][2] if len(parts) == 1 else []
    text = "any" if "any" in names else "|".join(names)
    return text, len(parts) < len(args) or text == "any", choices


def of_default(value: Any) -> Described:
    """The type text that a default value suggests; null suggests nothing."""
    if value is None or value == "???":
        return "any", True, []
    if isinstance(value, list):
        inner = {of_default(item)[0] for item in value}
        return (f"list[{inner.pop()}]" if len(inner) == 1 else "list"), False, []
    return _PLAIN.get(type(value), "any"), False, []


def dataclass_inside(hint: Any) -> tuple[Any, str]:
    """The dataclass in an annotation (or None) and how it is held: "" itself, "[]" in a list, "<*>" in a dict."""
    if dataclasses.is_dataclass(hint):
        return hint, ""
    origin = typing.get_origin(hint)
    for arg in typing.get_args(hint):
        inner, is_held = dataclass_inside(arg)
        if inner is not None:
            return inner, "[]" if origin is list else "<*>" if origin is dict else is_held
    return None, ""
