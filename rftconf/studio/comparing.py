"""Compare: two configs side by side in the plan's terms."""

from __future__ import annotations

from typing import Any

from rftconf.base.errors import RftconfError, UsageError
from rftconf.diff.as_json import comparison_json
from rftconf.diff.compare import compare
from rftconf.diff.sides import Side, side
from rftconf.load.load import load
from rftconf.schemas import registry
from rftconf.studio.places import source_lines
from rftconf.studio.request import StudioRequest


def diff(request: StudioRequest) -> dict[str, Any]:
    """The comparison, and where each side says what it says. Raises UsageError naming the side that cannot be read."""
    sides = request.parts("sides")
    if len(sides) != 2:
        raise UsageError("two configs are compared")
    a, b = (_side(part, letter, request) for part, letter in zip(sides, "AB", strict=True))
    return {
        **comparison_json(compare(a[0], b[0])),
        "titles": [_title(a[0]), _title(b[0])],
        "places": [a[1], b[1]],
    }


def _side(part: StudioRequest, letter: str, request: StudioRequest) -> tuple[Side, dict[str, list[int]]]:
    how = part.reading()
    try:
        document = part.document()
        loaded = load(
            document,
            framework=how.framework,
            release=how.release,
            rows=request.whole("rows"),
            assume=part.assumptions(),
        )
    except RftconfError as error:
        raise UsageError(f"{letter}: {error}") from error
    return side(document.name, loaded), source_lines(document)


def _title(compared: Side) -> str:
    return f"{registry.framework(compared.framework).title} {compared.release}"
