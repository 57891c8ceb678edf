"""Asks every verb about files that ask for much, and measures: `python -m tests.fuzz.bounds --size 100000`.

Each case runs in a process of its own, a copy of one that has everything imported: processor seconds and peak memory
are of that case alone, and one without end is ended. With `--cold` each is the command itself, imports and all,
of a package whose bytecode is there, as an installed one has it.
"""

from __future__ import annotations

import argparse
import contextlib
import json
import os
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from functools import cache
from itertools import chain
from pathlib import Path

from rftconf.cli.app import run
from tests.fuzz.growing import CLASSES, text_of
from tests.fuzz.large_certificates import MOST_USED, SHAPES, certificate, grown

SECONDS, MEGABYTES = 2.0, 500.0
"""Seconds that an answer may take on a core that counts words as fast as WORD_SECONDS says."""
WORD_SECONDS = 0.036
"""Seconds that `_count_words` takes on a quiet core of the machine whose figures are in benches/results."""
_ENDLESS = 20
"""Processor seconds after which a case is ended."""
_LIKE_MOST = ("stages", "nodes", "devices")
"""Cases whose answers load what most others need."""
EXITS = frozenset({0, 1, 2, 3})
VERBS = ("check", "check --fix", "plan", "convert", "diff", "migrate", "budget", "explain")


@dataclass(frozen=True)
class Measured:
    """One file before one verb: exit code (negative: the signal that ended it), what it took, and what was said."""

    case: str
    verb: str
    size: int
    exit: int
    seconds: float
    megabytes: float
    said: str
    slowness: float = 1.0
    """How many times as long a core takes for the same work as the core that the bounds are for."""

    @property
    def holds(self) -> bool:
        """Whether it stayed within bounds and ended as a verb ends."""
        return self.exit in EXITS and self.seconds <= SECONDS * self.slowness and self.megabytes <= MEGABYTES

    def __str__(self) -> str:
        mark = "  " if self.holds else "! "
        slow = f" (a core {self.slowness:.1f} times as slow)" if self.slowness > 1 else ""
        return f"{mark}{self.case:32} {self.verb:12} {self.size:>9,} bytes: exit {self.exit}, {self.seconds:5.2f} s, {self.megabytes:4.0f} MB{slow}"


def arguments(verb: str, path: Path, text: str) -> list[str]:
    """The command line that asks a verb about a file."""
    trinity, roll = text.startswith("project: a"), text.startswith("rollout_batch_size")
    file = str(path)
    newest = "0.6.0" if trinity else "0.3.0" if roll else "1.16.0" if path.suffix == ".py" else "0.9.1"
    return {
        "check": ["check", file],
        "check --fix": ["check", file, "--fix", "--unsafe-fixes", "--diff"],
        "plan": ["plan", file],
        "convert": ["convert", file, "--to", "verl" if trinity or roll else "trinity"],
        "diff": ["diff", file, file],
        "migrate": ["migrate", file, "--diff", "--to-release", newest],
        "budget": ["budget", file, "--gpu", "H100"],
        "explain": ["explain", text[:100_000].partition("=")[0].replace("\n", " ")[-1000:] or "x"],
    }[verb]


def measure(case: str, verb: str, size: int, folder: Path, *, seed: int = 0, cold: bool = False) -> Measured:
    """Ask one verb about one file in a process of its own."""
    text = text_of(case, size, seed)
    path = folder / f"a{CLASSES[case].suffix}"
    path.write_text(text)
    return _answered(case, verb, len(text), arguments(verb, path, text), folder, cold=cold)


def _certificates(folder: Path, count: int, only: str, *, cold: bool) -> Iterator[Measured]:
    """Each certificate that grows, before `verify`."""
    honest, path = certificate(folder), folder / "grown.json"
    for shape in SHAPES:
        for entries in {count, min(count, MOST_USED.get(shape, count))} if only in shape else ():
            path.write_text(grown(honest, shape, entries))
            options = ["verify", str(path)]
            yield _answered(f"{shape} of a certificate", "verify", path.stat().st_size, options, folder, cold=cold)


def _answered(case: str, verb: str, size: int, options: Sequence[str], folder: Path, *, cold: bool) -> Measured:
    new_path = folder / "said"
    with new_path.open("wb") as into:
        if cold:
            command = [sys.executable, "-m", "rftconf", *options]
            child = subprocess.Popen(command, stdout=into, stderr=into, preexec_fn=_limited, env=_with_bytecode()).pid
        else:
            sys.stdout.flush()
            child = os.fork() or _answer(options, into.fileno())
        _, status, used = os.wait4(child, 0)
    tail = new_path.read_bytes()[-2_000:].decode("utf-8", "replace")
    code = os.waitstatus_to_exitcode(status)
    seconds = used.ru_utime + used.ru_stime
    slowness = _slowness() if seconds > SECONDS else 1.0
    return Measured(case, verb, size, code, seconds, used.ru_maxrss / 1024, tail, slowness)


@cache
def _bytecode() -> str:
    """A folder for the bytecode of everything that a command imports; the first command that imports a module fills it."""
    return tempfile.mkdtemp(prefix="bounds-bytecode-")


def _with_bytecode() -> dict[str, str]:
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
    return {**environment, "PYTHONPYCACHEPREFIX": _bytecode()}


def _slowness() -> float:
    """Measure this core, now, beside the one that the bounds are for: a machine under load is not a reader that is slow."""
    started = time.process_time()
    _count_words()
    return max(1.0, (time.process_time() - started) / WORD_SECONDS)


def _count_words() -> int:
    counts: dict[str, int] = {}
    for number in range(200_000):
        word = f"key{number % 977}"
        counts[word] = counts.get(word, 0) + len(word)
    return len(counts)


def _answer(report: Sequence[str], into: int) -> int:
    """Answer in the forked process, and end it without what the first process has still to do."""
    code = 99
    with contextlib.suppress(BaseException):
        _limited()
        os.dup2(into, 1)
        os.dup2(into, 2)
        code = run(list(report))
        sys.stdout.flush()
    os._exit(code)


def _limited() -> None:
    resource.setrlimit(resource.RLIMIT_CPU, (_ENDLESS, _ENDLESS))


def measured(
    cases: Sequence[str], verbs: Sequence[str], sizes: Sequence[int], *, seed: int = 0, cold: bool = False
) -> Iterator[Measured]:
    """Every case at every size before every verb."""
    with tempfile.TemporaryDirectory() as folder:
        if not cold:
            _warm_up(verbs, Path(folder))
        for name in _LIKE_MOST if cold else ():  # what writes the bytecode is no command of a user's
            for verb in verbs:
                measure(name, verb, 8, Path(folder), cold=True)
        for case in cases:
            for size in sizes:
                yield from (measure(case, verb, size, Path(folder), seed=seed, cold=cold) for verb in verbs)


def _warm_up(verbs: Sequence[str], folder: Path) -> None:
    """Load what answers need, so that copies of this process have it."""
    out, err, nowhere = os.dup(1), os.dup(2), os.open(os.devnull, os.O_WRONLY)
    sys.stdout.flush()
    os.dup2(nowhere, 1)
    os.dup2(nowhere, 2)
    try:
        for name, case in CLASSES.items():
            if name in _LIKE_MOST:
                path, text = folder / f"first{case.suffix}", text_of(name, 8)
                path.write_text(text)
                for verb in verbs:
                    run(arguments(verb, path, text))
    finally:
        sys.stdout.flush()
        os.dup2(out, 1)
        os.dup2(err, 2)


def main() -> int:
    """The command line: exit 1 where a bound does not hold."""
    parser = argparse.ArgumentParser(prog="bounds", description=__doc__)
    parser.add_argument("--size", type=int, action="append", help="bytes; may be given several times")
    parser.add_argument("--only", default="", help="cases with this in their name")
    parser.add_argument("--verb", action="append", choices=(*VERBS, "verify"), help="verify: of certificates")
    parser.add_argument("--entries", type=int, default=20_000, help="of a certificate")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--cold", action="store_true", help="imports are measured too")
    parser.add_argument("-o", type=Path, help="where the figures go, as JSON")
    arguments = parser.parse_args()
    cases = [name for name in CLASSES if arguments.only in name]
    measurements = []
    verbs = arguments.verb or (*VERBS, "verify")
    of_files = [verb for verb in verbs if verb in VERBS]
    of_sizes = measured(
        cases if of_files else (), of_files, arguments.size or [100_000], seed=arguments.seed, cold=arguments.cold
    )
    with tempfile.TemporaryDirectory() as folder:
        of_certificates = _certificates(Path(folder), arguments.entries, arguments.only, cold=arguments.cold)
        for measurement in chain(of_sizes, of_certificates if "verify" in verbs else ()):
            print(measurement, flush=True)
            measurements.append(measurement)
    if arguments.o:
        arguments.o.write_text(
            json.dumps([{**asdict(measurement), "said": ""} for measurement in measurements], indent=1) + "\n"
        )
    return int(not all(measurement.holds for measurement in measurements))


if __name__ == "__main__":
    sys.exit(main())
