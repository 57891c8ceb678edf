"""Real configs on a round trip by their own text: A to B, B read, B to A, A read."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any
from unittest import mock

from rftconf.base.symbols import is_symbolic
from rftconf.convert import convert as conversions
from rftconf.load.base_files import base_files_of
from rftconf.load.load import load, main_stage
from rftconf.mappers.writing import Writing
from rftconf.schemas import registry
from rftconf.text.document import Document
from rftconf.text.keys import child
from rftconf.text.read.read import read
from rftconf.text.read.read_options import ReadOptions
from rftconf.text.source import Source
from tests.corpus import ROWS
from tests.laws.round_trips import Trip, same

ALGORITHM = ("algorithm_type", "adv_estimator")
"""Keys of the frameworks' algorithms."""


@dataclass(frozen=True)
class Leg:
    """One conversion: the trip of its plan values, and the document that it wrote, with its framework and release."""

    trip: Trip
    document: Document
    framework: str
    release: str
    done: conversions.Conversion

    @property
    def open_algorithm(self) -> bool:
        """True while a person has to name the algorithm: until then what follows from it is not known."""
        return any(line.value == "???" and line.key.endswith(ALGORITHM) for line in self.done.ledger.targets)

    def broken_claims(self) -> dict[str, Any]:
        """What the ledger says is kept and is not."""
        if self.open_algorithm:
            return {}
        values = self.trip.broken_claims()
        return {path: answer for path, answer in values.items() if not alike(path, self.trip.values, self.trip.back)}


def leg(document: Document, framework: str, release: str, to: str, to_release: str | None = None) -> Leg:
    """Convert a document and read what was written."""
    caught: list[Writing] = []
    write = conversions._write

    def spy(*args: Any) -> Writing:
        caught.append(write(*args))
        return caught[-1]

    # a script has variables, and a file, which some frameworks are written as unless asked, may have none
    style = "sh" if framework == to and document.form == "shell" and "sh" in registry.framework(to).forms else None
    with mock.patch.object(conversions, "_write", spy):
        done = conversions.convert(
            document, to, framework=framework, release=release, to_release=to_release, rows=ROWS, style=style
        )
    writing = caught[-1]
    written = read(Source(f"written{done.file_suffix}", done.text), ReadOptions(ships=base_files_of))
    ledger = done.ledger
    again = load(written, framework=ledger.target_framework, release=ledger.target_release, rows=ROWS)
    target = {line.key.lstrip("+"): line.value for line in ledger.targets}
    trip = Trip(writing.values, writing.outcomes, target, main_stage(again).values)
    return Leg(trip, written, ledger.target_framework, ledger.target_release, done)


def lost_on_the_way(new_leg: Leg, back: Leg) -> dict[str, tuple[Any, Any]]:
    """Values that both conversions say they kept, and that came back as something else.

    Everything else has a line in one of the two ledgers that says what became of it.
    """
    if new_leg.open_algorithm or back.open_algorithm:
        return {}
    whole = Trip(new_leg.trip.values, new_leg.trip.outcomes, back.trip.target, back.trip.back)
    # where placement chose anew on the way back, a decision says so
    settled = {path for path in back.trip.values if same(back.trip.values[path], new_leg.trip.back.get(path))}
    kept_back = settled & set(back.trip.claimed())
    return {
        path: (whole.values[path], whole.back.get(path))
        for path in whole.claimed()
        if path in kept_back
        and not same(whole.values[path], whole.back.get(path))
        and not whole.equivalent(path)
        and not alike(path, whole.values, whole.back)
    }


def alike(path: str, before: Mapping[str, Any], after: Mapping[str, Any]) -> bool:
    """What real configs spell in two ways, besides what the laws of the rows know."""
    first, second = before.get(path), after.get(path)
    if is_symbolic(first) or is_symbolic(second):  # two formulas of the same value are not told apart from two values
        return True
    if path == "identity.checkpoint_root":
        return str(first).removeprefix("./") == str(second).removeprefix("./")
    if path == "stage.length.model_max_tokens":  # a window that just holds prompt and answer
        parts = [before.get(f"stage.length.{part}_max_tokens") for part in ("prompt", "response")]
        return second is None and None not in parts and first == sum(parts)  # type: ignore[arg-type]
    if path.endswith(".storage"):
        return {first, second} == {"file", None}
    if first == "":  # an unset variable of a script: nothing was told
        return True
    if path.endswith(".min_lr_ratio"):  # no floor
        return {first, second} == {0.0, None}
    if path.startswith("stage.algorithm.kl_loss."):  # a term of no weight
        return before.get("stage.algorithm.kl_loss.coef") == 0
    if path.endswith(".uri"):  # a file, or the folder and split that stand for it; its format is a decision
        return str(first).rpartition("/")[0] == str(second).rpartition("/")[0]
    if path.endswith((".seed", ".dtype")) and first is None:  # left to the engine, which has a default here
        return True
    if path == "stage.algorithm.gamma":  # nothing is discounted
        return {first, second} == {1.0, None}
    return False


def written(document: Document, framework: str, release: str) -> dict[str, Any]:
    """Every key that the file sets, under its newest name and with its value in force."""
    loaded = load(document, framework=framework, release=release, rows=ROWS)
    values: dict[str, Any] = {}
    for number, stage in enumerate(loaded.stages):
        prefix = f"stages[{number}]." if stage.name is not None else ""
        for key, _ in stage.reading.source.leaves():
            values.update(_flat(prefix + key, stage.reading.source.cells[key].value))
    return values


def _flat(prefix: str, value: Any) -> Iterator[tuple[str, Any]]:
    if isinstance(value, Mapping) and value:
        for name, item in value.items():
            yield from _flat(child(prefix, name), item)
    elif isinstance(value, list) and any(isinstance(entry, Mapping) for entry in value):
        for index, entry in enumerate(value):
            yield from _flat(f"{prefix}[{index}]", entry)
    else:
        yield prefix, value
