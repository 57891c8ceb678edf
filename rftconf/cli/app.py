"""The `rftconf` command. Nothing is imported here that a verb's `--help` does not need."""

from __future__ import annotations

import gc
import os
import signal
import sys
from collections.abc import Callable, Sequence
from importlib import import_module

from rftconf.cli import failure, plain
from rftconf.import_path import leave_out_working_directory

_COMPLETING = "_RFTCONF_COMPLETE"
"""Set while a shell asks for completions."""

TERMINATED = 128 + signal.SIGTERM
"""The exit code of a process that was asked to end, as shells number it."""

VERBS = {
    "convert": "Write a config for another framework.",
    "check": "Find what is wrong with configs, by line and column.",
    "migrate": "Rewrite files in place for another release of their framework.",
    "plan": "Print what a config means: the canonical plan.",
    "diff": "Say whether two configs are the same run, and what differs.",
    "verify": "Compute a certificate again, and say what no longer holds.",
    "budget": "Price a run in GPU memory: will it fit, and what to change.",
    "explain": "Say what a diagnostic's code, a key, or a field of the plan means.",
    "metrics": "Say which logged metric of one framework is which of another; rename files of them.",
    "new": "Write a first config that fits given GPUs: a published recipe, sized and commented.",
    "init": "Write rftconf.toml from what is found in a folder.",
    "lsp": "Serve an editor: findings, hover, completion, fixes.",
    "studio": "Open a page on this machine: convert, check, price, compare, begin configs.",
    "run": "Execute a config with vLLM, FSDP2 and Ray.",
    "launch": "Write what starts a run on Kubernetes (KubeRay) or Slurm.",
    "runs": "List what ran, how far, and what it earned; plot it.",
    "schema": "Print a JSON Schema: of the plan, of certificates, of a framework, of the settings.",
}
"""Each is a module of its name in `rftconf.cli.commands`, with a function of its name."""


def run(arguments: Sequence[str]) -> int:
    """Run one command line and give its exit code: 0 done, 1 findings, 2 unreadable or usage, 3 refused."""
    # It may stand anywhere, because it is added to a line that has just failed.
    bare = [word for word in arguments if word != "--traceback"]
    try:
        code = _command(bare)()
        # Python writes out what is left at exit, where a closed pipe would be reported.
        sys.stdout.flush()
    except BaseException as error:  # noqa: BLE001 -- this is the last place before a traceback
        return failure.exit_code(error, traceback=len(bare) < len(arguments))
    return code if isinstance(code, int) else 0


def _command(words: Sequence[str]) -> Callable[[], object]:
    """What `words` ask for: the verb itself where it is plain what they mean, else the parser, which takes long to load."""
    asked = words[0] if words else ""
    completing = _COMPLETING in os.environ
    given = plain.arguments(asked, words[1:]) if asked in VERBS and not completing else None
    if given is not None:
        verb = getattr(import_module(f"rftconf.cli.commands.{asked}"), asked)
        return lambda: verb(**given)
    from rftconf.cli.parser import command

    return command([asked] if asked in VERBS and not completing else list(VERBS), words)


def _stand_in_for_closed_streams() -> None:
    """Python has no stream where the shell closed one, and would fail in the middle of a sentence."""
    if sys.stdout is None:
        from rftconf.cli.output import ClosedOutput

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
