"""The launches of a file that are migrated together, each read by itself."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

from rftconf.base.errors import RftconfError, UsageError
from rftconf.load.load import load
from rftconf.load.loaded import Loaded
from rftconf.migrate.remembered import Remembered
from rftconf.schemas import registry
from rftconf.text.document import Document
from rftconf.text.launch.programs import main_of

MOST_LAUNCHES, _MOST_READ = 20, 400_000
"""Launches of one script that are migrated together, and characters that are read for them: each is read by itself."""


@dataclass(frozen=True, slots=True)
class MigrationRequest:
    """A caller's request: the release, and its knowledge of the source."""

    to: str
    framework: str | None = None
    release: str | None = None
    launch: int | None = None
    rows: int | None = None
    assume: Mapping[str, str] | None = None


def launches_of(
    text: str, read: Remembered, request: MigrationRequest
) -> tuple[list[tuple[int | None, Loaded]], list[str]]:
    """Every launch of the file that starts the framework of the one that is read by itself."""
    first = read(text, request.launch)
    if first.is_plan:
        raise UsageError(f"{first.name} is a plan, which belongs to no release: rftconf convert writes it for one")
    chosen = _load(first, request)
    if request.launch is not None or len(first.launches) < 2:
        return [(request.launch, chosen)], []
    family = registry.framework(chosen.framework).family
    known = replace(request, release=chosen.release)
    runs: list[tuple[int | None, Loaded]] = []
    notes = list[str]()
    most = max(1, min(MOST_LAUNCHES, _MOST_READ // len(text)))
    if len(first.launches) > most:
        notes.append(f"the launches after the first {most} are left: migrate each with --launch N")
    for number, launch in enumerate(first.launches[:most], 1):
        main = main_of(launch.program)
        if first.launch is not None and launch.place == first.launch.place:
            runs.insert(0, (number, chosen))
        elif main is not None and main.framework == family:
            try:
                runs.append((number, _load(read(text, number), replace(known, framework=None))))
            except RftconfError as error:
                notes.append(f"launch {number} (line {launch.place.span.line}: {launch.program}) is left: {error}")
    return runs, notes


def _load(document: Document, request: MigrationRequest) -> Loaded:
    return load(
        document, framework=request.framework, release=request.release, rows=request.rows, assume=request.assume
    )
