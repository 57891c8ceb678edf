"""Writes certificates beside conversions, and asks for the same conversion again to check one."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from rftconf.certificate.canonical import canonical, sha256
from rftconf.certificate.model import FileOf, Request
from rftconf.errors import UnreadableError, UsageError
from rftconf.secrets import is_secret

if TYPE_CHECKING:
    from rftconf.cli.many import Job
    from rftconf.ledger import Ledger
    from rftconf.load import Loaded

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
    """Where the certificate of an output goes: beside a file, inside a folder."""
    return output / NAME if folder else output.with_name(f"{output.name}.{NAME}")


def certify(
    path: Path, source: str, job: Job, loaded: Loaded, ledger: Ledger, parts: Sequence[Part], *, several: bool
) -> str:
    """The text of the certificate that goes to `path`. Raises UnreadableError for an output that cannot be read back."""
    request = request_of(source, path.parent, job, ledger, loaded, several=several)
    outputs = [FileOf(file=_seen(part.path, path.parent), sha256=sha256(part.text), name=part.name) for part in parts]
    return canonical(stated(path.parent, Path(source), request, outputs, loaded, ledger, parts))


def stated(
    folder: Path,
    source: Path,
    request: Request,
    outputs: Sequence[FileOf],
    loaded: Loaded,
    ledger: Ledger,
    parts: Sequence[Part],
) -> dict[str, Any]:
    """The statement's data, the outputs read back from `parts`."""
    from rftconf.certificate.statement import Told, statement

    back = [_read_back(part, ledger, request.rows) for part in parts if part.config]
    opened = [
        source,
        *(folder / one.file for one in (*request.sources, *([request.base] if request.base else []))),
    ]
    places = {str(file): _seen(file, folder) for file in opened}
    places |= {str(part.path): _seen(part.path, folder) for part in parts}
    places |= {name: _seen(file, folder) for name, file in _beside(str(source), loaded).items()}
    whole = FileOf(file=_seen(source, folder), sha256=digest_file(source))
    return statement(Told(whole, outputs, request, loaded, ledger, back, places))


def request_of(source: str, folder: Path, job: Job, ledger: Ledger, loaded: Loaded, *, several: bool) -> Request:
    """What was asked, so that it can be asked again; what looks like a secret is left out by name."""
    how, wanted = job.how, job.options
    secret = {name for name, value in how.bindings.items() if is_secret(name, value)}
    return Request(
        to=job.target,
        to_release=ledger.target_release,
        framework=ledger.source_framework,
        release=ledger.source_release,
        rows=job.rows,
        rollout_gpus=wanted.rollout_gpus,
        form=wanted.form,
        style=wanted.style,
        adapters=wanted.adapters,
        several=several,
        launch=how.launch,
        arguments=list(how.args),
        bindings={name: value for name, value in how.bindings.items() if name not in secret},
        from_environment=sorted(how.environment),
        withheld=sorted(secret),
        assume=dict(job.assume),
        base=None if how.base is None else _file(how.base, folder),
        sources=[_file(path, folder) for path in dict.fromkeys(how.sources)],
        also_read=[_file(path, folder) for path in _beside(source, loaded).values()],
    )


def job_of(request: Request, folder: Path, bound: dict[str, str]) -> Job:
    """The same request again, with files as they lie today. Raises UsageError for values that it does not hold."""
    from rftconf.cli.many import Job
    from rftconf.cli.reading import Reading
    from rftconf.convert import Options

    missing = [name for name in request.withheld if name not in bound]
    missing += [name for name in request.from_environment if name not in bound and name not in os.environ]
    if missing:
        raise UsageError(
            f"the certificate holds no value of {', '.join(missing)}: give it with --set {missing[0]}=VALUE"
        )
    let_in = {name: os.environ[name] for name in request.from_environment if name not in bound}
    how = Reading(
        request.framework,
        request.release,
        {**request.bindings, **bound},
        let_in,
        tuple(request.arguments),
        request.launch,
        None if request.base is None else folder / request.base.file,
        tuple(folder / one.file for one in request.sources),
    )
    options = Options(request.to_release, request.rollout_gpus, request.form, request.style, request.adapters)
    return Job(how, request.to, options, request.rows, False, dict(request.assume))


def parts_of(
    loaded: Loaded, job: Job, folder: Path, outputs: Sequence[FileOf], *, several: bool
) -> tuple[Ledger, list[Part]]:
    """The conversion again: the account, and what each recorded output should hold."""
    from rftconf.convert import convert_loaded
    from rftconf.series import convert_series

    places = {one.name: folder / one.file for one in outputs}
    if several:
        series = convert_series(loaded, job.target, job.options)
        configs = {step.file for step in series.steps}
        named = [(name, text, name in configs) for name, text in series.files]
        return series.ledger, [Part(places.get(n, folder / n), text, n, config=c) for n, text, c in named]
    done = convert_loaded(loaded, job.target, job.options)
    parts = [Part(places.get("", folder), done.text)]
    parts += [Part(places.get(n, folder / n), text, n, config=False) for n, text in done.adapters.items()]
    return done.ledger, parts


def digest_file(path: Path) -> str:
    """SHA-256 of a text file as it lies there. Raises UnreadableError."""
    from rftconf.text.source import open_source

    found = open_source(path)
    return hashlib.sha256((_BOM if found.bom else b"") + found.text.encode()).hexdigest()


def _file(path: Path, folder: Path) -> FileOf:
    return FileOf(file=_seen(path, folder), sha256=digest_file(path))


def _seen(path: Path, folder: Path) -> str:
    """`path` as seen from `folder`."""
    return os.path.relpath(path, folder)


def _beside(source: str, loaded: Loaded) -> dict[str, Path]:
    """Files that the source took values from without having been named on the command line, by the names they go by."""
    from rftconf.cli.loading import named_beside

    names = dict.fromkeys(leaf.place.file for leaf in loaded.document.leaves if leaf.place.file != source)
    above = Path(source).parent
    found = {name: Path(name) for name in names if Path(name).is_relative_to(above) and Path(name).is_file()}
    named = named_beside(source, loaded.document)
    if named is not None and named[0] in names:
        found[named[0]] = named[1]
    return found


def _read_back(part: Part, ledger: Ledger, rows: int | None) -> Loaded:
    from rftconf.load import load
    from rftconf.text.read import read
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
