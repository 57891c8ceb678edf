"""A file that a command of the script writes is known by its path, its text and the conditions of the command."""

from __future__ import annotations

from rftconf.base.record import record
from rftconf.base.span import Place
from rftconf.text.shell.values import Word


@record
class Written:
    """A file as one command writes it; `text` is None where that is not followed, and `why` names the command."""

    path: Word
    text: Word | None
    why: str
    place: Place
    conditions: tuple[str, ...]
    folder: object
    """Stands for the working directory; ANYWHERE where the path does not depend on it."""
