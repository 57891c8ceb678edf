"""The language server over a whole day: giant documents, thousands of edits, secrets, and an editor that dies."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest

from tests.base.secrets.forms import FORMS
from tests.base.secrets.test_every_output import as_override, as_yaml
from tests.cli.conversation import GOODBYE, HELLO, conversation, frame, message, read_frames

SERVER = [sys.executable, "-m", "rftconf", "lsp"]
LAUNCH = (
    "python3 -m verl.trainer.main_ppo \\\n  algorithm.adv_estimator=grpo \\\n  actor_rollout_ref.rollout.name=vllm \\\n"
)
EDITS, TURNS = 5_000, 20
MOST_GROWTH = 24_000
"""KiB between the first turn of edits and the last."""


@pytest.fixture(autouse=True)
def _needs_pygls() -> None:
    pytest.importorskip("pygls", reason="needs the extra lsp")


class Editor:
    """An editor that talks to one server and reads what it says."""

    def __init__(self, folder: Path) -> None:
        self.process = subprocess.Popen(
            SERVER, cwd=folder, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE
        )
        self.said: list[dict[str, Any]] = []
        self._asked = 1
        self.send(*map(message, HELLO))

    def send(self, *frames: bytes) -> None:
        assert self.process.stdin is not None
        self.process.stdin.write(b"".join(frames))
        self.process.stdin.flush()

    def tell(self, method: str, **params: Any) -> None:
        self.send(message({"method": method, "params": params}))

    def open(self, uri: str, text: str) -> None:
        self.tell("textDocument/didOpen", textDocument={"uri": uri, "languageId": "x", "version": 1, "text": text})

    def ask(self, method: str, **params: Any) -> Any:
        """The answer to a request; what comes before it is kept."""
        self._asked += 1
        self.send(message({"id": self._asked, "method": method, "params": params}))
        while True:
            entry = self._next()
            self.said.append(entry)
            if entry.get("id") == self._asked and "method" not in entry:
                return entry.get("result", entry.get("error"))

    def _next(self) -> dict[str, Any]:
        assert self.process.stdout is not None
        length = 0
        while (line := self.process.stdout.readline().strip()) != b"":
            if line.lower().startswith(b"content-length:"):
                length = int(line.split(b":")[1])
        data: dict[str, Any] = json.loads(self.process.stdout.read(length))
        return data

    def kilobytes(self) -> int:
        """Resident memory of the server."""
        status = Path(f"/proc/{self.process.pid}/status").read_text()
        return int(status.partition("VmRSS:")[2].split()[0])

    def end(self) -> tuple[int, str]:
        """Exit code and standard error."""
        self.send(*map(message, GOODBYE))
        _, problems = self.process.communicate(timeout=30)
        return self.process.returncode, problems.decode()


@pytest.fixture
def editor(tmp_path: Path) -> Iterator[Editor]:
    new_editor = Editor(tmp_path)
    yield new_editor
    if new_editor.process.poll() is None:
        new_editor.process.kill()
        new_editor.process.communicate()


def at(uri: str, line: int, character: int) -> dict[str, Any]:
    return {"textDocument": {"uri": uri}, "position": {"line": line, "character": character}}


def whole(uri: str) -> dict[str, Any]:
    ends = {"start": {"line": 0, "character": 0}, "end": {"line": 100_000, "character": 0}}
    return {"textDocument": {"uri": uri}, "range": ends, "context": {"diagnostics": []}}


def test_memory_is_flat_over_thousands_of_edits(editor: Editor) -> None:
    uri = "file:///run.sh"
    editor.open(uri, f"{LAUNCH}  trainer.nnodes=1\n")
    sizes = []
    for turn in range(TURNS):
        for number in range(EDITS // TURNS):
            count = turn * (EDITS // TURNS) + number
            text = f"{LAUNCH}  +custom.api_key=sk-proj-{'x9Y' * 8}{count} \\\n  data.sead{count}={count}\n"
            editor.tell(
                "textDocument/didChange",
                textDocument={"uri": uri, "version": count + 2},
                contentChanges=[{"text": text}],
            )
        assert editor.ask("textDocument/hover", **at(uri, 1, 6)) is not None
        editor.ask("textDocument/codeAction", **whole(uri))
        if Path("/proc/self/status").exists():
            sizes.append(editor.kilobytes())
    assert not sizes or sizes[-1] - sizes[1] < MOST_GROWTH
    assert editor.end() == (0, "")


@pytest.mark.parametrize("size", [600_000, 20_000_000])
def test_a_giant_document_is_answered_and_the_next_one_too(editor: Editor, size: int) -> None:
    editor.open("file:///giant.yaml", "k: [" + "1," * (size // 2) + "1]\n")
    editor.ask("textDocument/hover", **at("file:///giant.yaml", 0, 0))
    editor.open("file:///run.sh", f"{LAUNCH}  trainer.nnodse=1\n")
    assert editor.ask("textDocument/hover", **at("file:///run.sh", 1, 6)) is not None
    published = [entry["params"] for entry in editor.said if entry.get("method") == "textDocument/publishDiagnostics"]
    assert any("nnodse" in d["message"] for entry in published for d in entry["diagnostics"])
    assert editor.end() == (0, "")


@pytest.mark.parametrize("last", [b"", b'Content-Length: 500\r\n\r\n{"jsonrpc"', b"Content-Le"])
def test_an_editor_that_dies_leaves_no_server(last: bytes, tmp_path: Path) -> None:
    sent = b"".join([*map(message, HELLO), last])
    done = subprocess.run(SERVER, cwd=tmp_path, input=sent, capture_output=True, check=False, timeout=60)
    assert done.returncode in (0, 1)
    assert done.stderr == b""
    assert [new_frame["id"] for new_frame in read_frames(done.stdout) if "id" in new_frame] == [1]


def test_a_request_that_is_cancelled_does_no_harm(tmp_path: Path) -> None:
    raw = [
        message({"id": 5, "method": "textDocument/hover", "params": at("file:///x.sh", 0, 0)}),
        message({"method": "$/cancelRequest", "params": {"id": 5}}),
        message({"method": "$/cancelRequest", "params": {"id": "never"}}),
        frame(b'{"jsonrpc": "2.0", "id": 6, "method": "textDocument/hover", "params": {}}'),
    ]
    answers, code, problems = conversation(SERVER, tmp_path, raw=raw)
    assert 5 in answers
    assert "error" in answers[6]
    assert (code, problems) == (0, "")


def test_nothing_that_is_said_shows_a_secret(editor: Editor) -> None:
    texts = {"file:///a.sh": as_override(tuple(FORMS)), "file:///b.yaml": as_yaml(tuple(FORMS))}
    for uri, text in texts.items():
        editor.open(uri, f"# the key is {FORMS[0].value}\n{text}")
        for line, written in enumerate(text.splitlines(), 1):
            for column in (len(written) // 3, max(0, len(written) - 3)):
                editor.ask("textDocument/hover", **at(uri, line, column))
                editor.ask("textDocument/completion", **at(uri, line, column))
        editor.ask("textDocument/codeAction", **whole(uri))
    editor.open("file:///c.sh", f"{LAUNCH}  +custom.note={FORMS[0].value} \\\n  data.sead=1\n")
    editor.ask("textDocument/codeAction", **whole("file:///c.sh"))
    assert any("sead" in json.dumps(entry) for entry in editor.said)
    new_text = json.dumps([without_edits(entry) for entry in editor.said], ensure_ascii=False)
    assert [secret.name for secret in FORMS if secret.secret in new_text] == []
    assert editor.end() == (0, "")


def without_edits(value: Any) -> Any:
    """What is shown; an edit of a file holds what the file holds."""
    if isinstance(value, Mapping):
        return {name: without_edits(part) for name, part in value.items() if name != "edit"}
    return [without_edits(part) for part in value] if isinstance(value, list) else value
