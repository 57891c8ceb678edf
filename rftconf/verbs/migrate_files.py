"""Migrates files one by one: reads, changes, says what was done, writes."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from rftconf.base.errors import RefusedError, RftconfError, UsageError
from rftconf.text.source import Source, open_source
from rftconf.verbs import failure
from rftconf.verbs import output as out
from rftconf.verbs.find_files import Candidate, candidates
from rftconf.verbs.open_input import read_source, report_guess
from rftconf.verbs.read_arguments import Reading

if TYPE_CHECKING:
    from rftconf.migrate.migrate import Migration
    from rftconf.text.document import Document

_BOM = "\ufeff"


@dataclass(frozen=True, slots=True)
class Wanted:
    """What the command line asked for."""

    files: tuple[str, ...]
    to: str
    how: Reading
    rows: int | None
    assume: Mapping[str, str]
    diff: bool
    check: bool
    on_loss: str
    output: Path | None
    verbose: bool
    json: bool
    quiet: bool
    color: str


def run(wanted: Wanted) -> int:
    """All files; the exit code is the worst of theirs."""
    found = candidates(wanted.files)
    if wanted.output is not None and len(found) != 1:
        raise UsageError(f"-o is for one file; {len(found)} are named")
    if not found:
        raise UsageError("there is no script or YAML file in what is named")
    if len(found) == 1 and found[0].named:  # an error is then the command's own
        code, said = _migrate_one(found[0], wanted)
        said_of = [said]
    else:
        each = [_guarded(one, wanted) for one in found]
        code = max(code for code, _ in each)
        said_of = [said for _, said in each if said is not None]
        if not said_of:
            raise UsageError(f"none of {len(found)} files is a config that release {wanted.to} could be written for")
    if wanted.json:
        out.product_json(said_of[0] if len(found) == 1 and said_of else {"version": 1, "files": said_of})
    return code


def _guarded(one: Candidate, wanted: Wanted) -> tuple[int, dict[str, Any] | None]:
    """One of several files: its error is said and the others go on; what a folder holds beside configs is passed over."""
    try:
        return _migrate_one(one, wanted)
    except RftconfError as error:
        if not one.named and not isinstance(error, RefusedError):
            return 0, None
        failure.exit_code(error)
        return error.exit_code, {"file": one.path, "error": str(error)}


def _migrate_one(one: Candidate, wanted: Wanted) -> tuple[int, dict[str, Any]]:
    from rftconf.migrate.as_text import migration_json, migration_text
    from rftconf.migrate.migrate import Asked, migrate

    source, how = open_source(one.path), replace(wanted.how, followed={})
    asked = Asked(wanted.to, how.framework, how.release, how.launch, wanted.rows, wanted.assume)
    done = migrate(source.text, lambda text, launch: _read(source, text, one.path, how, launch), asked)
    refused = not done.faithful and wanted.on_loss == "error"
    screen = out.report_screen(wanted.color)
    if refused or not wanted.quiet:
        report_guess(done.found, how, screen, name=done.document.name if len(wanted.files) > 1 else "")
        out.report(migration_text(done, screen, full=wanted.verbose))
    said = migration_json(done, diff=wanted.diff)
    code = _give(done, source, one, wanted, refused=refused)
    if refused:
        out.report("rftconf: refused, and nothing written: see what is lost above\n  possible: --on-loss warn\n")
        return RefusedError.exit_code, said
    return code, said


def _read(source: Source, text: str, path: str, how: Reading, launch: int | None) -> Document:
    return read_source(replace(source, text=text), path, replace(how, launch=launch))


def _give(done: Migration, source: Source, one: Candidate, wanted: Wanted, *, refused: bool) -> int:
    """Print the difference, or write the file."""
    from rftconf.migrate.as_text import difference_text

    if wanted.diff and not wanted.json:
        out.product(difference_text(done))
    if wanted.diff or wanted.check or refused:
        return int(wanted.check and done.changed)
    text = (_BOM if source.bom else "") + done.text
    if one.path == "-" or wanted.output is not None:
        if not wanted.json or wanted.output is not None:
            out.product(text, wanted.output)
    elif done.changed:
        out.product(text, Path(one.path), own=True)
    return 0
