"""Opens files for the verbs and says what was wrong with them."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from rftconf.base.diagnostics import Diagnostic, Severity
from rftconf.verbs import output as out

if TYPE_CHECKING:
    from rftconf.load.loaded import Loaded
    from rftconf.report.screen import Screen
    from rftconf.schemas.guess import Guess
    from rftconf.text.document import Document
    from rftconf.text.read.read_options import ReadOptions
    from rftconf.text.source import Source
    from rftconf.verbs.read_arguments import Reading


def open_document(source: str, how: Reading) -> Document:
    """Read one file (`-` is standard input), or the config that the folder of a run keeps.

    Raises UnreadableError when it cannot be read at all.
    """
    from rftconf.text.source import open_source

    if os.path.isdir(source):  # noqa: PTH112 - Path.is_dir raises for a name that is too long
        from rftconf.load.config_of_run import config_of_run

        source = config_of_run(source)
    return read_source(open_source(source), source, how)


def read_source(opened: Source, path: str, how: Reading) -> Document:
    """Read a text that was opened at `path`. Raises UnreadableError for another file that it needs."""
    from rftconf.load.stock_config import with_stock
    from rftconf.load.wrapped import unwrapped
    from rftconf.text.read.read import read
    from rftconf.text.source import open_source

    options = read_options(how)
    document = unwrapped(read(opened, options))
    if how.base is not None:
        return document
    beside = named_beside(path, document)
    if beside is None:
        return with_stock(path, document)
    name, file = beside
    return with_stock(path, read(opened, replace(options, sources={**options.sources, name: open_source(file).text})))


def read_again(name: str, text: str, how: Reading) -> Document:
    """Read a text that a file would become, with the same options."""
    from rftconf.text.read.read import read
    from rftconf.text.source import from_bytes

    return read(from_bytes(name, text.encode()), read_options(how))


def read_options(how: Reading) -> ReadOptions:
    """Return what the reader may use beyond the text. Raises UnreadableError for a file that cannot be read."""
    from functools import partial

    from rftconf.load.base_files import base_files_of
    from rftconf.text.read.read_options import ReadOptions
    from rftconf.text.source import open_source

    return ReadOptions(
        bindings=how.bindings,
        args=how.args,
        environment=how.environment,
        launch=how.launch,
        base=None if how.base is None else open_source(how.base),
        sources={str(path): open_source(path).text for path in how.sources},
        ships=partial(base_files_of, framework=how.framework, release=how.release),
        followed=how.followed,
    )


def named_beside(source: str, document: Document) -> tuple[str, Path] | None:
    """The config that a script names and that lies beside it, or below a folder above it in its checkout."""
    from rftconf.text.files_beside import in_checkout, in_checkout_of_another

    launch = document.launch
    if source == "-" or launch is None:
        return None
    named = launch.options.get("config-file", launch.unread)
    if not isinstance(named, str):
        return None
    place = in_checkout(source, named)
    if place is not None:
        return named, place
    for name in _below_program(source, launch.program, launch.unread):
        place = in_checkout(source, name)
        if place is not None:
            return _seen_from(source, place), place
    place = in_checkout_of_another(source, named)
    return None if place is None else (_seen_from(source, place), place)


def _below_program(source: str, program: str, name: str) -> tuple[str, ...]:
    """A config as Hydra looks for it: in the folder that the program's code names, below the program's, or, by custom,
    in `config` there."""
    from rftconf.load.program_in_checkout import config_path, main_in_checkout

    own_main = main_in_checkout(source, program)
    folders = (*(() if own_main is None else (own_main.folder,)), "", "config")
    return tuple(config_path(program, folder, name.removesuffix(".yaml")) for folder in folders) if name else ()


def _seen_from(source: str, place: Path) -> str:
    """The path of a file as one would write it who wrote `source`: what the file names in turn is looked for beside it."""
    above = Path(source).parent
    return os.path.normpath(above / os.path.relpath(place, above.resolve()))


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
    from rftconf.load.load import load

    document = open_document(source, how)
    if not document.readable:
        report_unreadable(document, how, screen)
        return None
    loaded = load(document, framework=how.framework, release=how.release, rows=rows, assume=assume)
    if quiet:
        report_unread(document)
    else:
        report_document(document, screen, more=loaded.diagnostics)
        report_guess(loaded.guess, how, screen, name=document.name if named else "")
    return loaded


def report_unreadable(document: Document, how: Reading, screen: Screen) -> None:
    """Print why a file cannot be read. Raises RefusedError where that is because another framework reads it."""
    if how.framework is None:
        from rftconf.schemas.foreign_configs import refuse_foreign

        refuse_foreign(document)
    report_document(document, screen)


def report_guess(guess: Guess, how: Reading, screen: Screen, *, name: str = "") -> None:
    """Report the framework and release that a file was taken for, and why, unless both were asked for by name.
    `name` is the file's, where there are several."""
    from rftconf.schemas.registry import framework

    if how.framework and how.release:
        return
    title = f"{framework(guess.framework).title} {guess.release}"
    if not guess.reasons:  # a plan says it itself
        out.report(f"{f'{name} is a' if name else 'a'} plan, made from {title}\n\n")
        return
    lead = f"{f'{name} ' if name else ''}read as {title}, {guess.confidence}"
    first, *more = screen.wrap(f"{lead} ({guess.why}); --from-release names another", 0)
    out.report("".join(f"{line}\n" for line in (first, *more)) + "\n")


def report_unread(document: Document) -> None:
    """One line for each argument of the command whose keys are not known: also to the quiet."""
    for unread in document.unread:
        out.report(f"rftconf: warning: an argument is not read ({unread.place}): {unread.why}\n")


_ALOUD = frozenset({"SYN521", "SYN523"})
"""Codes of what stands for a text that is not quite what it was taken for: said to everybody, also where all is well."""


def report_document(document: Document, screen: Screen, *, more: Iterable[Diagnostic] = ()) -> None:
    """Print the errors and warnings about a file to standard error; notes are for `check` and `--json`.

    A value given by hand that has no effect is a warning to whoever gave it.
    """
    from rftconf.report.diagnostics import diagnostics_text

    diagnostics = list(dict.fromkeys((*document.diagnostics, *more)))
    diagnostics = [replace(d, severity=Severity.WARNING) if d.code == "SYN160" else d for d in diagnostics]
    for diagnostic in (d for d in diagnostics if d.code in _ALOUD):
        out.report(f"{diagnostic.message}; {diagnostic.help}\n\n")
    serious = [d for d in diagnostics if d.severity is not Severity.INFO]
    if serious:
        out.report(diagnostics_text(serious, {document.name: document.text}, screen) + "\n")
