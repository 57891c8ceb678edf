"""What is converted and judged: the golden cases, and real configs where a corpus lies beside the project."""

from __future__ import annotations

import json
import os
import shlex
import tomllib
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from rftconf.schemas.registry import framework
from tests.conformance.environment import GOLDEN, SHARED, TARGETS, Target

CORPUS = SHARED / "corpus"
SAMPLE_SIZE = 8
"""How many configs of each corpus are judged per target, unless RFTCONF_CONFORMANCE_ALL is set."""
ROWS = "7473"
"""Training rows of GSM8K: a launch script that gives epochs does not say how many steps these are."""

DECISIONS = {
    "data.train_files": "/data/train.parquet",
    "data.val_files": "/data/test.parquet",
    "actor_rollout_ref.actor.policy_loss.loss_mode": "vanilla",
    "explorer.eval_interval": "100",
    "runtime_args.num_episode": "100",
    "runtime_args.data_path": "/data/train.parquet",
    "runtime_args.eval_data_path": "/data/test.parquet",
    "models.policy_trainer.load": "/models/mcore",
    "models.ref_policy.load": "/models/mcore",
    "actor_train.data_args.domain_interleave_probs.math": "0.5",
    "actor_train.data_args.domain_interleave_probs.code": "0.5",
    "rewards.*.worker_cls": "roll.pipeline.rlvr.rewards.math_rule_reward_worker.MathRuleRewardWorker",
}
"""What somebody would decide where a conversion leaves a value open (`???`)."""


@dataclass(frozen=True, slots=True)
class Case:
    """One golden conversion: its input, for which releases it holds, and the options it is made with."""

    name: str
    source: Path
    to: str
    releases: tuple[str, ...]
    options: tuple[str, ...]
    expected: tuple[Path, ...]


def read_case(folder: Path) -> Case:
    """The case in `folder`: `case.toml`, one `input.*`, one or more `expected.*`."""
    facts = tomllib.loads((folder / "case.toml").read_text())
    to = framework(facts["to"])
    releases = facts.get("releases") or [facts.get("to_release") or to.newest]
    options = facts.get("options", [])
    words = shlex.split(options) if isinstance(options, str) else [str(word) for word in options]
    (source,) = folder.glob("input.*")
    expected = tuple(sorted(folder.glob("expected.*")))
    return Case(folder.name, source, to.name, tuple(releases), tuple(words), expected)


@cache
def golden_cases() -> tuple[Case, ...]:
    """Every golden conversion; none when the folder is missing."""
    accepted = [read_case(file.parent) for file in sorted(GOLDEN.glob("*/case.toml"))]
    # ROLL always asks which worker gives the reward, so its cases are open ones; DECISIONS closes them.
    asked = [read_case(file.parent) for file in sorted(GOLDEN.parent.glob("open/roll-*/case.toml"))]
    return (*accepted, *(case for case in asked if case.to == "roll"))


def golden_pairs() -> list[tuple[Target, Case]]:
    """Each case with each judge of its releases."""
    return [
        (target, case)
        for target in TARGETS
        for case in golden_cases()
        if target.framework == case.to and target.release in case.releases
    ]


@dataclass(frozen=True, slots=True)
class Real:
    """A config of an upstream project: its name, the framework and release it was written for, its text."""

    name: str
    framework: str
    release: str
    suffix: str
    text: str

    def write(self, folder: Path) -> Path:
        """Write it where the converter can read it."""
        file = folder / f"source{self.suffix}"
        file.write_text(self.text)
        return file


def thinned(found: Sequence[Real]) -> list[Real]:
    """Evenly spread over the corpus, so that every family of examples is met."""
    if os.environ.get("RFTCONF_CONFORMANCE_ALL") or len(found) <= SAMPLE_SIZE:
        return list(found)
    return [found[index * len(found) // SAMPLE_SIZE] for index in range(SAMPLE_SIZE)]


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


def trinity_files() -> list[Real]:
    """Trinity's own examples, as of 0.6.0."""
    files = sorted((CORPUS / "trinity").glob("*.yaml"))
    return [Real(file.stem, "trinity", "0.6.0", ".yaml", file.read_text()) for file in files]


@cache
def corpora() -> dict[str, list[Real]]:
    """Name of the corpus to its configs; empty lists where the project lies alone."""
    return {
        "veRL 0.5.0 scripts": verl_scripts("v0.5.0", "0.5.0"),
        "veRL 0.7 scripts": verl_scripts("v0.7.0", "0.7.1"),
        "veRL 2026 scripts": verl_scripts("2026-01-29", "0.8.0"),
        "Trinity 0.6 files": trinity_files(),
    }
