"""A value written for a dotlist, whose values are YAML, is read from it as the same value."""

from __future__ import annotations

import pytest
from omegaconf import OmegaConf

from rftconf.base.symbols import Text, Value, Var
from rftconf.text.hydra.dotlist import parse_dotlist
from rftconf.text.hydra.dotlist_value import dotlist_value
from rftconf.text.hydra.quote_value import hydra_value
from tests.text.test_overrides import word

TEXTS = (
    *("runs:", "yes", "No", "on", "off", "null", "~", "nan", ".inf", "1e5", "0x1f", "1_000", "12:30", "2024-01-01"),
    *(
        "a'b",
        'a"b',
        "x y",
        "# c",
        "a #b",
        "a: b",
        "- a",
        "{a}",
        "[a",
        "=",
        "<<",
        "%a",
        "@a",
        "`a",
        "!t",
        "&a",
        "*a",
        "|",
    ),
    *("", " lead", "trail ", "a\\b", "é", "-", "+1", ".5"),
)


@pytest.mark.parametrize("value", TEXTS)
def test_a_text_of_a_plain_override_stays_a_text(value: str) -> None:
    written = "".join(map(str, hydra_value(value)))
    assert [(leaf.key, leaf.value) for leaf in parse_dotlist(word(f"key={written}"))] == [("key", value)]


@pytest.mark.parametrize("value", [*TEXTS, "two\nlines", "\ttab", "both ' and \"", "end\\", "'\\'"])
def test_a_text_stays_a_text(value: str) -> None:
    written = "".join(map(str, dotlist_value(value)))
    assert [(leaf.key, leaf.value) for leaf in parse_dotlist(word(f"key={written}"))] == [("key", value)]


VALUES: tuple[Value, ...] = (
    ["a\nb", "it's", 'say "no"', "???", None, True, 1e-6, [1, "1"]],
    {"a b": "x: y", "c": {"d": "e\n"}},
    *(float("inf"), 1e-06, 1e22, -0.5),
)


@pytest.mark.parametrize("value", VALUES)
def test_lists_mappings_and_fractions_stay_what_they_are(value: Value) -> None:
    written = "".join(map(str, dotlist_value(value)))
    assert OmegaConf.to_container(OmegaConf.from_dotlist([f"key={written}"])) == {"key": value}


def test_a_symbol_keeps_its_place_in_quotes() -> None:
    assert dotlist_value(Text(("it's ", Var("HOME"), "\n"))) == ('"', "it's ", Var("HOME"), "\\n", '"')
    assert dotlist_value(Text(("a b ", Var("HOME")))) == ("'", "a b ", Var("HOME"), "'")
    assert dotlist_value([Text((Var("HOME"), "/x"))]) == ("[", Var("HOME"), "/x", "]")
