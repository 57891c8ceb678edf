"""`read` from a text that stands in the script and `printf -v`: their variables hold what bash gives them, or stay unknown."""

from __future__ import annotations

import shutil
import subprocess

import pytest

from rftconf.base.symbols import Expr
from rftconf.text.shell.reader import read_script

KNOWN = (
    *("read -r a <<< 'x  y '", "read a b <<< ' one two  three '", "read -r a b c <<< 'x y'", "read a <<< ''", "read -r a <<< 'x\\y'"),
    *("read a b << E\n1 2 3\n4\nE", "read -r a << 'E'\n$HOME x\nE", "x=v; read a b <<< \"$x w\"", "read -r a < /dev/null <<< z"),
    *("IFS=, read a b <<< 'x,y'", "IFS=',' read -r a b <<< 'x, y,z,'", "IFS=: read a b <<< 'x:y:'", "IFS=, read a b c <<< 'x,y'"),
    *("IFS=, read a <<< ' x,'", "IFS=, read a <<< 'x,,'", "IFS=' ' read a b <<< ' x  y '", "IFS=, read a b <<< ''"),
    *("printf -v a '%s-%s' x y", "printf -v a '%02d' 3", "printf -v a plain", "printf -v a '%s' 'x y'", "printf -v b '%d%%' 7"),
)  # fmt: skip
UNKNOWN = (
    *("read -r a < /etc/hostname", "read -n 1 a <<< xyz", "IFS=';,' read a b <<< 'x,y'", "read a <<< 'x\\ y'", "read -n 2 -a a <<< 'x y'"),
    *("printf -v a '%q' 'x y'", "printf -v a '%s' x y", "printf -v a '\\t'", "read -r a <<< $(date)"),
)  # fmt: skip


def _variables(lines: str) -> dict[str, object]:
    variables = read_script("run.sh", f"a=0 b=0 c=0\n{lines}\n").variables
    return {name: variables[name] for name in "abc"}


@pytest.mark.skipif(shutil.which("bash") is None, reason="bash is not here")
@pytest.mark.parametrize("lines", KNOWN)
def test_variables_hold_what_bash_gives_them(lines: str) -> None:
    """The lines above are this test's own; bash is asked what it makes of them."""
    script = f'a=0 b=0 c=0\n{lines}\nprintf "%s\\0" "$a" "$b" "$c"\n'
    answer = subprocess.run(["bash", "-c", script], capture_output=True, text=True, timeout=20, check=True).stdout
    assert list(_variables(lines).values()) == answer.split("\0")[:3]


@pytest.mark.skipif(shutil.which("bash") is None, reason="bash is not here")
@pytest.mark.parametrize("line", ["x y", " x  y ", "", "x"])
@pytest.mark.parametrize("options", ["-a", "-ra", "-r -a"])
def test_an_array_of_blanks_holds_what_bash_gives_it(options: str, line: str) -> None:
    ours, theirs = _arrays(f"read {options} list <<< '{line}'")
    assert ours == theirs


@pytest.mark.skipif(shutil.which("bash") is None, reason="bash is not here")
@pytest.mark.parametrize("line", ["4,5", "4", "", ",", "4,,5", ",4", "4,", "4,,", " 4, 5 "])
def test_an_array_of_marks_holds_what_bash_gives_it(line: str) -> None:
    """`IFS=, read -ra` is how scripts count the GPUs of CUDA_VISIBLE_DEVICES."""
    ours, theirs = _arrays(f"IFS=',' read -ra list <<< \"{line}\"")
    assert ours == theirs


def _arrays(command: str) -> tuple[list[object], list[object]]:
    """Return the size, the first element and all elements of the array: as they are read here, and as bash has them."""
    script = f'{command}\na=${{#list[@]}} b="${{list[0]}}" c="${{list[*]}}"\n'
    answer = subprocess.run(
        ["bash", "-c", f'{script}printf "%s\\0" "$a" "$b" "$c"'], capture_output=True, text=True, timeout=20, check=True
    )
    return list(_variables(script).values()), list(answer.stdout.split("\0")[:3])


@pytest.mark.parametrize("lines", UNKNOWN)
def test_what_is_not_followed_stays_unknown(lines: str) -> None:
    assert any(isinstance(value, (Expr, list)) for value in _variables(lines).values())


@pytest.mark.skipif(shutil.which("bash") is None, reason="bash is not here")
@pytest.mark.parametrize("text", ["x", ""])
def test_read_succeeds_where_a_line_is_there(text: str) -> None:
    lines = f"read -r a << E && c=yes || c=no\n{text}\nE" if text else "read -r a << E && c=yes || c=no\nE"
    assert _variables(lines)["c"] == ("yes" if text else "no")
