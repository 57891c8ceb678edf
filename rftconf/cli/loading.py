"""Opens files for the verbs and says what was wrong with them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from rftconf.cli import output as out
from rftconf.diagnostics import Diagnostic, Severity

if TYPE_CHECKING:
    from rftconf.cli.reading import Reading
    from rftconf.load import Loaded
    from rftconf.report.screen import Screen
    from rftconf.schemas.guess import Guess
    from rftconf.text.document import Document
    from rftconf.text.read import ReadOptions
    from rftconf.text.source import Source


def open_document(source: str, how: Reading) -> Document:
    """Read one file (`-` is standard input). Raises UnreadableError when it cannot be read at all."""
    from rftconf.text.source import open_source

    return read_source(open_source(source), source, how)


def read_source(opened: Source, path: str, how: Reading) -> Document:
    """Read a text that was opened at `path`. Raises UnreadableError for another file that it needs."""
    from rftconf.text.read import read
    from rftconf.text.source import open_source

    options = read_options(how)
    found = read(opened, options)
    beside = named_beside(path, found) if how.base is None else None
    if beside is None:
        return found
    name, file = beside
    return read(opened, replace(options, sources={**options.sources, name: open_source(file).text}))


def read_again(name: str, text: str, how: Reading) -> Document:
    """Read a text that a file would become, with the same options."""
    from rftconf.text.read import read
    from rftconf.text.source import from_bytes

    return read(from_bytes(name, text.encode()), read_options(how))


def read_options(how: Reading) -> ReadOptions:
    """What the reader may know beyond the text. Raises UnreadableError for a file that cannot be read."""
    from rftconf.text.read import ReadOptions
    from rftconf.text.source import open_source

    return ReadOptions(
        bindings=how.bindings,
        args=how.args,
        environment=how.environment,
        launch=how.launch,
        base=None if how.base is None else open_source(how.base),
        sources={str(path): open_source(path).text for path in how.sources},
    )


_FOLDERS_ABOVE = 6
"""Scripts name their config as seen from the root of a checkout; how many folders above a script are tried."""


def named_beside(source: str, document: Document) -> tuple[str, Path] | None:
    """The config that a script names and that lies beside it, or below a folder above it in its checkout.

    Never an absolute path, nor what a link leads to elsewhere.
    """
    from rftconf.text.beside import is_below

    named = document.launch.options.get("config-file") if document.launch is not None else None
    if source == "-" or not isinstance(named, str) or Path(named).is_absolute() or ".." in Path(named).parts:
        return None
    folder = Path(source).resolve().parent
    for place in (folder, *folder.parents)[:_FOLDERS_ABOVE]:
        try:
            if is_below(place / named, place / "_", 0):
                return named, place / named
        except (OSError, ValueError):
            return None
        if (place / ".git").exists():
            break
    return None


def understood(
    source: str,
    how: Reading,
    screen: Screen,
    *,
    rows: int | None,
    assume: Mapping[str, str] | None = None,
    quiet: bool,
    named: bool = False,
) -> Loaded | None:
    """A file with its plan, and what there is to say of it (with its name, where several are read); None where an error
    makes it unreadable, which is said even to the quiet."""
    from rftconf.load import load

    document = open_document(source, how)
    if not document.readable:
        report_document(document, screen)
        return None
    loaded = load(document, framework=how.framework, release=how.release, rows=rows, assume=assume)
    if quiet:
        report_unread(document)
    else:
        report_document(document, screen, more=loaded.diagnostics)
        report_guess(loaded.guess, how, screen, name=document.name if named else "")
    return loaded


def report_guess(found: Guess, how: Reading, screen: Screen, *, name: str = "") -> None:
    """Say what a file (its `name`, where there are several) was taken for, and why, unless that was asked for by name."""
    from rftconf.schemas.registry import framework

    if how.framework and how.release:
        return
    title = f"{framework(found.framework).title} {found.release}"
    lead = f"{f'{name} ' if name else ''}read as {title}, guessed: "
    why = "; ".join(found.reasons[:2])
    first, *rest = screen.wrap(f"{lead}{why} (name another with --from-release)", 0)
    out.report("".join(f"{line}\n" for line in (first, *rest)) + "\n")


def report_unread(document: Document) -> None:
    """One line for each argument of the command whose keys are not known: also to the quiet."""
    for one in document.unread:
        out.report(f"rftconf: warning: an argument is not read ({one.place}): {one.why}\n")


def report_document(document: Document, screen: Screen, *, more: Iterable[Diagnostic] = ()) -> None:
    """Print the errors and warnings about a file to standard error; notes are for `check` and `--json`.

    A value given by hand that has no effect is a warning to whoever gave it.
    """
    from rftconf.report.diagnostics import diagnostics_text

    found = list(dict.fromkeys((*document.diagnostics, *more)))
    found = [replace(d, severity=Severity.WARNING) if d.code == "SYN160" else d for d in found]
    serious = [d for d in found if d.severity is not Severity.INFO]
    if serious:
        out.report(diagnostics_text(serious, {document.name: document.text}, screen) + "\n")
