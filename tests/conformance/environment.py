"""Where the frameworks are, and which releases are judged together."""

from __future__ import annotations

import json
import os
import subprocess
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from rftconf.schemas.registry import CHATLEARN, ROLL, TRINITY, VERL

ROOT = Path(__file__).resolve().parents[2]
JUDGES = Path(__file__).resolve().parent / "judges"
GOLDEN = ROOT / "golden" / "convert"


@dataclass(frozen=True, slots=True)
class Target:
    """A framework's release as a judge; Trinity's verdict also depends on the veRL beside it.

    `checkout` is a folder to import the framework from, instead of the installed release.
    """

    framework: str
    release: str
    beside: str = ""
    checkout: str = ""

    def __str__(self) -> str:
        """`trinity 0.6.0 + verl 0.8.0`, `verl 0.7.1`."""
        beside = f" + verl {self.beside}" if self.beside else ""
        return f"{self.framework} {self.release}{beside}" + (" of a checkout" if self.checkout else "")

    @property
    def packages(self) -> tuple[str, ...]:
        """The folders of the environment that the judge imports from."""
        beside = (f"verl-{self.beside}",) if self.beside else ()
        return (self.checkout or f"{self.framework}-{self.release}", *beside, "megatron-core")


VERL_TARGETS = tuple(Target(VERL.name, release) for release in VERL.releases)
# Trinity's rules change with the veRL it finds: each pin is a judge of its own.
TRINITY_TARGETS = tuple(
    Target(TRINITY.name, release, beside=pin) for release in TRINITY.releases for pin in TRINITY.pins[release]
)


def folder() -> Path:
    """Where `scripts/conformance_env.py` built, by the same rule."""
    return Path(os.environ.get("RFTCONF_CONFORMANCE_DIR") or ROOT / ".conformance").resolve()


# ROLL is on no index: its releases are judges where `make conformance ROLL_SRC=...` checked them out.
ROLL_TARGETS = tuple(
    Target(ROLL.name, release) for release in ROLL.releases if (folder() / "releases" / f"roll-{release}").is_dir()
)
CHATLEARN_TARGETS = tuple(
    Target(CHATLEARN.name, release)
    for release in CHATLEARN.releases
    if (folder() / "releases" / f"chatlearn-{release}").is_dir()
)
"""None unless CHATLEARN_SRC named a clone when the environment was built: ChatLearn publishes no package."""
TARGETS = VERL_TARGETS + TRINITY_TARGETS + ROLL_TARGETS + CHATLEARN_TARGETS


def judges_of(framework: str, release: str) -> tuple[Target, ...]:
    """Every judge of one release: two for Trinity 0.6.0, none for a release that is not installed."""
    return tuple(target for target in TARGETS if (target.framework, target.release) == (framework, release))


def printed_by(script: str, *arguments: str, folders: Sequence[Path], seconds: int) -> dict[str, Any]:
    """Run a comparison with these folders and the runner's in its path; return the JSON of the last line that it prints."""
    path = (*folders, ROOT / "runners", JUDGES)
    done = subprocess.run(
        [folder() / "venv" / "bin" / "python", JUDGES / script, *arguments],
        env={**os.environ, "PYTHONPATH": os.pathsep.join(map(str, path))},
        capture_output=True,
        text=True,
        check=False,
        timeout=seconds,
    )
    assert done.returncode == 0, done.stderr[-2000:]
    data: dict[str, Any] = json.loads(done.stdout.splitlines()[-1])
    return data
