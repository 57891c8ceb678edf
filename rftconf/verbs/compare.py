"""Opens the two sides of a comparison."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

from rftconf.base.errors import UsageError

if TYPE_CHECKING:
    from rftconf.diff.effects import Effect
    from rftconf.load.loaded import Loaded
    from rftconf.metrics.overlay import Overlay
    from rftconf.verbs.read_arguments import Reading

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class CompareRequest:
    """The options about both files; `own` gives the variables of each."""

    bound: list[str] | None = None
    let_in: list[str] | None = None
    args: str | None = None
    sources: list[Path] | None = None
    rows: int | None = None
    assume: list[str] | None = None
    own: tuple[list[str] | None, list[str] | None] = (None, None)


def each_side(
    request: CompareRequest,
    frameworks: Sequence[str] | None,
    releases: Sequence[str] | None,
    launches: Sequence[int] | None,
    bases: Sequence[Path] | None,
) -> tuple[Reading, Reading]:
    """Return the options for reading each of the two. Raises UsageError for one given three times or meaningless."""
    from rftconf.verbs.read_arguments import reading

    names = _twice(frameworks, "--from")
    numbers = _twice(releases, "--from-release")
    launch, base = _twice(launches, "--launch"), _twice(bases, "--base")
    bound = [[*(request.bound or ()), *(own or ())] for own in request.own]
    reading_a, reading_b = (
        reading(
            names[index],
            numbers[index],
            bound[index],
            request.let_in,
            request.args,
            launch[index],
            base[index],
            request.sources,
        )
        for index in (0, 1)
    )
    return reading_a, reading_b


def _twice(values: Sequence[T] | None, option: str) -> tuple[T | None, T | None]:
    """Return an option's values for A and B; it is given once for both or once for each. Raises UsageError for more."""
    if not values:
        return None, None
    if len(values) > 2:
        raise UsageError(f"{option} is given {len(values)} times: once for both files, or once for each")
    return values[0], values[-1]


def effects_named(only: Sequence[str] | None) -> tuple[Effect, ...]:
    """Return the effects that `--only` names, or all of them. Raises UsageError for a word that is no effect."""
    from rftconf.diff.effects import Effect

    unknown = [word for word in only or () if word not in list(Effect)]
    if unknown:
        raise UsageError(f"--only {unknown[0]}: known are {', '.join(Effect)}")
    return tuple(effect for effect in Effect if not only or effect in only)


def refuse_two_inputs(a: str, b: str) -> None:
    """Raises UsageError where both sides are standard input."""
    if a == b == "-":
        raise UsageError("both sides are -: standard input can be read once")


def open_run(name: str, how: Reading, request: CompareRequest, *, quiet: bool, color: str) -> Loaded | None:
    """Understand a file as a run; None where it cannot be read, which is then said."""
    from rftconf.verbs import output as out
    from rftconf.verbs.open_input import understood
    from rftconf.verbs.read_arguments import assumptions

    assumed, screen = assumptions(request.assume), out.report_screen(color)
    return understood(name, how, screen, rows=request.rows, assume=assumed, quiet=quiet, named=True)


def overlay_of(files: Sequence[Path], runs: Sequence[Loaded]) -> Overlay:
    """Lay the curves of two runs over each other. Raises UsageError or UnreadableError for a file that has none."""
    from rftconf.load.load import main_stage
    from rftconf.metrics.curves import RunClock, curves_of
    from rftconf.metrics.log_lines import MOST_BYTES
    from rftconf.metrics.overlay import lay_over
    from rftconf.schemas import registry
    from rftconf.text.source import open_source

    curves = []
    for file, run in zip(files, runs, strict=True):
        opened = open_source(file, MOST_BYTES)
        clock = RunClock.of(main_stage(run).reading, run.document.name)
        curves.append(curves_of(opened.text, opened.name, registry.framework(run.framework).family, clock))
    return lay_over(*curves)
