"""Findings for other programs: SARIF 2.1.0, GitHub's annotations, GitLab's code quality, JUnit."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from string import ascii_letters, digits
from typing import Any
from xml.sax.saxutils import escape, quoteattr

from rftconf._version import __version__
from rftconf.base.diagnostics import Diagnostic, Fix, Severity
from rftconf.base.json_text import json_text
from rftconf.base.secrets import masked
from rftconf.base.span import LineIndex, Place
from rftconf.report.screen import printable

SARIF_SCHEMA = "https://json.schemastore.org/sarif-2.1.0.json"
_PLAIN = frozenset(f"{ascii_letters}{digits}-._~/!$&'()*+,;=@")
_LEVELS = {Severity.ERROR: "error", Severity.WARNING: "warning", Severity.INFO: "note"}
_GITHUB = {Severity.ERROR: "error", Severity.WARNING: "warning", Severity.INFO: "notice"}
_GITLAB = {Severity.ERROR: "major", Severity.WARNING: "minor", Severity.INFO: "info"}


def sarif(
    diagnostics: Sequence[Diagnostic],
    texts: Mapping[str, str],
    marks: Sequence[str],
    pages: Mapping[str, tuple[str, str]],
) -> str:
    """A SARIF log. `marks` are the fingerprints of `diagnostics`, `pages` title and text of each code."""
    codes = sorted({d.code for d in diagnostics})
    rules = [
        {
            "id": code,
            "shortDescription": {"text": pages[code][0]},
            "fullDescription": {"text": pages[code][1]},
            "help": {"text": f"rftconf explain {code}"},
        }
        for code in codes
        if code in pages
    ]
    order = {str(rule["id"]): index for index, rule in enumerate(rules)}
    results = [_result(d, texts, mark, order) for d, mark in zip(diagnostics, marks, strict=True)]
    driver = {
        "name": "rftconf",
        "version": __version__,
        "rules": rules,
    }
    run = {"tool": {"driver": driver}, "columnKind": "unicodeCodePoints", "results": results}
    return json_text({"$schema": SARIF_SCHEMA, "version": "2.1.0", "runs": [run]})


def _result(d: Diagnostic, texts: Mapping[str, str], mark: str, order: Mapping[str, int]) -> dict[str, Any]:
    text = masked(d.message) + (f" ({masked(d.help)})" if d.help else "")
    result: dict[str, Any] = {"ruleId": d.code, "level": _LEVELS[d.severity], "message": {"text": text}}
    if d.code in order:
        result["ruleIndex"] = order[d.code]
    if d.place:
        result["locations"] = [{"physicalLocation": _location(d.place, texts)}]
    if d.related:
        result["relatedLocations"] = [
            {"id": index, "physicalLocation": _location(label.place, texts), "message": {"text": masked(label.note)}}
            for index, label in enumerate(d.related, 1)
        ]
    result["partialFingerprints"] = {"rftconf/v1": mark}
    if d.fix and d.place:
        result["fixes"] = [_fix(d.fix, d.place, texts)]
    return result


def _uri(name: str) -> str:
    """A file's name as a URI reference: everything but plain letters percent-encoded, byte by byte."""
    data = name.replace("\\", "/").encode("utf-8", "surrogateescape")
    return "".join(chr(byte) if chr(byte) in _PLAIN else f"%{byte:02X}" for byte in data)


def _location(place: Place, texts: Mapping[str, str]) -> dict[str, Any]:
    return {"artifactLocation": {"uri": _uri(place.file)}, "region": _region(place, texts)}


def _region(place: Place, texts: Mapping[str, str]) -> dict[str, int]:
    span, text = place.span, texts.get(place.file)
    region = {"startLine": span.line, "startColumn": span.col}
    if text is not None and span.end > span.start:
        end = LineIndex(text).span(span.end, span.end)
        region |= {"endLine": end.line, "endColumn": end.col}
    return region


def _fix(fix: Fix, place: Place, texts: Mapping[str, str]) -> dict[str, Any]:
    replacements = [
        {"deletedRegion": _region(Place(place.file, patch.span), texts), "insertedContent": {"text": patch.text}}
        for patch in fix.patches
    ]
    change = {"artifactLocation": {"uri": place.file}, "replacements": replacements}
    return {"description": {"text": fix.title}, "artifactChanges": [change]}


def github(diagnostics: Sequence[Diagnostic]) -> str:
    """Workflow commands, one a finding."""
    return "".join(_command(d) for d in diagnostics)


def _command(d: Diagnostic) -> str:
    where = ""
    if d.place:
        where = f" file={_property(d.place.file)},line={d.place.span.line},col={d.place.span.col},title={d.code}"
    text = f"{masked(d.message)}{f' ({masked(d.help)})' if d.help else ''}"
    return f"::{_GITHUB[d.severity]}{where or f' title={d.code}'}::{_data(text)}\n"


def _data(text: str) -> str:
    return text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def _property(text: str) -> str:
    return _data(text).replace(":", "%3A").replace(",", "%2C")


def gitlab(diagnostics: Sequence[Diagnostic], marks: Sequence[str]) -> str:
    """A Code Quality report."""
    entries = [
        {
            "description": f"{d.code} {masked(d.message)}",
            "check_name": d.code,
            "fingerprint": mark,
            "severity": _GITLAB[d.severity],
            "location": {
                "path": d.place.file if d.place else "",
                "lines": {"begin": d.place.span.line if d.place else 1},
            },
        }
        for d, mark in zip(diagnostics, marks, strict=True)
    ]
    return json_text(entries)


def junit(diagnostics: Sequence[Diagnostic], files: Sequence[str]) -> str:
    """One test case a file; errors and warnings fail it."""
    suites = "".join(_case(file, [d for d in diagnostics if d.place and d.place.file == file]) for file in files)
    failed = len({d.place.file for d in diagnostics if d.place and d.severity is not Severity.INFO})
    head = f'<testsuite name="rftconf" tests="{len(files)}" failures="{failed}" errors="0">'
    return f'<?xml version="1.0" encoding="UTF-8"?>\n<testsuites>\n{head}\n{suites}</testsuite>\n</testsuites>\n'


def _position(d: Diagnostic) -> str:
    return f":{d.place.span.line}:{d.place.span.col}" if d.place else ""


def _case(file: str, diagnostics: Sequence[Diagnostic]) -> str:
    name = printable(file.encode("utf-8", "backslashreplace").decode())
    lines = [f"{name}{_position(d)}: {d.severity.value} {d.code} {masked(printable(d.message))}" for d in diagnostics]
    bad = [d for d in diagnostics if d.severity is not Severity.INFO]
    body = ""
    if bad:
        first = quoteattr(f"{bad[0].code} {masked(printable(bad[0].message))}")
        body = f"<failure message={first}>{escape(chr(10).join(lines))}</failure>"
    elif lines:
        body = f"<system-out>{escape(chr(10).join(lines))}</system-out>"
    return f'<testcase classname="rftconf" name={quoteattr(name)}>{body}</testcase>\n'
