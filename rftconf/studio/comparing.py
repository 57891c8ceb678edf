"""Compare: two configs side by side in the plan's terms."""

from __future__ import annotations

from typing import Any

from rftconf.base.errors import RftconfError, UsageError
from rftconf.diff.as_json import comparison_json
from rftconf.diff.compare import compare
from rftconf.diff.sides import Side, side
from rftconf.load.load import load
from rftconf.schemas import registry
from rftconf.studio.asked import Asked
from rftconf.studio.places import source_lines


def diff(asked: Asked) -> dict[str, Any]:
    """The comparison, and where each side says what it says. Raises UsageError naming the side that cannot be read."""
    sides = asked.parts("sides")
    if len(sides) != 2:
        raise UsageError("two configs are compared")
    a, b = (_side(one, letter, asked) for one, letter in zip(sides, "AB", strict=True))
    return {
        **comparison_json(compare(a[0], b[0])),
        "titles": [_title(a[0]), _title(b[0])],
        "places": [a[1], b[1]],
    }


def _side(one: Asked, letter: str, asked: Asked) -> tuple[Side, dict[str, list[int]]]:
    how = one.reading()
    try:
        document = one.document()
        loaded = load(
            document, framework=how.framework, release=how.release, rows=asked.whole("rows"), assume=one.assumptions()
        )
    except RftconfError as error:
        raise UsageError(f"{letter}: {error}") from error
    return side(document.name, loaded), source_lines(document)


def _title(one: Side) -> str:
    return f"{registry.framework(one.framework).title} {one.release}"
