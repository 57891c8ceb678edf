"""Writes files whole or not at all."""

from __future__ import annotations

import errno
import os
import stat
import time
from pathlib import Path

from rftconf.base.errors import UsageError

PIPE_SECONDS = 5.0
"""How long a pipe's reader may take to come."""
_ANYONE_WRITES = stat.S_IWUSR | stat.S_IWGRP | stat.S_IWOTH


def write(path: Path, content: str, *, executable: bool = False) -> None:
    """Put `content` at `path` as UTF-8: the old file stays until the new one is complete.

    A link is followed and the permissions of a file that is there are kept. A device or a pipe is written directly.
    Raises UsageError when the place cannot be written: a file that nobody may write among them, although its folder
    would let a new one take its place.
    """
    target = Path(os.path.realpath(path))
    try:
        if target.is_dir():
            raise UsageError(f"{path} is a directory; name a file in it")
        if target.exists() and not target.is_file():
            _write_through(target, encoded(content))
            return
        if target.exists() and not target.stat().st_mode & _ANYONE_WRITES:
            raise UsageError(f"{path} is read-only; allow writing (chmod u+w) or name another file")
        _replace(target, encoded(content), _mode(target, executable))
    except OSError as error:
        raise UsageError(f"cannot write {path}: {error.strerror or error}") from error


def encoded(text: str) -> bytes:
    """UTF-8; bytes of file names that are no UTF-8 as they were, other lone surrogates as escapes."""
    try:
        return text.encode("utf-8", "surrogateescape")
    except UnicodeEncodeError:
        return text.encode("utf-8", "backslashreplace")


def _write_through(target: Path, data: bytes) -> None:
    """Write to a device or a pipe. Raises UsageError when nobody reads the pipe within PIPE_SECONDS."""
    until = time.monotonic() + PIPE_SECONDS
    while True:
        try:
            handle = os.open(target, os.O_WRONLY | os.O_NONBLOCK)  # without it, opening waits for a reader for ever
            break
        except OSError as error:
            if error.errno != errno.ENXIO:
                raise
            if time.monotonic() > until:
                raise UsageError(f"nobody reads from the pipe {target}; start its reader first") from None
            time.sleep(0.05)
    os.set_blocking(handle, True)
    with os.fdopen(handle, "wb") as file:
        file.write(data)


def _replace(target: Path, data: bytes, mode: int) -> None:
    import tempfile  # brings random and hashlib, which printing has no use for

    # In the same folder, because a rename across file systems is a copy.
    handle, name = tempfile.mkstemp(dir=target.parent, prefix=f".{target.name}.", suffix=".part")
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        Path(name).chmod(mode)
        if target.exists() and target.stat().st_nlink > 1:
            # The file has other names, which a replacement would leave with the old text.
            target.write_bytes(data)
            Path(name).unlink()
        else:
            Path(name).replace(target)
    except BaseException:
        Path(name).unlink(missing_ok=True)
        raise


def _mode(target: Path, executable: bool) -> int:
    """The permissions of the file that is there, else what the umask leaves of the usual ones."""
    try:
        mode = stat.S_IMODE(target.stat().st_mode)
    except FileNotFoundError:
        umask = os.umask(0)
        os.umask(umask)
        mode = 0o666 & ~umask
    return mode | (mode & 0o444) >> 2 if executable else mode
