"""A value suits a key or does not, by what the framework's own loader would do with it.

Trinity-RFT's loader converts and refuses (OmegaConf's rules), and so does TRL's parser. veRL's checks nothing when it loads, so there the
findings are ours: what its code would stumble over later.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from math import isfinite

from rftconf.base.symbols import Expr, Value
from rftconf.schemas import registry
from rftconf.schemas.catalogue import Catalogue, Key

LONGEST = 120
"""Characters of a value that a sentence shows."""
EACH_EPOCH = "after_each_epoch"
WORDS: Mapping[tuple[str, str], tuple[str, ...]] = {
    ("verl_sft", "trainer.save_freq"): (EACH_EPOCH,),
    ("verl_sft", "trainer.test_freq"): (EACH_EPOCH,),
}
"""Framework and key to words that the code takes beside the type of the default (veRL's sft_trainer.py: fit)."""
RANGES = ("algorithm.rollout_correction.",)
"""Keys whose defaults are numbers, but that also take ranges as text (`0.5_4.0`): RolloutCorrectionConfig declares both."""
_TRUTH = frozenset({"true", "false", "yes", "no", "on", "off", "y", "n"})


def wrong(known: Catalogue, key: Key, value: Value) -> str | None:
    """Return what is wrong with `value` for `key`, in one sentence, or None. An expression is never wrong.

    An interpolation (`${...}`) and the marker `???` stand for values that are not there yet, and pass too.
    """
    if isinstance(value, Expr) or key.type == "any" or (isinstance(value, str) and ("${" in value or value == "???")):
        return None
    if isinstance(value, str) and known.family == "verl" and key.name.startswith(RANGES):
        return None
    if isinstance(value, str) and value in WORDS.get((known.framework, key.name), ()):
        return None
    if value is None:
        return None if key.optional or key.inferred else f"expects {_expected(key)}, and null is not one"
    if registry.framework(known.framework).one_or_several and isinstance(value, str) and "list" in key.type:
        return None
    strict = registry.framework(known.framework).converts_texts
    if not any(_suits(kind, value, strict, key.inferred) for kind in key.type.split("|")):
        return f"expects {_expected(key)}, got {_value_text(value)}"
    if key.choices and isinstance(value, str):
        allowed = {str(choice).lower() if strict else str(choice) for choice in key.choices}
        if (value.lower() if strict else value) not in allowed:
            return f"expects {_expected(key)}, got {_value_text(value)}"
    return None


def wrong_mapping(key: Key) -> str:
    """Return what is wrong with a mapping for a key that takes plain values or lists (`Catalogue.value_above`)."""
    return f"expects {_expected(key)}, and no mapping"


def coerced(key: Key, value: str) -> Value:
    """A text as the number or switch that OmegaConf makes of it for a typed key; `wrong` must have passed it."""
    if key.type == "bool":
        return value.strip().lower() in ("true", "yes", "on", "y", "1")
    try:
        return int(value) if key.type == "int" else float(value)
    except ValueError:
        return value


def coerced_items(known: Catalogue, name: str, items: list[Value]) -> list[Value]:
    """The words behind one option as numbers, where it takes numbers and all of them are."""
    key = known.get(name)
    kind = "" if key is None else key.type.removeprefix("list[").removesuffix("]")
    if key is None or kind not in ("int", "float"):
        return items
    item_key = replace(key, type=kind)
    wholesome = all(not isinstance(item, str) or wrong(known, item_key, item) is None for item in items)
    return [coerced(item_key, item) if isinstance(item, str) else item for item in items] if wholesome else items


def _suits(kind: str, value: Value, strict: bool, inferred: bool) -> bool:
    if kind.startswith("list"):
        inner = kind[5:-1] or "any"
        if not isinstance(value, list):
            return inferred and isinstance(value, str)
        return all(isinstance(item, Expr) or _suits(inner, item, strict, inferred) for item in value)
    check = _CHECKS.get(kind)
    return check is None or check(value, strict, inferred)


def _int(value: Value, strict: bool, inferred: bool) -> bool:
    if isinstance(value, str):
        return strict and _converts(int, value)
    return type(value) is int or (type(value) is float and inferred and isfinite(value))


def _float(value: Value, strict: bool, inferred: bool) -> bool:
    del inferred
    if isinstance(value, str):
        return strict and _converts(float, value)
    return type(value) in (int, float)


def _bool(value: Value, strict: bool, inferred: bool) -> bool:
    del inferred
    if isinstance(value, str):
        return strict and (value.lower() in _TRUTH or _converts(int, value))
    return isinstance(value, bool) or (strict and type(value) is int)


def _converts(to: Callable[[str], object], value: str) -> bool:
    try:
        to(value)
    except ValueError:
        return False
    return True


def _str(value: Value, strict: bool, inferred: bool) -> bool:
    del strict
    return not isinstance(value, (list, dict)) or (inferred and isinstance(value, list))


def _dict(value: Value, strict: bool, inferred: bool) -> bool:
    del strict, inferred
    return isinstance(value, dict)


_CHECKS: dict[str, Callable[[Value, bool, bool], bool]] = {
    "int": _int,
    "float": _float,
    "bool": _bool,
    "str": _str,
    "dict": _dict,
}


def _expected(key: Key) -> str:
    if key.choices:
        return "one of " + ", ".join(str(choice) for choice in key.choices)
    return key.type.replace("|", " or ") + (" or null" if key.optional else "")


def _value_text(value: Value) -> str:
    if isinstance(value, bool):
        return str(value).lower()
    text = f'"{value}"' if isinstance(value, str) else str(value)
    return text if len(text) <= LONGEST else f"{text[: LONGEST - 30]}…{text[-29:]}"
