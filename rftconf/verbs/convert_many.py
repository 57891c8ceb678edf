"""`rftconf convert` where one file becomes several, or a folder is converted as a whole."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from rftconf.base.diagnostics import Diagnostic
    from rftconf.base.ledger import Ledger
    from rftconf.convert.convert import Options
    from rftconf.convert.stage_series import Series
    from rftconf.load.loaded import Loaded
    from rftconf.report.screen import Screen
    from rftconf.verbs.option_types import OnLoss
    from rftconf.verbs.read_arguments import Reading

DONE, LOST, UNREADABLE, REFUSED = 0, 1, 2, 3


@dataclass(frozen=True, slots=True)
class Job:
    """The job for every file: the options for reading it, its target, its place, and the consequence of a loss."""

    how: Reading
    target: str
    options: Options
    rows: int | None
    on_loss: OnLoss
    """`error`: nothing may be lost; `allow`: what the target would refuse is written all the same."""
    assume: dict[str, str]
    gpu: str = ""
    """The GPU that the run has to fit; empty where nobody says."""


@dataclass(frozen=True, slots=True)
class Outcome:
    """The outcome for one file of a folder. `code` is the exit code of that file alone; None where it is no config."""

    source: str
    code: int | None
    written: tuple[str, ...] = ()
    ledger: Ledger | None = None
    said: str = ""


def is_folder(output: Path) -> bool:
    """True when an output names a folder: one that is there, or a name without a suffix that no file has."""
    return output.is_dir() or (not output.suffix and not output.exists())


@dataclass(frozen=True, slots=True)
class WrittenConversion:
    """The result of a conversion: the ledger, each file to write, and the errors for which the target refuses one."""

    ledger: Ledger
    files: list[tuple[Path, str]]
    errors: tuple[Diagnostic, ...]


def made_of(loaded: Loaded, job: Job, suffixless: Path, *, folder: bool) -> WrittenConversion:
    """The conversion as one file beside `suffixless`, or as several in a folder of that name."""
    from rftconf.convert.convert import convert_loaded
    from rftconf.convert.stage_series import convert_series, is_series
    from rftconf.verbs.check_own_output import errors_in

    if is_series(loaded, job.target) and folder:
        return made_of_series(convert_series(loaded, job.target, job.options), job, suffixless)
    done = convert_loaded(loaded, job.target, job.options)
    path = suffixless.with_name(suffixless.name + done.file_suffix)
    return WrittenConversion(done.ledger, [(path, done.text)], errors_in(str(path), done.text, done.ledger, job.gpu))


def made_of_series(series: Series, job: Job, folder: Path) -> WrittenConversion:
    """A staged run as several files in a folder."""
    from rftconf.verbs.check_own_output import errors_in

    runs = ((folder / step.file, step.conversion) for step in series.steps)
    wrong = [diagnostic for path, run in runs for diagnostic in errors_in(str(path), run.text, run.ledger, job.gpu)]
    return WrittenConversion(series.ledger, [(folder / name, text) for name, text in series.files], tuple(wrong))


def code_of(ledger: Ledger, errors: Sequence[Diagnostic], on_loss: OnLoss) -> int:
    """The exit code of a conversion; nothing is written unless it is DONE."""
    if errors and on_loss != "allow":
        return REFUSED
    return LOST if ledger.lossy and on_loss == "error" else DONE


def why_not_written(code: int, ledger: Ledger, errors: Sequence[Diagnostic]) -> str:
    """Return in one line the reason why a conversion that ends with this exit code is not written."""
    if code == LOST:
        lost = len(ledger.lossy)
        return f"{lost} key{'s are' if lost != 1 else ' is'} not kept in full"
    first, more = errors[0], len(errors) - 1
    also = f" (and {more} more error{'s' * (more != 1)})" if more else ""
    return f"its own check finds {first.code} in what would be written: {first.message}{also}"


def write(files: list[tuple[Path, str]]) -> None:
    """Each file whole or not at all; folders are made where they are missing."""
    from rftconf.verbs import output as out

    for path, text in files:
        _folder(path.parent)
        out.product(text, path, executable=path.suffix == ".sh")


def _folder(path: Path) -> None:
    from rftconf.base.errors import UsageError

    try:
        path.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise UsageError(f"cannot make {path}: {error.strerror or error}") from error


def convert_folder(folder: Path, output: Path, job: Job, jobs: Mapping[str, Job]) -> list[Outcome]:
    """Convert every config below `folder` to the same place below `output`. Raises UsageError when there is none.

    `jobs`: by file the job with the answers to its questions.
    """
    from rftconf.base.errors import UsageError
    from rftconf.verbs.find_files import candidates

    paths = [Path(candidate.path) for candidate in candidates([str(folder)])]
    inside = Path(os.path.realpath(output))
    real = {path: Path(os.path.realpath(path)) for path in paths}
    if inside == Path(os.path.realpath(folder)):
        raise UsageError(f"{output} is the folder that is converted: name another with -o FOLDER")
    paths = [path for path in paths if inside not in real[path].parents]
    if not paths:
        raise UsageError(f"there is no script and no YAML file in {folder}")
    taken: set[Path] = set()
    sources = frozenset(real[path] for path in paths)
    return [
        _convert_one(path, output / path.relative_to(folder), jobs.get(str(path), job), taken, sources)
        for path in paths
    ]


def _convert_one(source: Path, place: Path, job: Job, taken: set[Path], sources: frozenset[Path]) -> Outcome:
    from rftconf.base.errors import RefusedError, RftconfError
    from rftconf.lint import recognise_config as config_of
    from rftconf.load.load import load
    from rftconf.schemas.foreign_configs import named
    from rftconf.verbs.open_input import open_document

    name = str(source)
    try:
        document = open_document(name, job.how)
        if document.readable and not config_of.is_config(document):
            return Outcome(name, None, said=named(document) or "no config of a known framework")
        loaded = load(document, framework=job.how.framework, release=job.how.release, rows=job.rows, assume=job.assume)
        stem = place.with_suffix("")
        conversion = made_of(loaded, job, place if stem in taken else stem, folder=True)
    except RefusedError as error:
        return Outcome(name, REFUSED, said=str(error))
    except RftconfError as error:
        return Outcome(name, UNREADABLE, said=str(error))
    ledger, files = conversion.ledger, conversion.files
    code = code_of(ledger, conversion.errors, job.on_loss)
    if code != DONE:
        return Outcome(name, code, (), ledger, why_not_written(code, ledger, conversion.errors))
    over = next((path for path, _ in files if Path(os.path.realpath(path)) in sources), None)
    if over is not None:
        return Outcome(name, UNREADABLE, (), ledger, f"{over} is itself to be converted, and is not written over")
    taken.add(stem)
    write(files)
    return Outcome(name, DONE, tuple(str(path) for path, _ in files), ledger)


def worst(outcomes: list[Outcome]) -> int:
    """The worst exit code of all files; files that are no config do not count."""
    return max((outcome.code for outcome in outcomes if outcome.code is not None), default=UNREADABLE)


def summary(outcomes: list[Outcome], screen: Screen) -> str:
    """One line a file: what it was, where it went, how many keys were kept and lost; then what was not converted."""
    done = [outcome for outcome in outcomes if outcome.written and outcome.ledger is not None]
    rows: list[tuple[str, ...]] = [("file", "was", "keys", "lost", "decide", "written")]
    rows += [tuple(_row(outcome)) for outcome in done]
    widths = [max(len(row[column]) for row in rows) for column in range(len(rows[0]) - 1)]
    lines = [
        "  ".join([*(cell.ljust(width) for cell, width in zip(row, widths, strict=False)), row[-1]]) for row in rows
    ]
    lines = [screen.style(lines[0], "bold"), *lines[1:]] if done else []
    for title, codes in (
        ("refused", (REFUSED,)),
        ("lost too much", (LOST,)),
        ("unreadable", (UNREADABLE,)),
        ("no config", (None,)),
    ):
        group = [outcome for outcome in outcomes if outcome.code in codes and not outcome.written]
        if group:
            lines += ["", screen.style(f"{title} ({len(group)})", "bold")]
            lines += [
                f"  {outcome.source}{f': {outcome.said}' if outcome.code is not None else ''}" for outcome in group
            ]
    return "\n".join(lines) + f"\n\n{len(done)} of {len(outcomes)} files converted\n"


def _row(outcome: Outcome) -> Iterator[str]:
    from rftconf.schemas import registry

    ledger = outcome.ledger
    assert ledger is not None
    yield outcome.source
    yield f"{registry.framework(ledger.source_framework).title} {ledger.source_release}"
    yield str(len(ledger.sources))
    yield str(len(ledger.lossy))
    yield str(len(ledger.decisions))
    yield (
        outcome.written[0]
        if len(outcome.written) == 1
        else f"{Path(outcome.written[0]).parent}/ ({len(outcome.written)} files)"
    )


def as_json(outcomes: list[Outcome]) -> dict[str, Any]:
    """Every file with its exit code, what was written and its ledger."""
    from rftconf.report.ledger import ledger_json

    return {
        "files": [
            {
                "source": outcome.source,
                "exit": outcome.code,
                "written": list(outcome.written),
                "said": outcome.said or None,
                "ledger": None if outcome.ledger is None else ledger_json(outcome.ledger),
            }
            for outcome in outcomes
        ]
    }
