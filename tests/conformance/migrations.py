"""A project's own examples before and after `rftconf migrate`, before its own loaders.

`python -m tests.conformance.migrations verl:0.5.0:FOLDER [trinity:0.3.3:FOLDER]... [-o FILE.json]` where FOLDER is a
checkout of that release's examples. Scripts are run by bash with stubs in place of every program, so name only folders
that you trust. Prints how many examples their own release accepts, how many of these the asked one accepts before and
after, and of each that is not right, why; and what a way back to its own release makes of them. Exit 1 when one is not
right.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from rftconf.base.errors import UnreadableError
from rftconf.diff.compare import compare
from rftconf.diff.sides import side
from rftconf.load.recognise import recognise
from rftconf.migrate.differences_left import lost, unlike
from rftconf.schemas import catalogue, registry, versions
from rftconf.schemas.acceptance import judge as standing
from rftconf.text.read.read import read
from rftconf.text.source import open_source
from tests.conformance.conversions import differences_after
from tests.conformance.environment import Target, folder, judges_of
from tests.conformance.judging import Verdict
from tests.conformance.migration_figures import Case, show, summary, write
from tests.conformance.migration_runner import Runner, migrated
from tests.conformance.migrations_back import loaded, there_and_back
from tests.conformance.remembered import RememberingBench

LONGEST = 120
"""Characters of a difference that are kept."""


def measured(runner: Runner, file: Path, own: Target, to: Target) -> list[Case]:
    """Every run that one file starts, before and after."""
    name = str(file.relative_to(runner.root))
    before = runner.cases(file)
    cases = [
        Case(f"{name}#{index}" if index else name, _said(runner.verdict(own, path)), _said(runner.verdict(to, path)))
        for index, path in enumerate(before)
    ]
    out = runner.scratch / f"migrated{file.suffix}"
    out.unlink(missing_ok=True)
    code, report = migrated(file, own, to, out)
    for case in cases:
        case.exit = code
        case.edits, case.pins = len(report.get("edits", ())), len(report.get("pins", ()))
        case.lost = _lost(report)
        if code:
            case.after = report.get("error", "")
    if not code:
        for case, old, new in zip(cases, before, runner.cases(out), strict=True):
            try:
                _judge(runner, case, (old, own), (new, to))
            except UnreadableError as error:
                case.lost.append(f"not read: {str(error).rpartition(': ')[2]}"[:LONGEST])
                runner.move(new, runner.after)
                case.after = _said(runner.verdict(to, new, runner.after))
        there_and_back(runner, cases, before, (out, report), (own, to))
    return cases


def _judge(runner: Runner, case: Case, before: tuple[Path, Target], after: tuple[Path, Target]) -> None:
    """The verdict on the migrated run, and whether it is the same plan as before, with the config it starts from."""
    (old, own), (new, to) = before, after
    config, base = runner.config(new), None
    if config is not None:
        base, report = runner.after / config, runner.with_config(config, own, to, runner.root, runner.after)
        case.exit = case.exit or report["exit"]
        case.lost += _lost(report)
        case.unread += unread(base, to)
        if not report["exit"]:
            case.lost += _whole((old, own, runner.root / config), (new, to, base))
    runner.move(new, runner.after)
    verdict = runner.verdict(to, new, runner.after)
    case.after = _said(verdict)
    back = differences_after(to, verdict, new, runner.scratch, base) if verdict.ok else []
    case.read_back = [line.replace(str(folder()), "")[:LONGEST] for line in back]
    case.unread += unread(new, to)


def _lost(report: dict[str, Any]) -> list[str]:
    return [f"{entry['name']}: {entry['why']}" for entry in report.get("differences", ()) if entry["nature"] == "lost"]


def _whole(*runs: tuple[Path, Target, Path]) -> list[str]:
    """What a run says with the config that it starts from, and its migration with the migrated config does not."""
    sides = [loaded(*run) for run in runs]
    comparison = compare(*(side(new_loaded.document.name, new_loaded) for new_loaded in sides))
    return [
        f"{leftover.name}: {leftover.a} -> {leftover.b}"[:LONGEST]
        for leftover in lost(unlike(comparison, sides[1], ()))
    ]


def unread(file: Path, to: Target) -> list[str]:
    """Keys that the release does not know, or takes and ignores."""
    document = read(open_source(str(file)))
    guess = recognise(document, to.framework, to.release)
    known = catalogue.load(guess.framework, guess.release, guess.trainer)
    groups = registry.framework(guess.framework).groups
    wrong = []
    for leaf in document.leaves:
        verdict = standing(known, leaf.mode.value + leaf.key, leaf.value, overrides=document.form != "yaml")
        if leaf.key in groups or "@" in leaf.key:
            continue
        if not verdict.fits or versions.dead(guess.framework, guess.release, leaf.key):
            wrong.append(f"{leaf.key}: {verdict.value}")
    return wrong


def _said(verdict: Verdict) -> str:
    return "accepted" if verdict.ok else f"{verdict.stage}: {verdict.error}"[:400]


def target_of(framework: str, release: str) -> Target:
    """The release's judge, beside the release of another framework that it prefers."""
    return judges_of(framework, release)[0]


def main(args: Sequence[str] | None = None) -> int:
    """Measure every set that is named."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("sets", nargs="+", metavar="FRAMEWORK:RELEASE:FOLDER")
    parser.add_argument("--to", action="append", default=[], metavar="FRAMEWORK:RELEASE")
    parser.add_argument("--only", default="", metavar="TEXT", help="examples with TEXT in their path")
    parser.add_argument("--sample", type=int, default=0, metavar="N", help="N examples of each set, evenly spread")
    parser.add_argument("-o", "--output", type=Path)
    new_arguments = parser.parse_args(args)
    goals = dict(word.split(":") for word in new_arguments.to)
    bench, results = RememberingBench(), list[dict[str, Any]]()
    with tempfile.TemporaryDirectory(prefix="rftconf_migrations_") as scratch:
        for word in new_arguments.sets:
            framework, release, place = word.split(":", 2)
            own = target_of(framework, release)
            to = target_of(framework, goals.get(framework, registry.framework(framework).newest))
            runner = Runner(Path(place).resolve(), framework, bench, Path(scratch))
            cases: list[Case] = []
            files = [file for file in runner.files() if new_arguments.only in str(file)]
            many = min(new_arguments.sample or len(files), len(files))
            results.append({})
            for index in range(many):
                cases += measured(runner, files[index * len(files) // many], own, to)
                sys.stderr.write(f"{index + 1}/{many} {cases[-1].name if cases else ''}\n")
                title = f"{Path(place).name} to {framework} {to.release}, {index + 1} of {len(files)} files"
                results[-1] = summary(title, cases)
                write(new_arguments.output, results)  # a run that is broken off leaves what it found
            show(results[-1], cases)
    bench.close()
    return int(any(result["not right"] for result in results))


if __name__ == "__main__":
    sys.exit(main())
