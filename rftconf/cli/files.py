"""Which files `rftconf check` looks at."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from rftconf.errors import UsageError

_SUFFIXES = frozenset({".sh", ".bash", ".yaml", ".yml"})
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
    found: dict[str, Candidate] = {}
    for argument in arguments:
        for candidate in _stands_for(argument):
            # A name wins over having been found in a folder.
            if candidate.named or candidate.path not in found:
                found[candidate.path] = candidate
    return list(found.values())


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
        yield from (Candidate(name, named=False) for name in matched if Path(name).is_file())
    else:
        raise UsageError(f"{argument}: no such file or directory")


def _within(folder: Path) -> Iterator[Path]:
    import os

    for here, folders, names in os.walk(folder):
        folders[:] = [name for name in folders if not name.startswith(".") and name not in _SKIPPED]
        yield from (Path(here, name) for name in names if Path(name).suffix in _SUFFIXES and not name.startswith("."))
