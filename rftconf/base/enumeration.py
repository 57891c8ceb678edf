"""Words and counts in sentences: a list by its first words and how many others there are, a number with its noun."""

from __future__ import annotations

from collections.abc import Sequence


def enumerate_words(words: Sequence[str], most: int) -> str:
    """Return `a, b and 3 more`: at most `most` words by name."""
    more = f" and {len(words) - most} more" if len(words) > most else ""
    return f"{', '.join(words[:most])}{more}"


def count_of(number: object, noun: str) -> str:
    """Return a number with its noun, as `1 GPU` and `2 GPUs`; `number` may be a formula."""
    return f"{number} {noun}{'' if str(number) == '1' else 's'}"
