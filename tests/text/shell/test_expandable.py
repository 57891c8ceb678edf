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
    *("u#${y.z}", "u%%${y.z}", "u/${y.z}/a", "u^^${y.z}", "u:${y.z}", "u[@]#${y.z}", "9/${y.z}/a", "#?", "#-a", "#-.b", "#:-1"),
    *("x\\\n:-d", "x\\\n", "\\\nx:-d", "x\\\n\\\n%a", "x\\\ny:-a", "@", "*", "#", "?", "$", "@:1:2", "1:-d", "10:-d", "#1", "##"),
)  # fmt: skip
BAD = (
    "a.b",
    "oc.env:HOME",
    "actor.model",
    "q:-${y.z}",
    "x:+${y.z}",
    "x ",
    "x!",
    "x\\\n.b",
    "a.b:-d",
    "x;",
    "x#${y.z}",
    "x[0].b",
    "x[0]c",
    "x[n] ",
    "!x.b",
    "!x[0].b",
    "#x.b",
    "#x[0].b",
    "@.b",
    "1.b",
    "!1.b",
    "#1.b",
    "#@.b",
    "?.b",
    "$.b",
    "-.b",
    "m[a.b].c",
    "e/${y.z}/a",
    "e:${y.z}",
)


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


REDIRECTED = (
    *("echo x > ${a.b}", "echo x > /tmp/${a.b}.log", "echo x 2>> ${a.b}", "echo x >& ${a.b}", "true < ${a.b}", "> ${a.b}"),
    *("{ echo x; } > ${a.b}", "cat <<< ${a.b}", "python3 -m x.y a=1 > /tmp/${a.b}"),
)  # fmt: skip


@pytest.mark.parametrize("line", REDIRECTED)
def test_a_file_that_bash_cannot_name_is_an_error(line: str) -> None:
    assert "SYN153" in [finding.code for finding in read_script("run.sh", f"{line}\n").diagnostics]


@pytest.mark.skipif(shutil.which("bash") is None, reason="bash is not here")
@pytest.mark.parametrize("line", REDIRECTED)
def test_bash_cannot_name_it_either(line: str) -> None:
    answer = subprocess.run(["bash", "-c", line], capture_output=True, text=True, timeout=20, check=False)
    assert "bad substitution" in answer.stderr


def test_a_trap_fails_when_the_run_is_over() -> None:
    """Its words are expanded where it is set, its command when the script ends."""
    codes = [
        finding.code for finding in read_script("run.sh", "trap 'echo ${a.b}' EXIT\npython3 -m x.y a=1\n").diagnostics
    ]
    assert "SYN153" not in codes
    assert "SYN153" in [finding.code for finding in read_script("run.sh", 'trap "echo ${a.b}" EXIT\n').diagnostics]
