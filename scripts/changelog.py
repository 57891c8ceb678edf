"""Put what is not released yet below a release's heading: the files of changes/, then what stands under Unreleased.

python scripts/changelog.py 0.2.0 2026-12-01
"""

from __future__ import annotations

import re
import sys
from collections.abc import Iterable
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
UNRELEASED = "## Unreleased\n"


def main() -> None:
    """Write CHANGELOG.md anew, and take the files away that are in it now."""
    version, day = sys.argv[1:]
    fragments = sorted(path for path in (ROOT / "changes").glob("*.md") if path.name != "README.md")
    changelog = ROOT / "CHANGELOG.md"
    texts = [path.read_text(encoding="utf-8") for path in fragments]
    changelog.write_text(released(changelog.read_text(encoding="utf-8"), texts, version, day), encoding="utf-8")
    for path in fragments:
        path.unlink()


def released(changelog: str, fragments: Iterable[str], version: str, day: str) -> str:
    """The changelog with `version` below an empty Unreleased; ValueError where there is nothing to release."""
    before, heading, after = changelog.partition(UNRELEASED)
    if not heading:
        raise ValueError(f"CHANGELOG.md has no line {UNRELEASED.strip()!r}")
    own, next_release, older = re.match(r"(.*?)(^## |\Z)(.*)", after, re.DOTALL | re.MULTILINE).groups()  # type: ignore[union-attr]
    lines = "".join(f"* {' '.join(text.split()).removeprefix('* ')}\n" for text in fragments) + own.strip("\n")
    if not lines.strip():
        raise ValueError("nothing is unreleased: changes/ has no file, and CHANGELOG.md no line")
    return f"{before}{UNRELEASED}\n## {version} ({day})\n\n{lines.rstrip()}\n\n{next_release}{older}".rstrip() + "\n"


if __name__ == "__main__":
    main()
