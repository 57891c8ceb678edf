"""Writes certificates beside conversions, and asks for the same conversion again to check one."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Container, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from rftconf.base.errors import UnreadableError, UsageError
from rftconf.base.secrets import masked
from rftconf.certificate.canonical import canonical, sha256
from rftconf.certificate.model import AnswerOf, FileOf, Request
from rftconf.verbs.names_of_request import refuse_names

if TYPE_CHECKING:
    from rftconf.base.ledger import Ledger
    from rftconf.convert.questions.questions import Answer
    from rftconf.load.loaded import Loaded
    from rftconf.verbs.convert_many import Job

NAME = "certificate.json"
_BOM = b"\xef\xbb\xbf"


@dataclass(frozen=True, slots=True)
class Part:
    """An output: where it goes, its text, which part of the conversion it is, and whether it is a config to be read."""

    path: Path
    text: str
    name: str = ""
    config: bool = True


def refuse(source: str, output: Path | None) -> None:
    """Raises UsageError for a conversion that leaves no files to certify."""
    if source == "-":
        raise UsageError("--certify names the files it speaks of: give the source as a file, not as -")
    if Path(source).is_dir():
        raise UsageError("--certify is for one run: convert the files of a folder one by one")
    if output is None or str(output) == "-":
        raise UsageError("--certify writes beside the output: name it with -o")


def certificate_path(output: Path, *, folder: bool) -> Path:
    """Return the path of an output's certificate: beside a file, inside a folder."""
    return output / NAME if folder else output.with_name(f"{output.name}.{NAME}")


def certify(path: Path, source: str, job: Job, parts: Sequence[Part], *, several: bool) -> str:
    """The text of the certificate that goes to `path`. Raises UnreadableError for an output that cannot be read back."""
    places = {part.name: part.path for part in parts}
    return canonical(stated(path.parent, source, job, places, several=several).data)


class Stated(NamedTuple):
    """A conversion's statement, and the outputs as the source becomes them."""

    data: dict[str, Any]
    parts: list[Part]


def stated(
    folder: Path, source: str, job: Job, places: Mapping[str, Path], *, several: bool, as_they_lie: bool = False
) -> Stated:
    """The conversion done, and what is stated of it and of those parts of `job` that it depends on.

    Its outputs go to `places` by name, below `folder` without one; `as_they_lie` reads them from there.
    """
    from rftconf.verbs.named_inputs import least

    def conversion(job: Job) -> tuple[Loaded, Ledger, list[Part]]:
        return parts_of(source, job, folder, places, several=several)

    def statement(job: Job, converted: tuple[Loaded, Ledger, list[Part]], *, as_they_lie: bool = False) -> Stated:
        loaded, ledger, parts = converted
        request = request_of(source, folder, job, ledger, loaded, several=several)
        files = on_disk(parts) if as_they_lie else parts
        return Stated(_statement(folder, source, request, loaded, ledger, files), parts)

    def outputs_then_rest(job: Job) -> Iterator[object]:
        """Yield the outputs, which differ most often and are known first, then all that is stated but the request."""
        converted = conversion(job)
        yield [part.text for part in converted[2]]
        yield {name: part for name, part in statement(job, converted).data.items() if name not in ("request", "digest")}

    needed = least(job, source, outputs_then_rest)
    return statement(needed, conversion(needed), as_they_lie=as_they_lie)


def _statement(
    folder: Path, source: str, request: Request, loaded: Loaded, ledger: Ledger, parts: Sequence[Part]
) -> dict[str, Any]:
    """The statement's data, the outputs read back from `parts`."""
    from rftconf.certificate.statement import StatementParts, statement

    back = [_read_back(part, ledger, request.rows) for part in parts if part.config]
    opened = [
        Path(source),
        *(folder / file.file for file in (*request.sources, *([request.base] if request.base else []))),
    ]
    places = {str(file): _seen_from_folder(file, folder) for file in opened}
    places |= {str(part.path): _seen_from_folder(part.path, folder) for part in parts}
    places |= {name: _seen_from_folder(file, folder) for name, file in _files_beside(source, loaded).items()}
    whole = _file(Path(source), folder)
    outputs = [
        FileOf(file=_seen_from_folder(part.path, folder), sha256=sha256(part.text), name=part.name) for part in parts
    ]
    return statement(StatementParts(whole, outputs, request, loaded, ledger, back, places))


def request_of(source: str, folder: Path, job: Job, ledger: Ledger, loaded: Loaded, *, several: bool) -> Request:
    """Return the request, so that it can be repeated; values that look like secrets are left out by name.

    Raises UsageError for an argument that looks so: it has no name to leave out.
    """
    how, options = job.how, job.options
    secret = {name for name, value in how.bindings.items() if loaded.document.secrets.are_in(name, value)}
    for number, word in enumerate(how.args, 1):
        if masked(word) != word:
            raise UsageError(
                f"argument {number} looks like a secret, and the certificate would hold it: give it with --set"
            )
    _refuse_secret_answers(options.answers, secret)
    return Request(
        to=ledger.target_framework,
        to_release=ledger.target_release,
        framework=ledger.source_framework,
        release=ledger.source_release,
        rows=job.rows,
        rollout_gpus=options.rollout_gpus,
        form=options.form,
        layout=options.layout,
        style=options.style,
        adapters=options.adapters,
        several=several,
        launch=how.launch,
        arguments=list(how.args),
        bindings={name: value for name, value in how.bindings.items() if name not in secret},
        from_environment=sorted(how.environment),
        withheld=sorted(secret),
        assume=dict(job.assume),
        answers={
            name: AnswerOf(to=answer.to, name=answer.name, value=answer.value)
            for name, answer in sorted(options.answers.items())
        },
        base=None if how.base is None else _file(how.base, folder),
        sources=[_file(path, folder) for path in dict.fromkeys(how.sources)],
        also_read=[_file(path, folder) for path in _files_beside(source, loaded).values()],
    )


def _refuse_secret_answers(answers: Mapping[str, Answer], secret: Container[str]) -> None:
    """Raises UsageError for an answer that looks like a secret: a certificate holds answers with their values."""
    for name, answer in answers.items():
        text = str(answer.value)
        if masked(text) != text or (answer.to == "set" and answer.name in secret):
            raise UsageError(
                f"the answer to {name} looks like a secret, and the certificate would hold it: leave it null, and give "
                f"it with --set"
            )


def job_of(request: Request, folder: Path, bound: dict[str, str]) -> Job:
    """The same request again, with files as they lie today. Raises UsageError for values that it does not hold."""
    from rftconf.convert.convert import Options
    from rftconf.convert.questions.questions import Answer
    from rftconf.verbs.convert_many import Job
    from rftconf.verbs.read_arguments import Reading

    refuse_names(request)
    missing = [name for name in request.withheld if name not in bound]
    missing += [name for name in request.from_environment if name not in bound and name not in os.environ]
    if missing:
        more = f" and {len(missing) - 5:,} more" if len(missing) > 5 else ""
        raise UsageError(
            f"the certificate holds no value of {', '.join(missing[:5])}{more}: give it with --set {missing[0]}=VALUE"
        )
    let_in = {name: bound[name] if name in bound else os.environ[name] for name in request.from_environment}
    bound = {name: value for name, value in bound.items() if name not in let_in}
    how = Reading(
        request.framework,
        request.release,
        {**request.bindings, **bound},
        let_in,
        tuple(request.arguments),
        request.launch,
        None if request.base is None else folder / request.base.file,
        tuple(folder / file.file for file in request.sources),
    )
    answers = {name: Answer(answer.to, answer.name, answer.value) for name, answer in request.answers.items()}
    option_values = (
        request.to_release,
        request.rollout_gpus,
        request.form,
        request.style,
        request.adapters,
        request.layout,
    )
    options = Options(*option_values, answers)
    return Job(how, request.to, options, request.rows, "warn", dict(request.assume))


def parts_of(
    source: str, job: Job, folder: Path, places: Mapping[str, Path], *, several: bool
) -> tuple[Loaded, Ledger, list[Part]]:
    """The conversion: the source as read, the account, and what each output holds."""
    from rftconf.convert.convert import convert_loaded
    from rftconf.convert.stage_series import convert_series
    from rftconf.load.load import load
    from rftconf.verbs.open_input import open_document

    how = job.how
    document = open_document(source, how)
    loaded = load(document, framework=how.framework, release=how.release, rows=job.rows, assume=job.assume)
    if several:
        series = convert_series(loaded, job.target, job.options)
        configs = {step.file for step in series.steps}
        named = [(name, text, name in configs) for name, text in series.files]
        return loaded, series.ledger, [Part(places.get(n, folder / n), text, n, config=c) for n, text, c in named]
    done = convert_loaded(loaded, job.target, job.options)
    parts = [Part(places.get("", folder), done.text)]
    parts += [Part(places.get(n, folder / n), text, n, config=False) for n, text in done.adapters.items()]
    return loaded, done.ledger, parts


def digest_file(path: Path) -> str:
    """SHA-256 of a text file as it lies there. Raises UnreadableError."""
    from rftconf.text.source import open_source

    source = open_source(path)
    return hashlib.sha256((_BOM if source.bom else b"") + source.text.encode()).hexdigest()


def _file(path: Path, folder: Path) -> FileOf:
    return FileOf(file=_seen_from_folder(path, folder), sha256=digest_file(path))


def _seen_from_folder(path: Path, folder: Path) -> str:
    """`path` as seen from `folder`."""
    return os.path.relpath(path, folder)


def _files_beside(source: str, loaded: Loaded) -> dict[str, Path]:
    """Files that the source took values from without having been named on the command line, by the names they go by."""
    from rftconf.verbs.open_input import named_beside

    names = dict.fromkeys(leaf.place.file for leaf in loaded.document.leaves if leaf.place.file != source)
    names |= (read := dict.fromkeys(loaded.document.also_read))
    above = Path(source).parent
    files = {name: Path(name) for name in names}
    paths = {
        name: file for name, file in files.items() if name in read or (file.is_relative_to(above) and file.is_file())
    }
    named = named_beside(source, loaded.document)
    if named is not None and named[0] in names:
        paths[named[0]] = named[1]
    return paths


def _read_back(part: Part, ledger: Ledger, rows: int | None) -> Loaded:
    from rftconf.load.load import load
    from rftconf.text.read.read import read
    from rftconf.text.source import Source

    # the programs of a staged run are told by their scripts
    framework = None if part.name else ledger.target_framework
    document = read(Source(str(part.path), part.text))
    try:
        return load(document, framework=framework, release=ledger.target_release, rows=rows)
    except UnreadableError as error:
        raise UnreadableError(f"the output cannot be read back: {error}", file=str(part.path)) from error


def on_disk(parts: Sequence[Part]) -> list[Part]:
    """The same parts with what their files hold today. Raises UnreadableError for one that is gone."""
    from rftconf.text.source import open_source

    return [replace(part, text=open_source(part.path).text) for part in parts]
