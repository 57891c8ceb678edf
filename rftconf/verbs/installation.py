"""The packages to install for an extra, as the installed package itself states them, wherever it came from."""

from __future__ import annotations

import re
import shlex
from importlib import metadata
from pathlib import Path


def install_line(extra: str) -> str:
    """The command that installs what the verbs of `extra` need, beside the rftconf that is running."""
    try:
        stated = metadata.requires("rftconf") or []
    except metadata.PackageNotFoundError:  # a checkout on the path, never installed
        checkout = Path(__file__).resolve().parents[2]
        return f"python -m pip install -e {shlex.quote(f'{checkout}[{extra}]')}"
    requirements = [
        line.split(";")[0].strip() for line in stated if re.search(rf"\bextra\s*==\s*['\"]{extra}['\"]", line)
    ]
    return " ".join(["python -m pip install", *map(shlex.quote, requirements)])
