"""Texts as overrides write them are the same texts in a dotlist, whose values are YAML."""

from __future__ import annotations

import pytest

from rftconf.text.hydra.dotlist import parse_dotlist
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
def test_a_text_stays_a_text(value: str) -> None:
    written = "".join(map(str, hydra_value(value)))
    assert [(leaf.key, leaf.value) for leaf in parse_dotlist(word(f"key={written}"))] == [("key", value)]
