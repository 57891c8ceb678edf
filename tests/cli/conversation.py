"""A short conversation with a language server over standard input and output, in frames of the protocol."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

HELLO: tuple[Mapping[str, Any], ...] = (
    {"id": 1, "method": "initialize", "params": {"processId": None, "rootUri": None, "capabilities": {}}},
    {"method": "initialized", "params": {}},
)
GOODBYE: tuple[Mapping[str, Any], ...] = ({"id": 99, "method": "shutdown"}, {"method": "exit"})


def frame(body: bytes) -> bytes:
    """`body` with the header that the protocol wants."""
    return b"Content-Length: %d\r\n\r\n" % len(body) + body


def message(content: Mapping[str, Any]) -> bytes:
    """A message of JSON-RPC in its frame."""
    return frame(json.dumps({"jsonrpc": "2.0", **content}).encode())


def read_frames(data: bytes) -> list[dict[str, Any]]:
    """The messages in what a server wrote."""
    messages = []
    while data:
        head, _, data = data.partition(b"\r\n\r\n")
        (length,) = (int(line.split(b":")[1]) for line in head.split(b"\r\n") if line.startswith(b"Content-Length"))
        messages.append(json.loads(data[:length]))
        data = data[length:]
    return messages


def conversation(
    command: Sequence[str],
    folder: Path,
    env: Mapping[str, str] | None = None,
    raw: Sequence[bytes] = (),
    early: Sequence[bytes] = (),
) -> tuple[dict[Any, dict[str, Any]], int, str]:
    """Start a server, send `early`, say hello, send `raw`, end it: the answers by id, the exit code, and standard error."""
    sent = b"".join([*early, *map(message, HELLO), *raw, *map(message, GOODBYE)])
    done = subprocess.run(command, cwd=folder, env=env, input=sent, capture_output=True, check=False, timeout=60)
    answers = {new_frame["id"]: new_frame for new_frame in read_frames(done.stdout) if "id" in new_frame}
    return answers, done.returncode, done.stderr.decode()
