"""What must never be echoed or written: keys that name credentials, values that look like them."""

from __future__ import annotations

import re
from typing import Any

from rftconf.plan.symbols import Branch, Text

_NAMES = r"api_?key|access_?key|secret|password|passwd|private_?key|credentials?|auth_?token|hf_?token|token"
_KEY = re.compile(rf"(?:^|[._-])(?:{_NAMES})s?$", re.IGNORECASE)
_NAMED = re.compile(
    r"(?i)((?:api|access|secret|private|wandb|hf|auth)[_-]?(?:key|token)|_token|_secret|password|passwd|credentials?)"
    r"(\"?'?\s*[=:]\s*)(\"[^\"]*\"|'[^']*'|[^\s\"']+)"
)
_COUNTED = re.compile(r"(?:^|[._-])(?:max|min|num|prompt|response|total|batched)[._-](?:\w+_)?tokens$", re.IGNORECASE)
"""Keys that count tokens, whatever stands there."""
_SHAPED = re.compile(
    r"\b(?:sk-[\w-]{12,}|hf_\w{12,}|gh[pousr]_\w{20,}|AKIA[A-Z0-9]{12,}|xox[abp]-[\w-]{10,}|glpat-[\w-]{12,})"
)


def is_secret(key: str, value: Any) -> bool:
    """True when `key` names a credential that is set, or something in `value` looks like one."""
    if isinstance(value, str):
        if value in ("", "EMPTY", "null", "???") or value.startswith("${"):
            return False
        return bool(_KEY.search(key) and not _COUNTED.search(key)) or bool(_SHAPED.search(value))
    if isinstance(value, Text):
        return any(is_secret("", part) for part in value.parts)
    if isinstance(value, Branch):
        return is_secret(key, value.then) or is_secret(key, value.otherwise)
    if isinstance(value, dict):
        return any(is_secret(f"{key}.{name}", item) for name, item in value.items())
    return isinstance(value, list) and any(is_secret(key, item) for item in value)


def masked(line: str) -> str:
    """`line` with the same number of characters, each character of a secret as `*`; `$NAME` is no secret."""
    named = _NAMED.sub(lambda m: m[0] if "$" in m[3] else m[1] + m[2] + "*" * len(m[3]), line)
    return _SHAPED.sub(lambda m: "*" * len(m[0]), named)
