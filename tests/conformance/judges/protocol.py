"""How a judge is asked: one JSON object per line in, one verdict per line out, each case in a process of its own.

A case is `{"id", ...}`. A verdict is `{"id", "ok", "stage", "type", "error", "notes", "config"}`: `stage` is how
far the framework came, `error` its own words, `config` what it resolved, `notes` what the judge had to substitute.
"""

import dataclasses
import enum
import json
import os
import signal
import sys
import tempfile
import traceback
from pathlib import Path

LONGEST_CASE_S = 180
LONGEST_ERROR = 3000


class Progress:
    """Where a case stands, and what was put in place of something this machine does not have."""

    def __init__(self):
        self.stage = "import"
        self.notes = []

    def note(self, text):
        if text not in self.notes:
            self.notes.append(text)


def own_stdout():
    """The real stdout for verdicts only: whatever a framework prints goes to stderr."""
    real = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)
    sys.stdout = sys.stderr
    return real


def plain(value):
    """`value` as JSON can hold it; what has no such form is its repr."""
    if isinstance(value, dict):
        return {str(key): plain(item) for key, item in value.items()}
    if isinstance(value, (list, tuple, set)):
        return [plain(item) for item in value]
    if isinstance(value, enum.Enum):
        return value.value
    if isinstance(value, (str, int, float, bool)) or value is None:
        return value
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        return {field.name: plain(getattr(value, field.name)) for field in dataclasses.fields(value)}
    return repr(value)


def verdict(case, judge_one):
    """Ask the framework about one case; never raises."""
    progress = Progress()
    answer = {"id": case["id"], "ok": False, "config": None}
    try:
        answer["config"] = plain(judge_one(case, progress))
        answer["ok"] = True
    except BaseException as error:  # noqa: BLE001 - a framework may leave by SystemExit as well
        answer |= {"type": type(error).__name__, "error": str(error)[:LONGEST_ERROR]}
        if os.environ.get("RFTCONF_JUDGE_TRACEBACK"):
            answer["traceback"] = getattr(error, "traceback_apart", "") + traceback.format_exc()
    return answer | {"stage": progress.stage, "notes": progress.notes}


def in_a_child(case, judge_one, scratch):
    """The verdict on one case, from a fork: what a framework changes in itself dies with the fork."""
    written, log = Path(scratch, "verdict.json"), Path(scratch, "log.txt")
    written.unlink(missing_ok=True)
    child = os.fork()
    if child == 0:
        signal.alarm(LONGEST_CASE_S)
        descriptor = os.open(log, os.O_CREAT | os.O_WRONLY | os.O_TRUNC)
        os.dup2(descriptor, 1)
        os.dup2(descriptor, 2)
        written.write_text(json.dumps(verdict(case, judge_one)))
        os._exit(0)  # Ray's and torch's threads do not survive a fork: nothing to wait for
    _, status = os.waitpid(child, 0)
    if status == 0 and written.exists():
        return json.loads(written.read_text())
    tail = log.read_text(errors="replace")[-LONGEST_ERROR:]
    return {"id": case["id"], "ok": False, "stage": "crash", "type": f"status {status}", "error": tail, "notes": []}


def apart(work, progress):
    """`work(progress)` in a fork of its own; raises here what it raised there. What it starts ends with the fork."""
    with tempfile.TemporaryDirectory() as scratch:
        answer = in_a_child({"id": progress.stage}, lambda _, inner: work(inner), scratch)
    for note in answer["notes"]:
        progress.note(note)
    if not answer["ok"]:
        raise type(answer["type"], (RuntimeError,), {"traceback_apart": answer.get("traceback", "")})(answer["error"])


def serve(judge_one, preload):
    """Answer every line of stdin. `preload` imports what all cases need, once."""
    answers = own_stdout()
    preload()
    answers.write(json.dumps({"ready": True}) + "\n")
    answers.flush()
    with tempfile.TemporaryDirectory(prefix="rftconf_judge_") as scratch:
        tempfile.tempdir = os.environ["TMPDIR"] = scratch  # what the cases leave behind goes with it
        for line in sys.stdin:
            answers.write(json.dumps(in_a_child(json.loads(line), judge_one, scratch)) + "\n")
            answers.flush()
