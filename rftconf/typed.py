"""Flat plan values as the plan's typed model, and those that no field of it takes, with the leaf that they came from."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from rftconf.errors import UnreadableError
from rftconf.mappers.paths import without_indices
from rftconf.plan.index import surely_valid
from rftconf.text.document import Leaf

if TYPE_CHECKING:
    from pydantic import ValidationError
    from pydantic_core import ErrorDetails

    from rftconf.mappers.reading import Reading
    from rftconf.plan.model import Run


@dataclass(frozen=True, slots=True)
class Unfit:
    """A value that its field does not take, as the file has it at `key`; `name` is the newest one of that."""

    name: str
    leaf: Leaf
    why: str

    def error(self) -> UnreadableError:
        """With its place."""
        span = self.leaf.place.span
        message = f"KEY004 {self.leaf.key}={self.leaf.value!r}: {self.why}"
        return UnreadableError(message, file=self.leaf.place.file, line=span.line, col=span.col)


def run_of(reading: Reading) -> Run:
    """The stage as a typed run. Raises UnreadableError at the leaf of a value of the wrong type."""
    from pydantic import ValidationError

    from rftconf.plan.model import Run

    try:
        return Run.model_validate(nest(reading.values))
    except ValidationError as error:
        for found in _unfit(reading, error):
            raise found.error() from error
        raise


def refuse_unfit(reading: Reading) -> None:
    """Raises as `run_of` does. Loads pydantic only on suspicion."""
    if _suspicious(reading):
        run_of(reading)


def unfit(reading: Reading) -> list[Unfit]:
    """Of what was read so far, one for each leaf. Loads pydantic only on suspicion."""
    if not _suspicious(reading):
        return []
    from pydantic import ValidationError

    from rftconf.plan.model import Run

    try:
        Run.model_validate(nest(reading.values))
    except ValidationError as error:
        return list({found.name: found for found in reversed([*_unfit(reading, error)])}.values())[::-1]
    return []


def _suspicious(reading: Reading) -> bool:
    values = reading.values.items()
    return not all(value is None or surely_valid(without_indices(path), value) for path, value in values)


def nest(values: Mapping[str, Any]) -> dict[str, Any]:
    """Flat paths with indices as nested mappings and lists; None is left out."""
    tree: dict[str, Any] = {}
    for path, value in values.items():
        if value is None:
            continue
        node: Any = tree
        *parents, last = re.findall(r"[^.\[\]]+", path)
        for here, following in zip(parents, [*parents[1:], last], strict=True):
            node = _child(node, here, [] if following.isdigit() else {})
        node[last] = value
    return tree


def _child(node: Any, name: str, empty: Any) -> Any:
    if isinstance(node, list):
        while len(node) <= int(name):
            node.append({})
        return node[int(name)]
    return node.setdefault(name, empty)


def _unfit(reading: Reading, error: ValidationError) -> Iterator[Unfit]:
    """What of an error has a place; a field that is missing is no value's fault."""
    for problem in error.errors():
        found = None if problem["type"] == "missing" else _written(reading, problem)
        if found is not None:
            yield Unfit(*found, problem["msg"].lower())


def _written(reading: Reading, problem: ErrorDetails) -> tuple[str, Leaf] | None:
    """The written key and leaf that a problem's value came from."""
    path = ".".join(str(part) for part in problem["loc"])
    origins = reading.origins.items()
    origin = next((o for p, o in origins if f"{path}.".startswith(re.sub(r"\[(\d+)\]", r".\1", p) + ".")), None)
    written = list(reading.source.leaves())
    for key in origin.keys if origin else ():
        for name, leaf in written:
            if name == key or name.startswith((f"{key}.", f"{key}[")):
                return key, leaf
    # a default that repeats a written key
    return next(((name, leaf) for name, leaf in written if leaf.value == problem["input"]), None)
