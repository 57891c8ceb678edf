"""Move modules as a table says, and rewrite what names them: imports, dotted names and paths in code, texts and settings.

python scripts/move_modules.py docs/adr/0014-moves.toml

Run it in a clean checkout. What it cannot know stays to be looked at and is listed: texts that name a moved module without
its package. Then come `make check`, `make generate` and the tests.
"""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

from moves import Moves, read_moves
from rewrite_names import Names, rewrite_file_names, rewrite_python, rewrite_text
from split_modules import split_all

ROOT = Path(__file__).resolve().parents[1]
TEXTS = {".py", ".toml", ".md", ".yml", ".yaml", ".cfg", ".in", ".txt", ".js"}
NAMED = {"Makefile", "run"}
UNTOUCHED = ("golden/", "benches/results/", "docs/adr/0014", "CHANGELOG.md", "tests/scripts/test_move_modules.py")
"""Data, and texts that speak of the day on which they were written."""
OF_OURS = ("ARCHITECTURE.md", "CONTRIBUTING.md", "docs/adr/")
"""Texts whose `name.py` is a module of this package."""


def main() -> None:
    """Move, rewrite, split, and put the imports in order."""
    moves = read_moves(Path(sys.argv[1]))
    if _git("status", "--porcelain", "--untracked-files=no"):
        sys.exit("the checkout has changes: commit or stash them first, so that one command undoes the moves")
    names = Names(moves, _modules())
    move_files(moves, names)
    for path in _texts():
        text = path.read_text(encoding="utf-8")
        new = rewrite_python(text, names) if path.suffix == ".py" else rewrite_text(text, names)
        if str(path.relative_to(ROOT)).startswith(OF_OURS):
            new = rewrite_file_names(new, names)
        if new != text:
            path.write_text(new, encoding="utf-8")
    for name, text in moves.contents.items():
        (ROOT / name).write_text(text, encoding="utf-8")
    for edit in moves.edits:
        _edit(ROOT / edit.file, edit.old, edit.new)
    split_all(ROOT, moves.splits, [path for path in _texts() if path.suffix == ".py"])
    _ruff("check", "--quiet", "--fix", "--select", "I,F401", "--exit-zero", ".")
    _ruff("format", "--quiet", ".")
    _git("add", "--all")


def move_files(moves: Moves, names: Names) -> None:
    """`git mv` for every module, every file of a folder that moves whole, and data; packages get an `__init__.py`."""
    for folder, target in moves.folders.items():
        for path in _git("ls-files", folder.replace(".", "/")).split("\n"):
            _move(path, path.replace(folder.replace(".", "/"), target.replace(".", "/"), 1))
    # In two steps: a name that one module leaves may be taken by another.
    listed = [(_file(old), _file(new)) for old, new in names.moved_modules()] + list(moves.data.items())
    missing = [old for old, _ in listed if not (ROOT / old).exists()]
    if missing:
        sys.exit(f"not there any more, take them out of the table: {', '.join(missing)}")
    for old, new in listed:
        _move(old, f"{new}.moving")
    for _, new in listed:
        _move(f"{new}.moving", new)
        for package in list(Path(new).parents)[:-1]:
            if new.endswith(".py"):
                (ROOT / package / "__init__.py").touch()


def _edit(path: Path, old: str, new: str) -> None:
    text = path.read_text(encoding="utf-8")
    if text.count(old) != 1:
        sys.exit(f"{path.relative_to(ROOT)} has {text.count(old)} times: {old}")
    path.write_text(text.replace(old, new), encoding="utf-8")


def _modules() -> Iterator[str]:
    for path in _git("ls-files", "rftconf").split("\n"):
        if path.endswith(".py"):
            yield path.removesuffix(".py").removesuffix("/__init__").replace("/", ".")


def _file(module: str) -> str:
    return f"{module.replace('.', '/')}.py"


def _move(old: str, new: str) -> None:
    (ROOT / new).parent.mkdir(parents=True, exist_ok=True)
    _git("mv", old, new)


def _texts() -> list[Path]:
    names = [name for name in _git("ls-files").split("\n") if not name.startswith(UNTOUCHED)]
    return [ROOT / name for name in names if Path(name).suffix in TEXTS or Path(name).name in NAMED]


def _git(*arguments: str) -> str:
    return subprocess.run(["git", *arguments], cwd=ROOT, check=True, capture_output=True, text=True).stdout.rstrip("\n")


def _ruff(*arguments: str) -> None:
    subprocess.run([sys.executable, "-m", "ruff", *arguments], cwd=ROOT, check=True)


if __name__ == "__main__":
    main()
