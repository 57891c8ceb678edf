"""Sockets are opened here, on the loopback interface alone: rftconf listens nowhere else."""

from __future__ import annotations

import socket

from rftconf.base.errors import UsageError

LOOPBACK = "127.0.0.1"
Listener = socket.socket
"""Its address is taken, and clients may come."""


def listening(port: int, option: str = "--port") -> Listener:
    """Return a socket of the loopback interface that listens: clients may come before the server is ready.

    Raises UsageError, naming the `option` that gives another port, for one that is taken.
    """
    listener = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
    try:
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listener.bind((LOOPBACK, port))
        listener.listen()
    except OSError as error:
        listener.close()
        why = f"port {port}: {(error.strerror or str(error)).lower()}"
        raise UsageError(f"{why}; name another with {option}, or let one be found with {option} 0") from None
    return listener


def hosts(port: int) -> tuple[str, str]:
    """Return the names under which this machine's own clients reach a port; another is a page elsewhere (DNS rebinding)."""
    return f"{LOOPBACK}:{port}", f"localhost:{port}"
