"""Who may ask, and how much."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Coroutine, MutableMapping
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest

httpx = pytest.importorskip("httpx")
pytest.importorskip("starlette")

from rftconf.service.answer import Answer  # noqa: E402
from rftconf.studio.server import MOST_BODY, application  # noqa: E402

from .conftest import HOST, TOKEN  # noqa: E402


def echo(verb: str, fields: dict[str, Any]) -> Answer:
    return Answer(200, json.dumps([verb, sorted(fields)]).encode())


APPLICATION = application(echo, TOKEN, (HOST,))


def in_a_thread(work: Coroutine[Any, Any, Any]) -> Any:
    """The result; this thread may hold the loop of the browser that other tests of the same process drive."""
    with ThreadPoolExecutor(1) as other_pool:
        return other_pool.submit(asyncio.run, work).result()


class Client:
    """Requests to the application, without a socket."""

    def __getattr__(self, method: str) -> Any:
        async def ask(path: str, **more: Any) -> Any:
            transport = httpx.ASGITransport(app=APPLICATION)
            async with httpx.AsyncClient(transport=transport, base_url=f"http://{HOST}") as client:
                return await client.request(method.upper(), path, **more)

        return lambda path, **more: in_a_thread(ask(path, **more))


@pytest.fixture
def client() -> Client:
    return Client()


def test_the_page_and_its_files_are_there(client: Client) -> None:
    page = client.get(f"/{TOKEN}/")
    assert page.status_code == 200
    for name in ("app.js", "studio.css", "convert.js", "icon.svg", "frameworks.js"):
        assert client.get(f"/{TOKEN}/{name}").status_code == 200, name


def test_every_answer_forbids_foreign_code(client: Client) -> None:
    for path in (f"/{TOKEN}/", f"/{TOKEN}/app.js", "/elsewhere"):
        headers = client.get(path).headers
        policy = headers["content-security-policy"]
        assert "default-src 'none'" in policy
        assert "unsafe" not in policy
        assert "require-trusted-types-for 'script'" in policy
        assert headers["x-content-type-options"] == "nosniff"
        assert headers["referrer-policy"] == "no-referrer"


@pytest.mark.parametrize("host", ["evil.example", "127.0.0.1:80", "localhost", ""])
def test_another_host_is_refused(client: Client, host: str) -> None:
    """DNS rebinding: a foreign name that leads to this machine."""
    assert client.get(f"/{TOKEN}/", headers={"host": host}).status_code == 421


@pytest.mark.parametrize("path", ["/", "/api/convert", "/wrong/", f"/{TOKEN}x/", f"//{TOKEN}/"])
def test_nothing_without_the_token(client: Client, path: str) -> None:
    assert client.get(path).status_code == 404
    assert client.post(path, json={}).status_code == 404


def test_another_origin_is_refused(client: Client) -> None:
    api = f"/{TOKEN}/api/convert"
    assert client.post(api, json={}, headers={"origin": "http://evil.example"}).status_code == 403
    assert client.post(api, json={}, headers={"origin": "null"}).status_code == 403
    assert client.post(api, json={}, headers={"sec-fetch-site": "cross-site"}).status_code == 403
    assert client.post(api, json={}, headers={"origin": f"http://{HOST}"}).status_code == 200


def test_forms_of_other_pages_are_refused(client: Client) -> None:
    """A form can post text/plain to any address without asking."""
    answer = client.post(f"/{TOKEN}/api/convert", content="{}", headers={"content-type": "text/plain"})
    assert answer.status_code == 415


def test_a_large_question_is_not_read(client: Client) -> None:
    body = b'{"text": "' + b"x" * MOST_BODY + b'"}'
    answer = client.post(f"/{TOKEN}/api/convert", content=body, headers={"content-type": "application/json"})
    assert answer.status_code == 413
    assert "bytes" in answer.json()["error"]["message"]


def test_a_large_question_of_unknown_length_is_not_read(client: Client) -> None:
    async def parts() -> AsyncIterator[bytes]:
        for _ in range(MOST_BODY // 65536 + 2):
            yield b" " * 65536

    answer = client.post(f"/{TOKEN}/api/convert", content=parts(), headers={"content-type": "application/json"})
    assert answer.status_code == 413


@pytest.mark.parametrize("body", [b"", b"{", b"[]", b"1", b"\xff", b"[" * 100_000])
def test_what_is_no_question_is_refused(client: Client, body: bytes) -> None:
    answer = client.post(f"/{TOKEN}/api/check", content=body, headers={"content-type": "application/json"})
    assert answer.status_code == 400


def test_only_known_questions_reach_a_process(client: Client) -> None:
    assert client.post(f"/{TOKEN}/api/convert", json={"text": ""}).json() == ["convert", ["text"]]
    assert client.post(f"/{TOKEN}/api/eval", json={}).status_code == 404
    assert client.get(f"/{TOKEN}/../server.py").status_code == 404
    assert client.get(f"/{TOKEN}/%2e%2e/server.py").status_code == 404
    assert client.put(f"/{TOKEN}/api/convert", json={}).status_code == 405


def test_a_websocket_is_closed() -> None:
    messages: list[MutableMapping[str, Any]] = []

    async def send(message: MutableMapping[str, Any]) -> None:
        messages.append(message)

    async def receive() -> MutableMapping[str, Any]:
        return {"type": "websocket.connect"}

    scope = {"type": "websocket", "path": f"/{TOKEN}/", "headers": [(b"host", HOST.encode())]}
    in_a_thread(APPLICATION(scope, receive, send))
    assert [message["type"] for message in messages] == ["websocket.close"]
