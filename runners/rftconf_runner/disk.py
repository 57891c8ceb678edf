"""Files of a run's folder: replaced whole or not at all, and lines that are added to them."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path


def put(file: Path, text: str) -> None:
    """The old text stays until the new one is on the disk. Raises OSError with the file's name."""
    _replace(file, text.encode())


def add(file: Path, line: str) -> None:
    """Append a line to a file. Raises OSError with the file's name."""
    with _named(file), file.open("a", encoding="utf-8") as opened:
        opened.write(line + "\n")


def cut(file: Path, lines: int) -> None:
    """Keep the first `lines`; a file that has no more is not touched, one that is not there is begun. Raises OSError."""
    with _named(file):
        whole = file.read_bytes().splitlines(keepends=True) if file.exists() else []
        if not file.exists():
            file.touch()
    if whole[lines:]:
        _replace(file, b"".join(whole[:lines]))


def reason(error: OSError) -> str:
    """Return the reason why a disk failed, with the file's name; only the first line where a library wrote it."""
    where = f"{error.filename}: " if error.filename else ""
    return where + (error.strerror or next(iter(str(error).splitlines()), type(error).__name__))


def to_disk(path: Path) -> None:
    """Flush a file or a folder to the disk, so that it outlives a loss of power."""
    opened = os.open(path, os.O_RDONLY)
    try:
        os.fsync(opened)
    finally:
        os.close(opened)


def _replace(file: Path, data: bytes) -> None:
    beside = file.with_name(f"{file.name}.partial")
    try:
        with _named(file):
            beside.write_bytes(data)
            to_disk(beside)
            beside.replace(file)
            to_disk(file.parent)
    except OSError:
        beside.unlink(missing_ok=True)
        raise


@contextmanager
def _named(file: Path) -> Iterator[None]:
    """A full disk's error has no name of what could not be written."""
    try:
        yield
    except OSError as error:
        error.filename = error.filename or str(file)
        raise
