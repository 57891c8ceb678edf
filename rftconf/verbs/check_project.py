"""`check` from options to exit code: settings, files, findings, fixes, formats."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from fnmatch import fnmatch
from pathlib import Path

from rftconf.base.diagnostics import Diagnostic, Severity
from rftconf.base.errors import UnreadableError, UsageError
from rftconf.base.secrets import remember
from rftconf.lint import settings as project
from rftconf.lint.engine import Options, Selection
from rftconf.lint.subject import Cluster
from rftconf.verbs import output as out
from rftconf.verbs.check_files import Checked, Task, check_all
from rftconf.verbs.find_files import candidates
from rftconf.verbs.read_arguments import Reading
from rftconf.verbs.read_arguments import reading as reading_of

__all__ = ["CheckRequest", "codes", "reading_of", "run"]
REFUSED = 3
_WITH_FIXES = frozenset({"json", "sarif"})
FORMATS = ("text", "concise", "json", "sarif", "github", "gitlab", "junit")


@dataclass(frozen=True, slots=True)
class CheckRequest:
    """The options of `rftconf check`, as the command line has them."""

    files: tuple[str, ...]
    framework: str | None
    release: str | None
    select: tuple[str, ...]
    ignore: tuple[str, ...]
    severity: str | None
    form: str
    outputs: tuple[str, ...]
    statistics: bool
    exit_zero: bool
    fix: bool
    unsafe: bool
    diff: bool
    baseline: Path | None
    write_baseline: Path | None
    config: Path | None
    gpu: str
    jobs: int | None
    cache: bool
    mixed: bool
    quiet: bool
    color: str


def codes(codes: Iterable[str] | None) -> tuple[str, ...]:
    """Codes of an option that may be repeated or hold several with commas."""
    return tuple(code.strip().upper() for item in codes or () for code in item.split(",") if code.strip())


def run(request: CheckRequest, read: Callable[[str | None, str | None, list[str]], Reading]) -> int:
    """Check, report, and give the exit code. Raises UsageError for options and settings that mean nothing."""
    settings = _settings(request)
    outputs = _outputs(request.outputs)
    chosen = _selection(request, settings)
    bound = [f"{name}={value}" for name, value in settings.get("set", {}).items()]
    # whoever names a framework on the command line does not mean the release of the project's
    own = request.framework is None or request.framework == settings.get("framework")
    release = request.release or (settings.get("release") if own else None)
    how = read(request.framework or settings.get("framework"), release, bound)
    task = Task(
        how,
        Options(how.framework, how.release, chosen, cluster_of(settings, request.gpu), _wants_fixes(request, outputs)),
        tuple((pattern, codes(entry)) for pattern, entry in settings.get("per-file-ignores", {}).items()),
        settings.folder,
        _cache(settings) if request.cache else None,
        request.fix,
        request.unsafe,
        request.mixed,
        settings.source if request.framework is None and how.framework is not None else "",
    )
    chosen_files = [c for c in candidates(request.files) if c.named or not is_excluded(c.path, settings)]
    if request.fix and any(c.path == "-" for c in chosen_files):
        raise UsageError("standard input cannot be fixed; name a file")
    return _finished(request, settings, list(check_all(chosen_files, task, request.jobs)), outputs)


def _wants_fixes(request: CheckRequest, outputs: Iterable[str]) -> bool:
    """Tell whether fixes are needed: for an option, or for a format that holds them."""
    changes_files = request.fix or request.diff or request.statistics or request.cache
    return changes_files or not _WITH_FIXES.isdisjoint((request.form, *outputs))


def _cache(settings: project.Settings) -> Path:
    from rftconf.lint.result_cache import FOLDER

    return (settings.folder or Path()) / FOLDER


def _finished(request: CheckRequest, settings: project.Settings, done: list[Checked], outputs: dict[str, Path]) -> int:
    for problem in (c.problem for c in done if c.problem and c.named):
        out.report(f"rftconf: {problem}\n")
    unreadable = any(c.problem and c.named for c in done)
    foreign = _noted(done, request)
    configs = [c for c in done if c.config and not c.problem]
    if not configs and not unreadable and any(c.note for c in done):
        return REFUSED if foreign else 0
    if not configs and not unreadable:
        hint = "name the files, or say what they are for with --from"
        raise UsageError(f"no config of a known framework in {', '.join(request.files)}; {hint}")
    texts = {c.name: c.text for c in configs}
    for checked in configs if request.jobs != 1 else ():  # other processes have read them
        remember(checked.secrets)
    diagnostics = [d for c in configs for d in c.found]
    folder = str(settings.folder or "")
    if request.write_baseline is not None:
        from rftconf.lint import baseline

        out.product(baseline.dump(diagnostics, texts, folder), request.write_baseline)
        return 2 if unreadable else 0
    diagnostics = _without_accepted(diagnostics, texts, request, settings)
    unreadable |= request.fix and not _fixed(configs, request)
    diagnostics, hidden = _select_shown(diagnostics, request, settings)
    _report(diagnostics, texts, [c.name for c in configs], request, outputs, hidden)
    if unreadable or not all(c.readable for c in configs):
        return 2
    if foreign:
        return REFUSED
    changes = request.diff and any(c.fixed is not None for c in configs)
    return 0 if request.exit_zero else int(changes or any(d.severity is not Severity.INFO for d in diagnostics))


def _noted(done: list[Checked], request: CheckRequest) -> bool:
    """Report files passed over and what outweighs the settings; True where a config's framework is not read."""
    from rftconf.schemas.foreign_configs import INSTEAD

    foreign = [c for c in done if c.foreign and not request.mixed]
    for checked in (c for c in done if c.note and (c in foreign or not request.quiet)):
        out.report(f"rftconf: {checked.note}\n")
    for choice in INSTEAD if foreign else ():
        out.report(f"  possible: {choice}\n")
    return bool(foreign)


def _settings(request: CheckRequest) -> project.Settings:
    if request.config is not None:
        settings = project.read(request.config)
        if settings is None:
            raise UsageError(f"{request.config} has no [tool.rftconf]")
        return settings
    first = Path(request.files[0]) if request.files and request.files[0] != "-" else Path()
    start = first if first.is_dir() else first.parent
    return project.find(start.resolve() if start.exists() else Path.cwd())


def _outputs(formats: Sequence[str]) -> dict[str, Path]:
    paths: dict[str, Path] = {}
    for item in formats:
        form, mark, file = item.partition("=")
        if not mark or form not in FORMATS or not file:
            raise UsageError(f"--output wants FORMAT=FILE with one of {', '.join(FORMATS)}, not {item!r}")
        paths[form] = Path(file)
    return paths


def _selection(request: CheckRequest, settings: project.Settings) -> Selection:
    select = request.select or codes(settings.get("select"))
    ignore = (*codes(settings.get("ignore")), *request.ignore)
    if not select and not ignore:
        return Selection()
    from rftconf.lint.codes import every

    known = every()
    for code in (*select, *ignore):
        if code != "ALL" and not any(name.startswith(code) for name in known):
            from difflib import get_close_matches

            near = get_close_matches(code, known, n=1)
            raise UsageError(f"there is no code {code}{f'; did you mean {near[0]}?' if near else ''}")
    return Selection(tuple(code for code in select if code != "ALL"), ignore)


def cluster_of(settings: project.Settings, gpu: str = "") -> Cluster:
    """Return the project's machines, as the settings have them. Raises UsageError for a GPU without an entry."""
    cluster = settings.get("cluster", {})
    gpu = gpu or cluster.get("gpu", "")
    if gpu:
        from rftconf.budget.facts.gpus import gpu_named

        gpu_named(gpu)
    return Cluster(cluster.get("nodes"), cluster.get("gpus-per-node"), gpu)


def is_excluded(path: str, settings: project.Settings) -> bool:
    """True for a file that the project passes over."""
    return any(fnmatch(path, p) or fnmatch(path, f"*/{p}") for p in settings.get("exclude", ()))


def _without_accepted(
    diagnostics: list[Diagnostic], texts: dict[str, str], request: CheckRequest, settings: project.Settings
) -> list[Diagnostic]:
    own = settings.get("baseline")
    file = request.baseline or ((settings.folder or Path()) / own if own else None)
    if file is None:
        return diagnostics
    from rftconf.lint import baseline

    accepted = baseline.load(file)
    marks = baseline.fingerprints(diagnostics, texts, str(settings.folder or ""))
    return [d for d, mark in zip(diagnostics, marks, strict=True) if mark not in accepted]


def _select_shown(
    diagnostics: list[Diagnostic], request: CheckRequest, settings: project.Settings
) -> tuple[list[Diagnostic], int]:
    least = Severity(request.severity or settings.get("severity") or "warning")
    at_threshold = [d for d in diagnostics if Selection(threshold=least).wants(d) or d.code in request.select]
    return at_threshold, len(diagnostics) - len(at_threshold)


def _fixed(configs: list[Checked], request: CheckRequest) -> bool:
    """Write, or show, what fixes made; False where a file was changed by somebody else meanwhile, and is left alone."""
    changed = [c for c in configs if c.fixed is not None]
    stale = [] if request.diff else [c for c in changed if not _write_fixes(c)]
    for checked in changed if request.diff else ():
        out.product(_difference(checked))
    for checked in stale:
        out.report(f"rftconf: {checked.name}: changed while it was being fixed, so it is left alone; run it again\n")
    changed = [c for c in changed if c not in stale]
    if not request.quiet and changed:
        fix_count = sum(c.made for c in changed)
        verb = "would fix" if request.diff else "fixed"
        out.report(
            f"{verb} {fix_count} finding{'s' * (fix_count != 1)} in {len(changed)} file{'s' * (len(changed) != 1)}\n"
        )
    return not stale


def _write_fixes(checked: Checked) -> bool:
    from rftconf.base import files as atomic
    from rftconf.text.source import open_source

    assert checked.fixed is not None
    try:
        stale = open_source(checked.name).text != checked.before
    except UnreadableError:
        stale = True
    if not stale:
        atomic.write(Path(checked.name), checked.fixed, executable=Path(checked.name).stat().st_mode & 0o111 > 0)
    return not stale


def _difference(checked: Checked) -> str:
    from difflib import unified_diff

    from rftconf.text.source import open_source

    before, after = open_source(checked.name).text, (checked.fixed or "").removeprefix("\ufeff")
    lines = unified_diff(before.splitlines(keepends=True), after.splitlines(keepends=True), checked.name, checked.name)
    return "".join(line if line.endswith("\n") else f"{line}\n\\ No newline at end of file\n" for line in lines)


def _report(
    diagnostics: list[Diagnostic],
    texts: dict[str, str],
    files: list[str],
    request: CheckRequest,
    outputs: dict[str, Path],
    hidden: int,
) -> None:
    from rftconf.report.diagnostics import statistics, summary
    from rftconf.text.read.read_plan import MARK, is_plan
    from rftconf.verbs.finding_formats import rendered

    for form, file in outputs.items():
        out.product(rendered(form, diagnostics, texts, files, out.product_screen("never")), file)
    if request.diff:
        return
    if request.statistics:
        from rftconf.lint.codes import every

        out.product(statistics(diagnostics, every()))
    else:
        out.product(rendered(request.form, diagnostics, texts, files, out.product_screen(request.color)))
    if not request.quiet and request.form == "text" and files:
        notes = f" ({hidden} note{'s' * (hidden != 1)} not shown: --severity info)" if hidden else ""
        out.report(f"{summary(diagnostics, len(files))}{notes}\n")
        for plan in (file for file in files if MARK in texts.get(file, "") and is_plan(texts[file])):
            out.report(
                f"{plan} is a plan: only the rules that hold for every framework ran; check its config for all of them\n"
            )
