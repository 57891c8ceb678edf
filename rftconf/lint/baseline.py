"""Findings that a project has accepted, known again by what they are about and not by line numbers."""

from __future__ import annotations

import hashlib
import json
from collections import Counter
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from rftconf.base.diagnostics import Diagnostic
from rftconf.base.errors import UsageError
from rftconf.text.source import open_source

VERSION = 1


def fingerprint(diagnostic: Diagnostic, text: str, folder: str = "") -> str:
    """Hash a finding's code, file and key, or its line's text, which stay while other parts of the file are edited."""
    place = diagnostic.place
    file = place.file if place else ""
    if folder and file.startswith(folder):
        file = file[len(folder) :].lstrip("/")
    # what has no extent speaks of the file as a whole, not of the line it happens to be shown at
    whole = place is None or place.span.start == place.span.end
    about = diagnostic.key or ("" if whole or place is None else _line(text, place.span.start))
    return hashlib.sha256("\0".join((diagnostic.code, file, about)).encode("utf-8", "surrogatepass")).hexdigest()[:20]


def fingerprints(diagnostics: Iterable[Diagnostic], texts: Mapping[str, str], folder: str = "") -> list[str]:
    """One per finding; findings that are alike are told apart by their order."""
    counts: Counter[str] = Counter()
    names = []
    for diagnostic in diagnostics:
        text = texts.get(diagnostic.place.file, "") if diagnostic.place else ""
        name = fingerprint(diagnostic, text, folder)
        counts[name] += 1
        names.append(name if counts[name] == 1 else f"{name}-{counts[name]}")
    return names


def _line(text: str, offset: int) -> str:
    start = text.rfind("\n", 0, offset) + 1
    stop = text.find("\n", offset)
    return text[start : stop if stop >= 0 else len(text)].strip().removesuffix("\\").rstrip()


def load(path: Path) -> frozenset[str]:
    """The fingerprints of a baseline. Raises UsageError when it is none."""
    try:
        data: Any = json.loads(open_source(path).text)
    except (ValueError, RecursionError):
        raise UsageError(f"{path} is no baseline: not JSON") from None
    if not isinstance(data, dict) or data.get("version") != VERSION or not isinstance(data.get("findings"), list):
        raise UsageError(f"{path} is no baseline of version {VERSION}")
    return frozenset(str(entry.get("fingerprint")) for entry in data["findings"] if isinstance(entry, dict))


def dump(diagnostics: list[Diagnostic], texts: Mapping[str, str], folder: str = "") -> str:
    """A baseline that holds all of `diagnostics`."""
    entries = [
        {"fingerprint": name, "code": d.code, "file": d.place.file if d.place else "", "key": d.key}
        for name, d in zip(fingerprints(diagnostics, texts, folder), diagnostics, strict=True)
    ]
    return json.dumps({"version": VERSION, "findings": entries}, indent=1, ensure_ascii=False) + "\n"
