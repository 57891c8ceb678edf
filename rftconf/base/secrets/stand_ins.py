"""Values that stand in a credential's place and are none: references, words such as `changeme`, numbers."""

from __future__ import annotations

import re

from rftconf.base.secrets.names import Kind
from rftconf.base.secrets.randomness import looks_random

REFERENCE = re.compile(
    r"\$\{.*\}|\$\w+|\$\(.*\)|`.*`|%(?![0-9A-Fa-f]{2})\w+%|%[A-Z_]{4,}%|\{\{.*\}\}|<[^<>]*>", re.DOTALL
)
HOLDS_REFERENCE = re.compile(
    r"\$\{[^{}]*\}|\$\w+|\$\([^()]*\)|`[^`]*`|%(?![0-9A-Fa-f]{2})\w+%|%[A-Z_]{4,}%|\{\{[^{}]*\}\}|<[^<>]*>"
)
"""A part that is a reference, the innermost of nested ones: looked for in a text of any length."""
STAND_IN = re.compile(
    r"(?i)empty|null|none|true|false|yes|no|on|off|\?{3}|\*+|\.{3,}|-+|_+|(?P<same>.)(?P=same){2,}|test|todo|fixme|tbd|changeme|change[_-]?me|dummy"
    r"|…+|placeholder|to[_-]be[_-]\w+|your?[_-].*|.*[_-]here|[*&]\w+|-?\d{1,5}(?:\.\d+)?|(?:basic|digest|bearer|oauth2?|kerberos|ldap|token|password|passwd|secret|key"
    r"|api[_-]?key|auth|default|auto|env|file|anonymous|disabled|enabled)"
)


def is_set(kind: Kind, value: str) -> bool:
    """Tell whether `value` sets what a name of this kind names."""
    if kind is Kind.NONE or not value or REFERENCE.fullmatch(value) or STAND_IN.fullmatch(value):
        return False
    if value[0] in "${[(<" or "<|" in value or not any(c.isalnum() for c in value):
        return False
    return looks_random(value) or (kind is Kind.CREDENTIAL and "${" not in value)
