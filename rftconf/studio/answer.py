"""An answer of the studio, as its processes send it."""

from __future__ import annotations

from typing import NamedTuple


class Answer(NamedTuple):
    """An answer as the page gets it."""

    status: int
    body: bytes
    kind: str = "application/json"
