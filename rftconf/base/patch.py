"""Changes to a text by span: everything outside the spans stays byte for byte."""

from __future__ import annotations

from collections.abc import Iterable

from rftconf.base.record import record
from rftconf.base.span import Span


@record
class Patch:
    """Put `text` where `span` is; an empty span inserts."""

    span: Span
    text: str


class OverlappingPatchesError(ValueError):
    """Two patches change the same characters."""


def apply(text: str, patches: Iterable[Patch]) -> str:
    """`text` with all `patches` made. Insertions at one offset keep their order.

    Raises OverlappingPatchesError, and ValueError for a span outside the text.
    """
    ordered = sorted(patches, key=lambda patch: (patch.span.start, patch.span.end))
    pieces: list[str] = []
    position = 0
    for patch in ordered:
        start, end = patch.span.start, patch.span.end
        if not 0 <= start <= end <= len(text):
            raise ValueError(f"a patch of characters {start} to {end} lies outside a text of {len(text)}")
        if start < position:
            raise OverlappingPatchesError(f"two patches change line {patch.span.line}, column {patch.span.col}")
        pieces += (text[position:start], patch.text)
        position = end
    pieces.append(text[position:])
    return "".join(pieces)
