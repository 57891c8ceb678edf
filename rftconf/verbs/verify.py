"""Checks a certificate: its own text, its files, and everything it says, computed again."""

from __future__ import annotations

import json
from math import isfinite
from pathlib import Path
from typing import TYPE_CHECKING, Any

from rftconf.base.errors import RftconfError, UnreadableError, UsageError
from rftconf.certificate.canonical import canonical, digest_of
from rftconf.certificate.checks import Check, differing_parts
from rftconf.certificate.model import MOST_FILES
from rftconf.verbs.certify import digest_file, job_of, on_disk, stated

if TYPE_CHECKING:
    from rftconf.certificate.model import Certificate, FileOf


def checks_of(path: Path, bound: dict[str, str]) -> tuple[Certificate, list[Check]]:
    """The certificate and every check of it, in the order in which a person wants to know.

    Raises UnreadableError for what is no certificate, UsageError for values that are needed and not given.
    """
    text, data, certificate = _read(path)
    _refuse_foreign_files(path, certificate)
    checks = [_own_text(text, data), *_versions(certificate)]
    checks += _files(certificate, path.parent)
    return certificate, checks + _certify_again(certificate, data, path.parent, bound)


def _read(path: Path) -> tuple[str, dict[str, Any], Certificate]:
    from pydantic import ValidationError

    from rftconf.certificate.model import Certificate
    from rftconf.text.source import open_source

    text = open_source(path).text
    try:
        data = json.loads(text, parse_constant=_not_a_number, parse_float=_finite)
        return text, data, Certificate.model_validate_json(text)
    except ValidationError as error:
        first = error.errors(include_input=False, include_url=False)[0]
        where = "".join(f"{part}." for part in first["loc"])[:-1]
        problem = ": ".join(part for part in (where, first["msg"].lower()) if part)
        raise UnreadableError(f"no certificate of rftconf's: {problem}", file=str(path)) from None
    except json.JSONDecodeError as error:
        problem = f"no certificate of rftconf's, no JSON: {error.msg.lower()}"
        raise UnreadableError(problem, file=str(path), line=error.lineno, col=error.colno) from None
    except (ValueError, RecursionError) as error:
        problem = "nested too deeply" if isinstance(error, RecursionError) else str(error)
        raise UnreadableError(f"no certificate of rftconf's: {problem}", file=str(path)) from None


def _not_a_number(text: str) -> float:
    raise ValueError(f"{text} is no number of JSON")


def _finite(text: str) -> float:
    number = float(text)
    return number if isfinite(number) else _not_a_number(text)


def _refuse_foreign_files(path: Path, certificate: Certificate) -> None:
    """Raises UnreadableError for a certificate that rftconf cannot have written: it would open any file it is told to."""
    listed = [*_read_files(certificate), *certificate.outputs]
    if len(listed) > MOST_FILES:
        problem = (
            f"no certificate of rftconf's: it names {len(listed):,} files, and none names more than {MOST_FILES:,}"
        )
        raise UnreadableError(problem, file=str(path))
    for file in listed:
        if Path(file.file).is_absolute():
            problem = f"no certificate of rftconf's: {file.file} is not named as seen from its folder"
            raise UnreadableError(problem, file=str(path))


def _own_text(text: str, data: dict[str, Any]) -> Check:
    problems = []
    if data["digest"] != digest_of(data):
        problems.append("its digest is not that of its content: somebody changed it")
    if text != canonical(data):
        problems.append("its text is not as rftconf writes it: somebody changed it")
    return Check("the certificate itself", tuple(problems))


def _versions(certificate: Certificate) -> list[Check]:
    from rftconf._version import __version__

    if certificate.rftconf == __version__:
        return []
    wrote = f"it names rftconf {certificate.rftconf}, and this is {__version__}: verify it with the one that it names"
    return [Check("the version of rftconf", (wrote,))]


def _files(certificate: Certificate, folder: Path) -> list[Check]:
    return [_file(entry, folder) for entry in (*_read_files(certificate), *certificate.outputs)]


def _read_files(certificate: Certificate) -> list[FileOf]:
    request = certificate.request
    base = [request.base] if request.base is not None else []
    return [certificate.source, *request.sources, *request.also_read, *base]


def _file(file: FileOf, folder: Path) -> Check:
    name = f"the file {file.file}"
    try:
        now = digest_file(folder / file.file)
    except UnreadableError as error:
        return Check(name, (str(error),))
    return Check(name, () if now == file.sha256 else ("it has changed since",))


def _certify_again(certificate: Certificate, data: dict[str, Any], folder: Path, bound: dict[str, str]) -> list[Check]:
    """The conversion and the statement computed again; one failing check where that cannot be done."""
    request = certificate.request
    job = job_of(request, folder, bound)
    source = str(folder / certificate.source.file)
    places = {file.name: folder / file.file for file in certificate.outputs}
    try:
        again = stated(folder, source, job, places, several=request.several, as_they_lie=True)
        differ = tuple(
            f"{part.path.name} is not what the source becomes"
            for part, now in zip(again.parts, on_disk(again.parts), strict=True)
            if part.text != now.text
        )
    except UsageError:
        raise
    except RftconfError as error:
        return [Check("the conversion", (f"it cannot be done again: {error}",))]
    return [Check("the conversion", differ), *differing_parts(data, again.data)]
