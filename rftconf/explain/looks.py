"""The plan fields and keys that each lint rule looks at, from a file that rules' own examples made."""

from __future__ import annotations

import json
from collections.abc import Iterable
from fnmatch import fnmatchcase
from functools import cache
from pathlib import Path

FILE = Path(__file__).with_name("looks.json")
"""Code to its title, the frameworks it speaks of (none: all), and what it asked for; by `scripts/generate_looks.py`."""


@cache
def load_rule_looks() -> dict[str, tuple[str, tuple[str, ...], tuple[str, ...]]]:
    """Every rule by its code: title, frameworks, and the plan fields (without `stage.`) and native keys it asks for."""
    data: dict[str, list[object]] = json.loads(FILE.read_bytes())
    return {code: (str(t), tuple(map(str, f)), tuple(map(str, n))) for code, (t, f, n) in data.items()}  # type: ignore[call-overload]


def rules_about(framework: str, fields: Iterable[str], natives: Iterable[str]) -> tuple[tuple[str, str], ...]:
    """Codes and titles of the rules that look at any of `fields` or `natives`, for `framework` (any where empty)."""
    subjects = {*fields, *natives}
    return tuple(
        (code, title)
        for code, (title, frameworks, names) in load_rule_looks().items()
        if (not framework or not frameworks or framework in frameworks)
        and any(
            name in subjects or ("*" in name and any(fnmatchcase(subject, name) for subject in subjects))
            for name in names
        )
    )
