"""The guard of a process that answers: what it lets through, and over HTTP who may ask."""

from __future__ import annotations

import asyncio
import json
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from urllib.error import HTTPError
from urllib.request import Request, urlopen

import pytest

pytest.importorskip("mcp")

from mcp import Client, StdioServerParameters, stdio_client

from tests.mcp.client import GOLDEN, ROOT, content_of

LIST = json.dumps({"jsonrpc": "2.0", "id": 1, "method": "tools/list", "params": {}}).encode()
HEADERS = {"content-type": "application/json", "accept": "application/json, text/event-stream"}


def test_only_reading_below_the_root_is_let_through(tmp_path: Path) -> None:
    root = tmp_path / "root"
    root.mkdir()
    (root / "in.txt").write_text("x")
    (tmp_path / "out.txt").write_text("x")
    (root / "link.txt").symlink_to(tmp_path / "out.txt")
    command = [sys.executable, "-m", "tests.mcp.guarded", str(root)]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.stdout.splitlines() == [
        "read below the root",
        "import of the standard library",
        "import of the package",
    ], done.stderr


def _status(address: str, **headers: str) -> int:
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    try:
        with urlopen(Request(address, LIST, {**HEADERS, **named}), timeout=60) as answer:
            assert b'"migrate"' in answer.read()
            return int(answer.status)
    except HTTPError as error:
        return error.code


def test_over_http_only_this_machines_clients_are_answered() -> None:
    command = [sys.executable, "-m", "rftconf", "mcp", "--root", str(GOLDEN), "--http", "0"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
        try:
            assert process.stdout is not None
            address = process.stdout.readline().strip()
            assert address.startswith("http://127.0.0.1:")
            assert _status(address) == 200
            assert _status(address, origin=address.removesuffix("/mcp")) == 200
            assert _status(address, host="evil.example") == 421
            assert _status(address, origin="http://evil.example") == 403
        finally:
            process.terminate()
        _, report = process.communicate(timeout=60)
        assert "Traceback" not in report


def test_an_agent_talks_over_standard_input_and_output() -> None:
    words = ["-m", "rftconf", "mcp", "--root", str(GOLDEN)]
    parameters = StdioServerParameters(command=sys.executable, args=words, env={"PYTHONPATH": str(ROOT)})

    async def talk() -> str:
        async with Client(stdio_client(parameters)) as client:
            content = content_of(await client.call_tool("check", {"config": {"path": "readme/input.sh"}}))
            return str(content["framework"])

    with ThreadPoolExecutor(1) as threads:
        assert threads.submit(lambda: asyncio.run(talk())).result(120) == "verl"
