"""What a command makes of a file."""

from __future__ import annotations

from rftconf.base.record import record
from rftconf.base.span import Place
from rftconf.text.shell.values import Word


@record
class Written:
    """What one command makes of a file; `text` is None where that is not followed, and `why` says which command."""

    path: Word
    text: Word | None
    why: str
    place: Place
    conditions: tuple[str, ...]
    folder: object
    """Stands for the working directory; ANYWHERE where the path does not depend on it."""
