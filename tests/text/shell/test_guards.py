"""Branches that end a script before it starts anything: what stands behind them is read, and what they ask for is named."""

from __future__ import annotations

import pytest

from rftconf.base.diagnostics import Diagnostic
from rftconf.base.symbols import Expr, ShellOnly, Value, Var
from rftconf.text.document import Document
from rftconf.text.read.read import read
from rftconf.text.read.read_options import ReadOptions
from rftconf.text.source import Source

RUN = "python3 -m verl.trainer.main_ppo data.train_batch_size=8 actor_rollout_ref.model.path=$MODEL\n"
FIRST, MODEL = ShellOnly("${1}", ("1",)), Var("MODEL")


def document(text: str, **options: object) -> Document:
    return read(Source("run.sh", text), ReadOptions(**options))  # type: ignore[arg-type]


def model(text: str, **options: object) -> Value:
    new_document = document(text, **options)
    assert new_document.readable
    return new_document.last()["actor_rollout_ref.model.path"].value


def said(text: str, code: str) -> Diagnostic:
    return next(d for d in document(text).diagnostics if d.code == code)


GUARDS = {
    "an unset variable": ('[ -z "$MODEL" ] && exit 1\n', MODEL),
    "an empty default": ('MODEL=${MODEL:-}\nif [ -z "$MODEL" ]; then\n  echo "set MODEL"; exit 1\nfi\n', MODEL),
    "a line to fill in": ('MODEL=""\nif [[ -z $MODEL ]]; then exit 1; fi\n', MODEL),
    "a test of a default": ('if [ -z "${MODEL:-}" ]; then exit 1; fi\n', MODEL),
    "the else of a test": ('MODEL=\nif [ -n "$MODEL" ]; then echo ok; else exit 1; fi\n', MODEL),
    "a count of arguments": ("if [ $# -lt 1 ]; then echo usage; exit 1; fi\nMODEL=$1\n", FIRST),
    "a function that tells the usage": ("usage() { exit 1; }\n[ $# -eq 0 ] && usage\nMODEL=$1\n", FIRST),
    "an argument": ('MODEL=$1\nif [ -z "$MODEL" ]; then exit 1; fi\n', FIRST),
    "an argument with an empty default": ('MODEL=${1:-}\n[ -z "$MODEL" ] && exit 1\n', FIRST),
    "arguments that are shifted": ("(( $# < 2 )) && exit 1\nshift\nMODEL=$1\n", ShellOnly("${2}", ("2",))),
    "an argument that must be there": ("MODEL=${1:?the model}\n", FIRST),
    "set -u": ("set -u\nMODEL=$1\n", FIRST),
    "a variable that must be there": ("MODEL=${MODEL:?}\n", MODEL),
    "a default that may not stay empty": ("MODEL=${MODEL:-}\nMODEL=${MODEL:?the model}\n", MODEL),
    "a line to fill in that may not stay empty": ("MODEL=\nMODEL=${MODEL:?}\n", MODEL),
    "an empty value that only has to be set": ("MODEL=\nMODEL=${MODEL?}\n", ""),
    "set -e": ("set -e\n[ $# -ge 1 ]\nMODEL=$1\n", FIRST),
    "a program that must be there": ("command -v nvidia-smi || exit 1\n", MODEL),
    "a folder that must be there": ('[ ! -d "$MODEL" ] && exit 1\n', MODEL),
    "a known value that ends it": ("MODE=dry\nif [ $MODE = dry ]; then exit 0; fi\nMODEL=/m\n", "/m"),
}


@pytest.mark.parametrize("name", GUARDS)
def test_what_stands_behind_a_guard_is_read(name: str) -> None:
    text, expected = GUARDS[name]
    assert model(text + RUN) == expected


def test_a_word_that_chooses_stays_open() -> None:
    text = f'case "$1" in\ntrain) {RUN};;\neval) echo ;;\n*) echo usage; exit 1 ;;\nesac\n'
    new_document = document(text)
    assert [launch.program for launch in new_document.launches] == ["verl.trainer.main_ppo"]
    assert said(text, "SYN151").help == 'give the script its arguments: --args "..."'


@pytest.mark.parametrize(
    ("text", "names", "advice"),
    [
        ('[ -z "$MODEL" ] && exit 1\n' + RUN, {"MODEL": 1}, "--set MODEL=..."),
        (
            f'\nMODEL=${{1:-}}\n[ -z "$MODEL" ] && exit 1\n{RUN}',
            {"1": 3},
            'give the script its arguments: --args "..."',
        ),
        (f"if [ $# -lt 1 ]; then exit; fi\nMODEL=$1\n{RUN}", {"1": 1}, 'give the script its arguments: --args "..."'),
    ],
)
def test_what_it_asks_for_is_named_with_its_line(text: str, names: dict[str, int], advice: str) -> None:
    new_document = document(text)
    assert {name: place.span.line for name, place in new_document.asks.items()} == names
    assert said(text, "SYN151").help == advice


@pytest.mark.parametrize("first", ['MODEL=""\n', "MODEL=${MODEL:-}\n", ""])
def test_what_is_given_wins(first: str) -> None:
    assert model(f'{first}[ -z "$MODEL" ] && exit 1\n{RUN}', bindings={"MODEL": "/mine"}) == "/mine"


def test_arguments_that_are_given_end_nothing() -> None:
    text = f"if [ $# -lt 1 ]; then exit 1; fi\nMODEL=$1\n{RUN}"
    assert model(text, args=("/mine",)) == "/mine"
    assert not document(text, args=("/mine",)).asks


def test_bash_is_followed_where_it_starts_something() -> None:
    """A branch that ends the script after a launch is an answer."""
    text = f"MODEL=/first\n{RUN}if [ $# -eq 0 ]; then exit 0; fi\nMODEL=/second\n{RUN}"
    assert model(text) == "/first"
    assert len(document(text).launches) == 1


@pytest.mark.parametrize(
    ("text", "line", "part", "advice"),
    [
        (
            "echo\nbash train.sh\n",
            2,
            "runs `train.sh`, which is not given",
            "read train.sh itself, or give it with --source",
        ),
        ("source env.sh\n", 1, "sources `env.sh`, which is not given", "give env.sh with --source"),
        ('eval "$TRAIN"\n', 1, "a text that is not known", "--set TRAIN=..."),
        ('ssh host "$TRAIN"\n', 1, "whose text is not known", "--set TRAIN=..."),
        ('bash -c "$1"\n', 1, "", ""),
        (f"echo\nexit 0\n{RUN}", 2, "the script ends at line 2", "take out the exit"),
        (f'RUN=${{RUN:-0}}\nif [ "$RUN" = 1 ]; then\n{RUN}fi\n', 2, 'only if `[ "$RUN" = 1 ]`', "--set RUN=..."),
        ("python3 train.py --lr 1\n", 1, "it starts train.py", "name the script that holds the launch"),
    ],
)
def test_where_nothing_is_found_the_line_is_named(text: str, line: int, part: str, advice: str) -> None:
    diagnostic = said(text, "SYN505")
    if part:
        assert diagnostic.place is not None
        assert diagnostic.place.span.line == line
        assert part in diagnostic.message
        assert advice in diagnostic.help


ENDLESS = {
    "a retry loop": f"while true; do\n{RUN}  if [ $? -eq 0 ]; then break; fi\n  sleep 5\ndone\n",
    "without an end": f"while :; do\n{RUN}done\n",
    "until it works": f"until {RUN.strip()}; do sleep 5; done\n",
    "waiting for a server": f"until curl -s x; do sleep 1; done\n{RUN}",
    "waiting without an end": f"while true; do sleep 1; done\n{RUN}",
    "a long count": f"for ((i = 0; i < 1000000; i++)); do echo $i; done\n{RUN}",
    "attempts": f"n=0\nwhile [ $n -lt 3 ]; do\n{RUN}n=$((n + 1))\ndone\n",
}


@pytest.mark.parametrize("name", ENDLESS)
def test_a_loop_starts_one_run(name: str) -> None:
    new_document = document(ENDLESS[name])
    assert new_document.readable
    assert len(new_document.launches) == 1
    assert isinstance(new_document.last()["actor_rollout_ref.model.path"].value, Expr)


@pytest.mark.parametrize("tail", ["x=$(a b\n", "fi\n", "echo 'never closed\n", "cat <\n"])
def test_broken_grammar_elsewhere_costs_no_launch(tail: str) -> None:
    assert document(RUN + tail).readable


@pytest.mark.parametrize("text", ["${#M:-1}", "${#M[0]#a}", "${#M@Q}", "${#1=a}"])
def test_a_length_takes_no_operator(text: str) -> None:
    """bash: bad substitution."""
    assert said(f"x={text}\n{RUN}", "SYN153").place is not None


@pytest.mark.parametrize("text", ["${#M}", "${##}", "${#}", "${#@}", "${#1}", "${#M[@]}"])
def test_a_plain_length_is_expanded(text: str) -> None:
    assert not [d for d in document(f"x={text}\n{RUN}").diagnostics if d.code == "SYN153"]
