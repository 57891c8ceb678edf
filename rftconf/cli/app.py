"""The `rftconf` command. Nothing is imported here that a verb's `--help` does not need."""

from __future__ import annotations

import gc
import os
import signal
import sys
from collections.abc import Callable, Sequence
from importlib import import_module

from rftconf.base.import_path import leave_out_working_directory
from rftconf.base.unseen_signs import refuse_unseen
from rftconf.cli import plain
from rftconf.cli.verb_names import VERBS as VERBS
from rftconf.verbs import failure

_COMPLETING = "_RFTCONF_COMPLETE"
"""Set while a shell asks for completions."""

TERMINATED = 128 + signal.SIGTERM
"""The exit code of a process that was asked to end, as shells number it."""


def run(arguments: Sequence[str]) -> int:
    """Run one command line and give its exit code: 0 done, 1 findings, 2 unreadable or usage, 3 refused."""
    # It may stand anywhere, because it is added to a line that has just failed.
    bare = [word for word in arguments if word != "--traceback"]
    try:
        refuse_unseen(bare)
        code = _command(bare)()
        # Python writes out what is left at exit, where a closed pipe would be reported.
        sys.stdout.flush()
    except BaseException as error:  # noqa: BLE001 -- this is the last place before a traceback
        return failure.exit_code(error, traceback=len(bare) < len(arguments))
    return code if isinstance(code, int) else 0


def _command(words: Sequence[str]) -> Callable[[], object]:
    """Return the call that `words` ask for: the verb itself where they are plain, else the parser, slow to load."""
    verb_name = words[0] if words else ""
    completing = _COMPLETING in os.environ
    values = plain.arguments(verb_name, words[1:]) if verb_name in VERBS and not completing else None
    if values is not None:
        verb = getattr(import_module(f"rftconf.cli.commands.{verb_name}"), verb_name)
        return lambda: verb(**values)
    from rftconf.cli.parser import command

    return command([verb_name] if verb_name in VERBS and not completing else list(VERBS), words)


def _stand_in_for_closed_streams() -> None:
    """Python has no stream where the shell closed one, and would fail in the middle of a sentence."""
    if sys.stdout is None:
        from rftconf.verbs.output import ClosedOutput

        sys.stdout = ClosedOutput()
    if sys.stderr is None:
        sys.stderr = open(os.devnull, "w", encoding="utf-8")  # noqa: PTH123, SIM115 -- it lives as long as the process


def main() -> None:
    """Entry point of the `rftconf` script."""
    leave_out_working_directory()
    # A command lives for a fraction of a second and keeps what it makes; collecting cycles took a fifth of its time.
    gc.set_threshold(200_000, 20, 100)
    _stand_in_for_closed_streams()
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(TERMINATED))  # so that a file half written is taken away
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="replace")
    code = run(sys.argv[1:])
    # Python looks for cycles once more at exit, in all that is about to go away anyway.
    gc.freeze()
    sys.exit(code)
