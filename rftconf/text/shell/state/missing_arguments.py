"""Arguments of a script that nobody gave and that it cannot do without."""

from __future__ import annotations

from rftconf.base.symbols import ShellOnly
from rftconf.text.shell.parse.nodes import Param
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
