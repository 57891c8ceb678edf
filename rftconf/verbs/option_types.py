"""Words that options take, as types."""

from __future__ import annotations

from typing import Literal, TypeAlias

Colour: TypeAlias = Literal["auto", "always", "never"]


OnLoss: TypeAlias = Literal["error", "warn", "allow"]


Form: TypeAlias = Literal["sh", "yaml", "overrides"]
