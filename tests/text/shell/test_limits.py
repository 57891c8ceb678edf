"""Scripts that ask for too much: read in bounded time, and what is left out is said. The launch behind is read."""

from __future__ import annotations

import resource
import time

import pytest

from rftconf.text.read.read import read
from rftconf.text.read.read_options import ReadOptions
from rftconf.text.shell.pattern import compiled
from rftconf.text.source import Source

RUN = "\npython3 -m verl.trainer.main_ppo a.b=1 c.d=2 e.f=3"
DIGITS = "9" * 5000
HOSTILE = {
    "alternatives that overlap": f"X={'a' * 40}\nif [[ $X == +(a|aa)+(a|aa)b ]]; then :; fi",
    "groups inside groups": f"Y={'a' * 400}\nY=${{Y//*(*(a)*(a))b/c}}; Z=${{X%%+(a|aa|+(a))b}}",
    "many stars": f"X={'a' * 390}\n[[ $X == *a*a*a*a*a*a*ab ]]; Y=${{X%%*a*b*a*c}}",
    "arms that merge": "A=()\nfor i in {1..30}; do\nif grep -q $i f; then A+=(a$i); continue; fi\nA+=(c$i)\ndone",
    "an array that doubles": "A=(1 2)\n" + 'A=("${A[@]}" "${A[@]}")\n' * 25,
    "a text that doubles": "A=12\n" + 'A="$A$A"\n' * 40,
    "braces that are not closed": f"A=({'{' * 20000})",
    "braces inside braces": f"A=({'{a,' * 5000}b{'}' * 5000})",
    "ranges": "\n".join(["A=({1..9999})"] * 2000),
    "parentheses": ")" * 20000,
    "parentheses apart": ") " * 20000,
    "loops inside loops": "".join(f"for i{k} in {{1..10}}; do\n" for k in range(20)) + "X=$i1\n" + "done\n" * 20,
    "loops of unknown length": "".join(f"while grep {k} f; do\n" for k in range(30)) + "X=$X$X\n" + "done\n" * 30,
    "a million turns": "for ((i=0;i<1000000;i++)); do for ((j=0;j<1000000;j++)); do n=$((n+i*j)); done; done",
    "a list that grows": 'for i in {1..9999}; do A+=(x$i); B="$B,$i"; done',
    "functions that call two": "".join(f"f{k}() {{ f{k + 1}; f{k + 1}; }}\n" for k in range(28)) + "f28() { :; }\nf0",
    "a function that calls itself": "f() { f; }; f",
    "eval of itself": 'X=\'eval "$X"\'\neval "$X"',
    "a script that runs itself": 'bash $0; source "$0"; bash run.sh; ./run.sh',
    "patterns of a case": f"case $X in {'a|' * 20000}b) ;; esac",
    "arms of a case": "case $X in " + "".join(f"a{k}) Y=$Y{k};;\n" for k in range(3000)) + "esac",
    "long numbers": f"n={DIGITS}\nfor i in 1; do break {DIGITS}; done\nshift {DIGITS}\nunset 'A[{DIGITS}]'\nx=$((1#{DIGITS}))\n[ $n -gt 5 ]",
    "digits that are none": "shift \u00b2\nfor i in 1; do break \u00b3; done",
    "terminals": "tmux send-keys -t a 'tmux send-keys -t a x Enter' Enter\n" * 500,
    "private characters": '\U000f0000=1\nbash -c "$X\U000f0005 $Y"',
}


@pytest.mark.parametrize("name", HOSTILE)
def test_what_is_behind_is_read_in_bounded_time(name: str) -> None:
    began, before = time.process_time(), resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    document = read(Source("run.sh", HOSTILE[name] + RUN), ReadOptions())
    assert time.process_time() - began < 5
    assert [leaf.key for leaf in document.leaves] == ["a.b", "c.d", "e.f"]
    assert document.readable
    # other tests have run in this process: what counts is by how much its peak grows, in kilobytes
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before < 400_000


def test_what_is_left_out_is_said_and_what_it_sets_is_open() -> None:
    text = "x=1\nf() { x=2; f; }; f\npython3 -m verl.trainer.main_ppo a.b=$x c.d=2 e.f=3\n"
    document = read(Source("run.sh", text), ReadOptions())
    (diagnostic,) = [d for d in document.diagnostics if d.code == "SYN198"]
    assert diagnostic.place is not None
    assert diagnostic.place.span.line == 2
    assert not isinstance(document.last()["a.b"].value, (int, str))


@pytest.mark.parametrize("text", ["cat >", "cat <", "cat <<", "cat >(", "cat <<<", "x=$(", "a=(", "cat 2>", "cat &>"])
def test_a_script_that_ends_in_the_middle(text: str) -> None:
    assert not read(Source("run.sh", text), ReadOptions()).readable


@pytest.mark.parametrize(
    ("pattern", "text", "matches"),
    [
        ("*", "", True),
        ("a*b?c", "axxbyc", True),
        ("a*b?c", "axxbc", False),
        ("+(a|aa)b", "aaab", True),
        ("+(a|aa)", "", False),
        ("*(ab)c", "ababc", True),
        ("?(x)y", "y", True),
        ("?(x)y", "xxy", False),
        ("@(a*|b)[0-9]", "axx7", True),
        ("@(a|+(b|c))d", "bcbd", True),
        ("[[:digit:]]*", "7x", True),
        ("[!a]", "a", False),
    ],
)
def test_patterns(pattern: str, text: str, matches: bool) -> None:
    new_pattern = compiled(((pattern, False),))
    assert new_pattern is not None
    assert new_pattern.matches(text) is matches


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("python3 -m x.y a.b=1 # eight \\\n  c.d=2\n", "SYN110"),
        ("python3 -m x.y a.b=1 \\ # eight\n  c.d=2\n", "SYN111"),
    ],
)
def test_a_comment_that_cuts_the_command_is_said(text: str, code: str) -> None:
    assert code in [d.code for d in read(Source("run.sh", text), ReadOptions()).diagnostics]


@pytest.mark.parametrize("path", ["<your_model>", "<your model>/x", "/a/<path>/b", "<path>/m"])
def test_a_path_that_is_left_to_fill_is_one_word(path: str) -> None:
    text = f"cd <your_path>\nM={path.replace(' ', '_')}\npython3 -m verl.trainer.main_ppo a.b=1 c.d=2 m={path} e.f=$M\n"
    words = read(Source("run.sh", text), ReadOptions())
    assert {"a.b", "c.d"} <= {leaf.key for leaf in words.leaves}
    assert not [d for d in words.diagnostics if d.code in ("SYN101", "SYN102")]


@pytest.mark.parametrize("pattern", [r"scope\ ([^ ]+)", "(a b)", "^([0-9]+)$", "(a|b)c", "x(", "((a b) c)"])
def test_blanks_between_brackets_belong_to_a_pattern(pattern: str) -> None:
    text = f'if [[ "$X" =~ {pattern} ]]; then N=1; fi\npython3 -m verl.trainer.main_ppo a.b=1 c.d=2\n'
    words = read(Source("run.sh", text), ReadOptions())
    assert {leaf.key for leaf in words.leaves} == {"a.b", "c.d"}
    assert not [d for d in words.diagnostics if d.code in ("SYN101", "SYN102")]
