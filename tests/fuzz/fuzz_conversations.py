"""Odd messages before the language server: `python -m tests.fuzz.fuzz_conversations --messages 10000 --seed 0`.

One server takes them all. Behind each odd message comes a request that is fine: it must be answered, and at the end the
server must leave with 0, with nothing of Python's own writing in what it said.
"""

from __future__ import annotations

import contextlib
import copy
import json
import queue
import random
import subprocess
import sys
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator
from typing import IO, Any

from tests.cli.conversation import GOODBYE, HELLO, frame, message
from tests.fuzz.drawn import run
from tests.fuzz.trees import ODD, paths_in, put

SERVER = (sys.executable, "-m", "rftconf", "lsp")
GONE: dict[str, Any] = {}
"""The last answer of a server that has closed its output."""
PATIENCE = 60.0
"""Seconds until a request counts as not answered."""
URI = "file:///nowhere/run.yaml"
TEXT = "algorithm:\n  algorithm_type: grpo\n  repeat_times: 8\nbuffer:\n  batch_size: 32\ncluster: {node_num: 1, gpu_per_node: 8}\n"
_DOCUMENT = {"uri": URI}
_RANGE = {"start": {"line": 1, "character": 2}, "end": {"line": 2, "character": 4}}
_FINDING = {"range": _RANGE, "message": "odd", "code": "KEY001", "source": "rftconf"}
OPENED = {
    "method": "textDocument/didOpen",
    "params": {"textDocument": {"uri": URI, "languageId": "yaml", "version": 1, "text": TEXT}},
}
MESSAGES: tuple[dict[str, Any], ...] = (
    OPENED,
    {"method": "textDocument/didChange",
     "params": {"textDocument": {"uri": URI, "version": 2}, "contentChanges": [{"range": _RANGE, "text": "a: 1\n"}]}},
    {"method": "textDocument/didSave", "params": {"textDocument": _DOCUMENT, "text": TEXT}},
    {"method": "textDocument/didClose", "params": {"textDocument": _DOCUMENT}},
    {"method": "$/cancelRequest", "params": {"id": 5}},
    {"method": "$/setTrace", "params": {"value": "verbose"}},
    {"method": "workspace/didChangeConfiguration", "params": {"settings": {"rftconf": {"framework": "verl"}}}},
    {"method": "workspace/didChangeWatchedFiles", "params": {"changes": [{"uri": URI, "type": 2}]}},
    {"id": 7, "method": "initialize", "params": {"processId": None, "rootUri": None, "capabilities": {}}},
    {"id": 7, "method": "workspace/executeCommand", "params": {"command": "rftconf.fix", "arguments": [URI]}},
    {"id": 7, "method": "textDocument/formatting",
     "params": {"textDocument": _DOCUMENT, "options": {"tabSize": 2, "insertSpaces": True}}},
    {"id": 7, "method": "textDocument/codeAction",
     "params": {"textDocument": _DOCUMENT, "range": _RANGE, "context": {"diagnostics": [_FINDING]}}},
    *({"id": 7, "method": f"textDocument/{name}",
       "params": {"textDocument": _DOCUMENT, "position": {"line": 1, "character": 3}}}
      for name in ("hover", "completion", "definition", "rename", "references", "codeLens", "noSuchMethod")),
    {"id": 8, "result": None},
    {"id": 8, "error": {"code": 1, "message": "odd"}},
)  # fmt: skip
"""Messages that an editor sends, and that are broken in one place each."""
PLACES: tuple[Any, ...] = (
    -1,
    1.5,
    10**9,
    10**30,
    "x",
    "\ud800",
    "untitled:Untitled-1",
    "file://%zz",
    "file:///%00",
    "http://x/y.yaml",
)
"""Odd lines, columns and addresses beside the odd values of a config."""

PARTS = ("\0", "\t", "\r", "- ", "a: ", "{", "'", "&x ", "*x ", "\n", TEXT)
"""An odd text is made of these."""


def _odd_node(chance: random.Random, content: dict[str, Any]) -> bytes:
    path = chance.choice([*paths_in(content)])
    changed = copy.deepcopy(content)
    put(changed, path, copy.deepcopy(chance.choice((*ODD, *PLACES))))
    return frame(json.dumps({"jsonrpc": "2.0", **changed}).encode())


def _odd_length(chance: random.Random, content: dict[str, Any]) -> bytes:
    body = json.dumps({"jsonrpc": "2.0", **content}).encode()
    length = chance.choice((b"-5", b"many", b"9" * 20, b"", b"0", b"%d\r\nContent-Length: 2" % len(body)))
    return b"Content-Length: %s\r\n\r\n%s" % (length, body)


def _odd_bytes(chance: random.Random, content: dict[str, Any]) -> bytes:
    body = bytearray(json.dumps({"jsonrpc": "2.0", **content}).encode())
    for _ in range(chance.randrange(1, 6)):
        body[chance.randrange(len(body))] = chance.randrange(256)
    return frame(bytes(body))


def _no_request(chance: random.Random, content: dict[str, Any]) -> bytes:
    return frame(
        chance.choice(
            (b"{nope", b'"\xff\xfe"', b"5", b"null", b"[" * 50_000, b"1" * 10_000, json.dumps([content]).encode())
        )
    )


def _odd_text(chance: random.Random, _: dict[str, Any]) -> bytes:
    text = "".join(chance.choice(PARTS) for _ in range(40))
    params = {"textDocument": {"uri": URI, "version": 3}, "contentChanges": [{"text": text}]}
    return message({"method": "textDocument/didChange", "params": params})


KINDS: dict[str, Callable[[random.Random, dict[str, Any]], bytes]] = {
    "a value of a message is odd": _odd_node,
    "the length is odd": _odd_length,
    "bytes of a message are others": _odd_bytes,
    "no request": _no_request,
    "a text is odd": _odd_text,
}


class Server:
    """A language server that runs, and what it answered."""

    def __init__(self) -> None:
        """Start it and say hello."""
        pipe = subprocess.PIPE
        self.process = subprocess.Popen(SERVER, stdin=pipe, stdout=pipe, stderr=pipe)
        self.answers: queue.Queue[dict[str, Any]] = queue.Queue()
        self.errors: list[bytes] = []
        assert self.process.stdout is not None
        assert self.process.stderr is not None
        self.readers = (
            threading.Thread(target=self._listen, args=(self.process.stdout,), daemon=True),
            threading.Thread(target=self.errors.extend, args=(self.process.stderr,), daemon=True),
        )
        for reader in self.readers:
            reader.start()
        for content in (*HELLO, OPENED):
            self.send(message(content))

    def _listen(self, stream: IO[bytes]) -> None:
        while head := stream.readline():
            if head.startswith(b"Content-Length:"):
                while stream.readline().strip():
                    pass
                self.answers.put(json.loads(stream.read(int(head.split(b":")[1]))))
        self.answers.put(GONE)

    def send(self, data: bytes) -> bool:
        """False where the server has gone."""
        assert self.process.stdin is not None
        try:
            self.process.stdin.write(data)
            self.process.stdin.flush()
        except OSError:
            return False
        return True

    def answers_to(self, number: int) -> bool:
        """True where a request with this id is answered in time."""
        position = {"textDocument": _DOCUMENT, "position": {"line": 1, "character": 3}}
        name = f"sound {number}"
        if not self.send(message({"id": name, "method": "textDocument/hover", "params": position})):
            return False
        end = time.monotonic() + PATIENCE
        while (left := end - time.monotonic()) > 0:
            try:
                answer = self.answers.get(timeout=left)
            except queue.Empty:
                break
            if answer is GONE or answer.get("id") == name:
                return answer is not GONE
        return False

    def leave(self) -> tuple[int, str]:
        """The exit code after a proper goodbye, and standard error."""
        for content in GOODBYE:
            self.send(message(content))
        try:
            code = self.process.wait(PATIENCE)
        except subprocess.TimeoutExpired:
            self.process.kill()
            code = self.process.wait()
        for reader in self.readers:
            reader.join(PATIENCE)
        for stream in (self.process.stdin, self.process.stdout, self.process.stderr):
            if stream is not None:
                with contextlib.suppress(BrokenPipeError):  # what was not sent to a server that has gone
                    stream.close()
        return code, b"".join(self.errors).decode(errors="replace")


def judged(messages: int, seed: int, ends: Counter[str]) -> Iterator[str]:
    """Every odd message that the server does not survive, as it comes; a new server takes the rest."""
    server = Server()
    for number in range(messages):
        chance = random.Random(f"{seed}/{number}")
        kind = chance.choice([*KINDS])
        odd = KINDS[kind](chance, chance.choice(MESSAGES))
        ends[kind] += 1
        if not (server.send(odd) and server.answers_to(number)):
            code, written = server.leave()
            yield f"{number}: {kind}: no answer behind {odd[:300]!r} (exit {code}): {written[-300:]}"
            server = Server()
    code, written = server.leave()
    if code or "Traceback" in written:
        yield f"goodbye: exit {code}: {written[-300:]}"


if __name__ == "__main__":
    sys.exit(run(__doc__, "messages", judged))
