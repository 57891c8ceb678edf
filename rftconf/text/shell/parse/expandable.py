"""The parameters that bash has no grammar for, such as OmegaConf's `${oc.env:X}`."""

from __future__ import annotations

import re

_NO_PARAMETER = re.compile(
    r"\$\{(?:\\\n)*(?:[!#]?(?:\\\n)*(?:[A-Za-z_](?:\w|\\\n)*|\d+|[@*])|!?[?$-])"
    r"(?:(?!\\\n)[^\w}\[:#%/^,~@*=?+-]|\[[^\[\]{}\n]*\](?!\\\n)[^}\[:#%/^,~@*=?+-])"
).match
"""A name or an element, and behind it what is no operator. A line that goes on behind a backslash is one line, `~` an operator
that bash's manual keeps silent about."""

_NO_LENGTH = re.compile(r"\$\{#(?:[A-Za-z_]\w*|\d+)(?:\[[^\[\]{}\n]*\])?[:%/^,~=?+#@-]").match
"""The length of a name takes no operator behind it."""


def can_expand(text: str, start: int) -> bool:
    """False where bash calls the `${...}` that begins there a bad substitution and drops the command."""
    return _NO_PARAMETER(text, start) is None and _NO_LENGTH(text, start) is None
