"""Real configs of the four projects, where a corpus lies beside this one: their own examples, each with its release."""

from __future__ import annotations

import json
import shlex
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path

from rftconf.text.document import Document
from rftconf.text.read.read import read
from rftconf.text.read.read_options import ReadOptions
from rftconf.text.source import Source
from tests.sources import CORPUS

ROWS = 7473
"""Training rows of GSM8K: a launch script that gives epochs does not say how many steps these are."""
FRAGMENTS = "examples__config__"
"""ROLL's files that others name in their defaults lists; no configs by themselves."""
EMPTY = "agentic_val_webshop"
"""All of this file of ROLL's is commented out."""
VERL_SETS = {
    "veRL 0.4.1 scripts": ("v0.4.1", "0.4.1"),
    "veRL 0.5.0 scripts": ("v0.5.0", "0.5.0"),
    "veRL 0.6.1 scripts": ("v0.6.1", "0.6.1"),
    "veRL 0.7 scripts": ("v0.7.0", "0.7.1"),
    "veRL 2026 scripts": ("2026-01-29", "0.8.0"),
}
"""Name of a set of veRL's examples to its file and the release they were written for."""


@dataclass(frozen=True, slots=True)
class Real:
    """A config of an upstream project: its name, the framework and release it was written for, its text.

    `beside`: files that it names, by their path as seen from its folder. `file`: it is read where it lies, in a checkout.
    `options`: what a person would say on the command line, because the environment says it when the script runs.
    """

    name: str
    framework: str
    release: str
    suffix: str
    text: str
    beside: Mapping[str, str] = field(default_factory=dict, hash=False)
    file: Path | None = None
    options: tuple[str, ...] = ()

    def write(self, folder: Path) -> Path:
        """Write it, and what it names, where the converter can read it."""
        if self.file is not None:
            return self.file
        home = folder / "source"
        home.mkdir(exist_ok=True)
        for path, text in self.beside.items():
            file = home / path
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(text)
        file = home / f"source{self.suffix}"
        file.write_text(self.text)
        return file

    def document(self) -> Document:
        """Read it."""
        return read(Source(f"source{self.suffix}", self.text), ReadOptions(sources=dict(self.beside)))


def launch_script(overrides: Sequence[str]) -> str:
    """The overrides as the launch script they came from, in one command."""
    words = ["python3", "-m", "verl.trainer.main_ppo", *map(shlex.quote, overrides)]
    return "#!/usr/bin/env bash\n" + " \\\n    ".join(words) + "\n"


def verl_scripts(name: str, release: str) -> list[Real]:
    """One of the sets of overrides that bash made of veRL's own examples."""
    file = CORPUS / "verl_argv" / f"{name}.jsonl"
    if not file.exists():
        return []
    lines = [json.loads(line) for line in file.read_text().splitlines()]
    # A config of the example's own folder is not in the corpus; without it the overrides are half a config.
    whole = [line for line in lines if not any(word.startswith("--config-path=examples") for word in line["overrides"])]
    return [Real(line["id"], "verl", release, ".sh", launch_script(line["overrides"])) for line in whole]


def yaml_files(folder: str, framework: str, release: str) -> list[Real]:
    """The YAML files of one project's examples."""
    files = sorted((CORPUS / folder).glob("*.yaml"))
    return [Real(file.stem, framework, release, ".yaml", file.read_text()) for file in files]


def roll_files() -> list[Real]:
    """ROLL's own examples, each with the fragments that defaults lists take from the folder beside it."""
    files = sorted((CORPUS / "roll").glob("*.yaml"))
    parts = {
        f"../config/{file.stem.removeprefix(FRAGMENTS)}.yaml": file.read_text()
        for file in files
        if file.stem.startswith(FRAGMENTS)
    }
    return [
        Real(file.stem, "roll", "0.3.0", ".yaml", file.read_text(), parts)
        for file in files
        if not file.stem.startswith(FRAGMENTS) and not file.stem.endswith(EMPTY)
    ]


@cache
def corpora() -> dict[str, list[Real]]:
    """Name of the corpus to its configs; empty lists where the project lies alone."""
    return {
        **{name: verl_scripts(*known) for name, known in VERL_SETS.items()},
        "Trinity 0.6 files": yaml_files("trinity", "trinity", "0.6.0"),
        "ROLL 0.3 files": roll_files(),
        "ChatLearn files": yaml_files("chatlearn", "chatlearn", "2025.10.23"),
    }
