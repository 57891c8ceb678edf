"""Gates tell when keys that the plan does not know act: switches and conditions, each with the code that reads it.

The conditions of keys that the plan knows stand in the tables. These hold for the newest release.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any, TypeAlias

from rftconf.base.record import record
from rftconf.base.symbols import is_symbolic
from rftconf.mappers.context import ReadContext

Test: TypeAlias = Callable[[ReadContext], bool]
NO_CRITIC = "there is no critic in this run"


@record
class Section:
    """All keys below a section act only while its own switch is on. `section` is a pattern; `only`: the names that hang on it."""

    section: str
    switch: str
    source: str
    only: tuple[str, ...] = ()


@record
class Gate:
    """The keys that fit act only while `acts`; `why` is said where they do not."""

    keys: tuple[str, ...]
    acts: Test
    why: str
    source: str


@record
class Gates:
    """Return the keys that a framework switches on and off and that the plan does not know."""

    sections: tuple[Section, ...] = ()
    gates: tuple[Gate, ...] = ()
    idle_arguments: Callable[[ReadContext, Mapping[str, str]], Iterable[tuple[str, str]]] = lambda _, __: ()
    """Keys of arguments that the chosen functions do not take, with why; of the form's keys and their newest names."""


def has(key: str, *values: Any) -> Test:
    """Make the test that the key has one of the values, or one that nobody knows."""

    def test(r: ReadContext) -> bool:
        value = r.native(key)
        return bool(is_symbolic(value) or value in values)

    return test


def critic_trains(r: ReadContext) -> bool:
    """True where there is a critic, or might be."""
    return r.plan("stage.algorithm.critic.enabled") is not False


def may_be_fsdp2(r: ReadContext) -> bool:
    """True where the trainer is FSDP2, or nobody says which."""
    return r.plan("stage.placement.actor.backend") in ("fsdp2", None)
