"""The config files that frameworks ship for other configs to start from, release by release."""

from __future__ import annotations

import json
from functools import cache
from pathlib import Path
from typing import Any

from rftconf.base.record import record
from rftconf.schemas import registry

_FOLDER = Path(__file__).parent


@record
class BaseFile:
    """One such file: its `path` below the `folder` that the framework keeps it in, and its values as text."""

    framework: str
    release: str
    folder: str
    path: str
    text: str

    @property
    def title(self) -> str:
        """Return its name in messages and places: `ROLL 0.2.1 examples/config/deepspeed_zero2.yaml`."""
        return f"{registry.framework(self.framework).title} {self.release} {self.folder}/{self.path}"


def file_of(framework: str) -> Path:
    """Return the file with the data of a framework; scripts/extract_base_files.py writes it."""
    return _FOLDER / framework / "base_files.json"


def recipes_of(framework: str) -> Path:
    """Return the file with the configs of recipes, which stand in the framework's repository and in no package."""
    return _FOLDER / framework / "recipe_files.json"


def base_file(framework: str, release: str, name: str) -> BaseFile | None:
    """The file at the path `name`, as `release` has it, else the nearest release that has it.

    Of releases equally near the older one counts: what a framework no longer ships, configs for it go on naming.
    """
    versions = _files(framework).get(name)
    if versions is None:
        return None
    order = registry.framework(framework).releases
    have = {number: version for version in versions for number in version["releases"]}
    nearest = min(have, key=lambda number: (abs(order.index(number) - order.index(release)), order.index(number)))
    return BaseFile(framework, nearest, have[nearest]["folder"], name, _text(have[nearest]))


@cache
def folders_of(framework: str) -> tuple[str, ...]:
    """The folders that the framework keeps such files in."""
    return tuple(dict.fromkeys(version["folder"] for file in _files(framework).values() for version in file))


@cache
def sections_of(framework: str) -> frozenset[str]:
    """The first names of the keys that such files set, in whatever release."""
    versions = (version for file in _files(framework).values() for version in file)
    return frozenset(str(name).partition(".")[0] for version in versions for name in version["values"])


def _text(version: dict[str, Any]) -> str:
    header = f"# @package {version['package']}\n" if "package" in version else ""
    return header + (json.dumps(version["values"], indent=1, ensure_ascii=False) if version["values"] else "")


@cache
def _files(framework: str) -> dict[str, list[dict[str, Any]]]:
    files: dict[str, list[dict[str, Any]]] = {}
    for file in (file_of(framework), recipes_of(framework)):
        files |= json.loads(file.read_bytes())["files"] if file.exists() else {}
    return files
