"""Odd words and odd files for every argument and option of every verb: `python -m tests.fuzz.fuzz_command_lines --calls 1000`.

The parser itself names the options, so that a new one is asked too. Each call runs in a copy of this process that has
everything imported. It ends with 0, 1, 2 or 3 in bounded time, with no traceback, and with no sign in its output that
would steer a terminal.
"""

from __future__ import annotations

import contextlib
import os
import random
import re
import resource
import signal
import sys
import tempfile
import traceback
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import typer

from rftconf.cli.app import run
from rftconf.cli.parser import application
from tests.fuzz.drawn import run as run_drawn
from tests.fuzz.odd_files import FILES, SPECIAL, make_special_files
from tests.sources import ROOT

SECONDS, MEGABYTES = 10, 4_000
"""Processor seconds, and megabytes of addresses, that a call may take; some libraries map two thousand."""
EXITS = frozenset({0, 1, 2, 3})
_STEERING = re.compile(rb"\x1b[^\[]|\x1b\[[^m]*[^\dm;]|[\x00-\x08\x0e-\x1a\x9b]|\xe2\x80[\xaa-\xae]")
"""Signs that move a cursor, set a title or turn the direction of writing; colours are none of them."""
_DEFECT = re.compile(rb"Traceback \(most recent|this is a defect in rftconf")
BASES: dict[str, tuple[str, ...]] = {
    "convert": ("good.sh", "--to", "trinity"),
    "check": ("good.sh",),
    "migrate": ("good.sh", "--to-release", "0.9.1", "--diff"),
    "plan": ("good.sh",),
    "diff": ("good.sh", "good.yaml"),
    "verify": ("good.json",),
    "budget": ("good.sh", "--gpu", "H100"),
    "explain": ("data.train_batch_size",),
    "metrics": ("--rename", "good.jsonl", "--from", "verl", "--to", "trinity"),
    "new": ("--framework", "verl", "--algorithm", "grpo", "--model", "Qwen/Qwen2.5-7B", "--gpus", "8", "--gpu", "H100"),
    "init": ("folder",),
    "run": ("good.sh", "--dry-run"),
    "launch": ("good.sh", "--on", "slurm", "--folder", "job"),
    "runs": ("folder",),
    "schema": ("plan",),
}
"""A call of each verb that answers and ends; `lsp`, `studio` and `mcp` listen, and have generators of their own."""
WORDS = (
    "", " ", "-", "--", "=", "a=", "=b", "a=b=c", "x" * 5000, "0", "-1", "1e999", "nan", "9" * 400, "[", "{}", "${", "$(touch made)",
    "`touch made`", "a.b..c", ".", "..", "~", "/dev", "/dev/full", "missing/a/b", "\udcff", "\u202e", "\x1b]0;a\x07", "a\nb", "ü✓", "null", "%s{0}",
    "algorithm.gamma=.nan", "data.train_batch_size={a: [", "+x={a: ${a}}", "H100,H100", "file:///etc/passwd", "https://example.org/a.yaml", "verl", "*", "KEY",
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Call:
    """One command line, and what is odd in it."""

    words: tuple[str, ...]
    odd: str

    def __str__(self) -> str:
        line = " ".join(word if len(word) < 60 else f"{word[:60]}…" for word in self.words)
        return f"rftconf {line!r}"[:400]


@cache
def options() -> dict[str, tuple[str, ...]]:
    """The options of each verb that take a value."""
    commands = typer.main.get_command(application(tuple(BASES))).commands  # type: ignore[attr-defined]
    return {
        verb: tuple(
            entry.opts[0]
            for entry in commands[verb].params
            if entry.param_type_name == "option" and not getattr(entry, "is_flag", False)
        )
        for verb in BASES
    }


def calls(seed: int, count: int) -> Iterator[Call]:
    """So many calls with an odd word or file for one option, or in the place of one word of the base."""
    chance = random.Random(seed)
    names = (*FILES, *SPECIAL)
    for _ in range(count):
        verb = chance.choice(tuple(BASES))
        base, odd = BASES[verb], chance.choice(chance.choice((WORDS, names)))
        if chance.random() < 0.6:
            option = chance.choice(options()[verb])
            yield Call((verb, *base, option, odd), option)
        else:
            index = chance.choice([number for number, word in enumerate(base) if not word.startswith("--")])
            yield Call((verb, *base[:index], odd, *base[index + 1 :]), base[index])


def good_files() -> dict[str, bytes]:
    """The files that the calls of BASES name, a certificate of a conversion among them."""
    cases = ROOT / "golden" / "convert"
    script = (cases / "readme" / "input.sh").read_bytes()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        (folder / "good.sh").write_bytes(script)
        run(["convert", str(folder / "good.sh"), "--to", "trinity", "--certify", "-q", "-o", str(folder / "good.yaml")])
        certificate = next(folder.glob("*certificate*")).read_bytes()
        return {
            "good.sh": script,
            "good.yaml": (folder / "good.yaml").read_bytes(),
            "good.json": certificate,
            "good.jsonl": b'{"step": 1, "critic/rewards/mean": 0.5}\n',
        }


def judged(count: int, seed: int, ends: Counter[str]) -> Iterator[str]:
    """Make so many calls, each in a folder of its own, and tell what breaks."""
    files = {**FILES, **good_files()}
    for call in calls(seed, count):
        with tempfile.TemporaryDirectory() as name:
            folder = Path(name) / "work"
            folder.mkdir()
            for file_name, content in files.items():
                (folder / file_name).write_bytes(content)
            (folder / "folder").mkdir()
            make_special_files(folder)
            code, output = answered(call, folder)
            ends[f"{call.words[0]}: {code}"] += 1
            for breach in breaches(code, output, folder):
                yield f"{call}: {breach}"


def answered(call: Call, folder: Path) -> tuple[int, bytes]:
    """The exit code (negative: the signal that ended it) and all output of one call in `folder`."""
    output = folder.parent / "output"
    sys.stdout.flush()
    child = os.fork() or _answer(call.words, folder, output)
    _, status = os.waitpid(child, 0)
    return os.waitstatus_to_exitcode(status), output.read_bytes()


def _answer(words: Sequence[str], folder: Path, output: Path) -> int:
    """Answer in the forked process, and end it without what the first process has still to do."""
    code = 99
    try:
        os.chdir(folder)
        resource.setrlimit(resource.RLIMIT_CPU, (SECONDS, SECONDS + 1))
        resource.setrlimit(resource.RLIMIT_AS, (MEGABYTES << 20, MEGABYTES << 20))
        signal.alarm(6 * SECONDS)  # a call that waits takes no processor time
        nothing, into = os.open(os.devnull, os.O_RDONLY), os.open(output, os.O_WRONLY | os.O_CREAT)
        for stream, number in ((nothing, 0), (into, 1), (into, 2)):
            os.dup2(stream, number)
        code = run(list(words))
    except BaseException:  # noqa: BLE001 - whatever it is, it went past what the command catches
        traceback.print_exc()
    with contextlib.suppress(OSError):
        sys.stdout.flush()
        sys.stderr.flush()
    os._exit(code)


def breaches(code: int, output: bytes, folder: Path) -> Iterator[str]:
    """Yield a sentence for each thing that is wrong with an answer."""
    if code not in EXITS:
        yield f"exit {code}: {output[-300:].decode('utf-8', 'replace')}"
    elif _DEFECT.search(output):
        yield f"a defect is shown: {output[-300:].decode('utf-8', 'replace')}"
    if steering := _STEERING.search(output):
        start, end = steering.span()
        yield f"the output steers a terminal: {output[max(0, start - 60) : end + 20]!r}"
    if (folder / "made").exists():
        yield "something of the input was executed"


def main() -> int:
    """The command line; 1 where anything broke."""
    return run_drawn(__doc__, "calls", judged)


if __name__ == "__main__":
    sys.exit(main())
