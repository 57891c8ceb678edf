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
class MigrateRequest:
    """The options of `rftconf migrate`, as the command line has them."""

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


def run(request: MigrateRequest) -> int:
    """Migrate all files and return the worst of their exit codes."""
    configs = candidates(request.files)
    if request.output is not None and len(configs) != 1:
        raise UsageError(f"-o is for one file; {len(configs)} are named")
    if not configs:
        raise UsageError("there is no script or YAML file in what is named")
    if len(configs) == 1 and configs[0].named:  # an error is then the command's own
        code, reply = _migrate_one(configs[0], request)
        replies = [reply]
    else:
        each = [_guarded(candidate, request) for candidate in configs]
        code = max(code for code, _ in each)
        replies = [reply for _, reply in each if reply is not None]
        if not replies:
            raise UsageError(f"none of {len(configs)} files is a config that release {request.to} could be written for")
    if request.json:
        out.product_json(replies[0] if len(configs) == 1 and replies else {"version": 1, "files": replies})
    return code


def _guarded(candidate: Candidate, request: MigrateRequest) -> tuple[int, dict[str, Any] | None]:
    """One of several files: its error is said and the others go on; what a folder holds beside configs is passed over."""
    try:
        return _migrate_one(candidate, request)
    except RftconfError as error:
        if not candidate.named and not isinstance(error, RefusedError):
            return 0, None
        failure.exit_code(error)
        return error.exit_code, {"file": candidate.path, "error": str(error)}


def _migrate_one(candidate: Candidate, request: MigrateRequest) -> tuple[int, dict[str, Any]]:
    from rftconf.migrate.as_text import migration_json, migration_text
    from rftconf.migrate.migrate import MigrationRequest, migrate

    source, how = open_source(candidate.path), replace(request.how, followed={})
    migration_request = MigrationRequest(
        request.to, how.framework, how.release, how.launch, request.rows, request.assume
    )
    done = migrate(
        source.text, lambda text, launch: _read(source, text, candidate.path, how, launch), migration_request
    )
    refused = not done.faithful and request.on_loss == "error"
    screen = out.report_screen(request.color)
    if refused or not request.quiet:
        report_guess(done.found, how, screen, name=done.document.name if len(request.files) > 1 else "")
        out.report(migration_text(done, screen, full=request.verbose))
    reply = migration_json(done, diff=request.diff)
    code = _give(done, source, candidate, request, refused=refused)
    if refused:
        out.report("rftconf: refused, and nothing written: see what is lost above\n  possible: --on-loss warn\n")
        return RefusedError.exit_code, reply
    return code, reply


def _read(source: Source, text: str, path: str, how: Reading, launch: int | None) -> Document:
    return read_source(replace(source, text=text), path, replace(how, launch=launch))


def _give(done: Migration, source: Source, candidate: Candidate, request: MigrateRequest, *, refused: bool) -> int:
    """Print the difference, or write the file."""
    from rftconf.migrate.as_text import difference_text

    if request.diff and not request.json:
        out.product(difference_text(done))
    if request.diff or request.check or refused:
        return int(request.check and done.changed)
    text = (_BOM if source.bom else "") + done.text
    if candidate.path == "-" or request.output is not None:
        if not request.json or request.output is not None:
            out.product(text, request.output)
    elif done.changed:
        out.product(text, Path(candidate.path), own=True)
    return 0
