"""Where rftconf refuses, the target really cannot run it: the value is forced by hand, and its own loader or code says no.

The proofs are in proofs.py; tests/convert/test_refusal_proofs.py holds that no kind of refusal is without one.
"""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from rftconf.schemas.registry import CHATLEARN, ROLL, TRINITY
from tests.conformance.cases import DECISIONS
from tests.conformance.conversions import decide, judge
from tests.conformance.environment import TARGETS, VERL_TARGETS, Target, folder
from tests.conformance.judging import Bench
from tests.conformance.proofs import CITED, FORCED, VERL_COMMANDS, Cited, Command, Forced

NEWEST_ONLY = (ROLL.name, CHATLEARN.name)
"""Their bases are written for the newest release."""
PROCESSES = 8


def number(release: str) -> tuple[int, ...]:
    return tuple(int(part) for part in release.split("."))


def concerns(proof: Command | Forced | Cited, target: Target) -> bool:
    """True where rftconf refuses it for the target's release."""
    return number(proof.since) <= number(target.release) <= number(proof.until)


def judges(framework: str) -> list[Target | None]:
    """The judges of a framework, one that is not there where its sources are not."""
    targets: list[Target | None] = [target for target in TARGETS if target.framework == framework]
    return (targets[-1:] if framework in NEWEST_ONLY else targets) or [None]


FILES = [
    (target, forced)
    for framework in (TRINITY.name, ROLL.name, CHATLEARN.name)
    for forced in FORCED[framework]
    for target in judges(framework)
    if target is None or concerns(forced, target)
]
COMMANDS = [(target, command) for command in VERL_COMMANDS for target in VERL_TARGETS if concerns(command, target)]


@pytest.mark.parametrize(("target", "forced"), FILES, ids=[f"{target}-{forced.refusal}" for target, forced in FILES])
def test_the_target_refuses_the_file(bench: Bench, target: Target | None, forced: Forced, tmp_path: Path) -> None:
    """The base is accepted, and refused with the forced values in it."""
    if target is None:
        pytest.skip("no checkout of this framework: see scripts/roll_sources.py, scripts/conformance_env.py")
    path = tmp_path / "forced.yaml"
    for changes in ({}, forced.changes):
        changed = forced.text
        for old, new in changes.items():
            assert old in changed
            changed = changed.replace(old, new)
        path.write_text(changed)
        assert decide(target, path, DECISIONS) == []
        verdict = judge(bench, target, path, tmp_path)
        assert verdict.ok is not bool(changes), f"{changes}: {verdict}"


@pytest.mark.parametrize(
    ("target", "command"), COMMANDS, ids=[f"{target}-{command.refusal}" for target, command in COMMANDS]
)
def test_verl_refuses_the_command(bench: Bench, target: Target, command: Command) -> None:
    for changes in ({}, command.changes):
        words = [f"{key}={value}" for key, value in {**command.settings, **changes}.items()]
        verdict = bench.ask(target, {"program": command.program, "overrides": words, "processes": PROCESSES})
        assert verdict.ok is not bool(changes), f"{changes}: {verdict}"


@pytest.mark.parametrize("cited", CITED, ids=lambda cited: cited.refusal)
def test_the_sources_say_so(cited: Cited) -> None:
    targets = [t for t in TARGETS if t.framework == cited.framework and concerns(cited, t)]
    if not targets:
        pytest.skip(f"no checkout of {cited.framework}")
    for target in targets:
        place = folder() / "releases" / f"{target.framework}-{target.release}" / cited.path
        if not place.exists():
            pytest.fail(f"{target} has no {cited.path}")
        files = sorted(place.rglob("*.py")) if place.is_dir() else [place]
        values = [file.name for file in files if re.search(cited.pattern, file.read_text())]
        assert bool(values) is cited.there, f"{target}: {values}"
