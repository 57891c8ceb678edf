"""`$(...)`: kept as it is written, never run."""

from __future__ import annotations

import re

from rftconf.plan.symbols import Branch, ShellOnly, Var
from rftconf.text.shell.nodes import CommandPart
from rftconf.text.shell.standalone import prelude
from rftconf.text.shell.state import Shell
from rftconf.text.shell.values import Known

_PWD = re.compile(r"\$\(\s*pwd\s*\)|`\s*pwd\s*`").fullmatch

# A program asked whether something is there, and one word for either answer.
_CHOICE = re.compile(
    r"\$\(\s*((?:[^&|;()`\"'\n]|\"[^\"$`\n]*\"|'[^'\n]*'|>&|&>)+?)\s*&&\s*echo\s+([\w.-]+)"
    r"\s*\|\|\s*echo\s+([\w.-]+)\s*\)"
).fullmatch


def substitution(shell: Shell, part: CommandPart) -> Known:
    """`$(...)` with the variables it reads set in front of it, so that it stands on its own."""
    raw = shell.source.text[part.start : part.end]
    if _PWD(raw) and "cd" not in shell.options:
        given = shell.scalar("PWD")
        return Var("PWD") if given is None else given.value
    if raw[0] == "~":
        return ShellOnly(f"$(printf %s {raw})")
    shell.say("SYN140", f"`{raw.splitlines()[0][:60]}` is not run", part.start, part.end)
    made, names = prelude(shell, raw)
    if (choice := _CHOICE(raw)) is not None:
        condition = f"( {made}{choice[1]} )" if made else choice[1]
        return Branch(condition, choice[2], choice[3])
    if not made or not raw.startswith("$("):
        return ShellOnly(raw, names)
    return ShellOnly(f"$({made}{raw[2:]}", names)
