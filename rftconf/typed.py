"""Flat plan values as the plan's typed model, and those that no field of it takes, with the leaf that they came from."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import accumulate
from typing import TYPE_CHECKING, Any

from rftconf.errors import UnreadableError
from rftconf.mappers.paths import without_indices
from rftconf.plan.index import surely_valid
from rftconf.text.document import Leaf

if TYPE_CHECKING:
    from pydantic import ValidationError

    from rftconf.mappers.reading import Reading
    from rftconf.plan.model import Run


@dataclass(frozen=True, slots=True)
class Unfit:
    """A value that its field does not take, as the file has it at `leaf`; `name` is that key's newest name."""

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
        for found in (*unfit(reading), *_repeated(reading, error)):
            raise found.error() from error
        raise


def refuse_unfit(reading: Reading) -> None:
    """Raises as `run_of` does. Loads pydantic only on suspicion."""
    if _suspects(reading):
        run_of(reading)


def unfit(reading: Reading) -> list[Unfit]:
    """What the file writes and no field takes, of what was read so far, one for each key. Loads pydantic only on suspicion."""
    suspects = _suspects(reading)
    leaves = _leaves(reading) if suspects else {}
    named = ((path, key) for path in suspects for key in reading.origins[path].keys if key in leaves)
    keys = {_dotted(path): key for path, key in named}
    if not keys:
        return []
    from pydantic import ValidationError

    from rftconf.plan.model import Run

    found = dict[str, Unfit]()
    try:
        Run.model_validate(nest(reading.values))
    except ValidationError as error:
        for problem in error.errors():
            above = accumulate(map(str, problem["loc"]), lambda path, part: f"{path}.{part}")
            key = next((keys[path] for path in above if path in keys), None)
            if key is not None:
                found.setdefault(key, Unfit(key, leaves[key], problem["msg"].lower()))
    return list(found.values())


def _suspects(reading: Reading) -> list[str]:
    values = reading.values.items()
    return [path for path, value in values if value is not None and not surely_valid(without_indices(path), value)]


def _dotted(path: str) -> str:
    """As pydantic counts items."""
    return re.sub(r"\[(\d+)\]", r".\1", path)


def _leaves(reading: Reading) -> dict[str, Leaf]:
    """Every written key, and every section and list above one with the first leaf below it."""
    found = dict[str, Leaf]()
    for name, leaf in reading.source.leaves():
        for end in (*(at.start() for at in re.finditer(r"[.\[]", name)), len(name)):
            found.setdefault(name[:end], leaf)
    return found


def _repeated(reading: Reading, error: ValidationError) -> Iterator[Unfit]:
    """A default that takes the value of a written key."""
    for problem in error.errors():
        got = problem["input"]
        for name, leaf in reading.source.leaves():
            if got is not None and type(leaf.value) is type(got) and leaf.value == got:
                yield Unfit(name, leaf, problem["msg"].lower())


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
