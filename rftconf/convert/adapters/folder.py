"""Puts the files into their folder, each whole or not at all, and never over a person's own work."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from rftconf.base.errors import UnreadableError, UsageError
from rftconf.base.files import write as write_whole
from rftconf.convert.adapters.scripts import untouched
from rftconf.text.source import open_source


def refuse_foreign(folder: Path, files: Mapping[str, str]) -> None:
    """Raises UsageError when one of the files is there and is not as rftconf wrote it."""
    for name in files:
        file = folder / name
        if not file.exists() and not file.is_symlink():
            continue
        try:
            known = not file.is_symlink() and untouched(open_source(file).text)
        except UnreadableError:
            known = False
        if not known:
            raise UsageError(
                f"{file} was changed since rftconf wrote it, or is not rftconf's: move it, or name another folder"
            )


def write(folder: Path, files: Mapping[str, str]) -> None:
    """Write all files below `folder`, which is made. Raises UsageError when a place cannot be written."""
    for name, text in files.items():
        file = folder / name
        try:
            file.parent.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise UsageError(f"cannot make the folder {file.parent}: {error.strerror or error}") from error
        write_whole(file, text, executable=text.startswith("#!"))
