"""This module scores answers in several processes; it ends a process that takes too long over an answer, which then is late."""

from __future__ import annotations

import contextlib
import os
import pickle
import selectors
import subprocess
import sys
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from queue import SimpleQueue
from typing import Any

MOST = 16
"""The most processes; no trainer takes more answers a second than 16 of them score."""
START_SECONDS = 60.0
"""The further time for a process's first answer, in which it imports what its rule needs."""
LATE = "late"
"""The result of an answer whose time ran out."""


class Pool:
    """A set of processes, one a processor, each started when it is first needed."""

    def __init__(self, seconds: float, count: int = 0) -> None:
        self.seconds = seconds
        self.count = count or min(max((os.cpu_count() or 1) - 1, 1), MOST)
        self.idle: SimpleQueue[Worker] = SimpleQueue()
        for _ in range(self.count):
            self.idle.put(Worker())
        self.threads = ThreadPoolExecutor(self.count)

    def came(self, questions: Sequence[tuple[str, Mapping[str, Any]]]) -> list[tuple[bool, Any]]:
        """Call each function by name, and return in order: True with its result, or False with `LATE` or the error in words."""
        return list(self.threads.map(self._one, questions))

    def close(self) -> None:
        """End every process."""
        self.threads.shutdown()
        for _ in range(self.count):
            self.idle.get().end()

    def _one(self, question: tuple[str, Mapping[str, Any]]) -> tuple[bool, Any]:
        with self._worker() as worker:
            return worker.came(question, self.seconds)

    @contextlib.contextmanager
    def _worker(self) -> Iterator[Worker]:
        worker = self.idle.get()
        try:
            yield worker
        finally:
            self.idle.put(worker)


class Worker:
    """One process of the pool, which is started by its first answer and again after it was ended."""

    def __init__(self) -> None:
        self.process: subprocess.Popen[bytes] | None = None

    def came(self, question: object, seconds: float) -> tuple[bool, Any]:
        """Score one answer within so many seconds, and return as `Pool.came` does."""
        fresh = self.process is None
        process = self.process = self.process or _started(seconds)
        assert process.stdin
        assert process.stdout
        try:
            process.stdin.write(pickle.dumps(question))
            process.stdin.flush()
            with selectors.DefaultSelector() as waiting:
                waiting.register(process.stdout, selectors.EVENT_READ)
                if not waiting.select(seconds + fresh * START_SECONDS):
                    self.end()
                    return False, LATE
            result: tuple[bool, Any] = pickle.load(process.stdout)  # noqa: S301 - from the process that was started here
        except (EOFError, OSError) as error:
            self.end()
            return False, f"the process that scores ended: {type(error).__name__}"
        return result

    def end(self) -> None:
        """Kill it, if it is there."""
        if self.process is not None:
            self.process.kill()
            self.process.wait()
            for pipe in (self.process.stdin, self.process.stdout):
                with contextlib.suppress(OSError):
                    if pipe:
                        pipe.close()
            self.process = None


def _started(seconds: float) -> subprocess.Popen[bytes]:
    return subprocess.Popen(  # noqa: S603 - this very Python
        [sys.executable, "-m", "rftconf_runner.scores.worker", str(seconds + START_SECONDS)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        env={**os.environ, "PYTHONPATH": os.pathsep.join(path for path in sys.path if path)},
    )
