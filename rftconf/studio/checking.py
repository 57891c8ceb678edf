"""Check: findings with their pages, and fixes one by one or all at once."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from rftconf.base.diagnostics import Diagnostic
from rftconf.base.errors import UsageError
from rftconf.lint import engine, fixing
from rftconf.lint import recognise_config as config_of
from rftconf.lint.codes import about
from rftconf.lint.subject import Cluster
from rftconf.report.diagnostics import diagnostics_json
from rftconf.schemas import registry
from rftconf.studio.request import StudioRequest
from rftconf.text.document import Document
from rftconf.verbs.check_files import findings

MOST = 500
"""Findings that are shown of one text."""


def check(request: StudioRequest) -> dict[str, Any]:
    """Findings of every severity; the page chooses which it shows."""
    document, diagnostics = _checked(request)
    return _view(request, document, diagnostics)


def fix(request: StudioRequest) -> dict[str, Any]:
    """The text with one fix made (`code` and `start` of its finding), or with all that leave the run the same."""
    document, diagnostics = _checked(request)

    def again(text: str) -> tuple[Document, list[Diagnostic]]:
        return _checked(request, text)

    code = request.word("code")
    if code is None:
        done = fixing.fix(document, diagnostics, again)
        return {"text": done.text, "made": len(done.made), **_view(request, again(done.text)[0], list(done.left))}
    start = request.whole("start", 0)
    chance = next(
        (d for d in diagnostics if d.fix and d.code == code and (d.place.span.start if d.place else 0) == start), None
    )
    if chance is None:
        raise UsageError(f"{code} is not found there any more")
    changed = fixing.attempt(document, diagnostics, chance, again)
    if changed is None:
        raise UsageError(f"the fix of {code} does not mend it here: change it by hand")
    fresh, remaining = changed
    return {"text": fresh.text, "made": 1, **_view(request, fresh, remaining)}


def _checked(request: StudioRequest, text: str | None = None) -> tuple[Document, list[Diagnostic]]:
    how = request.reading()
    gpu = request.word("gpu") or ""
    if gpu:
        from rftconf.budget.facts.gpus import gpu_named

        gpu_named(gpu)
    document = request.document(text)
    if how.framework is None and document.readable and not config_of.is_config(document):
        raise UsageError("this is no config of a framework that is known; if it is one, choose its framework above")
    return document, findings(document, engine.Options(how.framework, how.release, cluster=Cluster(gpu=gpu)))


def _view(request: StudioRequest, document: Document, diagnostics: list[Diagnostic]) -> dict[str, Any]:
    how = request.reading()
    best = config_of.recognised(document, how.framework, how.release)
    first_diagnostics = diagnostics[:MOST]
    return {
        "source": None
        if best is None
        else {"title": registry.framework(best.framework).title, "release": best.release, "trainer": best.trainer},
        "findings": diagnostics_json(first_diagnostics),
        "more": len(diagnostics) - len(first_diagnostics),
        "pages": pages(first_diagnostics),
    }


def pages(diagnostics: Iterable[Diagnostic]) -> dict[str, dict[str, str]]:
    """The page of every code that was found."""
    return {code: _page(code) for code in dict.fromkeys(d.code for d in diagnostics)}


def _page(code: str) -> dict[str, str]:
    entry = about(code)
    if entry is None:
        return {"title": code, "why": "", "advice": "", "example": ""}
    return {"title": entry.title, "why": entry.why, "advice": entry.advice, "example": entry.example}
