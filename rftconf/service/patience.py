"""The time limit, in seconds, for the head of a request; no application sees a request before its head is whole."""

from __future__ import annotations

import asyncio

from uvicorn.protocols.http.h11_impl import H11Protocol

HEAD_SECONDS = 10.0
"""The longest that a request's first line and headers may take, from the connection or the first byte after an answer."""
_LATE = b"HTTP/1.1 408 Request Timeout\r\nconnection: close\r\ncontent-length: 0\r\n\r\n"


class Impatient(H11Protocol):
    """A connection that is given up where a head does not arrive in time; uvicorn itself waits for it without end."""

    _waiting: asyncio.TimerHandle | None = None

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """Wait for the first head."""
        super().connection_made(transport)
        self._wait()

    def data_received(self, data: bytes) -> None:
        """Stop to wait where a request is complete enough to be answered; else wait on from the first byte."""
        super().data_received(data)
        if self.cycle is not None and not self.cycle.response_complete:
            self._stop()
        elif self._waiting is None:
            self._wait()

    def on_response_complete(self) -> None:
        """End the wait: between requests uvicorn's own time for idle connections counts."""
        self._stop()
        super().on_response_complete()

    def connection_lost(self, exc: Exception | None) -> None:
        """End the wait on a connection that is lost."""
        self._stop()
        super().connection_lost(exc)

    def _wait(self) -> None:
        self._waiting = self.loop.call_later(HEAD_SECONDS, self._give_up)

    def _stop(self) -> None:
        if self._waiting is not None:
            self._waiting.cancel()
            self._waiting = None

    def _give_up(self) -> None:
        self._waiting = None
        if not self.transport.is_closing():
            self.transport.write(_LATE)
            self.transport.close()
