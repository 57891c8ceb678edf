"""Writes what a conversion gave: a config or several, the ledger, the adapters, the certificate."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from shlex import quote as quoted
from typing import TYPE_CHECKING, Any

from rftconf.base.errors import UsageError
from rftconf.verbs import output as out

if TYPE_CHECKING:
    from rftconf.base.diagnostics import Diagnostic
    from rftconf.base.ledger import Ledger
    from rftconf.convert.convert import Conversion
    from rftconf.convert.stage_series import Series
    from rftconf.report.screen import Screen
    from rftconf.verbs.convert_many import Job


@dataclass(frozen=True, slots=True)
class Written:
    """The places where a conversion's files go."""

    source: str
    output: Path | None
    ledger: Path | None
    adapters: Path | None
    certify: bool
    as_json: bool


def write_conversion(
    source: str, output: Path | None, ledger: Path | None, adapters: Path | None, *, certify: bool, as_json: bool
) -> Written:
    """Raises UsageError for an output in the place of the source, and for a certificate without files to speak of."""
    for file in (output, ledger):
        if file is not None and file.is_file() and Path(source).is_file() and file.samefile(source):
            raise UsageError(f"{file} is the source itself: write to another file (rftconf migrate rewrites a file)")
    if certify:
        from rftconf.verbs.certify import refuse

        refuse(source, output)
    return Written(source, output, ledger, adapters, certify, as_json)


def single(done: Conversion, to: Written, job: Job, screen: Screen, *, quiet: bool = False) -> int:
    """One run as one config. A certificate is written last, and made before anything is written."""
    from rftconf.report.ledger import ledger_json
    from rftconf.verbs.check_own_output import errors_in
    from rftconf.verbs.convert_many import code_of

    name = f"converted{done.file_suffix}" if to.output is None else str(to.output)
    wrong = errors_in(name, done.text, done.ledger, job.gpu)
    code = code_of(done.ledger, wrong, job.on_loss)
    failed = bool(code)
    claim = None if failed or not to.certify else _claim(done, to, job)
    _say_wrong(wrong, {name: done.text}, screen)
    if to.ledger is not None:
        out.product_json(ledger_json(done.ledger), to.ledger)
    if to.as_json:
        out.product_json(_json(done, wrong, written=not failed))
    if failed:
        _say_unwritten(code, done.ledger, wrong)
        return code
    if to.adapters is not None:
        from rftconf.convert.adapters.folder import write

        write(to.adapters, done.adapters)
    if to.output is not None or not to.as_json:
        out.product(done.text, to.output, executable=done.file_suffix == ".sh")
    if claim is not None:
        out.product(claim[1], claim[0])
    if not quiet:
        out.report(_next(done, to, job))
    return code


def _next(done: Conversion, to: Written, job: Job) -> str:
    """Return lines with the config's path and the next command; none for a whole config on standard output."""
    open_count = len(done.ledger.decisions)
    again = f"rftconf convert {quoted(to.source)} --to {job.target} --questions answers.yaml"
    lines = [f"written to {to.output}"] if to.output is not None else []
    if open_count:
        lines.append(f"to answer all {open_count} at once: {again}" if open_count > 1 else f"to answer: {again}")
    elif to.output is not None:
        lines.append(f"next: rftconf check {quoted(str(to.output))}")
    return "".join(f"{line}\n" for line in lines)


def series(done: Series, to: Written, folder: Path, job: Job, screen: Screen, *, quiet: bool, full: bool) -> int:
    """A staged run as several files in a folder."""
    from rftconf.report.diagnostics import diagnostics_json
    from rftconf.report.ledger import ledger_json, ledger_text
    from rftconf.verbs import convert_many as many

    conversion = many.made_of_series(done, job, folder)
    account, files = conversion.ledger, conversion.files
    code = many.code_of(account, conversion.errors, job.on_loss)
    failed = bool(code)
    claim = None if failed or not to.certify else _claim_series(to, folder, job)
    if not quiet:
        out.report(ledger_text(account, screen, full=full))
        out.report("\n" if failed else "\nwritten, in this order: " + ", ".join(str(path) for path, _ in files) + "\n")
    _say_wrong(conversion.errors, {str(path): text for path, text in files}, screen)
    if to.ledger is not None:
        out.product_json(ledger_json(account), to.ledger)
    if to.as_json:
        texts = {path.name: text for path, text in files}
        content = {"files": None if failed else texts, "ledger": ledger_json(account)}
        out.product_json({**content, "check": diagnostics_json(conversion.errors)})
    if failed:
        _say_unwritten(code, account, conversion.errors)
        return code
    many.write([*files, *([claim] if claim is not None else [])])
    return 0


def _claim(done: Conversion, to: Written, job: Job) -> tuple[Path, str]:
    """The certificate of one config: where it goes, and its text."""
    from rftconf.verbs.certify import Part, certificate_path, certify

    assert to.output is not None
    path = certificate_path(to.output, folder=False)
    parts = [Part(to.output, done.text)]
    parts += [Part((to.adapters or Path()) / name, text, name, config=False) for name, text in done.adapters.items()]
    return path, certify(path, to.source, job, parts, several=False)


def _claim_series(to: Written, folder: Path, job: Job) -> tuple[Path, str]:
    """The certificate of a staged run, in its folder."""
    from rftconf.verbs.certify import certificate_path, certify

    path = certificate_path(folder, folder=True)
    return path, certify(path, to.source, job, (), several=True)


def _say_wrong(wrong: Sequence[Diagnostic], texts: Mapping[str, str], screen: Screen) -> None:
    """Show the errors in what was converted, each at its line: also to the quiet."""
    from rftconf.report.diagnostics import diagnostics_text

    if wrong:
        out.report(diagnostics_text(wrong, texts, screen) + "\n")


def _say_unwritten(code: int, ledger: Ledger, wrong: Sequence[Diagnostic]) -> None:
    from rftconf.verbs.convert_many import REFUSED, why_not_written

    option = "--on-loss allow writes it all the same" if code == REFUSED else "--on-loss error"
    out.report(f"rftconf: {why_not_written(code, ledger, wrong)}; nothing was written ({option})\n")


def _json(done: Conversion, wrong: Sequence[Diagnostic], *, written: bool) -> dict[str, Any]:
    from rftconf.report.diagnostics import diagnostics_json
    from rftconf.report.ledger import ledger_json

    return {
        "text": done.text if written else None,
        "adapters": dict(done.adapters) if written else {},
        "ledger": ledger_json(done.ledger),
        "diagnostics": diagnostics_json(done.diagnostics),
        "check": diagnostics_json(wrong),
    }
