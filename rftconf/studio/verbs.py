"""The questions that a page may ask: the server knows their names, the processes that answer know the functions."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from rftconf.service.workers import Reply

NAMES = (
    *("convert", "ledger", "bundle", "check", "fix", "budget", "front", "apply"),
    *("diff", "keys", "explain", "new", "start"),
)


def load_answers() -> Reply:
    """Load what answers the page, and warm it up: in a process of its own, never in the server's."""
    from rftconf.studio import answers

    answers.warm_up()
    return answers.answer
