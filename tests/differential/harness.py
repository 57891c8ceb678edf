"""Compares the shell reader with real bash over a folder: `python -m tests.differential.harness FOLDER`.

Bash runs the scripts, with stubs for programs but with its own redirections: for trusted folders only.
"""

from __future__ import annotations

import argparse
import json
import shlex
import sys
import time
from dataclasses import asdict, dataclass, field
from pathlib import Path
from statistics import median

from rftconf.text.shell import read_script
from tests.differential.compare import Tally, compare
from tests.differential.oracle import CLUSTER, Oracle, starts_program


@dataclass
class Report:
    """Counts over all scripts; milliseconds are for reading alone."""

    scripts: int = 0
    launching: int = 0
    overrides: int = 0
    equal: int = 0
    machine: int = 0
    wrong: int = 0
    crashed: int = 0
    median_ms: float = 0.0
    max_ms: float = 0.0
    details: dict[str, list[str]] = field(default_factory=dict)
    skipped: list[str] = field(default_factory=list)


def check(oracle: Oracle, path: Path, only: str = "") -> tuple[Tally | None, float]:
    """One script against bash; None when bash starts no program (whose name has `only`) in it."""
    text = path.read_bytes().decode("utf-8", "surrogateescape")
    extra: dict[str, str] = {}
    args = arguments(text)
    oracle.provide(path.parent)
    run = oracle.run(path, args)
    starts = [starts_program(argv) for argv in run.records]
    if max(starts, default=-1) < 0:
        extra = CLUSTER
        run = oracle.run(path, args, extra)
        starts = [starts_program(argv) for argv in run.records]
    began = time.perf_counter()
    sources = {p.name: p.read_text() for p in path.parent.glob("*.inc")}
    script = read_script(str(path), text, environment=extra, args=args, sources=sources)
    spent = min(time.perf_counter() - began, _again(path, text, extra))
    chosen = [(a, s) for a, s in zip(run.records, starts, strict=True) if s >= 0]
    if only and not any(only in a[s] for a, s in chosen):
        return None, spent
    if not chosen:
        return None, spent
    tally = compare(script.commands, [a for a, _ in chosen], run.environment, [s for _, s in chosen])
    return tally, spent


def arguments(text: str) -> tuple[str, ...]:
    """What a script of ours wants to be started with: a first line `# args: ...`."""
    first = text.partition("\n")[0]
    return tuple(shlex.split(first[7:])) if first.startswith("# args:") else ()


def _again(path: Path, text: str, extra: dict[str, str]) -> float:
    best = 60.0
    for _ in range(2):
        began = time.perf_counter()
        read_script(str(path), text, environment=extra)
        best = min(best, time.perf_counter() - began)
    return best


def check_folder(folder: Path, only: str = "") -> Report:
    """Every `.sh` below `folder`; `only` keeps scripts that start a program with this in its name."""
    report, times, oracle = Report(), list[float](), Oracle()
    try:
        for path in sorted(folder.rglob("*.sh")):
            report.scripts += 1
            try:
                tally, spent = check(oracle, path, only)
            except Exception as error:  # noqa: BLE001
                report.crashed += 1
                report.details[str(path)] = [f"{type(error).__name__}: {error}"]
                continue
            times.append(spent * 1000)
            if tally is None:
                report.skipped.append(str(path))
                continue
            report.launching += 1
            report.equal += tally.equal
            report.machine += tally.machine
            report.wrong += len(tally.wrong)
            if tally.wrong:
                report.details[str(path)] = tally.wrong
    finally:
        oracle.close()
    report.overrides = report.equal + report.machine + report.wrong
    report.median_ms, report.max_ms = (median(times), max(times)) if times else (0.0, 0.0)
    return report


def main() -> int:
    """The command line; exit status 1 when anything is wrong or crashed."""
    parser = argparse.ArgumentParser(prog="harness", description=__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--json", action="store_true")
    parser.add_argument("--list-wrong", action="store_true")
    parser.add_argument("--list-skipped", action="store_true")
    parser.add_argument("--only", default="", help="only scripts that start a program with this in its name")
    new_arguments = parser.parse_args()
    report = check_folder(new_arguments.folder, new_arguments.only)
    if new_arguments.json:
        print(json.dumps(asdict(report)))
    else:
        figures = {k: v for k, v in asdict(report).items() if k not in ("details", "skipped")}
        print(" ".join(f"{k}={v:.3f}" if isinstance(v, float) else f"{k}={v}" for k, v in figures.items()))
    if new_arguments.list_wrong:
        for path, lines in report.details.items():
            print(path, *lines[:8], sep="\n    ")
    if new_arguments.list_skipped:
        print(*report.skipped, sep="\n")
    return 1 if report.wrong or report.crashed else 0


if __name__ == "__main__":
    sys.exit(main())
