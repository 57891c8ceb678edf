"""A bounded run of odd messages to the language server and odd requests to the studio with every run of the tests."""

from __future__ import annotations

import sys
from collections import Counter

import pytest

from tests.fuzz import fuzz_conversations, fuzz_questions


def test_a_language_server_answers_behind_every_odd_message() -> None:
    pytest.importorskip("pygls", reason="needs the extra lsp")
    ends: Counter[str] = Counter()
    assert list(fuzz_conversations.judged(300, 7, ends)) == []
    assert set(ends) == set(fuzz_conversations.KINDS)


def test_a_server_that_leaves_is_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(fuzz_conversations, "SERVER", (sys.executable, "-c", "raise SystemExit(3)"))
    first, *_ = fuzz_conversations.judged(1, 7, Counter())
    assert "(exit 3)" in first


def test_a_studio_refuses_every_odd_request_and_stays() -> None:
    pytest.importorskip("uvicorn", reason="needs the extra studio")
    ends: Counter[str] = Counter()
    assert list(fuzz_questions.judged(120, 7, ends)) == []
    assert {name.partition(": ")[0] for name in ends} == set(fuzz_questions.KINDS)
    assert any(name.endswith(": 200") for name in ends)


@pytest.mark.parametrize(
    ("answer", "problem"),
    [
        (b"HTTP/1.1 500 Internal\r\n\r\n", "an answer of 500"),
        (b"HTTP/1.1 200 OK\r\n\r\nTraceback (most", "Traceback in the answer"),
        (b"HTTP/1.1 200 OK\r\n\r\nroot:x:0:0", "root: in the answer"),
        (b"HTTP/1.1 422 Unprocessable\r\n\r\n{}", ""),
    ],
)
def test_what_an_answer_may_never_be(answer: bytes, problem: str) -> None:
    assert fuzz_questions.problem_of(answer) == problem
