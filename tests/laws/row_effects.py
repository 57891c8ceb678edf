"""Each key with a row has an effect on a conversion: the keys of the target that change with it, and its own state.

`python -m tests.laws.row_effects` (`make effects`) writes them to tests/laws/effects, a file for two frameworks. A key
is set to its first other value in the first base where that changes the target, and in the first where it changes
nothing; a key that a base has is taken out of it too.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from rftconf.base.errors import RefusedError, UnreadableError
from rftconf.base.symbols import formula
from tests.laws.flip_base import Base
from tests.laws.flip_bases import BASES
from tests.laws.round_trips import convert_flat
from tests.laws.test_round_trips import choices

FOLDER = Path(__file__).parent / "effects"
PAIRS = (
    ("verl", "trinity"),
    ("verl", "roll"),
    ("verl", "chatlearn"),
    ("trinity", "verl"),
    ("roll", "verl"),
    ("chatlearn", "verl"),
)
"""Every table reads in one of them and writes in another."""
ABSENT = "(absent)"
NOTHING: Mapping[str, str] = {}
STATE = "its state"


@dataclass(frozen=True, slots=True)
class Flip:
    """A key of a base set to another value, or taken out."""

    framework: str
    to: str
    base: str
    key: str
    value: Any

    def __str__(self) -> str:
        """`grpo: trainer.nnodes=2`, as the files have it."""
        return f"{self.base}: {self.key}={formula(self.value) if self.value != ABSENT else ABSENT}"


@cache
def based(framework: str) -> dict[str, Base]:
    """The bases by name."""
    return {base.name: base for base in BASES[framework]}


@cache
def written(framework: str, to: str, base: str) -> Mapping[str, str]:
    """Convert a base; the result is the target's values by key."""
    return targets(framework, to, based(framework)[base].flat, based(framework)[base].trainer, "")


def targets(framework: str, to: str, flat: Mapping[str, Any], trainer: str, key: str) -> dict[str, str]:
    """The target's keys with their values as text, and the state of `key`; a refusal in place of both."""
    try:
        ledger = convert_flat(framework, to, flat, trainer).ledger
    except (RefusedError, UnreadableError) as refusal:
        return {"refused": type(refusal).__name__}
    values = {line.key: formula(line.value) for line in ledger.targets}
    values |= {f"to decide: {decision.key}": "" for decision in ledger.decisions}
    states = [line.state.value for line in ledger.sources if line.key == key]
    return values | ({STATE: states[-1]} if states else {})


def effect(flip: Flip) -> dict[str, str | None]:
    """Convert with one key flipped, and give each key of the target that changes: its value, or null where it is gone."""
    base = based(flip.framework)[flip.base]
    flat = {key: value for key, value in base.flat.items() if key != flip.key}
    flat |= {flip.key: flip.value} if flip.value != ABSENT else {}
    before = written(flip.framework, flip.to, flip.base)
    after = targets(flip.framework, flip.to, flat, base.trainer, flip.key)
    removed = dict.fromkeys(key for key in before if key not in after)
    return removed | {key: value for key, value in after.items() if before.get(key, object()) != value}


def drawn(framework: str, to: str) -> Iterator[tuple[Flip, dict[str, str | None]]]:
    """The flips that a file keeps, with their effects."""
    acts: set[str] = set()
    rests: set[str] = set()
    removed: set[str] = set()
    for base in BASES[framework]:
        for key, values in choices(framework, base).items():
            if not values or {key} <= acts & rests:
                continue
            flip = Flip(framework, to, base.name, key, values[0])
            new_values = effect(flip)
            visited = acts if new_values.keys() - {STATE} else rests
            if key not in visited:
                visited.add(key)
                yield flip, new_values
        for key in base.flat:
            if key not in removed:
                removed.add(key)
                flip = Flip(framework, to, base.name, key, ABSENT)
                yield flip, effect(flip)


def file_of(framework: str, to: str) -> Path:
    """Where the effects of two frameworks are kept."""
    return FOLDER / f"{framework}-to-{to}.json"


@cache
def kept(framework: str, to: str) -> tuple[tuple[Flip, dict[str, str | None]], ...]:
    """The flips of a file, with the effects that it has."""
    lines = json.loads(file_of(framework, to).read_text(encoding="utf-8"))
    return tuple((Flip(framework, to, base, key, value), result) for base, key, value, result in lines)


def main() -> None:
    """Write the files anew."""
    for framework, to in PAIRS:
        lines = [
            json.dumps([flip.base, flip.key, flip.value, values], ensure_ascii=False)
            for flip, values in drawn(framework, to)
        ]
        file_of(framework, to).write_text("[\n" + ",\n".join(lines) + "\n]\n", encoding="utf-8")
        sys.stdout.write(f"{len(lines)} of {framework} to {to}\n")


if __name__ == "__main__":
    main()
