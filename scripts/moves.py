"""A table of moves, as docs/adr/0014-moves.toml holds it: which module goes where, and which definitions leave one."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib


@dataclass(frozen=True)
class Split:
    """Definitions that leave a module (both named as the new layout has them) for one of their own.

    `still_there`: others name them as the old module's attributes, so it goes on handing them out.
    """

    source: str
    target: str
    names: tuple[str, ...]
    says: str
    still_there: bool = False


@dataclass(frozen=True)
class Edit:
    """A passage that is written anew, once the names are."""

    file: str
    old: str
    new: str


@dataclass(frozen=True)
class Moves:
    """Dotted names, old to new; of `data` the files, from the repository's root; of `contents` files as they are then."""

    modules: Mapping[str, str] = field(default_factory=dict)
    folders: Mapping[str, str] = field(default_factory=dict)
    data: Mapping[str, str] = field(default_factory=dict)
    splits: tuple[Split, ...] = ()
    contents: Mapping[str, str] = field(default_factory=dict)
    edits: tuple[Edit, ...] = ()

    def new_name(self, name: str) -> str:
        """What the module or package `name` is called afterwards."""
        if name in self.modules:
            return self.modules[name]
        return self._of_folder(name)

    def _of_folder(self, name: str) -> str:
        if name in self.folders:
            return self.folders[name]
        head, _, tail = name.rpartition(".")
        return f"{self._of_folder(head)}.{tail}" if head else name


def read_moves(path: Path) -> Moves:
    """The table in a file; `ValueError` where two modules would get one name."""
    data = tomllib.loads(path.read_text(encoding="utf-8"))
    modules = {old: f"{folder}.{new}" for folder, lines in data["modules"].items() for new, old in lines.items()}
    listed = sum(map(len, data["modules"].values()))
    if len(modules) < listed or len(set(modules.values())) < listed:
        raise ValueError(f"{path}: {listed} lines move {len(modules)} modules to {len(set(modules.values()))} names")
    splits = tuple(
        Split(entry["from"], entry["to"], tuple(entry["names"]), entry["says"], entry.get("still_there", False))
        for entry in data.get("splits", ())
    )
    edits = tuple(Edit(**entry) for entry in data.get("edits", ()))
    return Moves(modules, data.get("folders", {}), data.get("data", {}), splits, data.get("contents", {}), edits)
