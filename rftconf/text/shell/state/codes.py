"""The codes of what the shell reader says, each with one line on what it means."""

from __future__ import annotations

from rftconf.base.diagnostics import Severity

CODES: dict[str, tuple[Severity, str]] = {
    "SYN101": (Severity.ERROR, "a quote, `${`, `$(` or backtick is opened and never closed"),
    "SYN102": (Severity.ERROR, "the shell's grammar is broken here; what follows on the line is not read"),
    "SYN103": (Severity.WARNING, "a here-document has no line that ends it"),
    "SYN110": (Severity.WARNING, "a comment line inside a continued command: bash ends the command there"),
    "SYN111": (Severity.WARNING, "a backslash followed by blanks does not continue the line"),
    "SYN112": (Severity.WARNING, "Windows line ends: bash would keep the carriage returns"),
    "SYN113": (Severity.WARNING, "NUL bytes: bash drops them"),
    "SYN120": (Severity.INFO, "a sourced file is not given; what it sets is unknown"),
    "SYN121": (Severity.INFO, "`eval`, `bash -c`, `ssh` of text that is not known"),
    "SYN130": (Severity.INFO, "a condition that the script alone does not decide; both arms are read"),
    "SYN131": (Severity.INFO, "a loop that the script alone does not bound; what it assigns is unknown"),
    "SYN140": (Severity.INFO, "a command substitution; it is never run"),
    "SYN150": (Severity.WARNING, "arithmetic that bash would reject"),
    "SYN151": (
        Severity.INFO,
        "the script ends here before it starts anything; what follows is read, what it asks for stays open",
    ),
    "SYN152": (Severity.WARNING, "a parameter in a here-document that bash cannot expand: the command fails"),
    "SYN153": (Severity.ERROR, "a parameter that bash cannot expand: the command does not run"),
    "SYN160": (Severity.INFO, "a binding that had no effect: the script never reads the name"),
    "SYN161": (Severity.INFO, "a placeholder in angle brackets, which bash would take for redirections"),
    "SYN198": (Severity.WARNING, "part of the script is left out, since there is too much of it"),
    "SYN199": (Severity.ERROR, "the script is larger or deeper than the reader follows"),
}

BREAKING = frozenset({"SYN101", "SYN102", "SYN199"})
"""What keeps a script from being read to its end; a launch that was read before is whole all the same."""
UNEXPANDED = "SYN153"
"""Codes of faults that keep one command from running; they matter where that is the launch."""
