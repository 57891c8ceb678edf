"""A checkout of examples: what its files start, and what a release's own loader says of it."""

from __future__ import annotations

import contextlib
import hashlib
import io
import json
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from rftconf.cli.app import run as rftconf
from tests.conformance.environment import Target, folder
from tests.conformance.judging import Bench, Verdict
from tests.corpus import launch_script
from tests.differential.oracle import CLUSTER, Oracle, starts_program

MAIN = "verl.trainer.main_ppo"
HOME = "/home/user"
FILES = {"verl": "*.sh", "trinity": "*.yaml"}


class Runner:
    """Runs scripts in a folder that looks like the root of a checkout, and asks the judges there."""

    def __init__(self, root: Path, framework: str, bench: Bench, scratch: Path) -> None:
        self.root, self.framework, self.bench, self.scratch = root, framework, bench, scratch
        self.words: dict[Path, list[str]] = {}
        self.oracle = Oracle()
        self.configs: dict[tuple[Path, Path], dict[str, Any]] = {}
        ends = ("", "-migrated", "-restored")
        self.work, self.after, self.back = (folder() / "checkouts" / f"{root.name}{end}" for end in ends)
        self.work.mkdir(parents=True, exist_ok=True)
        for copy in (self.after, self.back):
            shutil.rmtree(copy, ignore_errors=True)
            shutil.copytree(root, copy)
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
        values = self._commands(file, {}) or self._commands(file, dict(CLUSTER))
        paths = []
        for number, words in enumerate(values):
            paths.append(self.scratch / f"{file.stem}-{number}.sh")
            paths[-1].write_text(launch_script(words))
            self.words[paths[-1]] = words
        return paths

    def _commands(self, file: Path, extra: dict[str, str]) -> list[list[str]]:
        records = self.oracle.run(file, extra=extra).records
        starts = [(argv, starts_program(argv)) for argv in records]
        return [
            list(map(self._lasting, argv[index + 1 :])) for argv, index in starts if index >= 0 and argv[index] == MAIN
        ]

    def _lasting(self, word: str) -> str:
        """An argument without the places that are made anew for each run, so that a verdict can be remembered."""
        root = str(self.oracle.root)
        return word.replace(f"{root}/work", str(self.work)).replace(f"{root}/home", HOME)

    def verdict(self, target: Target, file: Path, work: Path | None = None) -> Verdict:
        """What the release's own loader says, in `work`: the checkout as it was, or with its migrated configs."""
        if self.framework != "verl":
            return self.bench.ask(target, {"file": str(file)})
        work = work or self.work
        package = work / "verl"
        package.unlink(missing_ok=True)
        package.symlink_to(folder() / "releases" / f"verl-{target.release}" / "verl")
        questions = {"program": MAIN, "overrides": self.words[file], "cwd": str(work)}
        config = self.config(file)
        if config is not None:  # a remembered verdict holds for this text of it only
            questions["starts_from"] = hashlib.sha256((work / config).read_bytes()).hexdigest()
        return self.bench.ask(target, questions)

    def move(self, file: Path, work: Path) -> None:
        """Let a run start in a checkout with migrated configs."""
        if file in self.words:
            self.words[file] = [word.replace(str(self.work), str(work)) for word in self.words[file]]
            file.write_text(launch_script(self.words[file]))

    def config(self, file: Path) -> Path | None:
        """The config of the checkout's own that a run starts from, relative to the root."""
        named = dict(word[2:].partition("=")[::2] for word in self.words.get(file, ()) if word.startswith("--config-"))
        name = named.get("config-name", "").removesuffix(".yaml")
        path = named.get("config-path", "")
        for moved in (self.after, self.back):
            path = path.replace(str(moved), str(self.work))
        place = self.work / path / f"{name}.yaml"
        inside = (
            name and place.is_file() and place.is_relative_to(self.work) and (self.root / place.relative_to(self.work))
        )
        return place.relative_to(self.work) if inside and inside.is_file() else None

    def with_config(self, config: Path, own: Target, to: Target, source: Path, out: Path) -> dict[str, Any]:
        """Migrates a config of the checkout's own from one checkout into another, once; what rftconf says of it."""
        if (config, out) not in self.configs:
            code, report = migrated(source / config, own, to, out / config)
            self.configs[config, out] = report | {"exit": code}
        return self.configs[config, out]


def migrated(file: Path, own: Target, to: Target, out: Path) -> tuple[int, dict[str, Any]]:
    """`rftconf migrate`, what is lost reported and written all the same; its exit code and its account."""
    product, wrong = io.BytesIO(), io.StringIO()
    stream = io.TextIOWrapper(product, encoding="utf-8", write_through=True)
    words = ["--from", own.framework, "--from-release", own.release, "--to-release", to.release]
    with contextlib.redirect_stdout(stream), contextlib.redirect_stderr(wrong):
        code = rftconf(["migrate", str(file), *words, "--on-loss", "warn", "--json", "-o", str(out), "--quiet"])
    text = product.getvalue().decode()
    return code, json.loads(text) if not code else {"error": wrong.getvalue().strip()[:400]}
