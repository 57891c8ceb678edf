"""Processes that answer: what takes too long is given up, and the next question is answered all the same."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from pathlib import Path
from urllib.request import urlopen

import pytest

pytest.importorskip("starlette")

from rftconf.service.workers import GONE, TOO_SLOW, Workers
from rftconf.studio.verbs import load_answers

README = Path(__file__).resolve().parents[2] / "golden" / "convert" / "readme" / "input.sh"
FIELDS = {"text": README.read_text(), "name": "input.sh", "to": "trinity"}


def test_an_answer_and_one_that_takes_too_long() -> None:
    workers = Workers(load_answers, count=1, seconds=30.0)
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


@pytest.mark.parametrize("end", [signal.SIGINT, signal.SIGTERM])
def test_a_studio_that_ends_leaves_no_folder(tmp_path: Path, end: signal.Signals) -> None:
    command = [sys.executable, "-m", "rftconf", "studio", "--port", "0"]
    environment = {**os.environ, "TMPDIR": str(tmp_path)}
    with subprocess.Popen(
        command, env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    ) as process:
        try:
            assert process.stdout is not None
            with urlopen(process.stdout.readline().strip(), timeout=60) as page:  # it listens for signals by now
                assert page.status == 200
            assert list(tmp_path.glob("rftconf-*"))
            process.send_signal(end)
            _, report = process.communicate(timeout=60)
        finally:
            process.kill()
    assert process.returncode == (0 if end == signal.SIGINT else 128 + end), report
    assert "Traceback" not in report
    assert not list(tmp_path.glob("rftconf-*"))
