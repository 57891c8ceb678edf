"""Parameters that bash 5.2 expands, and those that it calls a bad substitution, by its own answers."""

from __future__ import annotations

import shutil
import subprocess

import pytest

from rftconf.text.shell.reader import read_script

BEFORE = "e=\nx=(abc bcd)\nr=y\ny=val\nn=1\ndeclare -A m\nm[a.b]=1\nset -- one two a\n"
EXPANDED = (
    *("x~", "x~~", "x~a", "x~~[ab]", "x@Q", "x@U", "x@a", "x^^", "x,,", "x^a", "x[0]", "x[@]", "#x[@]", "x[@]:1:2", "x[n]:-d"),
    *("x: -2", "x:0:-1", "x:(-1)", "x:n", "e#${y.z}", "e%%${y.z}", "x//a/b", "x/#a/b", "x/%a/b", "x//./_", "x##*/", "x%.*", "!r", "!x@", "!x*", "!x[@]"),
    *("x:-${y.z}", "x:-a.b", "q:-a.b", "q:-\\${y.z\\}", "q:+${y.z}", "m[a.b]", "m['a.b']", "#m[a.b]", "!m[@]"),
    *("x\\\n:-d", "x\\\n", "\\\nx:-d", "x\\\n\\\n%a", "x\\\ny:-a", "@", "*", "#", "?", "$", "@:1:2", "1:-d", "10:-d", "#1", "##"),
)  # fmt: skip
BAD = ("a.b", "oc.env:HOME", "actor.model", "q:-${y.z}", "x:+${y.z}", "x ", "x!", "x\\\n.b", "a.b:-d", "x;", "x#${y.z}")


def _script(inside: str, quote: str) -> str:
    return f"{BEFORE}python3 -m x.y {quote}a=${{{inside}}}{quote}\n"


@pytest.mark.parametrize("quote", ["", '"'])
@pytest.mark.parametrize("inside", [*EXPANDED, *BAD])
def test_a_parameter_that_bash_expands_is_no_error(inside: str, quote: str) -> None:
    codes = [finding.code for finding in read_script("run.sh", _script(inside, quote)).diagnostics]
    assert ("SYN153" in codes) is (inside in BAD)


@pytest.mark.skipif(shutil.which("bash") is None, reason="bash is not here")
@pytest.mark.parametrize("inside", [*EXPANDED, *BAD])
def test_bash_gives_the_same_answer(inside: str) -> None:
    """The lists above are bash's: only the parameter is expanded, nothing else of the script is there."""
    echoed = subprocess.run(
        ["bash", "-c", f'{BEFORE}: "${{{inside}}}"\n'], capture_output=True, text=True, timeout=20, check=False
    )
    assert ("bad substitution" in echoed.stderr) is (inside in BAD), echoed.stderr
