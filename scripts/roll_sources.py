"""Check the catalogued releases of ROLL out of a git repository: `python scripts/roll_sources.py REPOSITORY FOLDER`.

ROLL is not on the package index. REPOSITORY is a clone (or its git directory); FOLDER gets roll-<release>/ with the
Python packages of each release's tag, as scripts/extract_keys.py and the conformance judges want them.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))

from rftconf.schemas.registry import ROLL  # noqa: E402

PARTS = ("roll", "examples", "mcore_adapter")


def git(repository: Path, index: str, *arguments: str) -> None:
    """Run git on a repository with an index of our own; raises CalledProcessError."""
    environment = {**os.environ, "GIT_INDEX_FILE": index}
    subprocess.run(["git", *arguments], check=True, cwd=repository, env=environment, capture_output=True, text=True)


def check_out(repository: Path, tag: str, folder: Path) -> None:
    """The packages of one tag below `folder`; nothing in the repository changes."""
    with tempfile.TemporaryDirectory() as scratch:
        index = str(Path(scratch, "index"))
        git(repository, index, "read-tree", tag)
        for part in PARTS:
            result = subprocess.run(
                ["git", "ls-tree", "-r", "--name-only", "-z", tag, f"{part}/"],
                cwd=repository,
                capture_output=True,
                check=True,
            )
            names = [name for name in result.stdout.decode().split("\0") if name]
            for start in range(0, len(names), 200):
                place = ["--work-tree", str(folder)] if not (repository / ".git").exists() else []
                git(
                    repository,
                    index,
                    *place,
                    "checkout-index",
                    "-q",
                    "-f",
                    f"--prefix={folder}/",
                    "--",
                    *names[start : start + 200],
                )


def main() -> None:
    """Command line: the repository and the folder."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("repository", type=Path)
    parser.add_argument("folder", type=Path)
    args = parser.parse_args()
    for release in ROLL.releases:
        target = args.folder.resolve() / f"roll-{release}"
        if not all((target / part).is_dir() for part in PARTS):
            target.mkdir(parents=True, exist_ok=True)
            check_out(args.repository.resolve(), f"v{release}", target)
            print(f"  {target.name}", flush=True)


if __name__ == "__main__":
    main()
