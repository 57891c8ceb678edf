"""The package as it would be published: `python scripts/build_package.py FOLDER` (`make package`).

Builds the sdist, the wheel from the sdist (`from-sdist/`), and the wheel from the checkout (`from-checkout/`). It works
on a copy of what git knows, so that no earlier build leaks in, and asks no index: the build backend is the installed one.
"""

from __future__ import annotations

import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]


def copy(into: Path) -> None:
    """The files of the checkout, without those that git ignores."""
    command = ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"]
    listed = subprocess.run(command, cwd=ROOT, capture_output=True, check=True, text=True).stdout
    for name in listed.split("\0"):
        if name and (ROOT / name).is_file():
            (into / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(ROOT / name, into / name)


def build(source: Path, out: Path, kind: str) -> Path:
    """Build `sdist` or `wheel` of the tree at `source`; the file that was made."""
    command = [sys.executable, "-m", "build", "--no-isolation", f"--{kind}", "--outdir", str(out), str(source)]
    done = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False)
    if done.returncode:
        sys.exit(f"{' '.join(command)} failed:\n{done.stdout}{done.stderr}")
    (path,) = out.glob("*.tar.gz" if kind == "sdist" else "*.whl")
    return path


def main(out: Path) -> int:
    """Build all three, and say what was made."""
    shutil.rmtree(out, ignore_errors=True)
    with tempfile.TemporaryDirectory() as scratch:
        tree = Path(scratch, "tree")
        copy(tree)
        sdist = build(tree, out, "sdist")
        shutil.unpack_archive(sdist, Path(scratch, "unpacked"))
        (unpacked,) = Path(scratch, "unpacked").iterdir()
        paths = [sdist, build(unpacked, out / "from-sdist", "wheel"), build(tree, out / "from-checkout", "wheel")]
    for file in paths:
        print(f"{file.relative_to(out)}: {file.stat().st_size / 1e6:.1f} MB")
    return 0


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1])))
