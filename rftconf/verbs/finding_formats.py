"""Findings in the form that was asked for."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from rftconf.base.diagnostics import Diagnostic
from rftconf.base.json_text import json_text

if TYPE_CHECKING:
    from rftconf.report.screen import Screen


def rendered(
    form: str, diagnostics: Sequence[Diagnostic], texts: Mapping[str, str], files: Sequence[str], screen: Screen
) -> str:
    """The text of one format."""
    if form in ("text", "concise", "json"):
        from rftconf.report import diagnostics as report

        if form == "json":
            return json_text(report.diagnostics_json(diagnostics))
        if form == "concise":
            return report.diagnostics_concise(diagnostics)
        blocks = report.diagnostics_text(diagnostics, texts, screen)
        return f"{blocks}\n" if blocks else ""
    from rftconf.lint.baseline import fingerprints
    from rftconf.report import machine

    if form == "github":
        return machine.github(diagnostics)
    if form == "junit":
        return machine.junit(diagnostics, files)
    marks = fingerprints(diagnostics, texts)
    if form == "gitlab":
        return machine.gitlab(diagnostics, marks)
    from rftconf.lint.codes import about

    pages = {
        code: (page.title, page.why) for code in {d.code for d in diagnostics} if (page := about(code)) is not None
    }
    return machine.sarif(diagnostics, texts, marks, pages)
