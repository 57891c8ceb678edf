"""What must never be echoed or written: keys that name credentials, values that look like them."""

from __future__ import annotations

import re

_KEY = re.compile(
    r"(?:^|[._-])(?:api_?key|access_?key|secret|password|passwd|private_?key|credential|auth_?token|hf_?token|token)s?$",
    re.IGNORECASE,
)
_VALUE = re.compile(
    r"\b(?:sk-[A-Za-z0-9_-]{16,}|hf_[A-Za-z0-9]{16,}|gh[pousr]_[A-Za-z0-9]{20,}|AKIA[0-9A-Z]{16}|xox[abp]-[A-Za-z0-9-]{10,}|glpat-[\w-]{16,})"
)


def is_secret(key: str, value: object) -> bool:
    """True when `key` names a credential that is set, or `value` looks like one."""
    if not isinstance(value, str) or value in ("", "EMPTY", "null") or value.startswith("${"):
        return False
    return bool(_KEY.search(key)) or bool(_VALUE.search(value))
