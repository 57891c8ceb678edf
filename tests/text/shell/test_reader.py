"""Reading launch scripts: values, places, what is said, what is bound, what stays open."""

from __future__ import annotations

import time

import pytest

from rftconf.base.diagnostics import Severity
from rftconf.base.symbols import Arith, Branch, Expr, ShellOnly, Text, Value, Var
from rftconf.text.shell import Command, Script, Word, read_script
from rftconf.text.shell.state.codes import CODES


def only(text: str, **options: object) -> Command:
    (command,) = read_script("run.sh", text, **options).commands  # type: ignore[arg-type]
    return command


def values(text: str, **options: object) -> list[str | Expr]:
    return [word.value for word in only(text, **options).arguments]


def value(text: str, **options: object) -> str | Expr:
    (new_text,) = values(text, **options)
    return new_text


def codes(script: Script) -> list[str]:
    return [d.code for d in script.diagnostics]


def at(text: str, word: Word) -> str:
    return text[word.place.span.start : word.place.span.end]


class TestPlaces:
    TEXT = (
        "lr=${LR:-1e-6}\n"
        "DATA=(\n"
        "    # the optimizer\n"
        "    actor.optim.lr=$lr\n"
        "    data.files=\"['/a','/b']\"\n"
        ")\n"
        'python3 -m verl.trainer.main_ppo "${DATA[@]}" trainer.n=8\n'
    )

    def test_an_override_stands_in_its_array(self) -> None:
        rate, files, count = only(self.TEXT).arguments
        assert (str(rate.place), at(self.TEXT, rate)) == ("run.sh:4:5", "actor.optim.lr=$lr")
        assert at(self.TEXT, files) == "data.files=\"['/a','/b']\""
        assert (str(count.place), at(self.TEXT, count)) == ("run.sh:7:47", "trainer.n=8")

    def test_the_variable_behind_it(self) -> None:
        (via,) = only(self.TEXT).arguments[0].via
        span = via.place.span
        assert (via.name, self.TEXT[span.start : span.end]) == ("lr", "${LR:-1e-6}")

    def test_offsets_map_to_characters(self) -> None:
        rate, files, _ = only(self.TEXT).arguments
        assert isinstance(files.value, str)
        span = files.span_at(files.value.index("/b"), files.value.index("/b") + 2).span
        assert self.TEXT[span.start : span.end] == "/b"
        key, number = rate.span_at(0, len("actor.optim.lr")).span, rate.span_at(len("actor.optim.lr=")).span
        assert self.TEXT[key.start : key.end] == "actor.optim.lr"
        assert self.TEXT[number.start : number.end] == "$lr"

    def test_overrides_in_a_string_are_found_in_the_string(self) -> None:
        text = 'n=4\nARGS="\n  a.b=1 \\\n  c.d=$n"\npython3 -m x.y $ARGS\n'
        first, second = only(text).arguments
        assert (at(text, first), first.place.span.line) == ("a.b=1", 3)
        assert (at(text, second), second.place.span.line) == ("c.d=$n", 4)
        assert [v.name for v in second.via] == ["n"]

    def test_a_chain_of_variables_nearest_first(self) -> None:
        text = "a=1\nb=$a\nc=x$b\npython3 -m x.y k=$c\n"
        (word,) = only(text).arguments
        assert [v.name for v in word.via] == ["c", "b", "a"]
        origin = word.origin_at(3).span
        assert text[origin.start : origin.end] == "1"

    def test_windows_ends_and_byte_order_mark(self) -> None:
        text = "\ufeffx=8\r\npython3 -m x.y \\\r\n  a=$x \\\r\n  b=2\r\n"
        script = read_script("run.sh", text)
        first, second = script.commands[0].arguments
        assert (first.value, second.value) == ("a=8", "b=2")
        assert (at(text, first), at(text, second), second.place.span.line) == ("a=$x", "b=2", 4)
        assert codes(script) == ["SYN112"]

    def test_sourced_files_have_their_own_places(self) -> None:
        script = read_script("run.sh", "source conf/a.sh\npython3 -m x.y $x\n", sources={"conf/a.sh": "\nx=7\n"})
        (word,) = script.commands[0].arguments
        assert word.value == "7"
        assert str(word.via[0].place) == "conf/a.sh:2:3"


class TestUnknown:
    @pytest.mark.parametrize(
        ("word", "expected"),
        [
            ("$MODEL", Var("MODEL")),
            ("p=$HOME/d", Text(("p=", Var("HOME"), "/d"))),
            ("~/d", Text((Var("HOME"), "/d"))),
            ("$((N * 4))", Arith("*", Var("N"), 4)),
            ("$((N / 4))", ShellOnly("$((N / 4))", ("N",))),
            ("$(nproc)", ShellOnly("$(nproc)")),
            ("$(pwd)/x", Text((Var("PWD"), "/x"))),
            ("${X##*/}", ShellOnly("${X##*/}", ("X",))),
            ("${X:-d}", "d"),
            ("${HOME:-/root}", Var("HOME")),
        ],
    )
    def test_what_the_script_does_not_tell_stays_an_expression(self, word: str, expected: str | Expr) -> None:
        assert value(f"python3 -m x.y {word}\n") == expected

    def test_substitutions_take_along_what_they_read(self) -> None:
        text = value('m=Qwen/Q3\npython3 -m x.y "$(models $m)"\n')
        assert text == ShellOnly('$(m="Qwen/Q3"; models $m)')

    def test_known_tail_of_an_unknown_path(self) -> None:
        assert value("p=$ROOT/models/Q3\npython3 -m x.y ${p##*/}\n") == "Q3"

    def test_both_arms(self) -> None:
        text = "if [ -f /x ]; then n=1; else n=2; fi\npython3 -m x.y n=$n\n"
        assert value(text) == Text(("n=", Branch("[ -f /x ]", "1", "2")))
        assert codes(read_script("run.sh", text)) == ["SYN130"]

    def test_arithmetic_reaches_into_arms(self) -> None:
        text = "if [ -f /x ]; then n=1; else n=2; fi\npython3 -m x.y $((n * 10))\n"
        assert value(text) == Branch("[ -f /x ]", "10", "20")

    def test_an_argument_that_is_there_in_one_arm(self) -> None:
        words = only("A=(a=1)\nif [ -f /x ]; then A+=(b=2); fi\nA+=(c=3)\npython3 -m x.y ${A[@]}\n").arguments
        assert [(w.value, w.condition) for w in words] == [("a=1", None), ("b=2", "[ -f /x ]"), ("c=3", None)]

    def test_an_arm_that_leaves_tells_nothing(self) -> None:
        assert value("n=1\nif [ ! -f /x ]; then n=2; exit 1; fi\npython3 -m x.y $n\n") == "1"

    def test_launches_in_both_arms(self) -> None:
        script = read_script("run.sh", "if nvidia-smi; then python3 -m a.b; else python3 -m c.d; fi\n")
        assert [(c.program, c.condition) for c in script.commands] == [
            ("a.b", "nvidia-smi"),
            ("c.d", "! { nvidia-smi; }"),
        ]

    def test_the_names_that_are_missing(self) -> None:
        script = read_script("run.sh", "x=$A/b\npython3 -m x.y $x $((N*2))\n")
        assert [(u.name, u.place.span.line) for u in script.unresolved] == [("A", 2), ("N", 2)]

    def test_what_a_read_or_an_endless_loop_sets(self) -> None:
        assert isinstance(value("x=1\nread x\npython3 -m x.y $x\n"), ShellOnly)
        assert isinstance(value("x=1\nwhile ! ready; do x=$((x+1)); done\npython3 -m x.y $x\n"), ShellOnly)


class TestBindings:
    def test_a_binding_wins_over_a_default(self) -> None:
        assert value("n=${N:-1}\npython3 -m x.y $n\n", bindings={"N": 8}) == "8"

    def test_a_binding_wins_over_the_first_assignment(self) -> None:
        assert value("N=1\npython3 -m x.y $N\n", bindings={"N": 8}) == "8"
        assert value("N=1\nN=$((N * 2))\npython3 -m x.y $N\n", bindings={"N": 8}) == "16"

    def test_a_later_assignment_is_the_scripts(self) -> None:
        assert value("N=1\nN=2\npython3 -m x.y $N\n", bindings={"N": 8}) == "2"

    @pytest.mark.parametrize("assigned", ["N=$(nproc)", "export N=`nproc`", "f() { N=$(nproc); }\nf\nf", "N=$X"])
    def test_what_the_script_cannot_tell_gives_way_to_a_binding(self, assigned: str) -> None:
        text = f"{assigned}\npython3 -m x.y n=$N\n"
        script = read_script("run.sh", text, bindings={"N": 8})
        assert script.commands[0].arguments[0].value == "n=8"
        assert "SYN160" not in codes(script)
        assert isinstance(value(text), Expr)

    def test_what_is_made_from_a_binding_stays(self) -> None:
        folder = value("N=$N/$(date)\npython3 -m x.y $N\n", bindings={"N": "/ckpt"})
        assert isinstance(folder, Expr)

    def test_a_binding_that_is_never_read(self) -> None:
        assert codes(read_script("run.sh", "python3 -m x.y\n", bindings={"N": 8})) == ["SYN160"]

    @pytest.mark.parametrize("new_values", [{"bindings": {"HOME": "/h"}}, {"environment": {"HOME": "/h"}}])
    def test_home(self, new_values: dict[str, dict[str, Value]]) -> None:
        assert value("python3 -m x.y $HOME/d\n", **new_values) == "/h/d"

    def test_arguments(self) -> None:
        assert values('python3 -m x.y n=$# "$@"\n', args=["a b", "c"]) == ["n=2", "a b", "c"]
        assert values('python3 -m x.y "$@"\n') == []

    def test_a_symbolic_binding(self) -> None:
        assert value("python3 -m x.y $((N * 2))\n", bindings={"N": Var("M")}) == Arith("*", Var("M"), 2)


class TestLaunches:
    def test_wrappers_and_environment(self) -> None:
        command = only("export A=1\nB=2 nohup ray job submit --x y -- python3 -m verl.trainer.main_ppo a=1 &\n")
        assert (command.program, command.module, command.wrapper) == (
            "verl.trainer.main_ppo", True, ("nohup", "ray", "job", "submit"),
        )  # fmt: skip
        assert command.env == {"A": "1", "B": "2"}
        assert [w.value for w in command.arguments] == ["a=1"]

    def test_no_launch(self) -> None:
        text = "python3 - <<EOF\nimport os\nEOF\npython3 -c 'print(1)'\necho python3 -m x.y\nls\n"
        assert read_script("run.sh", text).commands == ()

    def test_a_launcher_that_depends_on_the_machine(self) -> None:
        text = 'L=(python3)\nif [ -f /x ]; then L=(uv run python3); fi\n"${L[@]}" -m x.y a=1\n'
        command = only(text)
        assert (command.program, [w.value for w in command.arguments]) == ("x.y", ["a=1"])


class TestWhatIsSaid:
    @pytest.mark.parametrize(
        ("text", "code", "place"),
        [
            ("echo 'open\npython3 -m x.y\n", "SYN101", "run.sh:1:6"),
            ('x="a\n', "SYN101", "run.sh:1:3"),
            ("x=${a:-b\n", "SYN101", "run.sh:1:3"),
            ("x=$(a b\n", "SYN101", "run.sh:1:3"),
            ("x=`a b\n", "SYN101", "run.sh:1:3"),
            ("a=(1 2\n", "SYN101", "run.sh:1:3"),
            ("if true; then\n", "SYN101", "run.sh:1:1"),
            ("fi\n", "SYN102", "run.sh:1:1"),
            ("cat <<EOF\nno end\n", "SYN103", "run.sh:1:5"),
            ("python3 -m x.y \\\n  a=1 \\\n  # why \\\n  b.c=2\n", "SYN110", "run.sh:3:3"),
            ("python3 -m x.y a=1 \\ \n  b.c=2\n", "SYN111", "run.sh:1:20"),
            ("source other.sh\n", "SYN120", "run.sh:1:1"),
            ('eval "$X"\n', "SYN121", "run.sh:1:1"),
            ("x=$(nproc)\n", "SYN140", "run.sh:1:3"),
            ("x=$((1 / 0))\n", "SYN150", "run.sh:1:6"),
            ('python3 a.py "x=${a.b}"\n', "SYN153", "run.sh:1:17"),
            ("x=${N:?needed}\n", "SYN151", "run.sh:1:3"),
            ("f() { f; }; f\n", "SYN198", "run.sh:1:13"),
            ("while true; do :; done\n", "SYN131", "run.sh:1:1"),
        ],
    )
    def test_code_and_place(self, text: str, code: str, place: str) -> None:
        diagnostics = read_script("run.sh", text).diagnostics
        assert (code, place) in [(d.code, str(d.place)) for d in diagnostics]
        assert all(d.severity is CODES[d.code][0] for d in diagnostics)

    def test_a_comment_below_the_last_argument_is_no_loss(self) -> None:
        assert read_script("run.sh", "python3 -m x.y \\\n  a=1 \\\n  # b=2\n\necho done\n").diagnostics == ()

    def test_errors_make_a_script_unreadable(self) -> None:
        assert not read_script("run.sh", "echo 'x\n").readable
        assert read_script("run.sh", "x=$(nproc)\n").readable


BOMBS = {
    "doubling": "x=aaaaaaaaaaaaaaaa\n" + "x=$x$x\n" * 60,
    "doubling unknown": "x=$U\n" + "x=$x$x\n" * 60,
    "doubling numbers": "x=$U\n" + "x=$((x * x))\n" * 60,
    "doubling arms": "x=1\n" + "if [ -f $x ]; then x=$x$x; fi\n" * 60,
    "arms of arms": "x=1\n" + "if [ -f a$x ]; then x=$((x + 1)); fi\n" * 200,
    "braces": "echo " + "{a,b,c,d}" * 30,
    "nested": "$(" * 5000,
    "nested arithmetic": "x=$((" * 3000,
    "nested groups": "{ " * 5000,
    "nested tests": "[[ " + "( " * 5000,
    "nested parameters": "x=" + "${a:-" * 5000,
    "subscripts": "x=$((" + "a[" * 5000 + "]))",
    "parentheses": "x=$((" + "(" * 5000 + "1" + ")" * 5000 + "))",
    "signs": "x=$((" + "- " * 5000 + "1))",
    "patterns": "x=" + "a" * 1500 + "\necho ${x//" + "*a" * 20 + "b/} ${x##" + "*a" * 20 + "b}\n",
    "extended": "x=" + "a" * 300 + "\n[[ $x == +(+(a)|+(a))b ]]\n",
    "recursion": "f() { if [ -f x ]; then f; fi; f; }\nf\n",
    "endless": "for ((;;)); do x+=a; done\n",
    "power": "x=$((9 ** 999999999999999999))\nx=$((2 ** (1 << 62)))\n",
    "references": "a=b b=a\necho $((a))\n",
    "here-documents": "cat " + "<<A " * 2000 + "\n",
    "quotes": "'" * 9999,
    "large": "echo a b c d e f\n" * 100_000,
}


@pytest.mark.parametrize("name", BOMBS)
def test_hostile_scripts_end_soon(name: str) -> None:
    began = time.perf_counter()
    script = read_script("run.sh", BOMBS[name])
    for command in script.commands:
        assert command.place.file == "run.sh"
    assert time.perf_counter() - began < 5
    assert all(d.severity in Severity for d in script.diagnostics)


def test_a_probe_with_one_word_for_either_answer() -> None:
    text = (
        "d=${D:-$(probe 2>/dev/null && echo npu || echo gpu)}\nA=(a=1)\n"
        "case $d in gpu) ;; npu) A+=(b=2) ;; *) exit 1 ;; esac\n"
        "if [ $d = gpu ]; then A+=(c=3); fi\n"
        "python3 -m x.y ${A[@]} d=$d\n"
    )
    words = only(text).arguments
    probe = "probe 2>/dev/null"
    assert [(w.value, w.condition) for w in words[:3]] == [
        ("a=1", None), ("b=2", probe), ("c=3", f"! {{ {probe}; }}"),
    ]  # fmt: skip
    assert words[3].value == Text(("d=", Branch(probe, "npu", "gpu")))
    assert [w.value for w in only(text, bindings={"D": "npu"}).arguments] == ["a=1", "b=2", "d=npu"]
