"""Messages of JSON-RPC out of a stream of bytes: what is no message is a flaw, and reading goes on with the next frame."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

PARSE_ERROR, INVALID_REQUEST, NOT_INITIALIZED = -32700, -32600, -32002
"""Codes of JSON-RPC 2.0, and of the language server protocol for what comes before `initialize`."""
LONGEST_BODY, LONGEST_HEADER = 64 << 20, 4096
"""Bytes; an editor sends whole documents, and nothing else of that size."""

_END = b"\r\n\r\n"
_LENGTH = re.compile(rb"content-length:[ \t]*(\d+)[ \t]*(?=\r\n|\Z)", re.IGNORECASE)
_BEGINS = re.compile(rb"content-(?:length|type):", re.IGNORECASE)
_CHARSET = re.compile(rb"content-type:[^\r\n]*charset=[\"']?([\w.:-]+)", re.IGNORECASE)
_HEADER = re.compile(rb"(?:[A-Za-z][A-Za-z-]*:[^\r\n]*(?:\r\n|\Z))+")


@dataclass(frozen=True, slots=True)
class Flaw:
    """The error that answers a message that cannot be handled; `id` is the request's, where it could be read."""

    code: int
    message: str
    id: str | int | None = None


class Frames:
    """Bytes go in as they arrive; messages and flaws come out in order."""

    def __init__(self) -> None:
        self._bytes = bytearray()
        self._lost = False
        """Whether the flaw that this part of the stream belongs to has been answered."""

    def feed(self, data: bytes) -> Iterator[dict[str, Any] | Flaw]:
        """The messages that are whole with `data`."""
        self._bytes += data
        while (end := self._bytes.find(_END)) >= 0:
            head = bytes(self._bytes[:end])
            lengths = list(_LENGTH.finditer(head))
            if not lengths or int(lengths[-1][1][:12]) > LONGEST_BODY:
                del self._bytes[: end + len(_END)]
                yield from self._flaw("a header without a Content-Length that can be read")
                continue
            body_at = end + len(_END)
            stop = body_at + int(lengths[-1][1])
            if len(self._bytes) < stop:
                break
            if not _HEADER.fullmatch(head):
                yield from self._flaw("bytes between two messages")
            body = bytes(self._bytes[body_at:stop])
            del self._bytes[:stop]
            yield from self._message(head, body)
        if len(self._bytes) > LONGEST_HEADER and _END not in self._bytes:
            del self._bytes[:-LONGEST_HEADER]
            yield from self._flaw("a header that does not end")

    def _message(self, head: bytes, body: bytes) -> Iterator[dict[str, Any] | Flaw]:
        charset = _CHARSET.search(head)
        if charset is not None and charset[1].lower() not in (b"utf-8", b"utf8"):
            yield Flaw(PARSE_ERROR, f"a body in {charset[1].decode('ascii', 'replace')}; bodies are in utf-8")
            return
        try:
            content = json.loads(body.decode("utf-8"))
        except (ValueError, RecursionError) as error:
            ended = error.pos if isinstance(error, json.JSONDecodeError) and error.msg == "Extra data" else None
            self._lost = True
            yield Flaw(PARSE_ERROR, f"a body of {len(body)} bytes that is no JSON in utf-8: {_first_line(error)}")
            # A length that is too large takes in the beginning of the next message.
            following = _BEGINS.search(body)
            if following is not None:
                self._bytes[:0] = body[following.start() :]
            elif ended is not None:
                self._bytes[:0] = body.decode("utf-8")[ended:].encode()
            return
        self._lost = False
        yield _judged(content)

    def _flaw(self, message: str) -> Iterator[Flaw]:
        if not self._lost:
            yield Flaw(PARSE_ERROR, message)
        self._lost = True


def _judged(content: object) -> dict[str, Any] | Flaw:
    """A message of JSON-RPC 2.0 as it is; anything else is a flaw."""
    if not isinstance(content, dict):
        return Flaw(INVALID_REQUEST, f"a message is one object; this is {type(content).__name__}")
    identifier = content.get("id")
    known = identifier if isinstance(identifier, (str, int)) and not isinstance(identifier, bool) else None
    if content.get("jsonrpc") != "2.0":
        return Flaw(INVALID_REQUEST, 'a message without "jsonrpc": "2.0"', known)
    nameless = identifier is None and "error" in content  # the answer to what had no id that could be read
    if "id" in content and known is None and not nameless:
        return Flaw(INVALID_REQUEST, "an id is text or an integer")
    if "method" in content:
        fine = isinstance(content["method"], str) and isinstance(content.get("params", {}), (dict, list, type(None)))
    else:
        fine = "id" in content and ("result" in content or isinstance(content.get("error"), dict))
    return content if fine else Flaw(INVALID_REQUEST, "neither a request, a notification nor an answer", known)


def _first_line(error: Exception) -> str:
    return "nested too deeply" if isinstance(error, RecursionError) else str(error).splitlines()[0]
