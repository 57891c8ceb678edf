"""Processes that answer, so that a text which takes long can be given up without the page waiting for it.

The only module here that starts processes: they run functions of this package, and no word of an input starts anything.
"""

from __future__ import annotations

import contextlib
import multiprocessing
import os
import queue
import signal
import tempfile
from collections.abc import Callable, Mapping
from multiprocessing.connection import Connection
from typing import Any

from rftconf.base.import_path import StartingProcesses
from rftconf.service.answer import Answer

MOST_SECONDS = 20.0
"""After which an answer is given up; the slowest config of the corpus takes under one second."""
START_SECONDS = 60.0
"""That a process may take to load what it answers with."""
MOST_MEMORY = 4 << 30
"""Bytes of address space of one process."""

Reply = Callable[[str, Mapping[str, Any]], Answer]
"""The function that answers: the name of a question and its fields."""
Loading = Callable[[], Reply]
"""A function of a module that is light to import; called in a process of its own, it loads what answers."""

TOO_SLOW = Answer(504, b'{"error": {"message": "this took longer than 20 s and was given up", "exit": 70}}')
GONE = Answer(
    500, b'{"error": {"message": "the process that read this text ended, maybe for want of memory", "exit": 70}}'
)


class Worker:
    """One process, started again after it was given up; it works in `folder`, with what `loading` loads."""

    def __init__(self, folder: str, loading: Loading) -> None:
        self.folder, self.loading = folder, loading
        self._start()

    def _start(self) -> None:
        # not a copy of this process, which has threads
        context = multiprocessing.get_context("spawn")
        self.connection, theirs = context.Pipe()
        self.process = context.Process(target=serve, args=(theirs, self.folder, self.loading), daemon=True)
        with StartingProcesses():
            self.process.start()
        theirs.close()
        self.ready = False

    def ask(self, verb: str, fields: Mapping[str, Any], seconds: float) -> Answer:
        """The answer, or that there is none in time."""
        try:
            # loading is no part of an answer's time: on a busy machine it would end every process before its first one
            self.ready = self.ready or (self.connection.poll(START_SECONDS) and self.connection.recv())
            if not self.ready:
                self._again()
                return TOO_SLOW
            self.connection.send((verb, fields))
            if self.connection.poll(seconds):
                return Answer(*self.connection.recv())
        except (EOFError, OSError):
            self._again()
            return GONE
        self._again()
        return TOO_SLOW

    def _again(self) -> None:
        self.end()
        self._start()

    def end(self) -> None:
        """Stop, also in the middle of an answer."""
        self.process.kill()
        self.process.join(5)
        self.connection.close()


class Workers:
    """A few processes that take turns; more questions wait."""

    def __init__(self, loading: Loading, count: int = 2, seconds: float = MOST_SECONDS) -> None:
        self.seconds = seconds
        # a text that names files by relative names finds none; ours to remove, for a process that is killed removes nothing
        self._empty = tempfile.TemporaryDirectory(prefix="rftconf-")
        self._all = [Worker(self._empty.name, loading) for _ in range(count)]
        self._idle: queue.Queue[Worker] = queue.Queue()
        for worker in self._all:
            self._idle.put(worker)

    def ask(self, verb: str, fields: Mapping[str, Any]) -> Answer:
        """The answer of the first process that is free."""
        try:
            worker = self._idle.get(timeout=2 * self.seconds + START_SECONDS)
        except queue.Empty:
            return TOO_SLOW
        try:
            return worker.ask(verb, fields, self.seconds)
        finally:
            self._idle.put(worker)

    def end(self) -> None:
        """Stop all of them."""
        for worker in self._all:
            worker.end()
        self._empty.cleanup()


def serve(connection: Connection, folder: str, loading: Loading) -> None:
    """Answer questions in a process of its own, in `folder`, until nobody asks any more."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is for the one that listens
    _bounded()
    os.chdir(folder)
    answer = loading()
    with contextlib.suppress(EOFError, OSError):  # whoever asked has gone
        connection.send(True)
        while True:
            verb, fields = connection.recv()
            connection.send(tuple(answer(verb, fields)))


def _bounded() -> None:
    try:
        import resource
    except ImportError:  # not on Windows
        return
    resource.setrlimit(resource.RLIMIT_AS, (MOST_MEMORY, resource.getrlimit(resource.RLIMIT_AS)[1]))
