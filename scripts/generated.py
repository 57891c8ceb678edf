"""Files that a script makes and the repository holds: they are written, or compared with what lies there."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]


def keep(path: Path, text: str, *, check: bool) -> bool:
    """Write the file unless it is only to be compared; True where another text lay there."""
    same = path.exists() and path.read_text(encoding="utf-8") == text
    if not check and not same:
        path.write_text(text, encoding="utf-8")
    return not same


def write_or_compare(path: Path, text: str, module: str) -> int:
    """The main of a generator of one file: it writes, or with `--check` fails on a stale file and names its command."""
    check = "--check" in sys.argv
    stale = keep(path, text, check=check) and check
    if stale:
        print(f"stale, run python -m scripts.{module}:", path.name)
    return int(stale)


def parser_of(description: str | None, packages: str) -> argparse.ArgumentParser:
    """The options of what is extracted from the frameworks' packages and repositories."""
    parser = argparse.ArgumentParser(description=description, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--packages", type=Path, default=Path(), help=packages)
    parser.add_argument("--check", action="store_true", help="compare with the committed files, write nothing")
    parser.add_argument("--clone", action="append", default=[], metavar="NAME=FOLDER", help="a framework's repository")
    return parser


def clones_of(texts: list[str]) -> dict[str, Path]:
    """The folders of `--clone NAME=FOLDER`, by the framework's name."""
    return {name: Path(folder) for name, _, folder in (item.partition("=") for item in texts)}


def keep_and_tell(path: Path, text: str, what: str, *, check: bool) -> bool:
    """Write or compare one file and print what it holds; True where another text lay there."""
    differs = keep(path, text, check=check)
    print(f"{path.relative_to(ROOT)}: {what}{', differs' if differs else ''}")
    return differs
