"""The parameters that bash has no grammar for, such as OmegaConf's `${oc.env:X}`."""

from __future__ import annotations

import re

_NO_PARAMETER = re.compile(r"\$\{[A-Za-z_]\w*[^\w}\[:#%/^,@*=?+-]").match


def can_expand(text: str, start: int) -> bool:
    """False where bash calls the `${...}` that begins there a bad substitution and drops the command."""
    return _NO_PARAMETER(text, start) is None
