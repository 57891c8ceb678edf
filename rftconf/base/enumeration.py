"""Lists of words in sentences: the first of them by name, and how many others there are."""

from __future__ import annotations

from collections.abc import Sequence


def enumerate_words(words: Sequence[str], most: int) -> str:
    """Return `a, b and 3 more`: at most `most` words by name."""
    more = f" and {len(words) - most} more" if len(words) > most else ""
    return f"{', '.join(words[:most])}{more}"
