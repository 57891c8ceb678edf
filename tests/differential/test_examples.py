"""veRL's own example scripts, where a folder of them is named: what is read is what bash does, and did in the past."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

from rftconf.text.shell import read_script
from tests.differential.compare import fits
from tests.differential.harness import check_folder
from tests.differential.oracle import CLUSTER

FOLDER = os.environ.get("RFTCONF_VERL_SCRIPTS", "")
RECORDED = Path(__file__).parents[2] / "../shared/corpus/verl_argv"
HOME = {"HOME": "/home/user", "USER": "root", "PWD": "@"}

pytestmark = pytest.mark.skipif(not FOLDER, reason="RFTCONF_VERL_SCRIPTS names no folder of veRL scripts")


def folders() -> list[Path]:
    """One folder per date: those below the named one, or that itself."""
    root = Path(FOLDER)
    return [root] if (root / "examples").is_dir() else sorted(p for p in root.iterdir() if (p / "examples").is_dir())


def test_reading_equals_running() -> None:
    for folder in folders():
        report = check_folder(folder, "verl")
        assert report.wrong == 0, report.details
        assert report.crashed == 0
        assert report.equal >= 0.99 * (report.equal + report.wrong)


@pytest.mark.skipif(not RECORDED.is_dir(), reason="no recorded arguments beside the repository")
def test_reading_equals_what_was_recorded() -> None:
    checked = 0
    for folder in folders():
        record = RECORDED / {"HEAD": "2026-01-29.jsonl"}.get(folder.name, f"{folder.name}.jsonl")
        for line in record.read_text().splitlines() if record.exists() else ():
            entry = json.loads(line)
            path = folder / entry["id"].partition("#")[0]
            if path.exists():
                checked += _recorded(path, entry["overrides"])
    assert checked > 0 or not any((RECORDED / f"{f.name}.jsonl").exists() for f in folders())


def _recorded(path: Path, overrides: list[str]) -> int:
    """Every recorded override is one that was read; returns how many there are."""
    # Scripts that stop without a cluster's variables were recorded with them.
    missing = _missing(path, overrides, HOME) and _missing(path, overrides, HOME | CLUSTER)
    assert missing == [], f"{path}: {missing[:3]}"
    return len(overrides)


def _missing(path: Path, overrides: list[str], environment: dict[str, str]) -> list[str]:
    # The record has one home directory for all homes, and paths relative to where the script was started.
    script = read_script(str(path), path.read_text().replace("/root/", "/home/user/"), environment=environment)
    words = [word for command in script.commands for word in command.arguments]
    plain = {w.value.replace("@/", "") for w in words if isinstance(w.value, str)}
    open_ = [word for word in words if not isinstance(word.value, str)]
    return [o for o in overrides if o not in plain and not any(fits(w, o, {}) for w in open_)]
