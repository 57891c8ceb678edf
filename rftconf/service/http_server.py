"""An application is served here to clients of this machine, until a person interrupts it."""

from __future__ import annotations

import asyncio
from collections.abc import Callable

import uvicorn
from starlette.applications import Starlette

from rftconf.service.loopback import Listener
from rftconf.service.patience import Impatient


def serve_application(app: Starlette, listener: Listener, most_at_once: int, announce: Callable[[], None]) -> None:
    """Serve `app` on a socket that listens, and call `announce` before; return when Ctrl-C ends it.

    Beyond `most_at_once` connections the server says that it is busy.
    """
    config = uvicorn.Config(
        app,
        http=Impatient,
        ws="none",
        log_level="warning",
        access_log=False,
        server_header=False,
        limit_concurrency=most_at_once,
    )
    try:
        announce()
        asyncio.run(uvicorn.Server(config).serve([listener]))
    except KeyboardInterrupt:
        pass  # Ctrl-C is how a person ends it
