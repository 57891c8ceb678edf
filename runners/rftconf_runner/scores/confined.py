"""This module runs code that a model wrote, in a process that bubblewrap confines: without network, with Python's own files alone to
read and an empty folder to write, with bounds of memory and time."""

from __future__ import annotations

import os
import secrets
import subprocess
import sys
from functools import cache
from pathlib import Path
from shutil import which
from tempfile import TemporaryFile
from typing import NamedTuple

TOOL = "bwrap"
READABLE = ("/usr", "/lib", "/lib64", "/bin")
MEMORY_BYTES, FILE_BYTES = 4 << 30, 64 << 20
PROGRAM = "/tmp/answer.py"  # noqa: S108 - within the namespace
LONGEST = 2.0
"""Seconds that an empty program may take before a machine is said to confine nothing."""
KILLED = ("kill", "system", "putenv", "remove", "removedirs", "rmdir", "fchdir", "setuid", "fork", "forkpty", "killpg", "rename", "renames",
          "truncate", "replace", "unlink", "fchmod", "fchown", "chmod", "chown", "chroot", "lchflags", "lchmod", "lchown", "getcwd", "chdir")  # fmt: skip
ABSENT = ("ipdb", "joblib", "resource", "psutil", "tkinter")
"""Functions of `os` and modules that frameworks take from the code before they run it: code that calls them fails there and here."""
GUARDED = f"""
import builtins, io, json, os, shutil, subprocess, sys
own = os.fdopen(os.dup(1), "w")
program = json.load(sys.stdin)
class Shut(io.StringIO):
    def read(self, *_): raise OSError
    readline = readlines = read
    def readable(self): return False
sys.stdin = sys.stdout = sys.stderr = Shut()
builtins.exit = builtins.quit = builtins.help = None
for name in {KILLED!r}: setattr(os, name, None)
shutil.rmtree = shutil.move = shutil.chown = subprocess.Popen = None
for name in {ABSENT!r}: sys.modules[name] = None
exec(program["source"], {{}})
own.write(program["word"])
own.flush()
"""
"""The program around code that is a test: without the functions above, without input, and with a word at its end."""


def passes(source: str, seconds: float) -> bool:
    """True where the code comes to its end, asserts included, within so many seconds."""
    import json

    word = secrets.token_hex(16)
    result = _run(["-c", GUARDED], json.dumps({"source": source, "word": word}), seconds)
    return result is not None and result.output.endswith(word)


def exits_well(source: str, seconds: float) -> bool:
    """True where the code is a program that exits with 0 within so many seconds."""
    result = _run(["-"], source, seconds)
    return result is not None and result.code == 0


def printed(source: str, stdin: str, seconds: float) -> str | None:
    """Return what a program prints that is given this text; None where it does not exit with 0 within so many seconds."""
    with TemporaryFile() as file:
        try:
            file.write(source.encode())
        except UnicodeError:
            return None
        file.seek(0)
        result = _run([PROGRAM], stdin, seconds, file.fileno())
    return None if result is None or result.code else result.output


@cache
def unusable() -> str:
    """Return the reason why no code can be confined on this machine; empty where it can."""
    if which(TOOL) is None:
        return (
            f"needs bubblewrap to confine code that the model wrote: install the system's package bubblewrap ({TOOL})"
        )
    if exits_well("", LONGEST + 10):
        return ""
    return f"needs bubblewrap to confine code that the model wrote, and {TOOL} may not make namespaces on this machine"


class Ended(NamedTuple):
    """A process that came to an end, and what it wrote: `FILE_BYTES` at most, behind which the kernel stops it."""

    code: int
    output: str


def _run(arguments: list[str], text: str, seconds: float, program: int | None = None) -> Ended | None:
    """Run this Python confined, with a file of that number as `PROGRAM`; None where its time ran out or the text cannot be handed over."""
    files = [] if program is None else ["--ro-bind-data", str(program), PROGRAM]
    with TemporaryFile() as output:  # no pipe: what code writes without an end would fill this process
        try:
            done = subprocess.run(  # noqa: S603 - bubblewrap around this very Python
                [*_confinement(), *files, sys.executable, "-I", *arguments],
                input=text.encode(),
                stdout=output,
                stderr=subprocess.DEVNULL,
                timeout=seconds,
                pass_fds=() if program is None else (program,),
                preexec_fn=_limit,  # a process of one thread calls it
                check=False,
            )
        except (subprocess.TimeoutExpired, UnicodeError, OSError):
            return None
        output.seek(0)
        return Ended(done.returncode, output.read().decode(errors="replace"))


def _confinement() -> list[str]:
    folders = dict.fromkeys(
        [*READABLE, sys.prefix, sys.base_prefix, *(path for path in sys.path if "site-packages" in path)]
    )
    readable = [word for path in folders if Path(path).is_dir() for word in ("--ro-bind", path, path)]
    return [str(which(TOOL)), "--unshare-all", "--die-with-parent", "--new-session", "--cap-drop", "ALL", "--clearenv",
            "--setenv", "PATH", os.defpath, "--setenv", "OMP_NUM_THREADS", "1", *readable,
            "--proc", "/proc", "--dev", "/dev", "--tmpfs", "/tmp", "--chdir", "/tmp"]  # fmt: skip # noqa: S108 - within the namespace


def _limit() -> None:
    import resource

    resource.setrlimit(resource.RLIMIT_AS, (MEMORY_BYTES, MEMORY_BYTES))
    resource.setrlimit(resource.RLIMIT_FSIZE, (FILE_BYTES, FILE_BYTES))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
