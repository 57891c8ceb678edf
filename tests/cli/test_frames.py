"""What is no message of the protocol is answered with an error, and the language server lives on."""

from __future__ import annotations

import json
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rftconf.lsp.message_frames import (
    INVALID_REQUEST,
    LONGEST_BODY,
    LONGEST_HEADER,
    NOT_INITIALIZED,
    PARSE_ERROR,
    Flaw,
    Frames,
)
from tests.cli.conversation import conversation, frame, message

QUESTION = message(
    {
        "id": 5,
        "method": "textDocument/hover",
        "params": {"textDocument": {"uri": "file:///x.yaml"}, "position": {"line": 0, "character": 0}},
    }
)
BROKEN = {
    "no JSON": frame(b"not json"),
    "length too small": b'Content-Length: 5\r\n\r\n{"jsonrpc": "2.0"}',
    "length too large": b'Content-Length: 19\r\n\r\n{"jsonrpc": "2.0"}',
    "length takes in the next header": b'Content-Length: 40\r\n\r\n{"jsonrpc": "2.0"}',
    "length that is no number": b"Content-Length: many\r\n\r\n{}",
    "length beyond all memory": b"Content-Length: 99999999999999\r\n\r\n{}",
    "no length": b"Content-Type: application/vscode-jsonrpc\r\n\r\n{}",
    "no header": b"hello\r\n",
    "another encoding": frame('{"jsonrpc": "2.0"}'.encode("utf-16")),
    "another encoding, stated": b"Content-Type: x; charset=latin-1\r\n" + frame(b"{}"),
    "half a character": frame(b'{"jsonrpc": "2.0", "id": 1, "method": "\xc3"}'),
    "nested": frame(b"[" * 100_000),
    "a number of a million digits": frame(b"1" * 1_000_000),
}
NOT_REQUESTS: dict[str, Any] = {
    "a list": [],
    "no version": {"id": 7, "method": "shutdown"},
    "no method": {"jsonrpc": "2.0", "id": 7},
    "parameters that are a number": {"jsonrpc": "2.0", "id": 7, "method": "shutdown", "params": 5},
    "an id that is an object": {"jsonrpc": "2.0", "id": {}, "method": "shutdown"},
}
SERVER = [sys.executable, "-m", "rftconf", "lsp"]


@pytest.fixture(autouse=True)
def _needs_pygls() -> None:
    pytest.importorskip("pygls", reason="needs the extra lsp")


def fed(*parts: bytes) -> list[dict[str, Any] | Flaw]:
    frames = Frames()
    return [values for part in parts for values in frames.feed(part)]


def test_an_editor_that_ends_the_server_gets_exit_0_and_silence(tmp_path: Path) -> None:
    answers, code, problems = conversation(SERVER, tmp_path)
    assert answers[99]["result"] is None
    assert (code, problems) == (0, "")


def test_exit_without_shutdown_is_exit_1(tmp_path: Path) -> None:
    leaving = [message({"method": "exit"})]
    _, code, problems = conversation(SERVER, tmp_path, raw=leaving)
    assert (code, problems) == (1, "")


@pytest.mark.parametrize("name", BROKEN)
def test_a_broken_frame_is_answered_and_the_next_message_too(name: str, tmp_path: Path) -> None:
    answers, code, problems = conversation(SERVER, tmp_path, raw=[BROKEN[name], QUESTION])
    assert answers[None]["error"]["code"] == PARSE_ERROR
    assert answers[5]["result"] is None
    assert (code, problems) == (0, "")


@pytest.mark.parametrize("name", NOT_REQUESTS)
def test_what_is_no_request_is_answered_with_its_id(name: str, tmp_path: Path) -> None:
    content = NOT_REQUESTS[name]
    answers, code, problems = conversation(SERVER, tmp_path, raw=[frame(json.dumps(content).encode()), QUESTION])
    known = content.get("id") if isinstance(content, dict) and not isinstance(content.get("id"), dict) else None
    assert answers[known]["error"]["code"] == INVALID_REQUEST
    assert answers[5]["result"] is None
    assert (code, problems) == (0, "")


@pytest.mark.parametrize(
    ("method", "params", "code"),
    [
        ("textDocument/hover", {"x": 1}, -32602),
        ("textDocument/completion", None, -32602),
        ("no/such/method", None, -32601),
    ],
)
def test_a_request_that_cannot_be_met_is_answered(
    method: str, params: dict[str, Any] | None, code: int, tmp_path: Path
) -> None:
    content = {"id": 7, "method": method} | ({"params": params} if params is not None else {})
    answers, ended, problems = conversation(SERVER, tmp_path, raw=[message(content), QUESTION])
    assert answers[7]["error"]["code"] == code
    assert answers[5]["result"] is None
    assert (ended, problems) == (0, "")


def test_a_request_before_initialize_is_refused(tmp_path: Path) -> None:
    answers, ended, problems = conversation(SERVER, tmp_path, early=[QUESTION])
    assert answers[5]["error"]["code"] == NOT_INITIALIZED
    assert "result" in answers[1]
    assert (ended, problems) == (0, "")


def test_a_second_initialize_is_refused(tmp_path: Path) -> None:
    again = message(
        {"id": 6, "method": "initialize", "params": {"processId": None, "rootUri": None, "capabilities": {}}}
    )
    answers, ended, problems = conversation(SERVER, tmp_path, raw=[again, QUESTION])
    assert answers[6]["error"]["code"] == INVALID_REQUEST
    assert answers[5]["result"] is None
    assert (ended, problems) == (0, "")


@pytest.mark.parametrize(
    "content",
    [
        {"method": "$/cancelRequest", "params": {"id": []}},
        {"method": "$/cancelRequest", "params": {"id": {}}},
        {"method": "$/cancelRequest"},
        {"id": [], "error": {"code": 1, "message": "x"}},
        {"id": {}, "result": 5},
        {"id": None, "error": {"code": 1, "message": "x"}},
    ],
    ids=str,
)
def test_an_id_that_cannot_be_one_does_not_end_the_server(content: dict[str, Any], tmp_path: Path) -> None:
    answers, ended, problems = conversation(SERVER, tmp_path, raw=[message(content), QUESTION])
    assert answers[5]["result"] is None
    assert (ended, problems) == (0, "")


MESSAGES = st.lists(
    st.builds(lambda number, text: {"jsonrpc": "2.0", "id": number, "method": text}, st.integers(), st.text(max_size=9))
)


@given(MESSAGES, st.lists(st.integers(1, 60)))
def test_messages_come_out_whole_however_the_bytes_arrive(messages: list[dict[str, Any]], sizes: Sequence[int]) -> None:
    data, parts = b"".join(frame(json.dumps(new_message, ensure_ascii=False).encode()) for new_message in messages), []
    for size in sizes:
        parts.append(data[:size])
        data = data[size:]
    assert fed(*parts, data) == messages


@given(st.binary(max_size=200), st.integers(1, 50))
def test_after_any_bytes_a_flaw_at_most_for_each_and_a_message_is_found_again(noise: bytes, size: int) -> None:
    """Noise may hold the beginning of a frame that takes in what follows, so that only what comes behind is promised."""
    stream = noise + QUESTION * 40
    data = fed(*(stream[index : index + size] for index in range(0, len(stream), size)))
    assert json.loads(QUESTION.partition(b"\r\n\r\n")[2]) in data


def test_memory_is_bounded() -> None:
    frames = Frames()
    for _ in range(100):
        list(frames.feed(b"x" * LONGEST_HEADER))
    assert len(frames._bytes) <= LONGEST_HEADER
    (flaw,) = fed(b"Content-Length: %d\r\n\r\n" % (LONGEST_BODY + 1))
    assert isinstance(flaw, Flaw)
