"""argparse takes the beginning of an option for the option, where no other begins so (allow_abbrev)."""

from __future__ import annotations

import json
from functools import cache
from pathlib import Path

FILE = Path(__file__).with_name("option_names.json")


@cache
def _names() -> dict[str, list[str]]:
    names: dict[str, list[str]] = json.loads(FILE.read_text(encoding="utf-8"))
    return names


def whole_name(framework: str, beginning: str) -> str:
    """Return the framework's option of some release that alone begins so.

    It is the same text where none or several do, where it is one itself, and for a framework without such a parser.
    """
    names = _names().get(framework, [])
    candidates = [name for name in names if name.startswith(beginning)]
    return candidates[0] if len(candidates) == 1 and beginning not in names else beginning
