"""Diagnostics as plain data and back, and a folder that keeps them by the content they were found in."""

from __future__ import annotations

import hashlib
import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from rftconf._version import __version__
from rftconf.base.diagnostics import Diagnostic, Fix, Label, Severity
from rftconf.base.errors import RftconfError
from rftconf.base.patch import Patch
from rftconf.base.span import Place, Span
from rftconf.text.source import open_source

FOLDER = ".rftconf_cache"


@dataclass(frozen=True, slots=True)
class CachedResult:
    """The result of a check of one file."""

    found: tuple[Diagnostic, ...]
    readable: bool
    config: bool


def digest(*parts: object) -> str:
    """One name for everything that a result depends on: content, options, version of rftconf."""
    hashed = hashlib.sha256(__version__.encode())
    for part in parts:
        data = part if isinstance(part, bytes) else repr(part).encode()
        hashed.update(len(data).to_bytes(8, "big"))
        hashed.update(data)
    return hashed.hexdigest()


def get(folder: Path, name: str) -> CachedResult | None:
    """Return the result that is kept under `name`; None where there is none, or where it cannot be read."""
    path = folder / name[:2] / f"{name}.json"
    try:
        if _leads_away(folder, path):
            return None
        data = json.loads(open_source(path).text)
        return CachedResult(tuple(map(_diagnostic, data["found"])), bool(data["readable"]), bool(data["config"]))
    except (RftconfError, OSError, ValueError, LookupError, TypeError, RecursionError):
        return None


def put(folder: Path, name: str, result: CachedResult) -> None:
    """Keep a result. A folder that cannot be written to costs time, not correctness."""
    data = {"found": [_plain(d) for d in result.found], "readable": result.readable, "config": result.config}
    path = folder / name[:2] / f"{name}.json"
    try:
        if _leads_away(folder, path):
            return
        path.parent.mkdir(parents=True, exist_ok=True)
        ignored = folder / ".gitignore"
        if not ignored.is_symlink() and not ignored.exists():
            ignored.write_text("*\n", encoding="utf-8")
        from rftconf.base import files as atomic

        atomic.write(path, json.dumps(data))
    except (RftconfError, OSError):
        return


def _leads_away(folder: Path, path: Path) -> bool:
    """True where a link stands in the place of the folder or the file: what it leads to is nobody's cache."""
    return any(place.is_symlink() for place in (folder, path.parent, path))


def _plain(d: Diagnostic) -> list[Any]:
    labels = [[_place(label.place), label.note] for label in d.related]
    fix = d.fix and [d.fix.title, [[_span(p.span), p.text] for p in d.fix.patches], d.fix.safe]
    return [d.code, d.severity.value, d.message, _place(d.place), labels, d.help, fix, d.key]


def _diagnostic(row: list[Any]) -> Diagnostic:
    code, severity, message, place, labels, help_, fix, key = row
    if not all(isinstance(text, str) for text in (code, message, help_, key)):
        raise TypeError("no finding")
    loaded_fix = fix and Fix(fix[0], tuple(Patch(_of_span(span), str(text)) for span, text in fix[1]), bool(fix[2]))
    related = tuple(Label(_of_place(place), note) for place, note in labels)
    return Diagnostic(
        code, Severity(severity), message, _of_place(place) if place else None, related, help_, loaded_fix or None, key
    )


def _span(span: Span) -> list[int]:
    return [span.start, span.end, span.line, span.col]


def _place(place: Place | None) -> list[Any] | None:
    return None if place is None else [place.file, *_span(place.span)]


def _of_place(row: list[Any]) -> Place:
    return Place(str(row[0]), _of_span(row[1:]))


def _of_span(row: list[Any]) -> Span:
    if not all(type(number) is int for number in row):
        raise TypeError("no span")
    return Span(*row)
