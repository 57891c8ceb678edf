"""A document has to meet these conditions before it is read as a plan; else it is refused with the reason."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import NoReturn

from rftconf.base.diagnostics import Diagnostic
from rftconf.base.errors import RefusedError, UnreadableError
from rftconf.schemas import own_keys, registry
from rftconf.schemas.guess import Guess
from rftconf.text.document import Document, Leaf
from rftconf.text.launch.programs import main_of


@contextmanager
def missing_file_first(document: Document) -> Iterator[None]:
    """An error inside names the missing base file first: it may follow from what that file holds."""
    try:
        yield
    except (UnreadableError, RefusedError) as error:
        if document.missing:
            first = document.missing[0]
            error.message = f"{first.message} ({first.help}). With what is here: {error.message}"
        raise


def refuse_unreadable(document: Document) -> None:
    """Raise UnreadableError with the first of the document's errors, or where it holds nothing."""
    errors = document.unreadable_whole
    if errors:
        refuse_for(errors, document)
    if not document.leaves:
        raise UnreadableError("there is no config in this file", file=document.name)


def refuse_for(errors: Sequence[Diagnostic], document: Document) -> NoReturn:
    """Raise UnreadableError with the first of the errors."""
    first = errors[0]
    span = first.place.span if first.place else None
    more = f" (and {len(errors) - 1} more)" if len(errors) > 1 else ""
    file = first.place.file if first.place else document.name
    raise UnreadableError(
        f"{first.code} {first.message}{more}", file=file, line=span.line if span else 0, col=span.col if span else 0
    )


def refuse_unlike(document: Document, guess: Guess) -> None:
    """A file without a launch has to show a key that the framework really has: what it lets pass is no sign."""
    keys = [leaf.key for leaf in document.leaves]
    program = document.launch.program if document.launch else ""
    if main_of(program) is not None or own_keys.knows(guess, keys, 1):
        return
    unread = registry.framework(guess.framework).unread_sections
    if any(key.split(".")[0] in unread for key in keys):
        return
    raise UnreadableError(f"KEY000 {own_keys.unlike(keys)}; say what it is for with --from", file=document.name)


def refuse_part(document: Document, guess: Guess) -> None:
    """A file of a config group: the keys of one section, written without it."""
    keys = [leaf.key for leaf in document.leaves]
    title, section = ("", "") if document.launch is not None else own_keys.section_of(guess, keys)
    if section:
        raise RefusedError(
            f"this file is a part of a config: its keys are those of {title}'s section {section}, written without it",
            choices=("convert the launch script, or the config that takes this file in",),
        )


def refuse_older_configs(guess: Guess, leaves: Mapping[str, Leaf]) -> None:
    """Sections that only a config of another kind has: its keys mean something else."""
    known = registry.framework(guess.framework)
    refused = ((key, why) for key in leaves if (why := known.unread_sections.get(key.split(".")[0])))
    for key, why in refused:
        raise RefusedError(f"{key} is not read: {why}", choices=(known.instead,))
