"""Arguments that a chosen function of Trinity's does not look at: they do nothing, or the run stops at them."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from rftconf.base.record import record
from rftconf.base.symbols import Value, is_symbolic
from rftconf.mappers.context import ReadContext
from rftconf.mappers.trinity.algorithms import arguments, class_of
from rftconf.mappers.trinity.demonstrations import MIXES
from rftconf.schemas import catalogue

CLASSES = {
    "advantage_fn": "advantage", "policy_loss_fn": "policy_loss", "kl_loss_fn": "kl_loss", "entropy_loss_fn": "entropy",
}  # fmt: skip
"""The key of a function, and what its algorithm class brings along where the key is left out."""


@record
class Unread:
    """An argument that no release's function of this name looks at; `stops`: its constructor does not take it either."""

    key: str
    why: str
    stops: bool


def chosen(r: ReadContext, key: str) -> Any:
    """Return the function that a Trinity config uses under `algorithm.<key>`."""
    value = r.native(f"algorithm.{key}")
    if value is None and key in CLASSES:
        return getattr(class_of(r), CLASSES[key])
    if value is None and key == "sample_strategy":
        return "mix" if r.native("algorithm.algorithm_type") in MIXES else "default"
    return "none" if value is None else value


def unread_arguments(r: ReadContext) -> Iterator[Unread]:
    """Yield what stands below `algorithm.<function>_args` and the chosen function does not look at.

    A function that nobody registered in this release is a person's own, and takes what it takes. Algorithms whose advantages
    are computed in the explorer make no kl_penalty_fn.
    """
    known = catalogue.load("trinity", r.release)
    for key, functions in known.arguments.items():
        name = chosen(r, key)
        if is_symbolic(name) or name not in functions or name == "none":
            continue
        if key == "kl_penalty_fn" and class_of(r).in_trainer is not True:
            continue
        takes = functions[name]
        for argument in arguments(r, key):
            if argument not in takes and r.written(f"algorithm.{key}_args.{argument}"):
                reads = f"it looks at {', '.join(takes)}" if takes else "it looks at none"
                stops = name not in known.any_name.get(key, ())
                then = "the run stops at it" if stops else "nothing looks at it"
                why = f"{name} has no argument {argument} ({reads}): {then}"
                yield Unread(f"algorithm.{key}_args.{argument}", why, stops)


def at_default(r: ReadContext, key: str, value: Value) -> bool:
    """Tell whether `key` is an argument of the chosen function, and `value` what the function takes without it."""
    function, _, argument = key.removeprefix("algorithm.").partition("_args.")
    takes = catalogue.load("trinity", r.release).arguments.get(function, {})
    name = chosen(r, function) if argument and takes else ""
    if not isinstance(name, str) or argument not in takes.get(name, {}):
        return False
    default = takes[name][argument]
    return isinstance(value, bool) == isinstance(default, bool) and value == default


def leave_unread(r: ReadContext) -> None:
    """Record that such arguments do nothing."""
    for unread in unread_arguments(r):
        r.inactive.setdefault(unread.key, unread.why)
