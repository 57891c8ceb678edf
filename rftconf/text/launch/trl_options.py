"""TRL's parser takes the beginning of an option for the option, where no other begins so (argparse: allow_abbrev)."""

from __future__ import annotations

import json
from functools import cache
from pathlib import Path

FILE = Path(__file__).with_name("trl_options.json")


@cache
def _names() -> tuple[str, ...]:
    names: list[str] = json.loads(FILE.read_text(encoding="utf-8"))
    return tuple(names)


def whole_name(beginning: str) -> str:
    """Return the option of some release that alone begins so; the same text where none or several do, or it is one itself."""
    names = _names()
    candidates = [name for name in names if name.startswith(beginning)]
    return candidates[0] if len(candidates) == 1 and beginning not in names else beginning
