"""The outputs of commands: configs go to standard output or a file, reports to standard error."""

from __future__ import annotations

import errno
import io
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from rftconf.report.screen import Screen


STANDARD_OUTPUT = "standard output"


class OutputClosedError(Exception):
    """Whoever read standard output has gone. Not an OSError, because click ends the process on those itself."""


def product(text: str, file: Path | None = None, *, executable: bool = False, own: bool = False) -> None:
    """Write what was asked for as UTF-8, whatever the locale is, without secrets.

    `own`: the text keeps what stands in it: it goes back into the file that it was read from, or is the studio's address,
    whose word lets its reader in.
    """
    from rftconf.base import files as atomic
    from rftconf.base.secrets import masked

    text = text if own else masked(text)
    if file is not None and str(file) != "-":
        atomic.write(file, text, executable=executable)
        return
    try:
        sys.stdout.flush()
        sys.stdout.buffer.write(atomic.encoded(text))
        sys.stdout.buffer.flush()
    except BrokenPipeError:
        raise OutputClosedError from None
    except OSError as error:
        raise OSError(error.errno, error.strerror, STANDARD_OUTPUT) from error


class ClosedOutput(io.TextIOBase):
    """Standard output where the shell closed it (`>&-`): there is no file to write to, and nothing is lost in silence."""

    @property
    def buffer(self) -> ClosedOutput:
        """Bytes go nowhere either."""
        return self

    def write(self, _text: str | bytes) -> int:
        """Raise the error of a closed file, under a name that a person knows."""
        raise OSError(errno.EBADF, "closed", STANDARD_OUTPUT)


def product_json(data: Any, file: Path | None = None) -> None:
    """JSON for programs."""
    from rftconf.base.json_text import json_text

    product(json_text(data), file)


def report(text: str) -> None:
    """Write something to read beside the product, without secrets."""
    from rftconf.base.secrets import masked

    sys.stderr.write(masked(text))
    sys.stderr.flush()


def report_screen(colour: str) -> Screen:
    """The screen that reports go to."""
    from rftconf.report.screen import Screen

    return Screen.of(sys.stderr, colour)


def product_screen(colour: str) -> Screen:
    """The screen of standard output, for products made to be read."""
    from rftconf.report.screen import Screen

    return Screen.of(sys.stdout, colour)
