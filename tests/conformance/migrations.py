"""A project's own examples before and after `rftconf migrate`, before its own loaders.

`python -m tests.conformance.migrations verl:0.5.0:FOLDER [trinity:0.3.3:FOLDER]... [-o FILE.json]` where FOLDER is a
checkout of that release's examples. Scripts are run by bash with stubs in place of every program, so name only folders
that you trust. Prints how many examples their own release accepts, how many of these the asked one accepts before and
after, and of each that is not right, why. Exit 1 when there is one.
"""

from __future__ import annotations

import argparse
import contextlib
import io
import json
import shutil
import sys
import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from rftconf.cli.app import run as rftconf
from rftconf.diff.compare import compare
from rftconf.diff.sides import side
from rftconf.errors import UnreadableError
from rftconf.load import load
from rftconf.migrate.unlike import lost, unlike
from rftconf.recognise import recognise
from rftconf.schemas import catalogue, registry, versions
from rftconf.schemas.acceptance import judge as standing
from rftconf.text.read import ReadOptions, read
from rftconf.text.source import open_source
from tests.conformance.conversions import differences_after
from tests.conformance.environment import Target, folder, judges_of
from tests.conformance.judging import Bench, Verdict
from tests.conformance.migration_figures import Case, show, summary, write
from tests.conformance.remembered import RememberingBench
from tests.corpus import launch_script
from tests.differential.oracle import CLUSTER, Oracle, starts_program

MAIN = "verl.trainer.main_ppo"
HOME = "/home/user"
LONGEST = 120
"""Characters of a difference that are kept."""
FILES = {"verl": "*.sh", "trinity": "*.yaml"}


class Runner:
    """Runs scripts in a folder that looks like the root of a checkout, and asks the judges there."""

    def __init__(self, root: Path, framework: str, bench: Bench, scratch: Path) -> None:
        self.root, self.framework, self.bench, self.scratch = root, framework, bench, scratch
        self.words: dict[Path, list[str]] = {}
        self.oracle = Oracle()
        self.configs: dict[tuple[Path, Target], dict[str, Any]] = {}
        self.work, self.after = (folder() / "checkouts" / f"{root.name}{end}" for end in ("", "-migrated"))
        self.work.mkdir(parents=True, exist_ok=True)
        shutil.rmtree(self.after, ignore_errors=True)
        shutil.copytree(root, self.after)
        for place in root.iterdir():
            for work in (self.oracle.root / "work", self.work):
                (work / place.name).unlink(missing_ok=True)
                (work / place.name).symlink_to(place.resolve())

    def files(self) -> Iterator[Path]:
        """The examples: scripts that start the trainer, YAML that a run reads."""
        for file in sorted(self.root.rglob(FILES[self.framework])):
            text = file.read_text(errors="replace")
            if MAIN in text if self.framework == "verl" else ("explorer:" in text or "algorithm:" in text):
                yield file

    def cases(self, file: Path) -> list[Path]:
        """What the file starts, each as one file: of a script the arguments that bash makes of it."""
        if self.framework != "verl":
            return [file]
        found = self._commands(file, {}) or self._commands(file, dict(CLUSTER))
        made = []
        for number, words in enumerate(found):
            made.append(self.scratch / f"{file.stem}-{number}.sh")
            made[-1].write_text(launch_script(words))
            self.words[made[-1]] = words
        return made

    def _commands(self, file: Path, extra: dict[str, str]) -> list[list[str]]:
        records = self.oracle.run(file, extra=extra).records
        starts = [(argv, starts_program(argv)) for argv in records]
        return [list(map(self._lasting, argv[at + 1 :])) for argv, at in starts if at >= 0 and argv[at] == MAIN]

    def _lasting(self, word: str) -> str:
        """An argument without the places that are made anew for each run, so that a verdict can be remembered."""
        root = str(self.oracle.root)
        return word.replace(f"{root}/work", str(self.work)).replace(f"{root}/home", HOME)

    def verdict(self, target: Target, file: Path, *, after: bool = False) -> Verdict:
        """What the release's own loader says, in the checkout as it was or with its migrated configs."""
        if self.framework != "verl":
            return self.bench.ask(target, {"file": str(file)})
        work = self.after if after else self.work
        package = work / "verl"
        package.unlink(missing_ok=True)
        package.symlink_to(folder() / "releases" / f"verl-{target.release}" / "verl")
        return self.bench.ask(target, {"program": MAIN, "overrides": self.words[file], "cwd": str(work)})

    def move(self, file: Path) -> None:
        """Let a run start in the checkout with its migrated configs."""
        if file in self.words:
            self.words[file] = [word.replace(str(self.work), str(self.after)) for word in self.words[file]]
            file.write_text(launch_script(self.words[file]))

    def config(self, file: Path) -> Path | None:
        """The config of the checkout's own that a run starts from, relative to the root."""
        named = dict(word[2:].partition("=")[::2] for word in self.words.get(file, ()) if word.startswith("--config-"))
        name = named.get("config-name", "").removesuffix(".yaml")
        place = self.work / named.get("config-path", "") / f"{name}.yaml"
        inside = (
            name and place.is_file() and place.is_relative_to(self.work) and (self.root / place.relative_to(self.work))
        )
        return place.relative_to(self.work) if inside and inside.is_file() else None

    def with_config(self, config: Path, own: Target, to: Target) -> dict[str, Any]:
        """Migrates a config of the checkout's own, once; what rftconf says of it."""
        if (config, to) not in self.configs:
            code, report = migrated(self.root / config, own, to, self.after / config)
            self.configs[config, to] = report | {"exit": code}
        return self.configs[config, to]


def measured(runner: Runner, file: Path, own: Target, to: Target) -> list[Case]:
    """Every run that one file starts, before and after."""
    name = str(file.relative_to(runner.root))
    before = runner.cases(file)
    found = [
        Case(f"{name}#{at}" if at else name, _said(runner.verdict(own, one)), _said(runner.verdict(to, one)))
        for at, one in enumerate(before)
    ]
    out = runner.scratch / f"migrated{file.suffix}"
    out.unlink(missing_ok=True)
    code, report = migrated(file, own, to, out)
    for case in found:
        case.exit = code
        case.edits, case.pins = len(report.get("edits", ())), len(report.get("pins", ()))
        case.lost = _lost(report)
        if code:
            case.after = report.get("error", "")
    if not code:
        for case, old, new in zip(found, before, runner.cases(out), strict=True):
            try:
                _judge(runner, case, (old, own), (new, to))
            except UnreadableError as error:
                case.lost.append(f"not read: {str(error).rpartition(': ')[2]}"[:LONGEST])
    return found


def _judge(runner: Runner, case: Case, before: tuple[Path, Target], after: tuple[Path, Target]) -> None:
    """The verdict on the migrated run, and whether it is the same plan as before, with the config it starts from."""
    (old, own), (new, to) = before, after
    config, base = runner.config(new), None
    if config is not None:
        base, report = runner.after / config, runner.with_config(config, own, to)
        case.exit = case.exit or report["exit"]
        case.lost += _lost(report)
        case.unread += unread(base, to)
        if not report["exit"]:
            case.lost += _whole((old, own, runner.root / config), (new, to, base))
    runner.move(new)
    verdict = runner.verdict(to, new, after=True)
    case.after = _said(verdict)
    back = differences_after(to, verdict, new, runner.scratch, base) if verdict.ok else []
    case.read_back = [line.replace(str(folder()), "")[:LONGEST] for line in back]
    case.unread += unread(new, to)


def _lost(report: dict[str, Any]) -> list[str]:
    return [f"{one['name']}: {one['why']}" for one in report.get("differences", ()) if one["nature"] == "lost"]


def _whole(*runs: tuple[Path, Target, Path]) -> list[str]:
    """What a run says with the config that it starts from, and its migration with the migrated config does not."""
    sides = []
    for file, target, base in runs:
        document = read(open_source(str(file)), ReadOptions(base=open_source(str(base))))
        sides.append(load(document, framework=target.framework, release=target.release))
    found = compare(*(side(one.document.name, one) for one in sides))
    return [f"{one.name}: {one.a} -> {one.b}"[:LONGEST] for one in lost(unlike(found, sides[1], ()))]


def migrated(file: Path, own: Target, to: Target, out: Path) -> tuple[int, dict[str, Any]]:
    """`rftconf migrate`, what is lost reported and written all the same; its exit code and its account."""
    product, wrong = io.BytesIO(), io.StringIO()
    said = io.TextIOWrapper(product, encoding="utf-8", write_through=True)
    words = ["--from", own.framework, "--from-release", own.release, "--to-release", to.release]
    with contextlib.redirect_stdout(said), contextlib.redirect_stderr(wrong):
        code = rftconf(["migrate", str(file), *words, "--on-loss", "warn", "--json", "-o", str(out), "--quiet"])
    text = product.getvalue().decode()
    return code, json.loads(text) if not code else {"error": wrong.getvalue().strip()[:400]}


def unread(file: Path, to: Target) -> list[str]:
    """Keys that the release does not know, or takes and ignores."""
    document = read(open_source(str(file)))
    found = recognise(document, to.framework, to.release)
    known = catalogue.load(found.framework, found.release, found.trainer)
    groups = registry.framework(found.framework).groups
    wrong = []
    for leaf in document.leaves:
        said = standing(known, leaf.mode.value + leaf.key, leaf.value, overrides=document.form != "yaml")
        if leaf.key in groups or "@" in leaf.key:
            continue
        if not said.fits or versions.dead(found.framework, found.release, leaf.key):
            wrong.append(f"{leaf.key}: {said.value}")
    return wrong


def _said(verdict: Verdict) -> str:
    return "accepted" if verdict.ok else f"{verdict.stage}: {verdict.error}"[:400]


def target_of(framework: str, release: str) -> Target:
    """The release's judge, beside the release of another framework that it prefers."""
    return judges_of(framework, release)[0]


def main(arguments: Sequence[str] | None = None) -> int:
    """Measure every set that is named."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("sets", nargs="+", metavar="FRAMEWORK:RELEASE:FOLDER")
    parser.add_argument("--to", action="append", default=[], metavar="FRAMEWORK:RELEASE")
    parser.add_argument("--only", default="", metavar="TEXT", help="examples with TEXT in their path")
    parser.add_argument("--sample", type=int, default=0, metavar="N", help="N examples of each set, evenly spread")
    parser.add_argument("-o", "--output", type=Path)
    asked = parser.parse_args(arguments)
    goals = dict(word.split(":") for word in asked.to)
    bench, results = RememberingBench(), list[dict[str, Any]]()
    with tempfile.TemporaryDirectory(prefix="rftconf_migrations_") as scratch:
        for word in asked.sets:
            framework, release, place = word.split(":", 2)
            own = target_of(framework, release)
            to = target_of(framework, goals.get(framework, registry.framework(framework).newest))
            runner = Runner(Path(place).resolve(), framework, bench, Path(scratch))
            cases: list[Case] = []
            files = [file for file in runner.files() if asked.only in str(file)]
            many = min(asked.sample or len(files), len(files))
            results.append({})
            for at in range(many):
                cases += measured(runner, files[at * len(files) // many], own, to)
                sys.stderr.write(f"{at + 1}/{many} {cases[-1].name if cases else ''}\n")
                title = f"{Path(place).name} to {framework} {to.release}, {at + 1} of {len(files)} files"
                results[-1] = summary(title, cases)
                write(asked.output, results)  # a run that is broken off leaves what it found
            show(results[-1], cases)
    bench.close()
    return int(any(result["not right"] for result in results))


if __name__ == "__main__":
    sys.exit(main())
