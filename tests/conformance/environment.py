"""Where the frameworks are, and which releases are judged together."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
JUDGES = Path(__file__).resolve().parent / "judges"
SHARED = ROOT.parent / "shared"
GOLDEN = ROOT / "golden" / "convert"


@dataclass(frozen=True, slots=True)
class Target:
    """A framework's release as a judge; Trinity's verdict also depends on the veRL beside it."""

    framework: str
    release: str
    beside: str = ""

    def __str__(self) -> str:
        """`trinity 0.6.0 + verl 0.8.0`, `verl 0.7.1`."""
        return f"{self.framework} {self.release}" + (f" + verl {self.beside}" if self.beside else "")

    @property
    def packages(self) -> tuple[str, ...]:
        """The folders of the environment that the judge imports from."""
        mine = f"trinity-rft-{self.release}" if self.framework == "trinity" else f"verl-{self.release}"
        beside = (f"verl-{self.beside}",) if self.beside else ()
        return (mine, *beside, "megatron-core-0.16.1")


VERL = tuple(Target("verl", release) for release in ("0.4.1", "0.5.0", "0.6.1", "0.7.0", "0.7.1", "0.8.0", "0.9.1"))
TRINITY = (
    Target("trinity", "0.3.3", beside="0.5.0"),
    Target("trinity", "0.4.1", beside="0.7.0"),
    Target("trinity", "0.5.2", beside="0.7.1"),
    Target("trinity", "0.6.0", beside="0.8.0"),
    # Its rules change with the veRL it finds: below 0.8 the legacy back end checks what 0.8 leaves to the run.
    Target("trinity", "0.6.0", beside="0.7.1"),
)
TARGETS = VERL + TRINITY


def folder() -> Path:
    """Where `scripts/conformance_env.py` built, by the same rule."""
    return Path(os.environ.get("RFTCONF_CONFORMANCE_DIR") or ROOT / ".conformance").resolve()


def judges_of(framework: str, release: str) -> tuple[Target, ...]:
    """Every judge of one release: two for Trinity 0.6.0, none for a release that is not installed."""
    return tuple(target for target in TARGETS if (target.framework, target.release) == (framework, release))
