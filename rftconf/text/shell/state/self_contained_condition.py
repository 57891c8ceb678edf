"""Shell source that means the same away from its script: the variables it reads are set in front of it."""

from __future__ import annotations

import re

from rftconf.base.symbols import names_in
from rftconf.text.shell.parse.quoting import double_quoted
from rftconf.text.shell.state.state import Shell
from rftconf.text.shell.values import Word

_NAMES = re.compile(r"\$\{?[#!]?([A-Za-z_]\w*)")
_ARITHMETIC = re.compile(r"\(\(.*?\)\)", re.DOTALL)
_BARE = re.compile(r"[A-Za-z_]\w*")
MAX_PRELUDE = 1500


def prelude(shell: Shell, raw: str) -> tuple[str, tuple[str, ...]]:
    """Assignments of what `raw` reads and the script knows, and the names that stay open."""
    names = dict.fromkeys(_NAMES.findall(raw))
    for expression in _ARITHMETIC.findall(raw, 0, raw.rfind("))") + 2):  # what is never closed is none
        names |= dict.fromkeys(_BARE.findall(expression))
    unknown: set[str] = set()
    text = ""
    for name in names:
        value = shell.variables.get(name)
        if isinstance(value, Word):
            shell.read.add(name)
            unknown |= names_in(value.value)
            text += f'{name}="{double_quoted(value.value)}"; '
        elif f"${name}" in raw or f"${{{name}" in raw:
            unknown.add(name)
    return (text if len(text) <= MAX_PRELUDE else ""), tuple(sorted(unknown))


def standalone(shell: Shell, start: int, end: int) -> str:
    """The commands at `start` to `end` of the present source, as one condition."""
    raw = shell.source.part(start, end).strip().rstrip(";")
    if "\n" in raw:
        raw = " ".join(line.strip().rstrip("\\").strip() for line in raw.splitlines())
    text, _ = prelude(shell, raw)
    return f"( {text}{raw} )" if text else raw
