"""Plain scalars against the real loaders."""

from __future__ import annotations

import math
from typing import Any

import pytest
import yaml
from hypothesis import example, given, settings
from hypothesis import strategies as st
from omegaconf._utils import get_yaml_loader

from rftconf.text.yaml.loader_dialects import Scalar, ScalarRules, UnconstructibleScalarError, resolve

# Characters that keep a scalar plain wherever they stand, and that numbers, dates and words are made of.
NUMBERLIKE = st.text("0123456789.eE+-_:xabfonyTZ", min_size=1, max_size=9)
WRITTEN = """
yes Yes YES yEs y Y n N no No NO on On ON off Off OFF true True TRUE tRUE false null Null NULL ~ none None .inf -.inf
+.INF .nan .NaN inf nan 010 0o10 08 0x1F 0b11 0b 0b_ 0x_ 1_000 1__0 1e-6 1E5 1.e5 1e 1.5e3 1.5e+3 .5 -.5 +.5e-3 1:30
1:30.5 190:20:30 2024-01-01 2024-01-01T00:00:00Z = << 12:30 1_ _1 -1_0.5 0.0 -0 +0 0_ 1.2.3 4,5
"""
WORDS = st.sampled_from(WRITTEN.split())
SCALARS = WORDS | NUMBERLIKE


def plain_node(text: str) -> bool:
    """Whether `text` is one plain scalar where a value stands."""
    try:
        node = yaml.compose(f"k: {text}\n", Loader=yaml.SafeLoader)
    except yaml.YAMLError:
        return False
    if not isinstance(node, yaml.MappingNode) or len(node.value) != 1:
        return False
    value = node.value[0][1]
    return isinstance(value, yaml.ScalarNode) and value.style is None and value.value == text


def theirs(text: str, loader: Any) -> Any:
    try:
        return yaml.load(f"k: {text}\n", Loader=loader)["k"]
    except (yaml.YAMLError, ValueError):
        return UnconstructibleScalarError


def ours(text: str, rules: ScalarRules) -> Scalar | type[UnconstructibleScalarError]:
    try:
        return resolve(text, rules)
    except UnconstructibleScalarError:
        return UnconstructibleScalarError


def same(first: Any, second: Any) -> bool:
    if isinstance(first, float) and isinstance(second, float) and math.isnan(first):
        return math.isnan(second)
    return type(first) is type(second) and bool(first == second)


@settings(max_examples=600, deadline=None)
@given(SCALARS)
@example("1e-6")
@example("0b_")
def test_omegaconf_rules(text: str) -> None:
    if plain_node(text):
        assert same(ours(text, ScalarRules.OMEGACONF), theirs(text, get_yaml_loader())), text


@settings(max_examples=600, deadline=None)
@given(SCALARS)
def test_pyyaml_rules(text: str) -> None:
    if not plain_node(text):
        return
    expected = theirs(text, yaml.SafeLoader)
    result = ours(text, ScalarRules.PYYAML)
    if type(expected).__name__ in ("date", "datetime"):
        assert result == text
    elif expected is UnconstructibleScalarError and result == text:
        # A date that does not exist: PyYAML fails, and we keep the text as for any date.
        assert text[:4].isdigit()
        assert text[4] == "-"
    else:
        assert same(result, expected), text


@pytest.mark.parametrize(
    ("text", "omegaconf", "pyyaml"),
    [
        ("1e-6", 1e-6, "1e-6"),
        ("yes", True, True),
        ("010", 8, 8),
        ("12:30", 750, 750),
        ("2024-01-01", "2024-01-01", "2024-01-01"),
        ("1.0e-6", 1e-6, 1e-6),
        ("null", None, None),
        ("", None, None),
        ("None", "None", "None"),
    ],
)
def test_same_bytes_by_loader(text: str, omegaconf: Scalar, pyyaml: Scalar) -> None:
    assert same(resolve(text, ScalarRules.OMEGACONF), omegaconf)
    assert same(resolve(text, ScalarRules.PYYAML), pyyaml)
