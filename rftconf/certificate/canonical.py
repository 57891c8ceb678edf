"""One text for one certificate: keys in order, two spaces, and a digest over the rest."""

from __future__ import annotations

import hashlib
import json
from typing import Any

from rftconf.base.files import encoded


def sha256(text: str) -> str:
    """Return the SHA-256 of a text as it lies in a file."""
    return hashlib.sha256(encoded(text)).hexdigest()


def canonical(data: dict[str, Any]) -> str:
    """The text of a certificate's data."""
    text = json.dumps(data, indent=2, sort_keys=True, ensure_ascii=False, allow_nan=False)
    return text.encode("utf-8", "backslashreplace").decode() + "\n"


def digest_of(data: dict[str, Any]) -> str:
    """The digest that `data` should carry."""
    return sha256(canonical({name: value for name, value in data.items() if name != "digest"}))
