"""What bash and Hydra's own parser make of a written script is what was meant."""

from __future__ import annotations

import math
import os
import subprocess
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from hydra.core.override_parser.overrides_parser import OverridesParser
from hypothesis import given, settings
from hypothesis import strategies as st

from rftconf.base.errors import RefusedError
from rftconf.base.ledger import Basis, TargetLine
from rftconf.base.symbols import Arith, Branch, Expr, Now, OpenKey, ShellOnly, Text, Value, Var
from rftconf.text.write.emit_shell import emit, emit_overrides, word

PARSER = OverridesParser.create()
DUMP = ["printf", r"%s\0"]


def line(key: str, value: Value, comment: str = "") -> TargetLine:
    return TargetLine(key, value, Basis.WRITTEN, comment)


def argv(script: str, env: dict[str, str] | None = None) -> list[str]:
    """What the program of `script` is given, from real bash."""
    done = subprocess.run(
        ["bash"],
        input=script.encode(),
        capture_output=True,
        check=True,
        env={"PATH": os.environ["PATH"], **(env or {})},
    )
    assert done.stderr == b""
    return done.stdout.decode().split("\0")[:-1]


def by_hydra(arguments: Sequence[str]) -> dict[str, Any]:
    parsed = PARSER.parse_overrides(list(arguments))
    return {str(override.input_line).partition("=")[0]: override.value() for override in parsed}


def read(values: dict[str, Any], env: dict[str, str] | None = None) -> dict[str, Any]:
    return by_hydra(argv(emit([line(k, v, "why # it's") for k, v in values.items()], program=DUMP), env))


# NUL cannot be in an argument, a lone surrogate cannot be encoded, and bash itself doubles \x01 in an array literal.
TEXTS = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\x00\x01\x7f"), max_size=20)
NASTY = st.text("ab1 \t\n'\"\\$`!#&|;<>(){}[]*?~=,:%@+-./e_é", max_size=16)
WORDS = st.sampled_from(
    [
        "",
        "true",
        "NULL",
        "nan",
        "1e-6",
        "010",
        "1_000",
        "-inf",
        "a,b",
        "[a]",
        "{a: b}",
        "a=b",
        "f(x)",
        "${a.b}/c",
        "a b",
        "\\",
        "'",
        "'\"",
        "\\'",
    ]
)
SCALARS = st.one_of(st.none(), st.booleans(), st.integers(), st.floats(allow_nan=False), TEXTS, NASTY, NASTY, WORDS)
KEYS = st.from_regex(r"[A-Za-z_][A-Za-z0-9_\-]{0,5}", fullmatch=True)
DICT_KEYS = st.one_of(KEYS, st.text("ab/.+%*@?|-_ ()[]{}:=,\\", min_size=1, max_size=6)).filter(
    lambda key: (
        key == key.strip() and key.lower() not in ("true", "false", "null", "nan", "inf") and key not in ("+", "-")
    )
)
DATA = st.recursive(
    SCALARS, lambda inner: st.lists(inner, max_size=4) | st.dictionaries(DICT_KEYS, inner, max_size=4), max_leaves=8
)
OVERRIDES = st.dictionaries(KEYS.map(lambda key: f"+a.{key}"), DATA, min_size=1, max_size=12)


@settings(max_examples=100, deadline=None)
@given(OVERRIDES)
def test_bash_and_hydra_give_back_the_values(values: dict[str, Any]) -> None:
    assert read(values) == values


def texts_in(value: Any) -> list[str]:
    """Every text of a value, at any depth."""
    if isinstance(value, dict):
        return [*value, *(text for item in value.values() for text in texts_in(item))]
    return [text for item in value for text in texts_in(item)] if isinstance(value, list) else [str(value)]


@settings(max_examples=30, deadline=None)
@given(OVERRIDES)
def test_bare_overrides_give_back_the_values(values: dict[str, Any]) -> None:
    for key, value in values.items():
        if any(len(f"({text})".splitlines()) > 1 for text in texts_in(value)):
            with pytest.raises(RefusedError, match="has several lines"):
                emit_overrides([line(key, value)])
        else:
            assert by_hydra([emit_overrides([line(key, value)]).removesuffix("\n")]) == {key: value}


RUNTIME = st.text("ab1/._-", min_size=1, max_size=8).filter(lambda text: text[0] in "ab/")


@settings(max_examples=30, deadline=None)
@given(st.lists(st.tuples(NASTY, NASTY), min_size=1, max_size=8), RUNTIME, RUNTIME)
def test_text_around_a_variable(around: list[tuple[str, str]], first: str, second: str) -> None:
    values: dict[str, Any] = {}
    expected: dict[str, Any] = {}
    for index, (before, after) in enumerate(around):
        before = f"x{before}"
        values[f"a.k{index}"] = Text(tuple(p for p in (before, Var("A"), "/", Var("B"), after) if p))
        expected[f"a.k{index}"] = f"{before}{first}/{second}{after}"
        values[f"a.l{index}"] = [values[f"a.k{index}"], {"k": values[f"a.k{index}"]}, 1]
        expected[f"a.l{index}"] = [expected[f"a.k{index}"], {"k": expected[f"a.k{index}"]}, 1]
    assert read(values, {"A": first, "B": second}) == expected


NAMES = {"A": 24, "B": 6, "C": 2}
NUMBERS = st.recursive(
    st.one_of(st.integers(1, 9), st.sampled_from([Var(name) for name in NAMES])),
    lambda inner: st.builds(Arith, st.sampled_from(["+", "-", "*", "%"]), inner, inner),
    max_leaves=6,
)


def computed(value: Any) -> int:
    if isinstance(value, Var):
        return NAMES[value.name]
    if isinstance(value, Arith):
        left, right = computed(value.left), computed(value.right)
        if value.op == "%":
            return int(math.fmod(left, right))
        return {"+": left + right, "-": left - right, "*": left * right}[value.op]
    assert isinstance(value, int)
    return value


@settings(max_examples=30, deadline=None)
@given(st.lists(NUMBERS, min_size=1, max_size=10))
def test_arithmetic_is_computed_by_the_script(numbers: list[Any]) -> None:
    values: dict[str, Any] = {}
    for index, number in enumerate(numbers):
        try:
            computed(number)
        except (ZeroDivisionError, ValueError):
            continue
        values[f"a.k{index}"] = number
    expected = {key: computed(value) for key, value in values.items()}
    assert not values or read(values, {k: str(v) for k, v in NAMES.items()}) == expected


def test_powers_and_fractions() -> None:
    power = Arith("**", Arith("**", Var("C"), 3), 2)
    values: dict[str, Value] = {
        "a": power,
        "b": Arith("*", Var("LR"), 0.5),
        "c": Arith("/", Var("A"), Var("B")),
        "d": Arith("+", ShellOnly("$(echo 3)"), Branch('[ "$C" = 2 ]', 10, 20)),
        "e": Arith("//", Var("A"), 7),
        "f": Arith("*", 0.5, Arith("//", Var("A"), 7)),
    }
    assert read(values, {"A": "24", "B": "6", "C": "2", "LR": "1e-6"}) == {
        "a": 64,
        "b": 5e-07,
        "c": 4,
        "d": 13,
        "e": 3,
        "f": 1.5,
    }


def test_a_division_with_a_rest_stops_the_script() -> None:
    script = emit([line("a", Arith("/", Var("A"), 4))], program=DUMP)
    assert argv(script, {"A": "8"}) == ["a=2"]
    done = subprocess.run(["bash"], input=script, capture_output=True, text=True, env={"A": "10"}, check=False)
    assert (done.returncode, done.stdout) == (2, "")
    assert "A must be a multiple of 4" in done.stderr


def test_an_unset_name_stops_the_script() -> None:
    script = emit([line("a", Text((Var("MODEL_PATH"), "/x")))], program=DUMP)
    done = subprocess.run(["bash"], input=script, capture_output=True, text=True, env={}, check=False)
    assert done.returncode != 0
    assert "MODEL_PATH" in done.stderr


def test_a_name_that_bash_cannot_spell_is_left_to_a_person() -> None:
    script = emit([line("a.b", Text(("x/", Var("ROOT./checkpoints"))))], program=DUMP)
    assert argv(script) == ["a.b=???"]


def test_either_arm_of_a_condition() -> None:
    value = Branch('[[ "$MODE" == fast ]]', Text(("it's ", Var("A"))), ["$x", None])
    assert read({"a": value}, {"MODE": "fast", "A": "b"}) == {"a": "it's b"}
    assert read({"a": value}, {"MODE": "slow", "A": "b"}) == {"a": ["$x", None]}


def test_layout() -> None:
    script = emit(
        [
            line("data.train_files", Text((Var("HOME"), "/d.parquet")), "buffer.explorer_input.tasksets[0].path"),
            line("data.train_batch_size", 64, "buffer.batch_size=64"),
            line("trainer.logger", ["console", "wandb"]),
            line("+trainer.x", "a b", "said\nso"),
        ],
        program=["python3", "-m", "verl.trainer.main_ppo"],
        options=["--config-name=ppo_megatron_trainer"],
        env={"VLLM_USE_V1": 1, "CACHE": Text((Var("HOME"), "/my cache"))},
        header=["Written by rftconf", ""],
    )
    assert script == (
        "#!/usr/bin/env bash\n"
        "# Written by rftconf\n"
        "#\n"
        "set -euo pipefail\n"
        "\n"
        "export VLLM_USE_V1=1\n"
        'export CACHE="${HOME}/my cache"\n'
        "\n"
        "ARGS=(\n"
        '  "data.train_files=${HOME}/d.parquet"  # buffer.explorer_input.tasksets[0].path\n'
        "  data.train_batch_size=64              # buffer.batch_size=64\n"
        "\n"
        "  'trainer.logger=[console, wandb]'\n"
        "  \"+trainer.x='a b'\"  # said so\n"
        ")\n"
        "\n"
        'python3 -m verl.trainer.main_ppo --config-name=ppo_megatron_trainer "${ARGS[@]}" "$@"\n'
    )


def test_the_script_runs_the_program_with_its_own_arguments_last(tmp_path: Path) -> None:
    stub = tmp_path / "python3"
    stub.write_text("#!/bin/sh\nprintf '%s\\n' \"$@\"\n")
    stub.chmod(0o755)
    script = tmp_path / "run.sh"
    script.write_text(emit([line("a", 1), line("b", "#")], program=["python3", "-m", "main"], options=["--x=1"]))
    env = {"PATH": f"{tmp_path}:{os.environ['PATH']}"}
    done = subprocess.run(["bash", str(script), "c=2"], capture_output=True, text=True, env=env, check=True)
    assert done.stdout.split("\n") == ["-m", "main", "--x=1", "a=1", "b='#'", "c=2", ""]


def test_no_overrides_leaves_no_array() -> None:
    assert emit([], program=["prog"]) == '#!/usr/bin/env bash\nset -euo pipefail\n\nprog "$@"\n'


def test_exports_reach_the_program() -> None:
    env: dict[str, Value] = {"ONE": "it's $5", "TWO": Text((Var("A"), '"')), "THREE": 3}
    script = emit([], program=["sh", "-c", r'printf "%s\0" "$ONE" "$TWO" "$THREE"'], env=env)
    assert argv(script, {"A": "a"}) == ["it's $5", 'a"', "3"]


@pytest.mark.parametrize("key", ["é", "a'b", "1", "true", " a", "1e5", ""])
def test_a_mapping_key_hydra_has_no_words_for_is_refused(key: str) -> None:
    with pytest.raises(RefusedError, match="mapping key"):
        emit([line("a", {key: 1})], program=DUMP)


def test_bare_overrides_hold_symbols_as_interpolations() -> None:
    lines = [line("a", Text((Var("HOME"), "/x"))), line("++b", Arith("*", Var("BS"), 4)), line("c", [Var("A")])]
    assert emit_overrides(lines) == "a='${oc.env:HOME}/x'\n++b=???\nc=['${oc.env:A}']\n"


def test_time_of_the_start_is_hydras_own_so_that_all_keys_have_the_same() -> None:
    clock = Now("%Y%m%d_%H%M%S")
    values = {"a": clock, "b": Text(("run_", clock)), "c": Text((Var("NAME"), "/it's ", clock)), "d": [clock]}
    read_back = read(values, {"NAME": "x"})
    assert read_back["a"] == "${now:%Y%m%d_%H%M%S}"
    assert read_back["b"] == "run_${now:%Y%m%d_%H%M%S}"
    assert read_back["c"] == "x/it's ${now:%Y%m%d_%H%M%S}"
    assert read_back["d"] == ["${now:%Y%m%d_%H%M%S}"]


@pytest.mark.parametrize("kind", sorted(Expr.__subclasses__(), key=str))
def test_every_kind_of_symbol_has_a_word(kind: type[Expr]) -> None:
    row: dict[type[Expr], Expr] = {
        Var: Var("A"),
        OpenKey: OpenKey("a.b"),
        Text: Text(("a", Var("A"))),
        Arith: Arith("*", Var("A"), 2),
        ShellOnly: ShellOnly("$(echo 1)"),
        Branch: Branch("true", "a", "b"),
        Now: Now("%Y"),
    }
    assert argv(emit([line("k", row[kind])], program=["printf", r"%s\0"]), {"A": "1"})
    assert word(row[kind])
