"""Arguments as OmegaConf.from_dotlist takes them."""

from __future__ import annotations

import pytest
from omegaconf import OmegaConf

from rftconf.base.span import Place, Span
from rftconf.base.symbols import Expr, OpenKey, Text, Value, Var
from rftconf.text.document import Leaf
from rftconf.text.hydra.override_parser import PlacedArgument
from rftconf.text.launch.programs import Style
from rftconf.text.read.arguments import read_arguments


def read(*values: str | Expr) -> tuple[tuple[Leaf, ...], list[str]]:
    words = [PlacedArgument(value, Place("f", Span(0, 1, 1, 1)), ()) for value in values]
    line = read_arguments(words, Style.DOTLIST)
    return line.leaves, [d.code for d in line.diagnostics]


@pytest.mark.parametrize(
    "word",
    [
        *("a.b=1", "a.b=2e-6", "a.b=True", "a.b=selective", "a.b=null", "a.b=", "a.b=x=y", "a.b=/d/a.json,/d/b.json"),
        *("a.b=[policy,policy_trainer]", "a.b=[0.5, 0.5]", "a.b='a b'", "a.b=${c.d}"),
    ],
)
def test_values_are_read_as_omegaconf_reads_them(word: str) -> None:
    ((leaf,), codes) = read(word)
    theirs = OmegaConf.to_container(OmegaConf.from_dotlist([word]), resolve=False)
    assert {"a": {"b": leaf.value}} == theirs
    assert (leaf.key, codes) == ("a.b", [])


def test_mappings_are_several_keys() -> None:
    leaves, _ = read("a={b: 1, c: {d: x}}")
    assert [(leaf.key, leaf.value) for leaf in leaves] == [("a.b", 1), ("a.c.d", "x")]


def test_no_prefix_means_anything() -> None:
    leaves, _ = read("++a.b=1")
    assert [leaf.key for leaf in leaves] == ["++a.b"]


@pytest.mark.parametrize(
    ("value", "expected"), [(Text(("a=", Var("X"), "/d")), Text((Var("X"), "/d"))), (Text(("a=", Var("N"))), Var("N"))]
)
def test_unknown_parts_stay(value: Expr, expected: Value) -> None:
    ((leaf,), _) = read(value)
    assert leaf.value == expected


@pytest.mark.parametrize("word", ["=1", "a=[1", "a={b: 1"])
def test_what_is_not_yaml_is_an_error(word: str) -> None:
    leaves, codes = read(word)
    assert all(isinstance(leaf.value, OpenKey) for leaf in leaves)
    assert len(codes) == 1


def test_a_key_given_twice_is_told() -> None:
    assert read("a=1", "a=2")[1] == ["SYN301"]


def test_options_come_first() -> None:
    words = [
        PlacedArgument(value, Place("f", Span(0, 1, 1, 1)), ()) for value in ("grpo", "--config-file", "t.yaml", "a=1")
    ]
    line = read_arguments(words, Style.DOTLIST)
    assert line.options == {"command": "grpo", "config-file": "t.yaml"}
