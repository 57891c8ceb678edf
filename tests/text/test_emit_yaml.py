"""What is written as YAML reads back as the same values in PyYAML, OmegaConf and a YAML 1.2 loader."""

from __future__ import annotations

import io
import math
from typing import Any

import pytest
import yaml
from hypothesis import example, given, settings
from hypothesis import strategies as st
from omegaconf import OmegaConf
from ruamel.yaml import YAML

from rftconf.base.errors import RefusedError
from rftconf.base.ledger import Basis, TargetLine
from rftconf.base.symbols import Arith, ShellOnly, Text, Value, Var
from rftconf.text.write.emit_yaml import emit, steps


def line(key: str, value: Value, comment: str = "") -> TargetLine:
    return TargetLine(key, value, Basis.WRITTEN, comment)


def flat(value: Any, key: str = "") -> list[TargetLine]:
    """Mappings become keys, lists of mappings become indexed keys, everything else is a leaf."""
    if isinstance(value, dict) and value:
        return [new_line for k, v in value.items() for new_line in flat(v, f"{key}.{k}" if key else k)]
    if isinstance(value, list) and value and all(isinstance(item, dict) and item for item in value):
        return [new_line for index, item in enumerate(value) for new_line in flat(item, f"{key}[{index}]")]
    return [line(key, value, "from: here # and 'there'")]


def by_pyyaml(text: str) -> Any:
    return yaml.safe_load(text)


def by_omegaconf(text: str) -> Any:
    return OmegaConf.to_container(OmegaConf.load(io.StringIO(text)), resolve=False)


def by_yaml_1_2(text: str) -> Any:
    return YAML(typ="safe", pure=True).load(text)


LOADERS = pytest.mark.parametrize("load", [by_pyyaml, by_omegaconf, by_yaml_1_2])

TRICKY = [
    "???",  # open, also inside brackets, where PyYAML takes a bare mark for a key's
    *(
        "yes",
        "No",
        "on",
        "OFF",
        "y",
        "n",
        "true",
        "False",
        "null",
        "Null",
        "~",
        "none",
        "",
        " ",
        "nan",
        ".inf",
        "-.INF",
    ),
    *(
        "1",
        "010",
        "0o17",
        "0x1F",
        "1e-6",
        "1e5",
        "1_000",
        "+1",
        "-0",
        ".5",
        "5.",
        "1.",
        "12:30",
        "1:2:3",
        "190:20:30.15",
    ),
    *(
        "2024-01-31",
        "2024-01-31T10:00:00Z",
        "=",
        "<<",
        "-",
        "--- a",
        "- a",
        "? a",
        ": a",
        "a:",
        "a: b",
        "a #b",
        "#a",
        "a#b",
    ),
    *(
        "[a]",
        "{a: b}",
        "[",
        "}",
        "a, b",
        "&a",
        "*a",
        "!a",
        "!!int 3",
        "|",
        ">",
        "%a",
        "@a",
        "`a`",
        "'a'",
        '"a"',
        "a'b",
        'a"b',
    ),
    *(
        "${a}",
        "${oc.env:HOME}/x",
        "${oc.env:X,a b}",
        "$HOME",
        "~/x",
        "a\\b",
        "a\nb",
        "a\nb\n",
        "a\n\nb",
        " a\nb",
        "a\n",
        "a \nb",
    ),
    *(
        "\n",
        "a\tb",
        "\ta",
        "a\r\nb",
        "é",
        "中文 提示",
        "😀",
        "\u2028",
        "\x85x",
        "\ufeffx",
        "\xa0x",
        "x\x07",
        "a ",
        " a",
        "http://x:8000/v1",
    ),
    *("Qwen/Qwen2.5-7B-Instruct", "gpt-4o", "a/b.c", "key=value", "1.5B", "0.6.1", "...", "---", "???x"),
]

NAMES = st.from_regex(r"[A-Za-z_][A-Za-z0-9_\-]{0,8}", fullmatch=True)
# OmegaConf checks the grammar of what looks like an interpolation; such texts are covered by TRICKY.
TEXTS = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\x00"), max_size=40).filter(
    lambda text: "${" not in text
)
PLAIN = st.text("abcdefgh0123456789 :#-._,/'\"\n", max_size=30)
SCALARS = st.one_of(
    st.none(), st.booleans(), st.integers(), st.floats(allow_nan=False), TEXTS, PLAIN, st.sampled_from(TRICKY)
)
DATA = st.recursive(
    SCALARS,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(NAMES, inner, max_size=4),
    max_leaves=12,
)
CONFIGS = st.dictionaries(NAMES, DATA, min_size=1, max_size=5)


@settings(max_examples=150, deadline=None)
@given(CONFIGS)
@example({"a": {"yes": {"no": 1e-06}, "b": [{"c": [1, "1"]}, {"d": {}}]}, "n": []})
def test_all_three_loaders_read_what_was_meant(config: dict[str, Any]) -> None:
    text = emit(flat(config), header=["a header"])
    assert by_pyyaml(text) == config
    assert by_omegaconf(text) == config
    assert by_yaml_1_2(text) == config


@LOADERS
@pytest.mark.parametrize("value", TRICKY)
def test_texts_that_look_like_something_else(value: str, load: Any) -> None:
    text = emit([line("a.b", value, "c"), line("a.list", [value, value]), line("a.map", {"k": value})])
    assert load(text) == {"a": {"b": value, "list": [value, value], "map": {"k": value}}}


@LOADERS
@pytest.mark.parametrize(
    "value", [1e-06, 1e16, 1e22, 5e-324, 1.0, 0.1, -2.5e-08, 1.7976931348623157e308, math.inf, -math.inf]
)
def test_floats_stay_floats(value: float, load: Any) -> None:
    read = load(emit([line("lr", value)]))["lr"]
    assert isinstance(read, float)
    assert read == value


def test_nan_stays_nan() -> None:
    assert math.isnan(by_omegaconf(emit([line("x", math.nan)]))["x"])


def test_learning_rate_is_written_with_a_point() -> None:
    assert emit([line("lr", 1e-06)]) == "lr: 1.0e-06\n"


def test_layout() -> None:
    text = emit(
        [
            line("model.model_path", Text((Var("HOME"), "/m")), "actor_rollout_ref.model.path"),
            line("project", "p"),
            line("buffer.batch_size", 64, "data.train_batch_size=64"),
            line("buffer.explorer_input.tasksets[0].name", "gsm8k"),
            line("buffer.explorer_input.tasksets[0].path", "/d/gsm8k", "data.train_files"),
            line("buffer.explorer_input.tasksets[1].format", {"prompt_key": "q"}),
            line("algorithm.kl", None),
        ],
        header=["Written by rftconf", ""],
        order=["project", "algorithm", "model", "buffer"],
    )
    assert text == (
        "# Written by rftconf\n"
        "#\n"
        "project: p\n"
        "\n"
        "algorithm:\n"
        "  kl: null\n"
        "\n"
        "model:\n"
        "  model_path: ${oc.env:HOME}/m  # actor_rollout_ref.model.path\n"
        "\n"
        "buffer:\n"
        "  batch_size: 64        # data.train_batch_size=64\n"
        "  explorer_input:\n"
        "    tasksets:\n"
        "      - name: gsm8k\n"
        "        path: /d/gsm8k  # data.train_files\n"
        "      - format:\n"
        "          prompt_key: q\n"
    )


def test_symbols_without_an_interpolation_are_missing_with_their_formula() -> None:
    lines = [
        line("a", Arith("*", Var("BS"), 4), "data.train_batch_size"),
        line("b", ShellOnly("$(nproc)")),
        line("c", [Var("A"), ShellOnly("$(nproc)")]),
        line("d", [Var("A"), "x", None]),
    ]
    assert emit(lines) == (
        "a: ???  # data.train_batch_size; = BS * 4\n"
        "b: ???  # = $(nproc)\n"
        "c: ???  # = [A, $(nproc)]\n"
        "d: ['${oc.env:A}', x, null]\n"
    )


def test_long_lists_stand_one_item_per_line() -> None:
    paths: list[Value] = [f"/data/some/where/part-{index:05d}.parquet" for index in range(3)]
    text = emit([line("data.files", paths, "why")])
    assert text.splitlines()[:3] == ["data:", "  files:  # why", "    - /data/some/where/part-00000.parquet"]
    assert by_pyyaml(text) == {"data": {"files": paths}}


def test_a_prompt_of_several_lines_is_a_block() -> None:
    text = emit([line("p", "Think.\n\nAnswer in <answer>.", "system_prompt"), line("q", 1)])
    assert text == "p: |-  # system_prompt\n  Think.\n\n  Answer in <answer>.\nq: 1\n"
    assert by_omegaconf(text)["p"] == "Think.\n\nAnswer in <answer>."


def test_no_line_ends_in_white_space() -> None:
    text = emit(flat({"a": {value or "x": 1 for value in ("b", "c")}, "t": [x for x in TRICKY if "${" not in x]}))
    assert all(part == part.rstrip() for part in text.splitlines())
    assert text.endswith("\n")


def test_a_comment_cannot_break_out_of_its_line() -> None:
    assert emit([line("a", 1, "x\ny: 2\r\x85z\u2028w")]) == "a: 1  # x y: 2 z w\n"


def test_nothing_to_write_is_an_empty_mapping() -> None:
    assert emit([]) == "{}\n"


@pytest.mark.parametrize(
    ("keys", "message"),
    [(("a", "a"), "twice"), (("a", "a.b"), "a value and a section"), (("a[0]", "a.b"), "a list and a mapping")],
)
def test_contradicting_keys_are_an_error(keys: tuple[str, str], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        emit([line(key, 1) for key in keys])


def test_steps_of_a_key() -> None:
    assert steps('a["b.c"].d') == ("a", "b.c", "d")
    assert steps("+a.b[10].c-d") == ("a", "b", 10, "c-d")
    with pytest.raises(RefusedError, match=r"a\.\.b is no path of names"):
        emit([line("a..b", 1)])
