"""One config on top of another."""

from __future__ import annotations

from rftconf.text.document import Leaf


def on_top(base: tuple[Leaf, ...], leaves: tuple[Leaf, ...]) -> tuple[Leaf, ...]:
    """`leaves` after those of `base` that they do not replace as a whole."""
    whole = {leaf.key for leaf in leaves}
    return (*(leaf for leaf in base if not _replaced(leaf.key, whole)), *leaves)


def _replaced(key: str, whole: set[str]) -> bool:
    """A plain value at `a.b` replaces a base's `a.b.c`; the same key stays, for it loses by order."""
    ends = [index for index, char in enumerate(key) if char in ".["]
    return any(key[:end] in whole for end in ends)
