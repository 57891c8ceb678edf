"""Files that a text names: among those that were given, else beside it on disk."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from pathlib import Path, PurePosixPath
from typing import Protocol

from rftconf.base.errors import UnreadableError
from rftconf.text.document import Leaf
from rftconf.text.source import Source, open_source


class ShippedFiles(Protocol):
    """Config files that a framework ships: asked for one where a config names it and it is not beside the config."""

    def find(self, name: str, within: str) -> Source | None:
        """The file that the text called `within` means by `name`, or None."""

    def whose(self, names: Iterable[str]) -> str:
        """Whose files these are, of those that `find` gave: `ROLL 0.2.1's own (examples/config)`."""

    def acting(self, leaves: tuple[Leaf, ...]) -> tuple[Leaf, ...]:
        """A composed config without what comes from such files and changes nothing."""


def find_source(file_name: str, sources: Mapping[str, str]) -> str | None:
    """The name among `sources` that is the file `file_name`: the same path, or the only one that ends alike."""
    path = PurePosixPath(file_name)
    same = [name for name in sources if PurePosixPath(name) == path]
    if same:
        return same[0]
    parts = [part for part in path.parts if part not in ("..", "/")]
    alike = [name for name in sources if list(PurePosixPath(name).parts[-len(parts) :]) == parts]
    alike = alike or [name for name in sources if PurePosixPath(name).name == path.name]
    return alike[0] if len(alike) == 1 else None


def text_beside(name: str, file_name: str, sources: Mapping[str, str]) -> Source | None:
    """The text of `file_name` as the file `name` means it, or None. Only regular files are opened, and none is run.

    Beside it means in its folder, in one next to that, or below: a config does not get to name any file of a machine.
    """
    source = find_source(file_name, sources)
    if source is not None:
        return Source(source, sources[source])
    path = Path(os.path.normpath(Path(name).parent / file_name))
    try:
        if PurePosixPath(file_name).is_absolute() or not Path(name).is_file() or not is_below(path, Path(name), 1):
            return None
        return open_source(path)
    except (OSError, ValueError, UnreadableError):
        return None


def beside_script(name: str, file_name: str) -> Source | None:
    """A script that the script `name` runs or sources: as seen from its folder, or, where the path begins with the folders
    of another machine, in the folder of the same name or elsewhere in the checkout."""
    path = PurePosixPath(file_name)
    beside = text_beside(name, file_name, {})
    if beside is not None:
        return beside
    if path.parent.name and path.parent.name == Path(name).absolute().parent.name:
        beside = text_beside(name, path.name, {})
    if beside is not None:
        return beside
    place = in_checkout_of_another(name, file_name)
    return None if place is None else _opened(os.path.relpath(place))


def _opened(path: str) -> Source | None:
    try:
        return open_source(path)
    except (OSError, UnreadableError):
        return None


FOLDERS_ABOVE = 6
"""Configs are named as seen from the root of a checkout; how many folders above a file are tried."""


def in_checkout(name: str, file_name: str) -> Path | None:
    """Return the path of `file_name`, given from a checkout's root: beside the file `name` or below a folder above it.

    None for an absolute path, one with `..`, and one that a link leads elsewhere.
    """
    if not file_name or PurePosixPath(file_name).is_absolute() or ".." in PurePosixPath(file_name).parts:
        return None
    try:
        folder = Path(name).resolve().parent
        for place in (folder, *folder.parents)[:FOLDERS_ABOVE]:
            if is_below(place / file_name, place / "_", 0):
                return place / file_name
            if (place / ".git").exists():
                break
    except (OSError, ValueError):
        return None
    return None


def in_checkout_of_another(name: str, file_name: str) -> Path | None:
    """Find `file_name` in the checkout of the file `name` where its first folders are those of another machine.

    The rest of the path must begin with a folder that the file `name` stands in, and go at least two folders deep.
    """
    parts = [part for part in PurePosixPath(file_name).parts if part != "/"]
    if ".." in parts:
        return None
    own = set(Path(name).absolute().parent.parts)
    for first in range(0 if file_name.startswith("/") else 1, len(parts) - 2):
        if parts[first] in own and (place := in_checkout(name, str(PurePosixPath(*parts[first:])))) is not None:
            return place
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
