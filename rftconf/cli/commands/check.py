"""`rftconf check`: what is wrong with configs, by line and column."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Literal

import typer

from rftconf.cli import options

if TYPE_CHECKING:
    from rftconf.cli.files import Candidate
    from rftconf.cli.reading import Reading
    from rftconf.diagnostics import Diagnostic
    from rftconf.text.document import Document


def check(
    files: Annotated[
        list[str], typer.Argument(metavar="FILE…", help="Files, folders or patterns; - is standard input.")
    ],
    from_: options.From = None,
    from_release: options.FromRelease = None,
    set_: options.Set = None,
    env: options.Env = None,
    args: options.Args = None,
    launch: options.Launch = None,
    base: options.Base = None,
    sources: options.Sources = None,
    form: Annotated[
        Literal["text", "concise", "json"], typer.Option("--format", help="How to print findings.")
    ] = "text",
    json: Annotated[bool, typer.Option("--json", help="The same as --format json.")] = False,
    quiet: options.Quiet = False,
    color: options.Color = "auto",
) -> int:
    """Find syntax errors, unknown and misplaced keys, wrong types and duplicates, also inside shell scripts.

    Findings go to standard output. In a folder, files that are no config of a known framework are passed over.

    \b
    Examples:
      rftconf check run_grpo.sh
      rftconf check configs/ examples/**/*.yaml --format concise
      rftconf check run_grpo.sh --from-release 0.7.1 --json

    Exit: 0 clean, 1 errors or warnings, 2 unreadable or usage.
    """
    from rftconf.cli import output as out
    from rftconf.cli.files import candidates
    from rftconf.cli.reading import reading
    from rftconf.diagnostics import Severity
    from rftconf.errors import UsageError
    from rftconf.report.diagnostics import summary

    how = reading(from_, from_release, set_, env, args, launch, base, sources)
    found: list[Diagnostic] = []
    documents: dict[str, Document] = {}
    unreadable = 0
    for candidate in candidates(files):
        got = _one(candidate, how, documents)
        if got is None:
            unreadable += candidate.named
        else:
            found.extend(got)
    if not documents and not unreadable:
        raise UsageError(f"no config of a known framework in {', '.join(files)}; name the files")
    form = "json" if json else form
    out.product(_text(found, {name: document.text for name, document in documents.items()}, form, color))
    if not quiet and form == "text" and documents:
        out.report(summary(found, len(documents)) + "\n")
    if unreadable or not all(document.readable for document in documents.values()):
        return 2
    return int(any(d.severity is not Severity.INFO for d in found))


def _one(candidate: Candidate, how: Reading, documents: dict[str, Document]) -> list[Diagnostic] | None:
    """The findings of one file, None when it cannot be read; a named file says why."""
    from rftconf.cli import output as out
    from rftconf.cli.loading import open_document
    from rftconf.errors import UnreadableError
    from rftconf.lint import basic

    try:
        document = open_document(candidate.path, how)
    except UnreadableError as error:
        if candidate.named:
            out.report(f"rftconf: {error}\n")
        return None
    if not candidate.named and not basic.is_config(document):
        return None
    documents[document.name] = document
    return [*document.diagnostics, *basic.check(document, how.framework, how.release)]


def _text(found: list[Diagnostic], texts: dict[str, str], form: str, color: str) -> str:
    from rftconf.cli import output as out
    from rftconf.report import diagnostics as report

    ordered = sorted(found, key=lambda d: (d.place.file, d.place.span.start) if d.place else ("", 0))
    if form == "json":
        from json import dumps

        return dumps(report.diagnostics_json(ordered), indent=2, ensure_ascii=False) + "\n"
    if form == "concise":
        return report.diagnostics_concise(ordered)
    blocks = report.diagnostics_text(ordered, texts, out.product_screen(color))
    return f"{blocks}\n" if blocks else ""
