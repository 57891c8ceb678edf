"""Examples migrated there and back: what they were, or what is not is said by name."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from rftconf.base.errors import RftconfError
from rftconf.diff.as_text import value_text
from rftconf.diff.compare import Comparison, compare
from rftconf.diff.effects import COUNTED
from rftconf.diff.sides import side
from rftconf.load.load import load
from rftconf.load.loaded import Loaded
from rftconf.text.read.read import read
from rftconf.text.read.read_options import ReadOptions
from rftconf.text.source import open_source
from tests.conformance.environment import Target
from tests.conformance.migration_figures import Case
from tests.conformance.migration_runner import Runner, migrated

LONGEST = 160
SHOWN = ("lost", "release")
"""Natures of differences that migrate shows without being asked for more."""


def there_and_back(
    runner: Runner,
    cases: Sequence[Case],
    before: Sequence[Path],
    done: tuple[Path, Mapping[str, Any]],
    targets: tuple[Target, Target],
) -> None:
    """The migrated file for its own release again, before that release's loader and beside what it was."""
    (out, report), (own, to) = done, targets
    file = runner.scratch / f"restored{out.suffix}"
    file.unlink(missing_ok=True)
    code, again = migrated(out, to, own, file)
    for case in cases:
        case.back = f"refused: {again.get('error', '')}" if code else ""
    if code:
        return
    for case, old, new in zip(cases, before, runner.cases(file), strict=True):
        _judge(runner, case, (old, new), (own, to), [report, again])


def _judge(
    runner: Runner,
    case: Case,
    runs: tuple[Path, Path],
    targets: tuple[Target, Target],
    reports: list[Mapping[str, Any]],
) -> None:
    (old, new), (own, to) = runs, targets
    config = runner.config(new)
    bases: tuple[Path | None, Path | None] = (None, None)
    if config is not None:
        reports.append(runner.with_config(config, own, to, runner.root, runner.after))
        reports.append(runner.with_config(config, to, own, runner.after, runner.back))
        bases = (runner.root / config, runner.back / config)
    _name(case, (old, new), own, bases, set(_said(reports)))
    runner.move(new, runner.back)
    verdict = runner.verdict(own, new, runner.back)
    case.back = "accepted" if verdict.ok else f"{verdict.stage}: {verdict.error}"[:400]


def _name(
    case: Case, runs: tuple[Path, Path], own: Target, bases: tuple[Path | None, Path | None], messages: set[str]
) -> None:
    """What differs, by whether migrate says it."""
    try:
        comparison = _compared(*(loaded(file, own, base) for file, base in zip(runs, bases, strict=True)))
    except RftconfError as error:
        case.silent.append(f"not read: {str(error).rpartition(': ')[2]}"[:LONGEST])
        return
    for name, a, b in _differing(comparison):
        if name in messages:
            case.said.append(name)
        else:
            case.silent.append(f"{name}: {value_text(name, a)} -> {value_text(name, b)}"[:LONGEST])


def loaded(file: Path, target: Target, base: Path | None = None) -> Loaded:
    """What a run means to rftconf, with the config that it starts from."""
    document = read(open_source(str(file)), ReadOptions(base=open_source(str(base)) if base is not None else None))
    return load(document, framework=target.framework, release=target.release)


def _compared(*sides: Loaded) -> Comparison:
    return compare(*(side(new_loaded.document.name, new_loaded) for new_loaded in sides))


def _differing(comparison: Comparison) -> Iterator[tuple[str, Any, Any]]:
    for effect in COUNTED:
        for difference in comparison.of(effect):
            yield difference.path, difference.a.value, difference.b.value
    for own in comparison.own:
        yield own.key, own.a, own.b
    yield from ((f"stage {name}", name, None) for name in comparison.only_a)
    yield from ((f"stage {name}", None, name) for name in comparison.only_b)


def _said(reports: Sequence[Mapping[str, Any]]) -> Iterator[str]:
    for report in reports:
        yield from (entry["name"] for entry in report.get("differences", ()) if entry["nature"] in SHOWN)
        yield from (edit["key"].lstrip("+~") for edit in report.get("edits", ()) if edit["lossy"])
