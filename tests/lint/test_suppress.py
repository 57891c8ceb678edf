"""Comments that silence, in YAML and in shell, and those that silence nothing."""

from __future__ import annotations

import pytest

from rftconf.base.diagnostics import Diagnostic, Severity
from rftconf.base.patch import apply
from rftconf.base.span import LineIndex, Place
from rftconf.lint import suppress

YAML = "a:\n  b: 1  # rftconf: ignore[BAT001] as in the paper\n  c: 2\n  # rftconf: ignore[KEY]\n  d: 3\n"
SHELL = "# rftconf: ignore[BAT001]\npython3 -m x \\\n  a=1 \\\n  b=2\nc=3\n"


def at(text: str, line: int, code: str = "BAT001") -> Diagnostic:
    start = sum(len(name) + 1 for name in text.split("\n")[: line - 1])
    return Diagnostic(code, Severity.ERROR, "m", Place("f", LineIndex(text).span(start, start + 1)))


@pytest.mark.parametrize(
    ("text", "line", "code", "remaining"),
    [
        (YAML, 2, "BAT001", ["SYN601"]),
        (YAML, 2, "BAT002", ["BAT002", "SYN601", "SYN601"]),
        (YAML, 5, "KEY004", ["SYN601"]),
        (YAML, 3, "BAT001", ["BAT001", "SYN601", "SYN601"]),
        (SHELL, 2, "BAT001", []),
        (SHELL, 4, "BAT001", []),
        (SHELL, 5, "BAT001", ["BAT001", "SYN601"]),
        # a comment does not go on in the next line, whatever it ends with
        ("# rftconf: ignore[BAT001]\npython3 -m x \\\n# and \\\n  a=1\n", 4, "BAT001", ["BAT001", "SYN601"]),
        ("# rftconf: ignore[BAT001]\n\n# rftconf: ignore[BAT]\n\na: 1\n", 5, "BAT001", []),
        ("# rftconf: ignore-file[BAT]\na: 1\nb: 2\n", 3, "BAT001", []),
        ("a: 1  # rftconf: ignore\n", 1, "SEC001", []),
        ("a: 1  # rftconf:ignore[ bat001 , KEY001 ]\n", 1, "BAT001", ["SYN601"]),
    ],
)
def test_what_is_left(text: str, line: int, code: str, remaining: list[str]) -> None:
    assert [d.code for d in suppress.apply("f", text, [at(text, line, code)])] == remaining


def test_the_fix_takes_the_comment_out() -> None:
    text = "a: 1  # rftconf: ignore[BAT001]\n# rftconf: ignore\nb: 2\n"
    diagnostics = suppress.apply("f", text, [])
    assert [d.code for d in diagnostics] == ["SYN601", "SYN601"]
    assert apply(text, [p for d in diagnostics if d.fix for p in d.fix.patches]) == "a: 1\nb: 2\n"


def test_codes_that_were_not_looked_for_are_not_called_unused() -> None:
    assert suppress.apply("f", YAML, [], known=("DIA001",)) == []
