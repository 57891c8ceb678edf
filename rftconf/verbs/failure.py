"""Messages of failures: a sentence and the next step for the user, never a traceback unasked."""

from __future__ import annotations

import errno
import io
import os
import sys

from rftconf.base.errors import RefusedError, RftconfError
from rftconf.verbs.output import STANDARD_OUTPUT, ClosedOutput, OutputClosedError

INTERRUPTED = 130
BROKEN_PIPE = 141
INTERNAL = 70
"""As shells and sysexits.h number them."""
LONGEST_NAME = 255
_OF_A_STREAM = (errno.ENOSPC, errno.EBADF, errno.EIO)
"""What a write of buffered text fails with; it names no file, because the text was on its way to standard output."""


def exit_code(error: BaseException, *, traceback: bool = False) -> int:
    """Tell about `error` on standard error and give the exit code that stands for it."""
    if isinstance(error, KeyboardInterrupt):
        return INTERRUPTED
    if "click" in sys.modules:  # no error is click's unless its parser ran
        import click

        if isinstance(error, click.Abort):
            return INTERRUPTED
        if isinstance(error, click.ClickException):
            buffer = io.StringIO()
            error.show(buffer)
            _write(buffer.getvalue())
            return error.exit_code
    if isinstance(error, (OutputClosedError, BrokenPipeError)):
        _let_go_of_standard_output()
        return BROKEN_PIPE
    if isinstance(error, SystemExit):
        return error.code if isinstance(error.code, int) else 1
    if isinstance(error, RftconfError):
        _say(f"rftconf: {error}")
        for choice in error.choices if isinstance(error, RefusedError) else ():
            _say(f"  possible: {choice}")
        return error.exit_code
    if isinstance(error, OSError) and (error.filename or error.errno in _OF_A_STREAM):
        if error.filename in (None, STANDARD_OUTPUT):
            _let_go_of_standard_output()
        _say(f"rftconf: {_shortened(os.fsdecode(str(error.filename or STANDARD_OUTPUT)))}: {error.strerror or error}")
        return RftconfError.exit_code
    return _unexpected(error, traceback=traceback)


def _shortened(name: str) -> str:
    return name if len(name) <= LONGEST_NAME else f"{name[:LONGEST_NAME]}…"


def _unexpected(error: BaseException, *, traceback: bool) -> int:
    if traceback or os.environ.get("RFTCONF_TRACEBACK", "") not in ("", "0"):
        from traceback import print_exception

        buffer = io.StringIO()
        print_exception(error, file=buffer)
        _write(buffer.getvalue())
        return INTERNAL
    text = " ".join(str(error).split())[:200]
    _say(f"rftconf: sorry, this is a defect in rftconf ({type(error).__name__}{f': {text}' if text else ''}).")
    _say("  Please run it again with RFTCONF_TRACEBACK=1 and report what it prints, with the file if you can.")
    return INTERNAL


def _say(text: str) -> None:
    _write("".join(c if c.isprintable() or c == "\n" else " " for c in text) + "\n")


def _write(text: str) -> None:
    from rftconf.base.secrets import masked

    sys.stderr.write(masked(text))


def _let_go_of_standard_output() -> None:
    """Python flushes standard output once more at exit; send that nowhere."""
    if isinstance(sys.stdout, ClosedOutput):
        return
    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, sys.stdout.fileno())
