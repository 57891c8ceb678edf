"""`$(...)`: kept as it is written, never run."""

from __future__ import annotations

import re

from rftconf.base.symbols import Branch, ShellOnly, Text, Var, text
from rftconf.text.shell.parse.expandable import can_expand
from rftconf.text.shell.parse.nodes import CommandPart
from rftconf.text.shell.state.self_contained_condition import prelude
from rftconf.text.shell.state.state import Shell
from rftconf.text.shell.values import Known

_PWD = re.compile(r"\$\(\s*pwd\s*\)|`\s*pwd\s*`").fullmatch

# A program asked whether something is there, and one word for either answer.
_CHOICE = re.compile(
    r"\$\(\s*((?:[^&|;()`\"'\n]|\"[^\"$`\n]*\"|'[^'\n]*'|>&|&>)+?)\s*&&\s*echo\s+([\w.-]+)"
    r"\s*\|\|\s*echo\s+([\w.-]+)\s*\)"
).fullmatch


# Comments in the place of commands, as in `# why this key` behind an argument.
_NOTHING = re.compile(r"`(?:\s|#[^\n`]*\n)*(?:#[^\n`]*)?`|\$\((?:\s|#[^\n]*\n)*\)").fullmatch


def without_ends(value: Known) -> Known:
    """Return a command's output without the line ends behind it, as a substitution does."""
    if isinstance(value, str):
        return value.rstrip("\n")
    if isinstance(value, Text) and isinstance(last := value.parts[-1], str):
        return text(*value.parts[:-1], last.rstrip("\n"))
    return value


def substitution(shell: Shell, part: CommandPart) -> Known:
    """`$(...)` with the variables it reads set in front of it, so that it stands on its own."""
    raw = shell.source.part(part.start, part.end)
    if _NOTHING(raw):
        return ""
    if _PWD(raw) and "cd" not in shell.options:
        word = shell.scalar("PWD")
        return Var("PWD") if word is None else word.value
    if raw[0] == "~":
        return ShellOnly(f"$(printf %s {raw})")
    if not can_expand(raw, 0):
        shell.say_unexpanded(part.start, part.end)
        return ShellOnly(raw)
    shell.say("SYN140", f"`{raw.splitlines()[0][:60]}` is not run", part.start, part.end)
    script, names = prelude(shell, raw)
    if (choice := _CHOICE(raw)) is not None:
        condition = f"( {script}{choice[1]} )" if script else choice[1]
        return Branch(condition, choice[2], choice[3])
    if not script or not raw.startswith("$("):
        return ShellOnly(raw, names)
    return ShellOnly(f"$({script}{raw[2:]}", names)
