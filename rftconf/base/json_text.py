"""JSON as it is written for people and programs: UTF-8, in the order given, with escapes for signs that nobody sees."""

from __future__ import annotations

import json
import re
from typing import Any

from rftconf.base.unseen_signs import UNSEEN

_ODD = re.compile(f"{UNSEEN.pattern}|[\ud800-\udfff\ufffe\uffff]")


def json_text(data: Any) -> str:
    """Return `data` as indented JSON with a line break at its end.

    A byte of a file's name that is no UTF-8 becomes JSON's own escape, and so does what would steer a terminal.
    """
    return with_escapes(json.dumps(data, indent=2, ensure_ascii=False)) + "\n"


def with_escapes(written: str) -> str:
    """Return JSON in which such signs are escapes; they stand in its texts only."""
    return _ODD.sub(lambda sign: f"\\u{ord(sign[0]):04x}", written)
