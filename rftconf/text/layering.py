"""One config on top of another."""

from __future__ import annotations

from rftconf.text.document import Leaf


def on_top(base: tuple[Leaf, ...], leaves: tuple[Leaf, ...]) -> tuple[Leaf, ...]:
    """`leaves` after those of `base` that they do not replace as a whole."""
    whole = {leaf.key for leaf in leaves}
    return (*(leaf for leaf in base if not _replaced(leaf.key, whole)), *leaves)


_WHOLLY = "._override_"
"""NeMo-RL's mark of a section that stands for the one below it (nemo_rl/utils/config.py: merge_with_override)."""


def on_file(base: tuple[Leaf, ...], leaves: tuple[Leaf, ...]) -> tuple[Leaf, ...]:
    """A file's `leaves` on top of another file's: a list, and a section that says so, has nothing of the one below it."""
    marks = {leaf.key for leaf in leaves if leaf.key.endswith(_WHOLLY) and leaf.key.count(".") == 1 and leaf.value}
    starts = tuple(key.removesuffix(_WHOLLY) + "." for key in marks)
    lists = {leaf.key.partition("[")[0] for leaf in leaves if "[" in leaf.key}
    below = (leaf for leaf in base if not leaf.key.startswith(starts) and leaf.key.partition("[")[0] not in lists)
    return on_top(tuple(below), tuple(leaf for leaf in leaves if leaf.key not in marks))


def _replaced(key: str, whole: set[str]) -> bool:
    """A plain value at `a.b` replaces a base's `a.b.c`; the same key stays, for it loses by order."""
    ends = [index for index, char in enumerate(key) if char in ".["]
    return any(key[:end] in whole for end in ends)
