"""Values that cannot be what their keys are: what arithmetic stumbled over is told with its place, not as a defect."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from math import isfinite, isnan
from typing import TYPE_CHECKING, Any

from rftconf.errors import UnreadableError
from rftconf.plan.kinds import WITH_ROLLOUTS
from rftconf.plan.symbols import Expr
from rftconf.schemas import catalogue
from rftconf.schemas.values import wrong
from rftconf.text.document import Leaf

if TYPE_CHECKING:
    from rftconf.mappers.reading import Reading

STUMBLES = (ArithmeticError, AttributeError, LookupError, TypeError, ValueError)
"""What rows and rules raise when a value has another type, or is zero where something is divided by it."""
_LONGEST = 180
"""Characters of a complaint; a value may be a whole file."""


@contextmanager
def placed(framework: str, release: str | None, trainer: str, leaves: Mapping[str, Leaf]) -> Iterator[None]:
    """Run rows over `leaves`, whose names are that release's (None: the newest).

    What they stumble over becomes an UnreadableError at the first leaf that does not suit its key. Where every leaf
    does, the mistake is not the file's, and the exception goes on as it is.
    """
    try:
        yield
    except STUMBLES as error:
        problem = misfit(catalogue.load(framework, release, trainer), leaves, error)
        if problem is None:
            raise
        raise problem from error


def misfit(known: catalogue.Catalogue, leaves: Mapping[str, Leaf], error: Exception) -> UnreadableError | None:
    """The first leaf that does not suit its key, which explains `error`; None where every leaf does."""
    first = ill_typed(known, leaves)
    if first is None and isinstance(error, (ArithmeticError, ValueError)):
        first = _no_number(leaves)
    if first is None and isinstance(error, (ArithmeticError, LookupError, ValueError)):
        first = _no_size(known, leaves)
    if first is None:
        return None
    leaf, why = first
    span = leaf.place.span
    return UnreadableError(f"KEY004 {leaf.key} {why}", file=leaf.place.file, line=span.line, col=span.col)


def _misfit(known: catalogue.Catalogue, name: str, value: Any) -> str | None:
    key = known.get(name)
    if key is not None:
        problem = wrong(known, key, value)
        return problem and _short(problem)
    for end, char in enumerate(name):
        above = known.get(name[:end]) if char in ".[" else None
        if above is not None and not any(kind in above.type for kind in ("any", "dict" if char == "." else "list")):
            return f"stands below {name[:end]}, which is {above.type}"
    scalar = not isinstance(value, (dict, Expr)) and value is not None
    return "is a section, and holds a plain value here" if scalar and known.is_node(name) else None


def ill_typed(known: catalogue.Catalogue, leaves: Mapping[str, Leaf]) -> tuple[Leaf, str] | None:
    """The first leaf whose value is of another type than its key takes, and why."""
    said = ((leaf, _misfit(known, name, leaf.value)) for name, leaf in leaves.items())
    return next(((leaf, why) for leaf, why in said if why), None)


def _no_number(leaves: Mapping[str, Leaf]) -> tuple[Leaf, str] | None:
    endless = (leaf for leaf in leaves.values() if isinstance(leaf.value, float) and not isfinite(leaf.value))
    return next(((leaf, f"is {leaf.value}, and something is counted with it") for leaf in endless), None)


def _no_size(known: catalogue.Catalogue, leaves: Mapping[str, Leaf]) -> tuple[Leaf, str] | None:
    """The first whole number that no size can be: zero and less, where the key's own default is above zero."""
    for name, leaf in leaves.items():
        key = known.get(name)
        usual = key.default if key is not None else None
        number = isinstance(leaf.value, (int, float)) and not leaf.value > 0
        if number and key is not None and "int" in key.type and (usual is None or usual == "???" or _above(usual)):
            return leaf, f"is {leaf.value}, and something is divided by it"
    return None


def _above(value: Any) -> bool:
    return isinstance(value, (int, float)) and value > 0


def _short(text: str) -> str:
    return text if len(text) <= _LONGEST else f"{text[:_LONGEST]} …"


MOST_OF_A_SIZE = 1_000_000
"""GPUs, nodes, prompts and sequences of a run that anybody could start; divisors of such sizes are tried one by one."""
TRAINER = "stage.placement.actor.gpus"
_SIZES = re.compile(
    r"cluster\.(?:nodes|gpus_per_node)|stage\.placement\..*|stage\.batch\.(?:prompts_\w+|responses_\w+|sequences_\w+|passes)"
    r"|stage\.batch\.micro\.\w*sequences\w*"
)

_PARALLEL = re.compile(r"\.(?:tp|pp|cp|sp|dp)\Z")


def refuse_sizes(reading: Reading) -> None:
    """Raises UnreadableError, with the place, for a size that no run has, and for what is no number at all."""
    for path, value in reading.values.items():
        if isinstance(value, float) and isnan(value):
            raise _of_size(reading, path, "is no number")
        if not isinstance(value, (int, float)) or not _SIZES.fullmatch(path):
            continue
        if value > MOST_OF_A_SIZE:
            raise _of_size(reading, path, f"would be {value:.6g}, and no run has more than {MOST_OF_A_SIZE:,}")
        given = any(map(reading.written, reading.origins[path].keys)) if path in reading.origins else False
        if given and value < 1 and _PARALLEL.search(path):
            raise _of_size(reading, path, f"would be {value}, and a parallel size is 1 or more")
        if path == TRAINER and given and value <= 0 and reading.values.get("stage.kind") in WITH_ROLLOUTS:
            raise _of_size(reading, path, f"would be {value}, and nothing trains without GPUs")


def _of_size(reading: Reading, path: str, why: str) -> UnreadableError:
    keys = reading.origins[path].keys if path in reading.origins else ()
    cells = (reading.source.cells.get(key) for key in keys)
    leaf = next((cell.leaf for cell in cells if cell is not None and cell.leaf is not None), None)
    if leaf is None:
        return UnreadableError(f"KEY004 {path} {why}")
    span = leaf.place.span
    message = f"KEY004 {leaf.key}={leaf.value}: {path.removeprefix('stage.')} {why}"
    return UnreadableError(message, file=leaf.place.file, line=span.line, col=span.col)
