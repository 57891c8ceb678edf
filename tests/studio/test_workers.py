"""Processes that answer: what takes too long is given up, and the next question is answered all the same."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

pytest.importorskip("starlette")

from rftconf.studio.workers import GONE, TOO_SLOW, Workers

README = Path(__file__).resolve().parents[2] / "golden" / "convert" / "readme" / "input.sh"
FIELDS = {"text": README.read_text(), "name": "input.sh", "to": "trinity"}


def test_an_answer_and_one_that_takes_too_long() -> None:
    workers = Workers(count=1, seconds=30.0)
    try:
        assert json.loads(workers.ask("convert", FIELDS).body)["files"][0]["name"] == "input.yaml"
        workers.seconds = 0.0001
        assert workers.ask("convert", FIELDS) == TOO_SLOW
        workers.seconds = 30.0
        assert workers.ask("convert", FIELDS).status == 200
        worker = workers._all[0]
        worker.process.kill()
        worker.process.join()
        assert workers.ask("convert", FIELDS) == GONE
        assert workers.ask("convert", FIELDS).status == 200
    finally:
        workers.end()
    assert not worker.process.is_alive()
