"""Interfaces of the pass that runs rows, conditions and codecs: what these may ask of it, and tell it.

A table is declared in these terms, so that it knows nothing of the machines in `reading.py` and `writing.py` that run it.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Literal, Protocol, TypeAlias

from rftconf.base.ledger import Decision, State
from rftconf.base.record import record
from rftconf.mappers.facts import Facts
from rftconf.mappers.native import Native
from rftconf.mappers.outcomes import Out, Outcome
from rftconf.plan.origin import Kind, Origin
from rftconf.plan.units import Unit


class ValueContext(Protocol):
    """The surroundings that a codec may look at besides its own value."""

    same_framework: bool
    """True where the other side of the conversion is the same framework."""

    def plan(self, path: str) -> Any:
        """The plan value at `path`, or None."""

    def convert(self, value: Any, source: Unit, target: Unit) -> Any:
        """`value` from one unit to another: int, Fraction or Expr."""

    def since(self, release: str) -> bool:
        """True when the config's release is `release` or newer."""


class _Pass(ValueContext, Protocol):
    """The interface that both directions share."""

    values: dict[str, Any]
    """Plan values by path, as many as are known by now."""
    origins: dict[str, Origin]
    facts: Facts
    notes: list[str]

    @property
    def framework(self) -> str:
        """The framework whose config is read, or written."""

    @property
    def release(self) -> str:
        """The release of the config that is read, or written."""

    @property
    def trainer(self) -> str:
        """Its trainer variant (`fsdp`, `megatron`)."""

    @property
    def backend(self) -> str:
        """The back end that trains: of a recipe, the trainer it stands on."""

    @property
    def open(self) -> bool:
        """True where the source holds a value that nobody told."""

    def items(self, path: str) -> int:
        """Return the number of items in the plan list at `path`."""

    def effective(self, key: str) -> Any:
        """The config's value of `key`, or its default; of one that is written, as written so far."""

    def note(self, sentence: str) -> None:
        """Add something that a person should know."""


class ReadContext(_Pass, Protocol):
    """A native config on its way into a plan."""

    source: Native
    inactive: dict[str, str]
    """Native key to the sentence why it does nothing in this config."""
    requirements: set[str]
    """Native keys without which the framework's own checks stop, also where they do nothing else."""
    waits_for: dict[str, When]
    """Native key to the condition that does not hold, of the keys that do nothing because of one."""
    narrowed: dict[str, str]
    """Native key to the sentence why no other framework can do as it says."""
    beyond: dict[str, Any]
    """Native key to its value, of keys that rows read and whose whole meaning no plan field has: the plan's extensions."""
    as_written: bool
    """True where plan fields keep values that they do not take."""

    @property
    def writes(self) -> Literal[False]:
        """Tells a reading from a writing."""

    def native(self, key: str, otherwise: Any = None) -> Any:
        """The effective native value."""

    def written(self, key: str) -> bool:
        """True when the file itself sets the key."""

    def rows(self) -> int | None:
        """Rows of the training set, where they are told or can be counted."""

    def set(self, path: str, value: Any, *keys: str, how: str = "", kind: Kind | None = None) -> None:
        """Store a plan value with its origin; `keys` are the native keys it came from."""

    def take_back(self, path: str) -> None:
        """Forget a plan value that another row read."""


class WriteContext(_Pass, Protocol):
    """A plan on its way into a framework's keys."""

    decisions: list[Decision]
    out: dict[str, Out]
    outcomes: dict[str, Outcome]
    asleep: dict[str, str]
    """Plan paths whose row is switched off in this target, with the reason."""

    @property
    def writes(self) -> Literal[True]:
        """Tells a writing from a reading."""

    @property
    def defaults(self) -> Callable[[str], Any]:
        """Gives the target's default of a key."""

    @property
    def knows(self) -> Callable[[str], bool]:
        """Tells whether the target's newest catalogue has a key."""

    def names(self, path: str) -> str:
        """The source keys a plan value came from, for comments."""

    def chosen(self, path: str) -> bool:
        """True when the resolver chose the value."""

    def model_beside(self, prefix: str) -> str:
        """A model beside the policy in words; its paths in the plan begin with `prefix`."""

    def decide(self, key: str, why: str, *choices: str, leads: bool = False) -> None:
        """Put a question to the person; one about the loss or the estimator leads."""

    def put(
        self,
        key: str,
        value: Any,
        *plans: str,
        state: State | None = None,
        note: str = "",
        how: str = "",
        entry: str = "",
        **more: Any,
    ) -> None:
        """Write a native key that stands for `plans`, or for one `entry` of them. `more`: `always`, `chosen`, `default`.

        Without a `state` the value is exact, or narrowed where a `note` says what is lost.
        """

    def lose(self, plan: str, state: State, note: str, entry: str = "") -> None:
        """Record that a plan value, or one `entry` of it, has no place in the target."""


Context: TypeAlias = ReadContext | WriteContext
"""What a condition or a codec looks at; `writes` tells the direction."""


@record
class When:
    """A row's key acts only while `test` holds; `otherwise` says in one sentence why not."""

    test: Callable[[Context], bool]
    otherwise: str
