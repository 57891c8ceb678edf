"""Each framework's YAML loader has its own types of plain scalars. The same bytes differ: `1e-6` is text to PyYAML."""

from __future__ import annotations

import re
from collections.abc import Callable
from enum import Enum
from typing import TypeAlias

from rftconf.base.numbers import whole

Scalar: TypeAlias = None | bool | int | float | str


class ScalarRules(Enum):
    """Whose loader reads the file: OmegaConf's (veRL, Trinity-RFT, anything through Hydra) or plain PyYAML."""

    OMEGACONF = "omegaconf"
    PYYAML = "pyyaml"


class UnconstructibleScalarError(ValueError):
    """A scalar that the loader itself fails on, such as a lone `=` or `0x_`."""


_WORDS: dict[str, bool | None] = {
    **{word: True for name in ("yes", "true", "on") for word in (name, name.title(), name.upper())},
    **{word: False for name in ("no", "false", "off") for word in (name, name.title(), name.upper())},
    **dict.fromkeys(("~", "null", "Null", "NULL", "")),
}
_INT = re.compile(
    r"[-+]?0b[0-1_]+|[-+]?0[0-7_]+|[-+]?(?:0|[1-9][0-9_]*)|[-+]?0x[0-9a-fA-F_]+|[-+]?[1-9][0-9_]*(?::[0-5]?[0-9])+"
)
_FLOAT = re.compile(
    r"[-+]?(?:[0-9][0-9_]*)\.[0-9_]*(?:[eE][-+][0-9]+)?"
    r"|\.[0-9][0-9_]*(?:[eE][-+][0-9]+)?"
    r"|[-+]?[0-9][0-9_]*(?::[0-5]?[0-9])+\.[0-9_]*"
    r"|[-+]?\.(?:inf|Inf|INF)"
    r"|\.(?:nan|NaN|NAN)"
)
# OmegaConf adds this pattern to PyYAML's and removes the one for timestamps.
_FLOAT_OMEGACONF = re.compile(r"[-+]?[0-9]+(?:_[0-9]+)*(?:\.[0-9_]*)?[eE][-+]?[0-9]+")
MAX_DIGITS = 300
"""A number has no more, as a float can hold no more. Longer ones take time that grows with the square of their length."""
_NUMERIC = "0123456789_:.+-abcdefABCDEFxXeE"
"""Every character that a number may have."""
_SUSPECTS = frozenset("-+0123456789.")


def resolve(text: str, rules: ScalarRules = ScalarRules.OMEGACONF) -> Scalar:
    """The value of a plain (unquoted) scalar.

    Dates stay text: OmegaConf reads them so, and a plan has no field that holds one.
    Raises UnconstructibleScalarError where the loader itself fails.
    """
    if text in _WORDS:
        return _WORDS[text]
    if text[0] in _SUSPECTS:
        if len(text) > MAX_DIGITS and not text.strip(_NUMERIC):
            raise UnconstructibleScalarError(f"a number of {len(text):,} characters: none is longer than {MAX_DIGITS}")
        if _INT.fullmatch(text):
            return _loaded(to_int, text)
        if _FLOAT.fullmatch(text) or (rules is ScalarRules.OMEGACONF and _FLOAT_OMEGACONF.fullmatch(text)):
            return _loaded(to_float, text)
    elif text in ("=", "<<"):
        raise UnconstructibleScalarError(f"YAML loaders give a plain {text} a meaning of its own and then fail on it")
    return text


def to_int(text: str) -> int:
    """An integer as YAML 1.1 writes it: `0x1F`, `0b101`, `017`, `1_000`, `1:30` (base 60). Raises ValueError."""
    if len(text) > MAX_DIGITS:
        raise ValueError(f"a number of more than {MAX_DIGITS} digits")
    digits = text.replace("_", "")
    sign = -1 if digits.startswith("-") else 1
    digits = digits[1:] if digits[:1] in ("-", "+") else digits
    if digits.startswith(("0b", "0x")):
        return sign * whole(digits[2:], 2 if digits[1] == "b" else 16)
    if digits != "0" and digits.startswith("0"):
        return sign * whole(digits, 8)
    if ":" in digits:
        total = 0
        for part in digits.split(":"):
            total = total * 60 + int(part)
        return sign * whole(str(total))
    return sign * whole(digits)


def to_float(text: str) -> float:
    """A float as YAML 1.1 writes it: `1e-6`, `.inf`, `.nan`, `1:30.5` (base 60). Raises ValueError."""
    if len(text) > MAX_DIGITS:
        raise ValueError(f"a number of more than {MAX_DIGITS} digits")
    digits = text.replace("_", "").lower()
    sign = -1.0 if digits.startswith("-") else 1.0
    digits = digits[1:] if digits[:1] in ("-", "+") else digits
    if digits in (".inf", ".nan"):
        return sign * float(digits[1:])
    if ":" in digits:
        total = 0.0
        for part in digits.split(":"):
            total = total * 60 + float(part)
        return sign * total
    return sign * float(digits)


def to_bool(text: str) -> bool:
    """`yes`, `Off`, `TRUE` ... as an explicit `!!bool` reads them. Raises ValueError."""
    value = _WORDS.get(text.title())
    if value is None:
        raise ValueError(f"{text!r} is not a boolean")
    return value


def _loaded(convert: Callable[[str], int | float], text: str) -> int | float:
    try:
        return convert(text)
    except ValueError as error:
        text_shown = text if len(text) <= 40 else f"a scalar of {len(text)} characters"
        raise UnconstructibleScalarError(f"{text_shown} looks like a number, but no loader can read it") from error
