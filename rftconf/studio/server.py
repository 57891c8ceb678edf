"""The page and its questions over HTTP, on the loopback interface alone."""

from __future__ import annotations

import asyncio
import json
import secrets
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

from starlette.applications import Starlette
from starlette.concurrency import run_in_threadpool
from starlette.middleware import Middleware
from starlette.requests import ClientDisconnect, Request
from starlette.responses import Response
from starlette.routing import Route

from rftconf.service.answer import Answer
from rftconf.service.http_server import serve_application
from rftconf.service.loopback import LOOPBACK, hosts, listening
from rftconf.service.workers import Workers
from rftconf.studio import frameworks_script
from rftconf.studio.guard import Guard
from rftconf.studio.verbs import NAMES, load_answers

MOST_BODY = 4 * 1024 * 1024
"""Bytes of one question: two texts of the largest size, escaped."""
BODY_SECONDS = 20.0
"""That a question may take to arrive; the page and the server are on one machine."""
MOST_AT_ONCE = 1_000
"""Connections; beyond them the server says that it is busy."""
ASSETS = Path(__file__).with_name("assets")
_KINDS = {
    ".html": "text/html; charset=utf-8",
    ".css": "text/css; charset=utf-8",
    ".js": "text/javascript; charset=utf-8",
    ".svg": "image/svg+xml",
}
Ask = Callable[[str, dict[str, Any]], Answer]


def application(ask: Ask, token: str, hosts: tuple[str, ...]) -> Starlette:
    """The application under `/token/`; `ask` answers questions."""
    files = {path.name: path for path in sorted(ASSETS.iterdir()) if path.suffix in _KINDS}
    routes = [
        Route(f"/{token}/", partial(_file, files["index.html"])),
        *(Route(f"/{token}/{name}", partial(_file, path)) for name, path in files.items()),
        Route(f"/{token}/{frameworks_script.NAME}", _frameworks),
        *(Route(f"/{token}/api/{verb}", partial(_question, ask, verb), methods=["POST"]) for verb in NAMES),
    ]
    return Starlette(routes=routes, middleware=[Middleware(Guard, token=token, hosts=hosts)])


async def _file(path: Path, _: Request) -> Response:
    return Response(path.read_bytes(), media_type=_KINDS[path.suffix], headers={"cache-control": "no-cache"})


async def _frameworks(_: Request) -> Response:
    text = frameworks_script.frameworks_script()
    return Response(text, media_type=_KINDS[".js"], headers={"cache-control": "no-cache"})


async def _question(ask: Ask, verb: str, request: Request) -> Response:
    try:
        body = await asyncio.wait_for(_body(request), BODY_SECONDS)
    except ClientDisconnect:
        return _error_response(400, "the question ends too early")
    except asyncio.TimeoutError:
        return _error_response(408, f"the question did not arrive within {BODY_SECONDS:g} s")
    if body is None:
        return _error_response(413, f"more than {MOST_BODY:,} bytes: no config is that large")
    try:
        fields = json.loads(body)
    except (ValueError, RecursionError):
        return _error_response(400, "the question is no JSON")
    if not isinstance(fields, dict):
        return _error_response(400, "the question is no JSON object")
    reply = await run_in_threadpool(ask, verb, fields)
    return Response(reply.body, reply.status, media_type=reply.kind, headers={"cache-control": "no-store"})


async def _body(request: Request) -> bytes | None:
    """The whole body; None for one that is too large, of which no more is read than tells that."""
    length = request.headers.get("content-length", "")
    if length.isdecimal() and int(length) > MOST_BODY:
        return None
    parts, size = [], 0
    async for part in request.stream():
        size += len(part)
        if size > MOST_BODY:
            return None
        parts.append(part)
    return b"".join(parts)


def _error_response(status: int, message: str) -> Response:
    body = json.dumps({"error": {"message": message, "exit": 2}})
    return Response(body, status, media_type="application/json")


def serve(port: int, say: Callable[[str], None]) -> None:
    """Serve until interrupted. `say` gets the page's address. Raises UsageError for a port that is taken."""
    token = secrets.token_urlsafe(16)
    with listening(port) as listener:
        port = listener.getsockname()[1]
        workers = Workers(load_answers)
        try:
            app = application(workers.ask, token, hosts(port))
            serve_application(app, listener, MOST_AT_ONCE, lambda: say(f"http://{LOOPBACK}:{port}/{token}/"))
        finally:
            workers.end()
