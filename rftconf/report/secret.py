"""Keeps what looks like a password or a token out of excerpts."""

from __future__ import annotations

import re

_NAMED = re.compile(
    r"(?i)((?:api|access|secret|private|wandb|hf|auth)[_-]?(?:key|token)|_token|_secret|password|passwd|credentials?)"
    r"(\"?'?\s*[=:]\s*)(\"[^\"]*\"|'[^']*'|[^\s\"']+)"
)
_SHAPED = re.compile(r"\b(?:sk-[\w\-]{12,}|hf_\w{12,}|gh[pousr]_\w{20,}|AKIA[A-Z0-9]{12,}|glpat-[\w\-]{12,})")


def masked(line: str) -> str:
    """`line` with the same number of characters, each character of a secret as `*`; `$NAME` is no secret."""
    named = _NAMED.sub(lambda m: m[0] if "$" in m[3] else m[1] + m[2] + "*" * len(m[3]), line)
    return _SHAPED.sub(lambda m: "*" * len(m[0]), named)
