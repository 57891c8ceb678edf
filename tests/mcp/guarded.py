"""Tries what the guard refuses, in a process of its own: `python -m tests.mcp.guarded ROOT` prints what was let through."""

from __future__ import annotations

import os
import socket
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

from rftconf.mcp.roots import Roots, guard


def main(root: Path) -> int:
    """Refuse, then try."""
    ways: dict[str, Callable[[], object]] = {
        "read below the root": lambda: (root / "in.txt").read_text(),
        "import of the standard library": lambda: __import__("wave"),
        "import of the package": lambda: __import__("rftconf.metrics.naming"),
        "read outside": lambda: (root.parent / "out.txt").read_text(),
        "read by a link": lambda: (root / "link.txt").read_text(),
        "list outside": lambda: list(root.parent.iterdir()),
        "write below the root": lambda: (root / "new.txt").write_text("x"),
        "append below the root": lambda: (root / "in.txt").open("a"),
        "remove": lambda: (root / "in.txt").unlink(),
        "rename": lambda: (root / "in.txt").rename(root / "b.txt"),
        "make a folder": lambda: (root / "folder").mkdir(),
        "start a process": lambda: subprocess.run(["true"], check=False),
        "run a shell": lambda: os.system("true"),
        "connect": lambda: socket.create_connection(("127.0.0.1", 9), timeout=1),
    }
    guard(Roots.of([root]))
    for name, way in ways.items():
        try:
            way()
        except OSError as error:
            if not isinstance(error, PermissionError):
                raise
        else:
            print(name)
    return 0


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1])))
