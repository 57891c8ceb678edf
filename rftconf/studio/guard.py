"""The guard of the server: only its own pages may ask, under an address that only the user who started it knows."""

from __future__ import annotations

import hmac
from collections.abc import Collection, Mapping

from starlette.responses import PlainTextResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send

HEADERS = {
    # nothing but our own files; texts of an input can neither be markup nor become a script
    "content-security-policy": "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; "
    "connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'; "
    "require-trusted-types-for 'script'; trusted-types 'none'",
    "x-content-type-options": "nosniff",
    "x-frame-options": "DENY",
    "referrer-policy": "no-referrer",
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
    "permissions-policy": "camera=(), geolocation=(), microphone=()",
}


class Guard:
    """Refuses what does not come from the page: other hosts (DNS rebinding), other origins, no token."""

    def __init__(self, app: ASGIApp, token: str, hosts: Collection[str]) -> None:
        self.app, self.token, self.hosts = app, token, frozenset(hosts)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Handle one request: refuse it, or pass it to the application."""
        if scope["type"] == "lifespan":
            await self.app(scope, receive, send)
            return
        if scope["type"] != "http":
            await send({"type": "websocket.close", "code": 1008})
            return

        async def guarded(message: Message) -> None:
            if message["type"] == "http.response.start":
                more = [(name.encode(), value.encode()) for name, value in HEADERS.items()]
                message = {**message, "headers": [*message["headers"], *more]}
            await send(message)

        problem = self.problem(scope["method"], scope["path"], _headers(scope))
        if problem is None:
            await self.app(scope, receive, guarded)
        else:
            await PlainTextResponse(f"{problem[1]}\n", problem[0])(scope, receive, guarded)

    def problem(self, method: str, path: str, headers: Mapping[str, str]) -> tuple[int, str] | None:
        """Return HTTP status and reason where a request is refused; None for one that is the page's own."""
        if headers.get("host", "") not in self.hosts:
            return 421, "this is a page of this machine alone"
        token = path.removeprefix("/").partition("/")[0]
        if not hmac.compare_digest(token.encode("utf-8", "replace"), self.token.encode()):
            return 404, "open the whole address that `rftconf studio` printed"
        if method in ("GET", "HEAD"):
            return None
        if method != "POST":
            return 405, "the page is read with GET, and questions are put with POST"
        origin, site = headers.get("origin"), headers.get("sec-fetch-site", "same-origin")
        if (origin is not None and origin not in {f"http://{host}" for host in self.hosts}) or site != "same-origin":
            return 403, "another page asked"
        if headers.get("content-type", "").partition(";")[0].strip() != "application/json":
            return 415, "questions are JSON"
        return None


def _headers(scope: Scope) -> dict[str, str]:
    return {name.decode("latin-1").lower(): value.decode("latin-1") for name, value in scope["headers"]}
