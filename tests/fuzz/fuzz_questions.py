"""Odd requests before a studio that listens: `python -m tests.fuzz.fuzz_questions --questions 1000 --seed 0`.

Each has a connection of its own, as from a page, a browser or something else. None may be answered with 500, with a
traceback or with anything of another file; behind each odd request the page itself must still be there.
"""

from __future__ import annotations

import contextlib
import copy
import json
import random
import re
import signal
import socket
import subprocess
import sys
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tests.fuzz.drawn import run
from tests.fuzz.trees import ODD, paths_in, put

SERVER = (sys.executable, "-m", "rftconf", "studio", "--port", "0")
PATIENCE = 60.0
"""Seconds until a request counts as not answered."""
_SCRIPT = (Path(__file__).parents[2] / "golden/convert/readme/input.sh").read_text()
_OTHER = {"name": "b.yaml", "text": "a: 1"}
_FILE = {"text": _SCRIPT, "name": "run.sh", "from": "verl", "set": {"A": "1"}, "files": [_OTHER]}
QUESTIONS: dict[str, dict[str, Any]] = {
    "convert": {
        **_FILE,
        "to": "trinity",
        "rows": 7473,
        "fill": {"algorithm": "grpo"},
        "to_release": "0.6.0",
    },
    "ledger": {**_FILE, "to": "roll"},
    "bundle": {**_FILE, "to": "chatlearn"},
    "check": {**_FILE, "gpu": "h100-80gb"},
    "fix": {**_FILE, "code": "KEY001", "start": 3},
    "budget": {**_FILE, "gpu": "h100-80gb", "gpus": 8, "model": "Qwen/Qwen2.5-7B"},
    "front": {**_FILE, "gpu": "h100-80gb"},
    "apply": {**_FILE, "gpu": "h100-80gb", "settings": {"a": "1"}},
    "diff": {"sides": [_FILE, _FILE]},
    "keys": {"framework": "verl", "release": "0.9.1", "trainer": "fsdp"},
    "explain": {"framework": "verl", "key": "trainer.nnodes", "release": "0.9.1"},
    "new": {"framework": "roll", "algorithm": "grpo", "model": "Qwen/Qwen2.5-7B", "gpus": 8, "gpu": "h100-80gb"},
    "start": {"framework": "verl", "algorithm": "grpo", "model": "Qwen/Qwen2.5-7B", "gpus": 8, "gpu": "h100-80gb"},
}
"""Questions that are fine, by their verb."""
_HEADERS = (
    "Host: evil.example", "Origin: http://evil.example", "Origin: null", "Sec-Fetch-Site: cross-site", "Content-Length: 3",
    "Transfer-Encoding: chunked", "Expect: 100-continue", "Upgrade: websocket", "X: " + "a" * 70_000, "Content-Type: text/plain",
    "Content-Encoding: gzip", "Range: bytes=0-5", "Cookie: a=\x01",
)  # fmt: skip
_PATHS = (
    "/../../etc/passwd",
    "/%2e%2e/%2e%2e/etc/passwd",
    "/%00",
    "//",
    "/static/../server.py",
    "/api/../api/check",
    "?" * 9_000,
)
_BODIES = (
    b"",
    b"{",
    b"[]",
    b"null",
    b'{"text":NaN}',
    b"[" * 100_000,
    b'{"text":"\xff"}',
    b'{"text":"\\ud800: 1"}',
    b'{"text":"\\u0000"}',
)


@dataclass(frozen=True, slots=True)
class Studio:
    """A studio that listens: its port and the token of its address."""

    port: int
    token: str

    def request(self, verb: str, body: bytes, *, first: str = "", more: str = "", length: str = "") -> bytes:
        """A question as a page puts it, or with another first line, another length and further headers."""
        first = first or f"POST /{self.token}/api/{verb} HTTP/1.1"
        host = "" if more.startswith("Host:") else f"Host: 127.0.0.1:{self.port}\r\n"
        head = f"{first}\r\n{host}Content-Type: application/json\r\nConnection: close\r\n"
        return f"{head}Content-Length: {length or len(body)}\r\n{more}\r\n".encode() + body

    def answer(self, request: bytes, *, ends: bool = False) -> bytes:
        """All that comes back until the studio closes the connection; with `ends` nothing follows the request. Raises TimeoutError."""
        answer = b""
        refused_early = contextlib.suppress(BrokenPipeError, ConnectionResetError)
        with refused_early, socket.create_connection(("127.0.0.1", self.port), timeout=PATIENCE) as connection:
            connection.sendall(request)
            if ends:  # else a studio that was promised more would wait for it
                connection.shutdown(socket.SHUT_WR)
            while part := connection.recv(65536):
                answer += part
        return answer

    def is_there(self) -> bool:
        """True where the page is given out."""
        return self.answer(self.request("", b"", first=f"GET /{self.token}/ HTTP/1.1")).startswith(b"HTTP/1.1 200")


def _odd_field(chance: random.Random, studio: Studio) -> bytes:
    verb = chance.choice([*QUESTIONS])
    fields = copy.deepcopy(QUESTIONS[verb])
    for _ in range(chance.randrange(1, 3)):
        put(fields, chance.choice([*paths_in(fields)]), copy.deepcopy(chance.choice(ODD)))
    return studio.request(verb, json.dumps(fields).encode())


def _odd_body(chance: random.Random, studio: Studio) -> bytes:
    return studio.request(chance.choice([*QUESTIONS]), chance.choice(_BODIES))


def _odd_head(chance: random.Random, studio: Studio) -> bytes:
    body = json.dumps(QUESTIONS["check"]).encode()
    more = "".join(f"{header}\r\n" for header in chance.sample(_HEADERS, chance.randrange(3)))
    method = chance.choice(("GET", "HEAD", "PUT", "TRACE", "OPTIONS", "CONNECT", "POST", "\x00", "G" * 9_000))
    target = chance.choice(
        (f"/{studio.token}{chance.choice(_PATHS)}", "/", "http://evil.example/", "*", "/x/api/check")
    )
    length = chance.choice(("", "-5", "many", "9" * 20, "5", "100000"))
    version = chance.choice(("HTTP/1.1", "HTTP/1.0", "HTTP/9.9", "", "HTTP/1.1 more"))
    return studio.request("check", body, first=f"{method} {target} {version}", more=more, length=length)


def _odd_bytes(chance: random.Random, studio: Studio) -> bytes:
    request = bytearray(studio.request("check", json.dumps(QUESTIONS["check"]).encode()))
    for _ in range(chance.randrange(1, 8)):
        request[chance.randrange(len(request))] = chance.randrange(256)
    return bytes(request[: chance.choice((len(request), chance.randrange(len(request))))])


KINDS: dict[str, Callable[[random.Random, Studio], bytes]] = {
    "a field of a question is odd": _odd_field,
    "the body is odd": _odd_body,
    "the head is odd": _odd_head,
    "bytes of a request are others": _odd_bytes,
}
MAY_END_EARLY = frozenset({"the head is odd", "bytes of a request are others"})
"""Kinds whose request may promise more than it holds."""


def problem_of(answer: bytes) -> str:
    """Name what is wrong with an answer; empty where nothing is."""
    for sign in (b"Traceback", b"root:", b'"exit": 70', b"Internal Server Error"):
        if sign in answer:
            return f"{sign.decode()} in the answer"
    return "an answer of 500" if re.match(rb"HTTP/1\.\d 500", answer) else ""


def judged(questions: int, seed: int, ends: Counter[str]) -> Iterator[str]:
    """Every odd request that is answered wrongly, or that the studio does not survive."""
    process = subprocess.Popen(SERVER, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    assert process.stdout is not None
    match = re.fullmatch(r"http://[^:]+:(\d+)/([^/]+)/\s*", process.stdout.readline())
    assert match is not None
    studio = Studio(int(match[1]), match[2])
    for number in range(questions):
        chance = random.Random(f"{seed}/{number}")
        kind = chance.choice([*KINDS])
        request = KINDS[kind](chance, studio)
        try:
            answer = studio.answer(request, ends=kind in MAY_END_EARLY)
            problem = problem_of(answer) or ("" if studio.is_there() else "the page is gone")
        except OSError as error:
            answer, problem = b"", f"no answer: {error}"
        ends[f"{kind}: {answer[9:12].decode(errors='replace') or 'closed'}"] += 1
        if problem:
            yield f"{number}: {kind}: {problem}: {request[:300]!r} … {request[-300:]!r}: {answer[-300:]!r}"
    process.send_signal(signal.SIGINT)
    _, written = process.communicate(timeout=PATIENCE)
    if process.returncode or "Traceback" in written:
        yield f"the end: exit {process.returncode}: {written[-300:]}"


if __name__ == "__main__":
    sys.exit(run(__doc__, "questions", judged))
