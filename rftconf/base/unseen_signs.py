"""Signs that nobody sees: they steer a terminal, end a line where none seems to end, or turn the direction of writing."""

from __future__ import annotations

import re

from rftconf.base.errors import UsageError

UNSEEN = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u200e\u200f\u2028-\u202e\u2066-\u2069\ufeff]")


def refuse_unseen(words: list[str]) -> None:
    """Raise UsageError where one of a command's words holds such a sign: it would stand in files and on terminals unseen."""
    for number, word in enumerate(words, 1):
        sign = UNSEEN.search(word)
        if sign is not None:
            raise UsageError(
                f"word {number} of the command holds U+{ord(sign[0]):04X}, which nobody sees; write it without that sign"
            )
