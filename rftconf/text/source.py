"""Bytes of a file or of standard input as text: bounded, and only of regular files and of `-`."""

from __future__ import annotations

import os
import stat
import sys
from pathlib import Path
from typing import BinaryIO

from rftconf.base.diagnostics import Diagnostic, Severity
from rftconf.base.errors import UnreadableError
from rftconf.base.record import record
from rftconf.base.span import Place, Span

MAX_BYTES = 16 * 1024 * 1024
"""The largest input that is read; the largest config seen in the wild has 0.2 MiB."""
STDIN = "-"
_BOM = b"\xef\xbb\xbf"
_UTF16 = (b"\xff\xfe", b"\xfe\xff")
_KINDS = (
    (stat.S_ISDIR, "a directory"),
    (stat.S_ISFIFO, "a pipe; pass its content on standard input with -"),
    (stat.S_ISSOCK, "a socket"),
    (stat.S_ISCHR, "a device"),
    (stat.S_ISBLK, "a device"),
)


@record
class Source:
    """Text with its name. `notes` say what was set aside in reading it; `bom` that a byte order mark was."""

    name: str
    text: str
    notes: tuple[Diagnostic, ...] = ()
    bom: bool = False


def open_source(path: str | Path, most: int = MAX_BYTES) -> Source:
    """Read a file, or standard input for `-`.

    Raises UnreadableError for anything that is not UTF-8 text of at most `most` bytes, or changes while being read.
    """
    name = str(path)
    if name == STDIN:
        if sys.stdin is None:
            raise UnreadableError("standard input is closed", file="<stdin>")
        return from_bytes("<stdin>", sys.stdin.buffer.read(most + 1), most)
    try:
        return from_bytes(name, _read_file(name, most), most)
    except OSError as error:
        raise UnreadableError(f"cannot be read: {error.strerror or error}", file=name) from error
    except ValueError as error:
        raise UnreadableError("is not a file name", file=repr(name)) from error


def from_bytes(name: str, data: bytes, most: int = MAX_BYTES) -> Source:
    """Decode and check `data`. Raises UnreadableError with line and column of the first bad byte."""
    if len(data) > most:
        raise UnreadableError(f"larger than {most:,} bytes", file=name)
    if data.startswith(_UTF16):
        raise UnreadableError("UTF-16 text; save it as UTF-8", file=name, line=1, col=1)
    bom = data.startswith(_BOM)
    body = data[len(_BOM) :] if bom else data
    if (position := body.find(b"\0")) >= 0:
        raise _bad_byte(name, body, position, "NUL byte: this is a binary file, not text")
    try:
        text = body.decode("utf-8")
    except UnicodeDecodeError as error:
        cut = error.end == len(body) and error.reason == "unexpected end of data"
        what = f"byte 0x{body[error.start]:02x} is not UTF-8"
        message = f"{what}: the file ends inside a character" if cut else f"{what}{_guess(body[error.start])}"
        raise _bad_byte(name, body, error.start, message) from error
    return Source(name, text, _notes(name, bom), bom)


def _read_file(name: str, most: int) -> bytes:
    # O_NONBLOCK: opening a pipe that nobody writes to would otherwise hang before it can be refused.
    descriptor = os.open(name, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
    try:
        before = os.fstat(descriptor)
        for is_kind, kind in _KINDS:
            if is_kind(before.st_mode):
                raise UnreadableError(f"is {kind}", file=name)
        if before.st_size > most:
            raise UnreadableError(f"{before.st_size:,} bytes; at most {most:,} are read", file=name)
        with os.fdopen(descriptor, "rb", closefd=False) as file:
            data = read_all(file, most)
        after = os.fstat(descriptor)
    finally:
        os.close(descriptor)
    changed = (before.st_size, before.st_mtime_ns) != (after.st_size, after.st_mtime_ns)
    if changed or len(data) != after.st_size:
        raise UnreadableError("changed while it was being read; try again when it is complete", file=name)
    return data


def read_all(file: BinaryIO, most: int = MAX_BYTES) -> bytes:
    """Everything in `file`, or one byte more than `most`."""
    return file.read(most + 1)


def _bad_byte(name: str, data: bytes, offset: int, message: str) -> UnreadableError:
    line_start = data.rfind(b"\n", 0, offset) + 1
    col = len(data[line_start:offset].decode("utf-8", "replace")) + 1
    return UnreadableError(message, file=name, line=data.count(b"\n", 0, offset) + 1, col=col)


def _guess(byte: int) -> str:
    letter = bytes((byte,)).decode("latin-1")
    return f" ({letter!r} in Latin-1?); save the file as UTF-8" if letter.isalpha() else "; save the file as UTF-8"


def _notes(name: str, bom: bool) -> tuple[Diagnostic, ...]:
    if not bom:
        return ()
    place = Place(name, Span(0, 0, 1, 1))
    return (Diagnostic("SYN501", Severity.INFO, "the byte order mark at the start is set aside", place),)
