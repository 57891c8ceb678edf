"""`$(basename $MODEL)` and its like: the text is what the programs print, or stays as it is written."""

from __future__ import annotations

import subprocess

import pytest

from rftconf.base.symbols import Expr, ShellOnly, Text, Var
from rftconf.text.read.read import read
from rftconf.text.source import Source

LINE = "python3 -m verl.trainer.main_ppo trainer.experiment_name="
KNOWN = (
    *(
        "basename /models/Qwen2.5-7B",
        "basename /models/Qwen/",
        "basename run.sh .sh",
        "basename .sh .sh",
        "basename /",
        "basename ///",
    ),
    *(
        "dirname /models/Qwen2.5-7B",
        "dirname /models/",
        "dirname run.sh",
        "dirname /",
        "dirname a//b",
        "dirname a/b/c//",
    ),
    *("echo a b", 'echo "a  b"', "echo -n a", "echo $MODEL", "echo ${MODEL##*/}", "echo '$MODEL'", "echo"),
    *("printf '%s-%02d' a 3", "printf '%s%%' 5", "printf %d 12", "printf x"),
    *("expr 3 + 4", "expr 7 / 2", "expr -7 / 2", "expr -7 % 3", "expr 3 \\* 4"),
    *("expr 1 + 2 + 3", "expr 2 + 3 \\* 4 - 1", "expr 7 / 2 \\* 2", "expr 1 - -6 % 4", "expr 9 - 2 - 3"),
    *("expr length abc", "expr length 'a b'", "expr length -1", "expr length ''", "expr substr hello 2 3"),
    *("expr substr hello 0 3", "expr substr hello 2 99", "expr substr hello 3 -1"),
    *(
        "echo a/b/c | tr / _",
        "echo Qwen | tr A-Z a-z",
        "echo Qwen | tr '[:upper:]' '[:lower:]'",
        "echo a-b-c | tr -d -",
        "echo aXbX | tr -d X",
    ),
    *(
        "echo 'a b' | tr ' ' _",
        "echo abc | tr abc x",
        "echo aa | tr aa bc",
        "echo a.b | tr . _",
        "echo a,b | tr ',' '\\n' | tr '\\n' ' '",
    ),
    *(
        "echo a/b/c | cut -d/ -f2",
        "echo a/b | cut -d / -f 3",
        "echo ab | cut -d/ -f2",
        "echo a:b | cut -f1 -d:",
        "basename /m/a-b | cut -d- -f1",
    ),
    *(
        "echo 4,5,6 | tr ',' '\\n' | wc -l",
        "echo -n 4 | wc -l",
        "echo 'a b  c' | wc -w",
        "echo 4,5,6 | awk -F',' '{print NF}'",
        "echo 4,5,6 | awk -F , '{ print $2 }'",
        "echo ' a  b ' | awk '{print $NF}'",
        "echo 'a b' | awk '{print $5}'",
        "echo '' | awk -F, '{print NF}'",
        "echo a,b | tr , '\\n' | awk '{print $1;}'",
    ),
    *(
        "echo a/b/a | sed 's#/#_#g'",
        "echo a/b/a | sed s/a/x/",
        "echo a.b | sed 's/\\./_/'",
        "echo a/b | sed 's/\\//-/g'",
        "echo abc | sed 's/b//'",
    ),
    *(
        "cd / && pwd",
        "cd /usr/../usr/bin && pwd",
        "cd -- /usr && pwd",
        "basename $(dirname /a/b/c)",
        "dirname $(dirname /a/b/c/d)",
    ),
    *(
        "echo a 2>/dev/null",
        "basename $(cd /usr/bin && pwd)",
        "cd /usr >/dev/null 2>&1 && pwd",
        "cd /usr &> /dev/null && pwd",
        "dirname /a/b 2>&1",
    ),
)
OPEN = (
    *(
        "date",
        "hostname",
        "ls /",
        "cat /etc/passwd",
        "wc -l < x",
        "nproc",
        "seq 1 3",
        "echo 1 | bc",
        "echo $OTHER",
        "basename $OTHER",
    ),
    *(
        "echo -e 'a\\tb'",
        "printf 'a\\n'",
        "printf %x 3",
        "printf '%s %s' a",
        "expr 1 / 0",
        "expr 1 + 2 % 0",
        "expr 1 + 2 : 3",
        "expr 1 + 2 +",
        "expr length é",
        "expr length length",
        "expr length",
        "expr index abc b",
        "expr substr hello 1",
        "tr a b < x",
        "tr a b",
    ),
    *(
        "echo a | tr -s a",
        "echo a | tr -c a b",
        "echo a | cut -c1",
        "echo a | sed -n p",
        "echo a | sed 's/.*/x/'",
        "echo a | sed 's/a/&&/'",
    ),
    *(
        "cd x && pwd",
        "cd /usr && ls",
        "cd /usr; pwd",
        "cd /usr || pwd",
        "echo *",
        "echo /d/*.parquet",
        "basename /m/*",
        "echo $STAR",
        "echo a[b]",
        "echo a > x",
        "echo a && echo b",
        "X=1 echo a",
        "echo ${X:=3}",
    ),
    *(
        "echo $((X = 3))",
        "echo a | xargs",
        "echo a &",
        "basename",
        "dirname a b",
        "basename a b c",
        "dirname --help",
        "basename -a x",
    ),
)


def value_of(command: str, front: str = "") -> str | Expr:
    """Return the run's name, which a script takes from a command."""
    script = f'MODEL=/models/Qwen2.5-7B\nSTAR=a*\n{front}NAME="$({command})"\n{LINE}"\\"$NAME\\""\n'
    (leaf,) = read(Source("run.sh", script)).leaves
    assert isinstance(leaf.value, (str, Expr))
    return leaf.value


@pytest.fixture(scope="module")
def of_bash() -> dict[str, str]:
    """Return what bash prints for each command, without line ends."""
    script = "MODEL=/models/Qwen2.5-7B\n" + "".join(f'printf "%s\\0" "$({command})"\n' for command in KNOWN)
    done = subprocess.run(
        ["bash", "-c", script],
        capture_output=True,
        text=True,
        check=False,
        cwd="/",
        env={"PATH": "/usr/bin:/bin", "LC_ALL": "C"},
    )
    return dict(zip(KNOWN, done.stdout.split("\0"), strict=False))


@pytest.mark.parametrize("command", KNOWN)
def test_text_is_what_bash_makes_of_it(of_bash: dict[str, str], command: str) -> None:
    assert value_of(command) == of_bash[command]


@pytest.mark.parametrize("command", OPEN)
def test_what_only_running_it_would_tell_stays_as_it_is_written(command: str) -> None:
    assert isinstance(value_of(command), ShellOnly | Text)


@pytest.mark.parametrize(
    ("command", "value"), [("basename $ROOT/m/Qwen", "Qwen"), ("dirname $ROOT/m/Qwen", Text((Var("ROOT"), "/m")))]
)
def test_the_end_of_a_path_is_known_where_its_beginning_is_not(command: str, value: str | Expr) -> None:
    assert value_of(command) == value


def test_a_function_of_the_script_is_not_the_program_of_that_name() -> None:
    assert value_of("basename /a/b", "basename() { date; }\n") == Var("OUTPUT_OF_BASENAME")


def test_the_folder_of_a_script_follows_from_where_it_is_said_to_lie() -> None:
    front = 'BASH_SOURCE=/repo/scripts/run.sh\nHERE="$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)"\n'
    assert value_of('cd "$HERE/.." && pwd', front) == "/repo"


def test_a_text_keeps_the_variables_that_it_came_from() -> None:
    script = f"MODEL=/models/Qwen\nNAME=$(basename $MODEL)\n{LINE}$NAME\n"
    (leaf,) = read(Source("run.sh", script)).leaves
    assert [via.name for via in leaf.via] == ["NAME", "MODEL"]


def test_a_text_that_multiplies_stays_as_it_is_written() -> None:
    grow = " | ".join(["echo aaaaaaaaaa"] + [f"sed s/a/{'a' * 100}/g"] * 5)
    assert isinstance(value_of(grow), ShellOnly)
