"""Keys of older releases alone that a row speaks for all the same."""

from __future__ import annotations

from collections.abc import Iterable

from rftconf.base.record import record
from rftconf.schemas.edits import C, Change


@record
class Lingers:
    """A key of older releases alone that still has a row: the newest shape keeps it, and no newer release is written it."""

    old: str
    why: str

    def touches(self, keys: Iterable[str]) -> frozenset[str]:
        """Return the key where it is there."""
        return frozenset({self.old}.intersection(keys))

    def up(self, flat: dict[str, C]) -> list[Change]:
        """Change nothing: the key is left to its row."""
        del flat
        return []

    def down(self, flat: dict[str, C]) -> list[Change]:
        """Change nothing: the older release has the key."""
        del flat
        return []
