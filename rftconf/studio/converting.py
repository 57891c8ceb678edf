"""Convert: the files that the command line would write, which line comes from which, and what is left to decide."""

from __future__ import annotations

import io
import shlex
import zipfile
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import PurePath
from typing import Any

from rftconf.base.diagnostics import Diagnostic
from rftconf.base.errors import UsageError
from rftconf.base.json_text import json_text
from rftconf.base.ledger import Ledger
from rftconf.base.secrets import masked
from rftconf.convert.convert import Conversion, Options, convert_loaded
from rftconf.convert.stage_series import convert_series, is_series
from rftconf.load.load import load
from rftconf.load.loaded import Loaded
from rftconf.report.diagnostics import diagnostics_json
from rftconf.report.ledger import ledger_json
from rftconf.schemas import registry
from rftconf.service.answer import Answer
from rftconf.studio.deciding import Filled, fields_of, filled
from rftconf.studio.places import lines_of, source_lines
from rftconf.studio.request import StudioRequest
from rftconf.verbs.check_own_output import errors_in
from rftconf.verbs.convert_many import REFUSED, why_not_written
from rftconf.verbs.read_arguments import framework_name

ADAPTERS = "adapters"
"""The folder beside the config that adapters go to."""


@dataclass(frozen=True, slots=True)
class File:
    """One file to download; `made` is the conversion whose text it is."""

    name: str
    text: str
    made: Conversion | None = None
    missed: tuple[str, ...] = ()
    """Keys that the page filled in and this file has no place for."""

    def errors(self, gpu: str) -> tuple[Diagnostic, ...]:
        """Return the errors for which the target would refuse the file with the values that the page filled in."""
        return errors_in(self.name, self.text, self.made.ledger, gpu) if self.made else ()


@dataclass(frozen=True, slots=True)
class Outcome:
    """The result of one conversion for the page: ledger, files and adapters."""

    loaded: Loaded
    ledger: Ledger
    files: tuple[File, ...]
    adapters: dict[str, str]


def convert(request: StudioRequest) -> dict[str, Any]:
    """The page's whole view of a conversion."""
    done = _convert(request)
    wrong = _wrong(request, done)
    places = source_lines(done.loaded.document)
    framework, guess = registry.framework(done.loaded.framework), done.loaded.guess
    return {
        "source": {
            "framework": framework.name,
            "title": framework.title,
            "release": guess.release,
            "trainer": guess.trainer,
            "reasons": list(guess.reasons),
        },
        "target": {
            "title": registry.framework(done.ledger.target_framework).title,
            "release": done.ledger.target_release,
        },
        "files": [_file(file, places) for file in done.files],
        "adapters": [{"name": f"{ADAPTERS}/{name}", "text": text} for name, text in done.adapters.items()],
        "ledger": ledger_json(done.ledger),
        "lossy": len(done.ledger.lossy),
        "places": places,
        "fields": fields_of(done.ledger.decisions, [(file.text, file.name) for file in done.files if file.made]),
        "diagnostics": diagnostics_json(done.loaded.diagnostics),
        "check": diagnostics_json(wrong),
        "refused": _refusal(done, wrong),
        "command": _command(request, done, refused=bool(wrong)),
    }


def _wrong(request: StudioRequest, done: Outcome) -> tuple[Diagnostic, ...]:
    """Return the errors that the conversion finds in its own files, as the command line does before it writes them."""
    gpu = request.word("gpu") or ""
    if gpu:
        from rftconf.budget.facts.gpus import gpu_named

        gpu_named(gpu)
    return tuple(diagnostic for file in done.files for diagnostic in file.errors(gpu))


def _refusal(done: Outcome, wrong: Sequence[Diagnostic]) -> str:
    """Return the reason why the command line would write nothing (exit 3); empty where it would write."""
    return f"{why_not_written(REFUSED, done.ledger, wrong)} (exit {REFUSED})" if wrong else ""


def _file(file: File, places: dict[str, list[int]]) -> dict[str, Any]:
    lines = lines_of(file.made.ledger.targets, file.name, file.text, places) if file.made else {}
    return {"name": file.name, "text": file.text, "lines": lines, "missed": list(file.missed)}


def ledger(request: StudioRequest) -> Answer:
    """The account as `--ledger FILE` writes it, byte for byte."""
    return Answer(200, masked(json_text(ledger_json(_convert(request).ledger))).encode())


def bundle(request: StudioRequest) -> Answer:
    """Config, account and adapters as one archive; the same question gives the same bytes."""
    done = _convert(request)
    texts = {file.name: file.text for file in done.files}
    texts |= {f"{ADAPTERS}/{name}": text for name, text in done.adapters.items()}
    texts["ledger.json"] = json_text(ledger_json(done.ledger))
    wrong = _wrong(request, done)
    if wrong:
        texts["check.json"] = json_text(diagnostics_json(wrong))
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, text in texts.items():
            entry = zipfile.ZipInfo(name)  # of 1980: no clock
            entry.external_attr = (0o755 if text.startswith("#!") else 0o644) << 16
            entry.compress_type = zipfile.ZIP_DEFLATED
            archive.writestr(entry, masked(text).encode())
    return Answer(200, buffer.getvalue(), "application/zip")


def _convert(request: StudioRequest) -> Outcome:
    how = request.reading()
    target = framework_name(request.word("to") or "")
    options = _options(request, target)
    document = request.document()
    loaded = load(
        document, framework=how.framework, release=how.release, rows=request.whole("rows"), assume=request.assumptions()
    )
    values = request.words("fill")
    if is_series(loaded, target):
        if options.adapters is not None:
            raise UsageError("adapters are written for one run: convert the stages one by one")
        series = convert_series(loaded, target, options)
        conversions = {step.file: step.conversion for step in series.steps}
        files = tuple(_filled(name, text, conversions.get(name), values) for name, text in series.files)
        return Outcome(loaded, series.ledger, files, {})
    done = convert_loaded(loaded, target, options)
    name = f"{PurePath(request.file_name()).stem or 'pasted'}{done.file_suffix}"
    name = name if name != request.file_name() else f"{PurePath(name).stem}-{target}{done.file_suffix}"
    return Outcome(loaded, done.ledger, (_filled(name, done.text, done, values),), dict(done.adapters))


def _filled(name: str, text: str, conversion: Conversion | None, values: dict[str, str]) -> File:
    if conversion is None or not values:
        return File(name, text, conversion)
    done: Filled = filled(name, text, values)
    return File(name, done.text, conversion, done.missed)


def _options(request: StudioRequest, target: str) -> Options:
    style, form = request.word("as"), request.word("form") or "auto"
    if style not in (None, *registry.framework(target).forms):
        raise UsageError(f"a {target} config is not written as {style}")
    if form not in ("auto", "A", "B"):
        raise UsageError(f"form is auto, A or B, not {form}")
    adapters = ADAPTERS if request.flag("adapters") else None
    form = form if registry.framework(target).two_forms else "auto"
    return Options(request.word("to_release"), request.whole("rollout_gpus"), form, style, adapters)


def _command(request: StudioRequest, done: Outcome, *, refused: bool) -> str:
    """The command line that writes the same files, also where their own check refuses them."""
    several = len(done.files) > 1
    output = "run" if several else done.files[0].name
    return shlex.join(
        [
            "rftconf",
            "convert",
            request.file_name(),
            *_words(request),
            *(("--on-loss", "allow") if refused else ()),
            "-o",
            output,
        ]
    )


def _words(request: StudioRequest) -> Iterator[str]:
    for option in ("to", "from", "from_release", "to_release", "form", "as", "args"):
        value = request.word(option)
        if value is not None and value != "auto":
            yield from (f"--{option.replace('_', '-')}", value)
    for option in ("launch", "rows", "rollout_gpus"):
        number = request.whole(option)
        if number is not None:
            yield from (f"--{option.replace('_', '-')}", str(number))
    for option in ("set", "assume"):
        for name, value in request.words(option).items():
            if value:
                yield from (f"--{option}", f"{name}={value}")
    base = request.part("base")
    if base is not None:
        yield from ("--base", base.file_name())
    for part in request.parts("sources"):
        yield from ("--source", part.file_name())
    if request.flag("adapters"):
        yield from ("--adapters", ADAPTERS)
