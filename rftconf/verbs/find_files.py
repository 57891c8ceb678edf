"""The search for the files that `rftconf check` looks at."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from rftconf.base.errors import UsageError

_SUFFIXES = frozenset({".sh", ".bash", ".yaml", ".yml", ".py"})
_SKIPPED = frozenset({"node_modules", "__pycache__", "venv", "site-packages"})


@dataclass(frozen=True, slots=True)
class Candidate:
    """A file to check. One that was `named` must be a config; one that was found in a folder may be something else."""

    path: str
    named: bool


def candidates(arguments: Sequence[str]) -> list[Candidate]:
    """The files that names, patterns (`configs/**/*.sh`) and folders stand for, each once, in a stable order.

    Raises UsageError for a name that is not there and a pattern that nothing matches.
    """
    candidates: dict[str, Candidate] = {}
    for argument in arguments:
        for candidate in _stands_for(argument):
            # A name wins over having been found in a folder.
            if candidate.named or candidate.path not in candidates:
                candidates[candidate.path] = candidate
    return list(candidates.values())


def _stands_for(argument: str) -> Iterator[Candidate]:
    path = Path(argument)
    if argument == "-" or path.is_file() or (path.exists() and not path.is_dir()):
        yield Candidate(argument, named=True)
    elif path.is_dir():
        yield from (Candidate(str(file), named=False) for file in sorted(_within(path)))
    elif any(c in argument for c in "*?["):
        from glob import glob

        matched = sorted(glob(argument, recursive=True))  # noqa: PTH207 -- Path.glob takes no absolute pattern
        if not matched:
            raise UsageError(f"nothing matches {argument}")
        # `**` goes through links, in a circle too
        real = {os.path.realpath(name): name for name in reversed(matched) if Path(name).is_file()}
        root = os.path.realpath(_before_pattern(argument))
        yield from (Candidate(name, named=False) for file, name in sorted(real.items()) if _inside(file, root))
    else:
        raise UsageError(f"{argument}: no such file or directory")


def _before_pattern(argument: str) -> Path:
    """The folder that a pattern starts from."""
    parts = Path(argument).parts
    fixed = next(index for index, part in enumerate(parts) if any(c in part for c in "*?["))
    return Path(*parts[:fixed])


def _inside(file: str, folder: str) -> bool:
    return Path(file).is_relative_to(folder)


def _within(folder: Path) -> Iterator[Path]:
    """Scripts and YAML files below a folder; not what a link there leads to elsewhere."""
    root = os.path.realpath(folder)
    for directory, folders, names in os.walk(folder):
        folders[:] = [name for name in folders if not name.startswith(".") and name not in _SKIPPED]
        paths = [Path(directory, name) for name in names if Path(name).suffix in _SUFFIXES and not name.startswith(".")]
        yield from (file for file in paths if not file.is_symlink() or _inside(os.path.realpath(file), root))
