"""Findings in the form that was asked for."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from rftconf.base.diagnostics import Diagnostic

if TYPE_CHECKING:
    from rftconf.report.screen import Screen


def rendered(
    form: str, found: Sequence[Diagnostic], texts: Mapping[str, str], files: Sequence[str], screen: Screen
) -> str:
    """The text of one format."""
    if form in ("text", "concise", "json"):
        from rftconf.report import diagnostics as report

        if form == "json":
            from json import dumps

            text = dumps(report.diagnostics_json(found), indent=2, ensure_ascii=False)
            # a byte of a file's name that is no UTF-8 becomes JSON's own escape
            return text.encode("utf-8", "backslashreplace").decode() + "\n"
        if form == "concise":
            return report.diagnostics_concise(found)
        blocks = report.diagnostics_text(found, texts, screen)
        return f"{blocks}\n" if blocks else ""
    from rftconf.lint.baseline import fingerprints
    from rftconf.report import machine

    if form == "github":
        return machine.github(found)
    if form == "junit":
        return machine.junit(found, files)
    marks = fingerprints(found, texts)
    if form == "gitlab":
        return machine.gitlab(found, marks)
    from rftconf.lint.codes import about

    pages = {code: (page.title, page.why) for code in {d.code for d in found} if (page := about(code)) is not None}
    return machine.sarif(found, texts, marks, pages)
