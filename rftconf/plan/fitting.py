"""Values as their plan fields take them, where a framework's loader takes them too: `"8"` for 8, 2048 for a name."""

from __future__ import annotations

import re
from collections.abc import Callable
from fractions import Fraction
from math import isnan
from typing import Any, Final

from rftconf.base.numbers import BEYOND
from rftconf.plan.index import fields, suits

UNFIT: Final[Any] = object()
"""Stands for a value that a field does not take in any spelling."""
_WHOLE = re.compile(r"[+-]?[0-9]{1,18}")
_DECIMAL = re.compile(r"[+-]?(?:[0-9]{1,18}\.?[0-9]{0,18}|\.[0-9]{1,18})(?:[eE][+-]?[0-9]{1,3})?")
_SWITCHES = {"true": True, "yes": True, "on": True, "false": False, "no": False, "off": False}


def fit(path: str, value: Any) -> Any:
    """Return `value` as the plan field at `path` (no indices) takes it, or UNFIT."""
    field = fields().get(path)
    if field is None or (isinstance(value, float) and field.excludes(value)):
        return UNFIT
    return _fit(field.kinds, value)


def takes_words(path: str) -> bool:
    """True for a plan field that is one of a few words."""
    return any(kind.startswith("=") for kind in fields()[path].kinds)


def expected(path: str) -> str:
    """Return what the plan field at `path` (no indices) takes, for a message."""
    kinds = fields()[path].kinds
    choices = [kind[1:] for kind in kinds if kind.startswith("=")]
    if choices:
        return "one of " + ", ".join(choices)
    names = [_NAMES[kind] for kind in kinds if kind in _NAMES]
    names += [f"a list of {_PLURALS[kind[1:]]}" for kind in kinds if kind[1:] in _PLURALS and kind[0] == "["]
    return " or ".join(dict.fromkeys(names)) or "another kind of value"


_NAMES = {"int": "a whole number", "float": "a number", "bool": "true or false", "str": "a text", "dict": "a mapping"}
_PLURALS = {"int": "whole numbers", "float": "numbers", "bool": "switches", "str": "texts", "dict": "mappings"}


def _fit(kinds: tuple[str, ...], value: Any) -> Any:
    if isinstance(value, float) and isnan(value):
        return UNFIT
    if value is None or suits(value, kinds):
        return value
    if isinstance(value, list):
        return _fit_items(tuple(kind[1:] for kind in kinds if kind.startswith("[")), value)
    if isinstance(value, dict):
        return {str(key): item for key, item in value.items()} if "dict" in kinds else UNFIT
    for kind, convert in _CONVERSIONS.items():
        if kind in kinds and (fitted := convert(value)) is not UNFIT:
            return fitted
    return UNFIT


def _fit_items(kinds: tuple[str, ...], values: list[Any]) -> Any:
    fitted = [_fit(kinds, value) for value in values] if kinds else [UNFIT]
    return UNFIT if any(value is UNFIT or value is None for value in fitted) else fitted


def _to_int(value: Any) -> Any:
    if isinstance(value, str):
        return int(value) if _WHOLE.fullmatch(value) else UNFIT
    if isinstance(value, float):
        return int(value) if abs(value) < BEYOND and value.is_integer() else UNFIT
    return int(value) if isinstance(value, bool) else UNFIT


def _to_float(value: Any) -> Any:
    if isinstance(value, str):
        return float(value) if _DECIMAL.fullmatch(value) else UNFIT
    return float(value) if isinstance(value, (bool, Fraction)) else UNFIT


def _to_bool(value: Any) -> Any:
    if isinstance(value, str):
        return _SWITCHES.get(value.lower(), UNFIT)
    return bool(value) if value in (0, 1) else UNFIT


def _to_text(value: Any) -> Any:
    """A number is a name like any other; where a text is expected, false says that there is none."""
    if value is False:
        return None
    return str(value) if isinstance(value, (int, float)) else UNFIT


_CONVERSIONS: dict[str, Callable[[Any], Any]] = {
    "int": _to_int,
    "float": _to_float,
    "bool": _to_bool,
    "str": _to_text,
}
