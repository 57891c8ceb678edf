"""This module limits the time of a block of code within a process."""

from __future__ import annotations

import signal
import threading
from types import FrameType, TracebackType


class _LateError(BaseException):
    """Raised when the time is over; no Exception, so that a library's `except Exception` does not catch it."""


class within:  # noqa: N801 - it is read as a word
    """Ends its block after so many seconds, quietly. Only a main thread has a signal's clock; elsewhere there is no limit."""

    def __init__(self, seconds: float) -> None:
        self.seconds = seconds

    def __enter__(self) -> within:
        if threading.current_thread() is threading.main_thread():
            self.before = signal.signal(signal.SIGALRM, self._rings)
            signal.setitimer(signal.ITIMER_REAL, self.seconds)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> bool:
        if threading.current_thread() is threading.main_thread():
            signal.setitimer(signal.ITIMER_REAL, 0)
            signal.signal(signal.SIGALRM, self.before)
        return kind is _LateError

    @staticmethod
    def _rings(_: int, __: FrameType | None) -> None:
        raise _LateError
