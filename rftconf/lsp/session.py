"""The documents that an editor has open: their text as it is typed, and what is found in it."""

from __future__ import annotations

import time
from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING

from rftconf.base.diagnostics import Diagnostic, Severity
from rftconf.base.errors import RftconfError, UsageError
from rftconf.base.secrets import forget, remember
from rftconf.lint import engine
from rftconf.lint import recognise_config as config_of
from rftconf.lint import settings as project
from rftconf.lint.engine import Selection
from rftconf.lsp import lines as positions
from rftconf.lsp.lines import Lines
from rftconf.schemas import catalogue
from rftconf.text.source import Source
from rftconf.verbs import check_files as checking
from rftconf.verbs import check_project as check_run
from rftconf.verbs.read_arguments import reading

if TYPE_CHECKING:
    from rftconf.schemas.catalogue import Catalogue
    from rftconf.text.document import Document

LARGEST = 512 * 1024
"""Characters of a text that is checked while it is typed; the largest config seen in the wild has 0.2 MiB."""
Change = tuple[tuple[tuple[int, int], tuple[int, int]] | None, str]
"""A range (None: the whole text) and what stands there now."""


@dataclass(frozen=True, slots=True)
class Project:
    """The project's settings above a file. `problem` tells why they cannot be used; none is taken from them then."""

    settings: project.Settings
    task: checking.Task
    least: Severity
    accepted: frozenset[str] = frozenset()
    problem: str = ""

    @staticmethod
    def of(path: Path | None) -> Project:
        """The project that a file belongs to."""
        try:
            return _project(project.find(path.resolve().parent) if path is not None else project.Settings())
        except (RftconfError, OSError) as error:
            return replace(_project(project.Settings()), problem=str(error))


def _project(settings: project.Settings) -> Project:
    bound = [f"{name}={value}" for name, value in settings.get("set", {}).items()]
    how = reading(settings.get("framework"), settings.get("release"), bound, None, None, None, None, None)
    selection = Selection(check_run.codes(settings.get("select")), check_run.codes(settings.get("ignore")))
    options = engine.Options(how.framework, how.release, selection, check_run.cluster_of(settings))
    patterns = tuple((name, check_run.codes(entry)) for name, entry in settings.get("per-file-ignores", {}).items())
    task = checking.Task(how, options, patterns, settings.folder)
    accepted: frozenset[str] = frozenset()
    if settings.get("baseline"):
        from rftconf.lint import baseline

        accepted = baseline.load((settings.folder or Path()) / settings.get("baseline"))
    return Project(settings, task, Severity(settings.get("severity") or "warning"), accepted)


@dataclass
class Open:
    """One open document."""

    uri: str
    name: str
    lines: Lines
    version: int | None
    project: Project
    path: Path | None = None
    document: Document | None = None
    found: list[Diagnostic] = field(default_factory=list)
    taken_for: tuple[str, str, str] | None = None
    """Framework, release and trainer of the last thorough look; None for what is no config."""
    problem: str = ""
    cost: float = 0.0
    """Seconds that the last check took."""

    @property
    def text(self) -> str:
        """Return the document's text as it is now."""
        return self.lines.text

    @property
    def known(self) -> Catalogue | None:
        """The catalogue of the framework and release that the document was taken for."""
        return catalogue.load(*self.taken_for) if self.taken_for is not None else None


class Session:
    """The state of all open documents. Nothing here knows the protocol; positions are lines and columns from 0."""

    def __init__(self, units: positions.Units = "utf-16") -> None:
        self.units = units
        self.documents: dict[str, Open] = {}

    def open(self, uri: str, name: str, text: str, version: int | None, path: Path | None = None) -> Open:
        """Start to follow a document."""
        buffer = Open(uri, name, Lines(text, self.units), version, Project.of(path), path)
        self.documents[uri] = buffer
        return buffer

    def change(self, uri: str, changes: Iterable[Change], version: int | None) -> Open | None:
        """Make an editor's changes, one after another; None for a document that is not open."""
        buffer = self.documents.get(uri)
        if buffer is None:
            return None
        for where, text in changes:
            whole = text if where is None else positions.edited(buffer.lines, *where, text)
            buffer.lines = Lines(whole, self.units)
        buffer.version = version
        return buffer

    def close(self, uri: str) -> None:
        """Forget a document."""
        self.documents.pop(uri, None)

    def check(self, buffer: Open, *, thorough: bool = True) -> list[Diagnostic]:
        """Check the text and return its diagnostics. A thorough check also reads settings and framework anew."""
        start = time.perf_counter()
        buffer.problem = ""
        if thorough:
            buffer.project = Project.of(buffer.path)
        buffer.found = []
        if len(buffer.text) > LARGEST:
            buffer.document = None
            buffer.problem = f"larger than {LARGEST // 1024} KiB: not checked here, but rftconf check reads it"
        elif not check_run.is_excluded(buffer.name, buffer.project.settings):
            buffer.found = self._diagnose(buffer, thorough)
        self._forget_what_is_gone()
        buffer.cost = time.perf_counter() - start
        return buffer.found

    def _forget_what_is_gone(self) -> None:
        """Keep the secrets of what the documents hold now, not of every text that was ever typed."""
        forget()
        for buffer in self.documents.values():
            if buffer.document is not None:
                remember(buffer.document.secrets)

    def _diagnose(self, buffer: Open, thorough: bool) -> list[Diagnostic]:
        try:
            document, diagnostics = self.read_and_check(buffer, buffer.text, sure=not thorough)
        except UsageError as error:  # of the settings: a framework or release that is not known
            buffer.problem = str(error)
            return []
        buffer.document = document
        if thorough:
            self._recognise(buffer, document)
        if buffer.taken_for is None:
            return []
        diagnostics = [d for d in diagnostics if Selection(threshold=buffer.project.least).wants(d)]
        if buffer.project.accepted:
            from rftconf.lint import baseline

            folder = str(buffer.project.settings.folder or "")
            marks = baseline.fingerprints(diagnostics, {document.name: document.text}, folder)
            diagnostics = [d for d, mark in zip(diagnostics, marks, strict=True) if mark not in buffer.project.accepted]
        return diagnostics

    def read_and_check(self, buffer: Open, text: str, *, sure: bool = True) -> tuple[Document, list[Diagnostic]]:
        """Read and check a text in the place of a document's; `sure` that it is still for the same release."""
        from rftconf.verbs.open_input import read_source

        task = buffer.project.task
        own = checking.options_of(buffer.name, task)
        if sure and buffer.taken_for is not None:
            framework, release, _ = buffer.taken_for
            own = replace(own, framework=framework, release=release)
        document = read_source(Source(buffer.name, text), buffer.name if buffer.path else "-", task.how)
        own, _ = checking.by_keys(document, own, task.setting)
        return document, checking.findings(document, own)

    def _recognise(self, buffer: Open, document: Document) -> None:
        """Recognise the document's framework and release; one that is unreadable while being typed keeps them."""
        task = buffer.project.task
        own, _ = checking.by_keys(document, task.options, task.setting)
        named = own.framework is not None and bool(document.leaves)
        if not named and not config_of.is_config(document):
            if document.readable:
                buffer.taken_for = None
            return
        best = config_of.recognised(document, own.framework, own.release)
        if best is not None:
            buffer.taken_for = best.framework, best.release, best.trainer
        elif document.readable:
            buffer.taken_for = None
