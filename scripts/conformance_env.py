"""Build what the conformance suite asks: one virtual environment, and beside it each release of each framework.

Nothing is done for a part whose stamp matches the pins, so a second call is free and a broken-off one resumes.
The package index's default `torch` is taken; where that is the CUDA build, name another index in TORCH_INDEX.
"""

from __future__ import annotations

import argparse
import hashlib
import io
import os
import subprocess
import sys
import tarfile
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
sys.path[:0] = [str(ROOT), str(ROOT / "scripts")]

from dump_trl import transformers_of  # noqa: E402

from rftconf.schemas.registry import CHATLEARN, OPENRLHF, TRINITY, TRL, VERL  # noqa: E402

LOCK = ROOT / "tests" / "conformance" / "requirements.lock"
PARALLEL_INSTALLS = 2
VERL_RELEASES = sorted({*VERL.releases, *(pin for pins in TRINITY.pins.values() for pin in pins)})
TRANSFORMERS = dict.fromkeys(transformers_of(release, TRL.releases) for release in TRL.releases)
"""Whose TrainingArguments TRL's stand on."""
RELEASES = {
    **{f"verl-{release}": f"verl=={VERL.published.get(release, release)}" for release in VERL_RELEASES},
    **{f"trinity-{release}": f"trinity-rft=={release}" for release in TRINITY.releases},
    # Its process-group layout is pure Python; veRL's Megatron workers ask it whether the parallel sizes fit.
    "megatron-core": "megatron-core==0.16.1",
    # The newest is also what the runner's losses are compared with, beside veRL's.
    **{f"trl-{release}": f"trl=={release}" for release in TRL.releases},
    **{f"transformers-{release}": f"transformers=={release}" for release in TRANSFORMERS},
    **{f"openrlhf-{release}": f"openrlhf=={release}" for release in OPENRLHF.releases},
}
"""Folder under `releases/` to what is installed there."""


def default_folder() -> Path:
    """Where the environment lives unless told otherwise: RFTCONF_CONFORMANCE_DIR, else `.conformance/`."""
    return Path(os.environ.get("RFTCONF_CONFORMANCE_DIR") or ROOT / ".conformance")


def install(python: Path, *arguments: str) -> None:
    """Run pip for `python` without resolving dependencies; raises CalledProcessError when it fails."""
    command = [python, "-m", "pip", "install", "-qq", "--no-deps", "--disable-pip-version-check", "--no-input"]
    subprocess.run([*map(str, command), *arguments], check=True, stdin=subprocess.DEVNULL)


class Part:
    """One thing to build: its name, what pins it, and the stamp that says it was built so."""

    def __init__(self, folder: Path, name: str, pins: str) -> None:
        self.stamp = folder / "stamps" / name
        self.name = name
        interpreter = f"{sys.version_info.major}.{sys.version_info.minor}"
        self.digest = hashlib.sha256(f"{interpreter}\n{pins}".encode()).hexdigest()

    @property
    def fresh(self) -> bool:
        """True when this very part was built before."""
        return self.stamp.is_file() and self.stamp.read_text().strip() == self.digest

    def done(self, started: float) -> None:
        """Record that the part is built, and say how long it took."""
        self.stamp.parent.mkdir(parents=True, exist_ok=True)
        self.stamp.write_text(self.digest + "\n")
        print(f"  {self.name}: {time.monotonic() - started:.0f} s", flush=True)


def build_interpreter(folder: Path) -> Path:
    """The virtual environment with every pinned package; returns its interpreter."""
    python = folder / "venv" / "bin" / "python"
    lock = LOCK.read_text()
    part = Part(folder, "venv", lock)
    if part.fresh and python.exists():
        return python
    started = time.monotonic()
    subprocess.run([sys.executable, "-m", "venv", "--clear", str(folder / "venv")], check=True)
    torch = next(line for line in lock.splitlines() if line.startswith("torch=="))
    index = os.environ.get("TORCH_INDEX")
    install(python, torch, *(["--index-url", index] if index else []))
    install(python, "--requirement", str(LOCK))
    part.done(started)
    return python


def build_release(folder: Path, python: Path, name: str, requirement: str) -> None:
    """One release of one framework, alone in a folder of its own."""
    part = Part(folder, name, requirement)
    if part.fresh:
        return
    started = time.monotonic()
    install(python, "--upgrade", "--target", str(folder / "releases" / name), requirement)
    part.done(started)


def unpack_checkouts(folder: Path) -> None:
    """ChatLearn publishes no package: CHATLEARN_SRC names a clone, of which each known revision is unpacked."""
    clone = os.environ.get("CHATLEARN_SRC")
    for release, revision in CHATLEARN.revisions.items() if clone else ():
        part = Part(folder, f"chatlearn-{release}", revision)
        if part.fresh:
            continue
        started = time.monotonic()
        target = folder / "releases" / f"chatlearn-{release}"
        target.mkdir(parents=True, exist_ok=True)
        archive = ["git", "-C", str(clone), "archive", revision]
        files = subprocess.run(archive, check=True, capture_output=True).stdout
        with tarfile.open(fileobj=io.BytesIO(files)) as packed:
            packed.extractall(target, filter="data")
        part.done(started)


def build(folder: Path) -> None:
    """Everything the judges need, under `folder`."""
    folder.mkdir(parents=True, exist_ok=True)
    python = build_interpreter(folder)
    with ThreadPoolExecutor(PARALLEL_INSTALLS) as pool:
        for outcome in [pool.submit(build_release, folder, python, *each) for each in RELEASES.items()]:
            outcome.result()
    unpack_checkouts(folder)


def main() -> None:
    """Command line: an optional folder."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", nargs="?", type=Path, default=default_folder())
    folder = parser.parse_args().folder.resolve()
    started = time.monotonic()
    print(f"conformance environment in {folder}", flush=True)
    build(folder)
    print(f"ready after {time.monotonic() - started:.0f} s", flush=True)


if __name__ == "__main__":
    main()
