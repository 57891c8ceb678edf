"""The work of `check` on each file: reading, checking, silencing, fixing; in one process or several."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from fnmatch import fnmatch
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from rftconf.base.diagnostics import Diagnostic, few
from rftconf.base.errors import UnreadableError
from rftconf.base.import_path import StartingProcesses, go_back
from rftconf.base.secrets import NO_SECRETS, Secrets, masked
from rftconf.lint import engine, suppress
from rftconf.lint import recognise_config as config_of
from rftconf.schemas import foreign_configs, registry
from rftconf.text.source import STDIN, Source, open_source
from rftconf.verbs.find_files import Candidate
from rftconf.verbs.read_arguments import Reading

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
    """The settings with which every file is checked."""

    how: Reading
    options: engine.Options
    per_file: tuple[tuple[str, tuple[str, ...]], ...] = ()
    folder: Path | None = None
    cache: Path | None = None
    fix: bool = False
    unsafe: bool = False
    mixed: bool = False
    """The files are of a repository that holds other things too."""
    setting: str = ""
    """Where the framework is not asked for but a setting of the project: the file with the settings."""


@dataclass(frozen=True, slots=True)
class Checked:
    """One file: its findings, and its text before and after fixes. `problem` when it cannot be read at all.

    `note` is what else there is to say of it: why it is passed over, or that its keys outweigh the settings.
    `foreign`: it is a config of a framework that rftconf does not read.
    """

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
    note: str = ""
    foreign: bool = False
    secrets: Secrets = NO_SECRETS
    """Return the secrets that its findings may quote, for a process that has not read it."""


def check_all(candidates: Sequence[Candidate], task: Task, jobs: int | None) -> Iterator[Checked]:
    """Every candidate's result, in the order given; `jobs` is None for as many processes as pay."""
    if jobs is None:
        jobs = min(len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else 1, len(candidates) // _MANY)
    if jobs <= 1 or len(candidates) < 2 * _FEW:
        yield from (check_one(candidate, task) for candidate in candidates)
        return
    from concurrent.futures import BrokenExecutor, ProcessPoolExecutor

    # what the first file makes this process load, processes that are copies of it have
    yield check_one(candidates[0], task)
    others = candidates[1:]
    with StartingProcesses() as start:
        pool = ProcessPoolExecutor(min(jobs, len(candidates) // _FEW), initializer=go_back, initargs=(start.before,))
        results = pool.map(partial(check_one, task=task), others, chunksize=max(_FEW, len(others) // (_SHARES * jobs)))
    try:
        with pool:
            yield from results
    except BrokenExecutor as error:
        raise UnreadableError(
            "the system ended a process that checked files, most often because memory ran out; "
            "--jobs 1 checks one file after another"
        ) from error


def check_one(candidate: Candidate, task: Task) -> Checked:
    """Read and check one file."""
    from rftconf.verbs.open_input import read_options, read_source

    try:
        source = open_source(candidate.path)
        options = replace(read_options(task.how), ships=None)  # no part of what a result is kept under
    except UnreadableError as error:
        return Checked(candidate.path, candidate.named, problem=str(error), readable=False, config=False)
    own = options_of(candidate.path, task)
    name = ""
    # a finding may quote what it is about, and secrets are not to be copied anywhere
    if task.cache is not None and not task.fix and candidate.path != STDIN and masked(source.text) == source.text:
        from rftconf.lint import result_cache as store

        name = store.digest(source.text.encode("utf-8", "surrogatepass"), source.name, options, own, candidate.named)
        cached = store.get(task.cache, name)
        if cached is not None:
            return Checked(source.name, candidate.named, source.text, cached.found, cached.readable, cached.config)
    try:
        document = read_source(source, candidate.path, task.how)
    except UnreadableError as error:  # a config that it names
        return Checked(candidate.path, candidate.named, problem=str(error), readable=False, config=False)
    own, note = by_keys(document, own, task.setting)
    config = config_of.is_config(document)
    if candidate.named and not config and not _is_meant(document, own, task):
        return _passed_over(document)
    config = config or candidate.named
    diagnostics = findings(document, own) if config else []
    if name and task.cache is not None and not note and not document.secrets.values:
        from rftconf.lint import result_cache as store

        store.put(task.cache, name, store.CachedResult(tuple(diagnostics), document.readable, config))
    done = Checked(
        document.name, candidate.named, document.text, tuple(diagnostics), document.readable, config, note=note,
        secrets=document.secrets,
    )  # fmt: skip
    return _fixed(done, source, document, own, task) if task.fix and config else done


def _fixed(checked: Checked, source: Source, document: Document, own: engine.Options, task: Task) -> Checked:
    """Return the checked file as fixes changed it."""
    from rftconf.lint import fixing
    from rftconf.verbs.open_input import read_source

    def again(text: str) -> tuple[Document, list[Diagnostic]]:
        document = read_source(replace(source, text=text), source.name, task.how)
        return document, findings(document, own)

    done = fixing.fix(
        document, list(checked.found), again, unsafe=task.unsafe, framework=own.framework, release=own.release
    )
    after = _with_bom(source, done.text) if done.made else None
    return replace(checked, text=done.text, found=done.left, before=source.text, fixed=after, made=len(done.made))


def _is_meant(document: Document, own: engine.Options, task: Task) -> bool:
    """True for a named file that should be a config, although it shows no framework's keys.

    Where somebody says what it is for, it is; so is a text with a framework's words, and one that cannot be read at
    all, unless the repository is said to hold others.
    """
    if own.framework is not None and not task.setting:
        return True
    broken = any(d.code != "SYN505" for d in document.unreadable_whole)
    return config_of.may_be_config(document) or (broken and not task.mixed and not foreign_configs.named(document))


def by_keys(document: Document, own: engine.Options, setting: str) -> tuple[engine.Options, str]:
    """The options with the framework that the keys show, where the project's settings say another, and the warning."""
    best = config_of.contradicts(document, own.framework) if setting and own.framework else None
    if best is None:
        return own, ""
    from_keys, from_settings = registry.framework(best.framework), registry.framework(own.framework or "")
    note = f"{document.name}: its keys are those of {from_keys.title}, and {setting} says {from_settings.title}: the keys count"
    return replace(own, framework=None, release=None), note


def _passed_over(document: Document) -> Checked:
    """A named file that is no config of these frameworks: a repository holds others too."""
    foreign = foreign_configs.named(document)
    note = foreign or f"{document.name} is no config of RL training that rftconf knows: it is passed over"
    return Checked(document.name, True, document.text, config=False, note=note, foreign=bool(foreign))


def findings(document: Document, own: engine.Options) -> list[Diagnostic]:
    """List the diagnostics of a document that the selection wants, without those that comments silence."""
    everything = replace(own, selection=replace(own.selection, threshold=engine.LOWEST))
    diagnostics = engine.check(document, everything)
    if suppress.MARK in document.text:
        diagnostics = suppress.apply(document.name, document.text, diagnostics, engine.looked_for(own.selection))
    return sorted(few(d for d in diagnostics if own.selection.wants(d)), key=engine.position)


def _with_bom(source: Source, text: str) -> str:
    return f"\ufeff{text}" if source.bom else text


def options_of(path: str, task: Task) -> engine.Options:
    """The options with what this file's patterns leave out."""
    if not task.per_file:
        return task.options
    folder = Path(path)
    names = [path, folder.name]
    if task.folder is not None:
        resolved = folder.resolve()
        if resolved.is_relative_to(task.folder.resolve()):
            names.append(str(resolved.relative_to(task.folder.resolve())))
    more = [code for pattern, codes in task.per_file if any(fnmatch(name, pattern) for name in names) for code in codes]
    selection = task.options.selection
    return replace(task.options, selection=replace(selection, ignore=(*selection.ignore, *more)))
