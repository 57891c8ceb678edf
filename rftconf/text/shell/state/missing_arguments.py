"""Arguments of a script that nobody gave and that it cannot do without."""

from __future__ import annotations

import re

from rftconf.base.symbols import ShellOnly
from rftconf.text.shell.parse.nodes import Param, WordNode
from rftconf.text.shell.state.machine import WordExpander
from rftconf.text.shell.state.state import Shell
from rftconf.text.shell.values import Word

_REPLACING = ("-", "=", "+")
"""Operators that say what counts where an argument is missing, so that `set -u` does not stop at it."""
ARGUMENTS = 'give the script its arguments: --args "..."'


def argument(number: str) -> ShellOnly:
    """An argument of the script that somebody has to give."""
    return ShellOnly(f"${{{number}}}", (number,))


def awaited(shell: Shell, part: Param, number: int) -> Word | None:
    """An argument of the script that was not given and that it cannot do without; None for one that may be missing."""
    if any(frame.kind == "function" for frame in shell.frames):
        return None
    number += shell.shifted
    if part.op[-1:] == "?" or ("u" in shell.options and part.op[-1:] not in _REPLACING):
        shell.awaits = True
        message = f"the script stops here unless it is given argument {number}"
        shell.awaits_at = shell.source.place(part.start, part.end)
        shell.say("SYN151", message, part.start, part.end, ARGUMENTS)
    if not shell.awaits:
        return None
    if shell.awaits_at is not None:
        shell.asks.setdefault(str(number), shell.awaits_at)
    value = argument(str(number))
    return Word(value, ((value, part.start, part.end, (), -1),), shell.source, part.start, part.end)


_OPTION = re.compile(r"--[A-Za-z][\w-]*").fullmatch
"""An option that may take its value from the next word; one dash is also how `test` writes its operators."""


def words_behind(expander: WordExpander, node: WordNode, before: Word | None) -> list[Word]:
    """The arguments that a word becomes behind `before`; an option waits for the argument of the script that is its value.

    Bash drops the empty word of an argument that nobody gave, and takes the option for a switch or the next word for its
    value; whoever starts the script gives it.
    """
    words = expander.words(node)
    if before is None or (words and not (len(words) == 1 and words[0].value == "")):
        return words
    part = node.parts[0] if len(node.parts) == 1 else None
    if not isinstance(before.value, str) or _OPTION(before.value) is None or not isinstance(part, Param) or part.op:
        return words
    piece = expander.piece(part)
    missing = next((word for origin in piece[3] for word in (origin, *origin.lacking()) if word.lacks), None)
    if missing is None:
        return words
    value = argument(missing.lacks)
    return [Word(value, ((value, node.start, node.end, (missing,), -1),), expander.shell.source, node.start, node.end)]
