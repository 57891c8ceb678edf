"""Environments in which the built package is tried: `python scripts/packaging_env.py` (`make packaging-env`).

One for each Python that rftconf supports and this machine has, below .packaging/. It holds the package's
dependencies, as requirements-dev.lock pins them (some of these are not for Python 3.10, which has a list of its own),
and neither rftconf nor its development tools.
"""

from __future__ import annotations

import hashlib
import os
import shutil
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
FOLDER = ROOT / ".packaging"
VERSIONS = ("3.10", "3.11", "3.12", "3.13")
EXTRAS = ("lsp", "studio", "mcp")
"""Extras without which a verb does not start."""


def lock(version: str) -> Path:
    """The pins for `version`."""
    own = ROOT / "tests" / "packaging" / f"python-{version}.lock"
    return own if own.exists() else ROOT / "requirements-dev.lock"


def interpreter(version: str) -> Path | None:
    """The Python of `version` on this machine: on the path, or below pyenv's folder."""
    pyenv = Path(os.environ.get("PYENV_ROOT") or Path.home() / ".pyenv") / "versions"
    pythons = [shutil.which(f"python{version}"), *sorted(pyenv.glob(f"{version}.*/bin/python"), reverse=True)]
    return next((Path(python) for python in pythons if python and _answers(python, version)), None)


def _answers(python: str | Path, version: str) -> bool:
    """Whether it starts and is of that version; pyenv's own `python3.12` on the path may lead nowhere."""
    command = [str(python), "-c", "import sys; print('%d.%d' % sys.version_info[:2])"]
    done = subprocess.run(command, capture_output=True, text=True, check=False, stdin=subprocess.DEVNULL)
    return done.returncode == 0 and done.stdout.strip() == version


def dependencies() -> list[str]:
    """What the package and the extras of its verbs ask for, as pyproject.toml states it."""
    sys.path.insert(0, str(ROOT))
    from rftconf.text import toml

    project = toml.loads((ROOT / "pyproject.toml").read_text())["project"]
    extras = project["optional-dependencies"]
    return [*project["dependencies"], *(line for extra in EXTRAS for line in extras[extra])]


def build(version: str, python: Path) -> None:
    """Make the environment of `version`, unless it is there as it is wanted."""
    requirements = dependencies()
    environment, stamp = FOLDER / version, FOLDER / f"{version}.stamp"
    pins = lock(version)
    digest = hashlib.sha256("\n".join([*requirements, pins.read_text()]).encode()).hexdigest()
    if environment.exists() and stamp.exists() and stamp.read_text() == digest:
        return
    subprocess.run([str(python), "-m", "venv", "--clear", str(environment)], check=True)
    pip = [str(environment / "bin" / "python"), "-m", "pip", "install", "--quiet"]
    subprocess.run([*pip, "--constraint", str(pins), *requirements], check=True, stdin=subprocess.DEVNULL)
    stamp.write_text(digest)


def install(wheel: Path) -> None:
    """Install the wheel into each environment, as it is and without an index."""
    for folder in (FOLDER / version for version in VERSIONS):
        if folder.exists():
            pip = [str(folder / "bin" / "python"), "-m", "pip", "install", "--quiet", "--no-index", "--no-deps"]
            subprocess.run([*pip, "--force-reinstall", str(wheel)], check=True, stdin=subprocess.DEVNULL)


def main() -> int:
    """Make each environment; name the Pythons that this machine lacks. With a wheel as argument, install it into each."""
    if sys.argv[1:]:
        install(Path(sys.argv[1]))
        return 0
    FOLDER.mkdir(exist_ok=True)
    pythons = {version: interpreter(version) for version in VERSIONS}
    for version in (version for version, python in pythons.items() if python is None):
        shutil.rmtree(FOLDER / version, ignore_errors=True)
        print(f"no Python {version} on this machine: the package is not tried in it")
    with ThreadPoolExecutor(len(VERSIONS)) as pool:
        list(pool.map(lambda item: build(*item), ((v, python) for v, python in pythons.items() if python is not None)))
    return 0


if __name__ == "__main__":
    sys.exit(main())
