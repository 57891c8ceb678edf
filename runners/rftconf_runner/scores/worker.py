"""This program scores one answer after the other: `python -m rftconf_runner.scores.worker`, asked over its standard input.

What functions print goes to standard error. It ends with its input; over one answer it may compute for as many seconds as its
argument says, after which the system ends it, also where whoever asked is no more.
"""

from __future__ import annotations

import os
import pickle
import signal
import sys
from collections.abc import Callable, Mapping
from typing import Any, BinaryIO

from rftconf_runner.scores.scoring import named


def main() -> None:
    """Answer until there is nothing more to read."""
    answers = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)
    serve(sys.stdin.buffer, answers, float(sys.argv[1]))


def serve(stream: BinaryIO, answers: BinaryIO, seconds: float) -> None:
    """Read pickled names with their arguments one by one, and write each result, or its error in words."""
    while True:
        try:
            name, arguments = pickle.load(stream)  # noqa: S301 - from the process that started this one
        except EOFError:
            return
        signal.setitimer(
            signal.ITIMER_PROF, seconds
        )  # of the processor's time; its signal ends a process that has no handler
        pickle.dump(_came(named(name), arguments), answers)
        answers.flush()


def _came(function: Callable[..., Any], arguments: Mapping[str, Any]) -> tuple[bool, Any]:
    try:
        return True, function(**arguments)
    except Exception as error:  # noqa: BLE001 - whoever asked says which answer it was about
        return False, f"{type(error).__name__}: {error}"


if __name__ == "__main__":
    main()
