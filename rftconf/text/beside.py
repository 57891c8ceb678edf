"""Files that a text names: among those that were given, else beside it on disk."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path, PurePosixPath

from rftconf.errors import UnreadableError
from rftconf.text.source import Source, open_source


def find_source(wanted: str, sources: Mapping[str, str]) -> str | None:
    """The name among `sources` that is the file `wanted`: the same path, or the only one that ends alike."""
    path = PurePosixPath(wanted)
    same = [name for name in sources if PurePosixPath(name) == path]
    if same:
        return same[0]
    parts = [part for part in path.parts if part not in ("..", "/")]
    alike = [name for name in sources if list(PurePosixPath(name).parts[-len(parts) :]) == parts]
    alike = alike or [name for name in sources if PurePosixPath(name).name == path.name]
    return alike[0] if len(alike) == 1 else None


def beside(name: str, wanted: str, sources: Mapping[str, str]) -> Source | None:
    """The text of `wanted` as the file `name` means it, or None. Only regular files are opened, and none is run.

    Beside it means in its folder, in one next to that, or below: a config does not get to name any file of a machine.
    """
    found = find_source(wanted, sources)
    if found is not None:
        return Source(found, sources[found])
    path = Path(os.path.normpath(Path(name).parent / wanted))
    try:
        if PurePosixPath(wanted).is_absolute() or not Path(name).is_file() or not is_below(path, Path(name), 1):
            return None
        return open_source(path)
    except (OSError, ValueError, UnreadableError):
        return None


def is_below(path: Path, file: Path, folders_above: int) -> bool:
    """True when `path` is a regular file in the folder of `file` or below a folder above it; links are followed first.

    A folder that is the root of a repository is the highest. Raises OSError for a name that no file can have.
    """
    if not path.is_file():
        return False
    folder = file.resolve().parent
    for _ in range(folders_above):
        if not (folder / ".git").exists():
            folder = folder.parent
    return path.resolve().is_relative_to(folder)
