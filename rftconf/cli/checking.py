"""What `check` does with each file: read, check, silence, fix; alone or in several processes."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from fnmatch import fnmatch
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from rftconf.cli.files import Candidate
from rftconf.cli.reading import Reading
from rftconf.diagnostics import Diagnostic
from rftconf.errors import UnreadableError
from rftconf.lint import config_of, engine, suppress
from rftconf.secrets import masked
from rftconf.text.source import STDIN, Source, open_source

if TYPE_CHECKING:
    from rftconf.text.document import Document

_FEW = 8
"""Files per process below which starting one does not pay, even when asked for."""
_MANY = 100
"""Files per process below which it does not pay to start one unasked."""
_SHARES = 32
"""How many times each process comes for files: the last ones to come back wait for each other for one share."""


@dataclass(frozen=True, slots=True)
class Task:
    """How every file is checked."""

    how: Reading
    options: engine.Options
    per_file: tuple[tuple[str, tuple[str, ...]], ...] = ()
    folder: Path | None = None
    cache: Path | None = None
    fix: bool = False
    unsafe: bool = False


@dataclass(frozen=True, slots=True)
class Checked:
    """One file: its findings, and its text before and after fixes. `problem` when it cannot be read at all."""

    name: str
    named: bool
    text: str = ""
    found: tuple[Diagnostic, ...] = ()
    readable: bool = True
    config: bool = True
    before: str = ""
    """What `fixed` was made from."""
    fixed: str | None = None
    made: int = 0
    problem: str = ""


def check_all(candidates: Sequence[Candidate], task: Task, jobs: int | None) -> Iterator[Checked]:
    """Every candidate's result, in the order given; `jobs` is None for as many processes as pay."""
    if jobs is None:
        jobs = min(len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else 1, len(candidates) // _MANY)
    if jobs <= 1 or len(candidates) < 2 * _FEW:
        yield from (check_one(candidate, task) for candidate in candidates)
        return
    from concurrent.futures import ProcessPoolExecutor

    # what the first file makes this process load, processes that are copies of it have
    yield check_one(candidates[0], task)
    rest = candidates[1:]
    with ProcessPoolExecutor(min(jobs, len(candidates) // _FEW)) as pool:
        yield from pool.map(partial(check_one, task=task), rest, chunksize=max(_FEW, len(rest) // (_SHARES * jobs)))


def check_one(candidate: Candidate, task: Task) -> Checked:
    """Read and check one file."""
    from rftconf.cli.loading import read_options, read_source

    try:
        source = open_source(candidate.path)
        options = read_options(task.how)
    except UnreadableError as error:
        return Checked(candidate.path, candidate.named, problem=str(error), readable=False, config=False)
    own = options_of(candidate.path, task)
    name = ""
    # a finding may quote what it is about, and secrets are not to be copied anywhere
    if task.cache is not None and not task.fix and candidate.path != STDIN and masked(source.text) == source.text:
        from rftconf.lint import store

        name = store.digest(source.text.encode("utf-8", "surrogatepass"), source.name, options, own, candidate.named)
        kept = store.get(task.cache, name)
        if kept is not None:
            return Checked(source.name, candidate.named, source.text, kept.found, kept.readable, kept.config)

    def again(text: str) -> tuple[Document, list[Diagnostic]]:
        document = read_source(replace(source, text=text), candidate.path, task.how)
        return document, findings(document, own)

    try:
        document = read_source(source, candidate.path, task.how)
    except UnreadableError as error:  # a config that it names
        return Checked(candidate.path, candidate.named, problem=str(error), readable=False, config=False)
    config = candidate.named or config_of.is_config(document)
    found = findings(document, own) if config else []
    if name and task.cache is not None:
        store.put(task.cache, name, store.Kept(tuple(found), document.readable, config))
    if task.fix and config:
        from rftconf.lint import fixing

        done = fixing.fix(document, found, again, unsafe=task.unsafe)
        after = _with_bom(source, done.text) if done.made else None
        before, made = source.text, len(done.made)
        return Checked(
            document.name, candidate.named, done.text, done.left, document.readable, config, before, after, made
        )
    return Checked(document.name, candidate.named, document.text, tuple(found), document.readable, config)


def findings(document: Document, own: engine.Options) -> list[Diagnostic]:
    """What is found in a document and wanted, without what comments silence."""
    everything = replace(own, selection=replace(own.selection, threshold=engine.LOWEST))
    found = engine.check(document, everything)
    if suppress.MARK in document.text:
        found = suppress.apply(document.name, document.text, found, engine.looked_for(own.selection))
    return sorted((d for d in found if own.selection.wants(d)), key=engine.position)


def _with_bom(source: Source, text: str) -> str:
    return f"\ufeff{text}" if source.bom else text


def options_of(path: str, task: Task) -> engine.Options:
    """The options with what this file's patterns leave out."""
    if not task.per_file:
        return task.options
    here = Path(path)
    names = [path, here.name]
    if task.folder is not None:
        resolved = here.resolve()
        if resolved.is_relative_to(task.folder.resolve()):
            names.append(str(resolved.relative_to(task.folder.resolve())))
    more = [code for pattern, codes in task.per_file if any(fnmatch(name, pattern) for name in names) for code in codes]
    selection = task.options.selection
    return replace(task.options, selection=replace(selection, ignore=(*selection.ignore, *more)))
