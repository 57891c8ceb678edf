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
    """The text of `wanted` as the file `name` means it, or None. Only regular files are opened, and none is run."""
    found = find_source(wanted, sources)
    if found is not None:
        return Source(found, sources[found])
    path = Path(os.path.normpath(Path(name).parent / wanted))
    if not Path(name).is_file() or not path.is_file():
        return None
    try:
        return open_source(path)
    except UnreadableError:
        return None
