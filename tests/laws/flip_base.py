"""What a base is."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any


@dataclass(frozen=True)
class Base:
    """A config to flip keys in; `trainer` is veRL's variant, `since` the first release it is legal in."""

    name: str
    flat: dict[str, Any] = field(hash=False, compare=False)
    trainer: str = ""
    since: str = "0.0.0"
