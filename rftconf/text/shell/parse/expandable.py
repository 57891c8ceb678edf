"""The parameters that bash has no grammar for, such as OmegaConf's `${oc.env:X}`."""

from __future__ import annotations

import re

_NO_PARAMETER = re.compile(r"\$\{(?:\\\n)*[A-Za-z_](?:\w|\\\n)*(?!\\\n)[^\w}\[:#%/^,~@*=?+-]").match
"""A name, and behind it what is no operator; a line that goes on behind a backslash is one line, `~` an operator that bash's
manual keeps silent about."""


def can_expand(text: str, start: int) -> bool:
    """False where bash calls the `${...}` that begins there a bad substitution and drops the command."""
    return _NO_PARAMETER(text, start) is None
