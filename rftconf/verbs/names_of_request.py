"""Names that a certificate's request may hold: those that the command line takes."""

from __future__ import annotations

from rftconf.base.errors import UnreadableError
from rftconf.certificate.model import Request

LONGEST_KEY, MOST_ITEMS = 500, 1_000
"""Characters of a key that a question is about, and items of a list that it may stand in."""


def refuse_names(request: Request) -> None:
    """Raises UnreadableError for names that the command line would not have taken: no conversion was asked with them."""
    from rftconf.verbs.read_arguments import SETTABLE

    for name in (*request.bindings, *(answer.name for answer in request.answers.values() if answer.to == "set")):
        if not SETTABLE.fullmatch(name):
            raise UnreadableError(f"no certificate of rftconf's: {name!r:.80} is no name that --set takes")
    for answer in request.answers.values():
        if answer.to in ("key", "keep") and not _names_a_key(answer.name):
            raise UnreadableError(f"no certificate of rftconf's: {answer.name!r:.80} is no key")


def _names_a_key(name: str) -> bool:
    """True for a key of a form and size that a question has."""
    from rftconf.text.write.emit_yaml import steps

    if len(name) > LONGEST_KEY:
        return False
    try:
        path = steps(name.replace("[]", "[0]"))  # a question asks once for all items of a list
    except ValueError:
        return False
    return not any(isinstance(step, int) and step >= MOST_ITEMS for step in path)
