"""A config becomes a plan, the plan a config of some framework, and that config a plan again."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Any
from unittest import mock

from rftconf import convert as conversions
from rftconf.ledger import State
from rftconf.load import load
from rftconf.mappers.writing import Outcome, Writing
from rftconf.schemas import registry
from rftconf.text.document import Document, Launch, Leaf
from rftconf.text.span import Place, Span

KEPT = frozenset({State.EXACT, State.DERIVED, State.DEFAULT})
"""Outcomes that say the plan value is the same in the target."""
ROWS = 7473
HERE = Place("law", Span(0, 0, 1, 1))


@dataclass(frozen=True)
class Trip:
    """The plan values on the way out, what the conversion said of each, and the plan values that came back."""

    values: Mapping[str, Any]
    outcomes: Mapping[str, Outcome]
    target: Mapping[str, Any]
    back: Mapping[str, Any]

    def claimed(self) -> Iterator[str]:
        """Plan paths with a value that the conversion says it kept."""
        for path, outcome in self.outcomes.items():
            if outcome.state in KEPT and path in self.values:
                yield path

    def broken_claims(self) -> dict[str, tuple[Any, Any, str]]:
        """Paths that were said to be kept and came back as something else: before, after, state."""
        return {
            path: (self.values[path], self.back.get(path), self.outcomes[path].state.value)
            for path in self.claimed()
            if not same(self.values[path], self.back.get(path))
        }

    def differences(self) -> dict[str, tuple[Any, Any]]:
        """Every path whose value is not what it was."""
        paths = {*self.values, *self.back}
        pairs = {path: (self.values.get(path), self.back.get(path)) for path in paths}
        return {path: pair for path, pair in pairs.items() if not same(*pair)}


def document(framework: str, flat: Mapping[str, Any], trainer: str) -> Document:
    """A config as if it had been read."""
    leaves = tuple(Leaf(key, value, HERE, HERE, str(value)) for key, value in flat.items())
    if framework != "verl":
        return Document("law.yaml", "", "yaml", leaves)
    options: dict[str, Any] = {"--config-name": "ppo_megatron_trainer"} if trainer == "megatron" else {}
    return Document("law.sh", "", "shell", leaves, launch=Launch("verl.trainer.main_ppo", HERE, options))


def travel(framework: str, to: str, flat: Mapping[str, Any], trainer: str, *, release: str | None = None) -> Trip:
    """Read `flat`, write it for `to`, read that."""
    known = registry.framework(framework)
    caught: list[Writing] = []
    write = conversions._write

    def spy(*args: Any) -> Writing:
        caught.append(write(*args))
        return caught[-1]

    with mock.patch.object(conversions, "_write", spy):
        done = conversions.convert(
            document(framework, flat, trainer), to, framework=framework, release=release or known.newest, rows=ROWS
        )
    (writing,) = caught
    target = {line.key.lstrip("+"): line.value for line in done.ledger.targets}
    newest = registry.framework(to).newest
    again = load(document(to, target, writing.trainer), framework=to, release=newest, rows=ROWS)
    return Trip(writing.values, writing.outcomes, target, again.stages[-1].values)


NOTHING: tuple[Any, ...] = (None, {}, [], "")


def same(one: Any, other: Any) -> bool:
    """Equal as plan values: 1 is 1.0, and an empty value is none."""
    if one == other or (one in NOTHING and other in NOTHING):
        return True
    numbers = (int, float, Fraction)
    if isinstance(one, numbers) and isinstance(other, numbers) and not isinstance(one, bool):
        return abs(float(one) - float(other)) <= 1e-9 * max(1.0, abs(float(one)))
    return False
