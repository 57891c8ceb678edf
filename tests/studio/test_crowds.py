"""Many who ask at once, slow ones, and a process that dies: the page goes on answering."""

from __future__ import annotations

import contextlib
import json
import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import AsyncIterator, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from urllib.error import HTTPError
from urllib.request import Request, urlopen

import pytest

pytest.importorskip("uvicorn")
httpx = pytest.importorskip("httpx")

from rftconf.studio import server  # noqa: E402

from .conftest import HOST, TOKEN  # noqa: E402
from .test_guard import APPLICATION, in_a_thread  # noqa: E402

README = Path(__file__).resolve().parents[2] / "golden" / "convert" / "readme" / "input.sh"
QUESTION = json.dumps({"text": README.read_text(), "name": "input.sh"}).encode()
AT_ONCE = 200


@pytest.fixture(scope="module")
def address() -> Iterator[str]:
    """Where a studio listens."""
    command = [sys.executable, "-m", "rftconf", "studio", "--port", "0"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        yield process.stdout.readline().strip()
        process.send_signal(signal.SIGINT)
        assert process.wait(30) == 0
        assert process.stderr is not None
        assert "Traceback" not in process.stderr.read()


def asked(address: str, body: bytes = QUESTION) -> int:
    """The status of one answer."""
    try:
        with urlopen(Request(f"{address}api/check", body, {"Content-Type": "application/json"}), timeout=120) as answer:
            json.loads(answer.read())
            return int(answer.status)
    except HTTPError as error:
        json.loads(error.read())["error"]
        return error.code


def test_all_of_many_at_once_are_answered(address: str) -> None:
    with ThreadPoolExecutor(AT_ONCE) as crowd:
        assert list(crowd.map(lambda _: asked(address), range(AT_ONCE))) == [200] * AT_ONCE


def test_slow_ones_do_not_keep_the_others_waiting(address: str) -> None:
    host, port = address.split("/")[2].split(":")
    token = address.split("/")[3]
    head = f"POST /{token}/api/check HTTP/1.1\r\nHost: {host}:{port}\r\nContent-Type: application/json\r\nContent-Length: 5000\r\n\r\n"
    slow = [socket.create_connection((host, int(port))) for _ in range(AT_ONCE)]
    try:
        for number, entry in enumerate(slow):
            entry.sendall(head[: 20 if number % 2 else len(head)].encode())
        began = time.monotonic()
        assert asked(address) == 200
        assert time.monotonic() - began < server.BODY_SECONDS / 2
    finally:
        for entry in slow:
            entry.close()
    assert asked(address) == 200


@pytest.mark.skipif(not Path("/proc/self/task").exists(), reason="reads which processes a process started from /proc")
def test_a_process_that_is_killed_costs_one_answer(address: str) -> None:
    assert asked(address) == 200
    killed = 0
    for status in Path("/proc").glob("[0-9]*/stat"):
        try:
            words = status.read_text().rpartition(")")[2].split()
            command = (status.parent / "cmdline").read_bytes()
        except OSError:
            continue
        if b"spawn_main" in command and _is_of_the_server(int(words[1]), address):
            os.kill(int(status.parent.name), signal.SIGKILL)
            killed += 1
    assert killed
    values = [asked(address) for _ in range(6)]
    assert values.count(500) <= killed
    assert values[-1] == 200


def _is_of_the_server(parent: int, address: str) -> bool:
    """Whether the process is the studio that these tests started."""
    try:
        own = Path(f"/proc/{parent}/stat").read_text().rpartition(")")[2].split()[1] == str(os.getpid())
        return own and b"studio" in Path(f"/proc/{parent}/cmdline").read_bytes()
    except OSError:
        return False


def test_a_question_that_does_not_arrive_is_given_up(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(server, "BODY_SECONDS", 0.05)

    async def slowly() -> AsyncIterator[bytes]:
        yield b"{"
        await _never()

    async def ask() -> int:
        transport = httpx.ASGITransport(app=APPLICATION)
        async with httpx.AsyncClient(transport=transport, base_url=f"http://{HOST}") as client:
            headers = {"content-type": "application/json"}
            return int((await client.post(f"/{TOKEN}/api/check", content=slowly(), headers=headers)).status_code)

    assert in_a_thread(ask()) == 408


@pytest.mark.parametrize(
    "first", [b"", b"GET / HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n"], ids=["at once", "after an answer"]
)
def test_a_head_that_does_not_arrive_is_given_up(first: bytes, monkeypatch: pytest.MonkeyPatch) -> None:
    import asyncio

    import uvicorn

    from rftconf.service import loopback, patience

    monkeypatch.setattr(patience, "HEAD_SECONDS", 0.3)

    async def serve_a_slow_client() -> tuple[bytes, float]:
        instance = loopback.listening(0)
        new_server = uvicorn.Server(uvicorn.Config(APPLICATION, http=patience.Impatient, log_level="warning"))
        serving = asyncio.create_task(new_server.serve([instance]))
        came, spent = await _drip(instance.getsockname(), first)
        new_server.should_exit = True
        await serving
        return came, spent

    came, spent = in_a_thread(serve_a_slow_client())
    assert b"HTTP/1.1 408" in came
    assert spent < 3


async def _drip(address: tuple[str, int], first: bytes) -> tuple[bytes, float]:
    """What comes back to one who sends a byte of a head every now and then, and after how many seconds the end came."""
    import asyncio

    loop, came = asyncio.get_running_loop(), b""
    # A bare socket: a stream forgets what has come when the other side closes between two of our bytes.
    with socket.socket() as client:
        client.setblocking(False)
        await loop.sock_connect(client, address)
        await loop.sock_sendall(client, first)
        while first and not came.endswith(b"\r\n\r\n"):
            came += await loop.sock_recv(client, 1)
        began = time.monotonic()
        while time.monotonic() - began < 3:
            with contextlib.suppress(ConnectionError):
                await loop.sock_sendall(client, b"G")
            try:
                part = await asyncio.wait_for(loop.sock_recv(client, 1000), 0.05)
            except asyncio.TimeoutError:
                continue
            except ConnectionError:
                break
            came += part
            if not part:
                break
        return came, time.monotonic() - began


async def _never() -> None:
    import asyncio

    await asyncio.sleep(5)
