"""YAML to leaves with places."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import yaml
from hypothesis import given, settings
from hypothesis import strategies as st
from omegaconf import OmegaConf

from rftconf.base.diagnostics import Severity
from rftconf.base.symbols import Value
from rftconf.text import keys
from rftconf.text.document import Leaf
from rftconf.text.yaml.leaves import read_yaml

TEXT = """\
# a config
data:
  train_batch_size: 1024   # prompts
  files: [a.parquet, "b c.parquet"]
  lr: 1e-6
  empty: {}
  none:
buffer:
  tasksets:
    - path: /x
      split: train

    - {path: '/y', split: test}
  block:
    - 1
    - [2, 3]
  # behind the list
note: |
  two
  lines

größe.x: ~
"""


def read(text: str) -> tuple[dict[str, Leaf], list[str]]:
    leaves, diagnostics = read_yaml("f.yaml", text)
    return {leaf.key: leaf for leaf in leaves}, [d.code for d in diagnostics]


def test_leaves_and_their_values() -> None:
    leaves, codes = read(TEXT)
    assert not codes
    assert {key: leaf.value for key, leaf in leaves.items()} == {
        "data.train_batch_size": 1024,
        "data.files": ["a.parquet", "b c.parquet"],
        "data.lr": 1e-6,
        "data.empty": {},
        "data.none": None,
        "buffer.tasksets[0].path": "/x",
        "buffer.tasksets[0].split": "train",
        "buffer.tasksets[1].path": "/y",
        "buffer.tasksets[1].split": "test",
        "buffer.block": [1, [2, 3]],
        "note": "two\nlines\n",
        '["größe.x"]': None,
    }


@pytest.mark.parametrize(
    ("key", "raw", "line", "col"),
    [
        ("data.train_batch_size", "1024", 3, 21),
        ("data.files", '[a.parquet, "b c.parquet"]', 4, 10),
        ("data.none", "", 7, 8),
        ("buffer.tasksets[0].path", "/x", 10, 13),
        ("buffer.tasksets[1].path", "'/y'", 13, 14),
        ("buffer.block", "- 1\n    - [2, 3]", 15, 5),
        ("note", "|\n  two\n  lines", 18, 7),
        ('["größe.x"]', "~", 22, 10),
    ],
)
def test_places(key: str, raw: str, line: int, col: int) -> None:
    leaf = read(TEXT)[0][key]
    span = leaf.place.span
    assert (leaf.raw, span.line, span.col) == (raw, line, col)
    assert TEXT[span.start : span.end] == raw
    name = TEXT[leaf.key_place.span.start : leaf.key_place.span.end]
    assert key.rpartition(".")[2].strip('[]"').endswith(name.rpartition(".")[2])


def test_lines_are_those_of_editors() -> None:
    leaves, codes = read("# one\u2028# line\x85\na: 1\n")
    assert not codes
    assert str(leaves["a"].place) == "f.yaml:2:4"


def test_merge_keys_and_aliases_as_pyyaml_has_them() -> None:
    text = "a: &a {x: 1, y: 2}\nb: &b {x: 9, z: 3}\nc:\n  <<: [*a, *b]\n  y: 5\nd: *a\ne: {<<: *a, <<: *b}\n"
    leaves, codes = read(text)
    assert not codes
    assert nested(leaves) == yaml.safe_load(text)
    assert str(leaves["c.x"].place) == "f.yaml:1:11"


def test_a_key_given_twice() -> None:
    leaves, (diagnostic,) = read_yaml("f.yaml", "a: 1\nb: 2\na: 3\n")
    assert [(leaf.key, leaf.value) for leaf in leaves] == [("a", 3), ("b", 2)]
    assert (diagnostic.code, diagnostic.severity) == ("SYN209", Severity.WARNING)
    assert str(diagnostic.place) == "f.yaml:3:1"
    assert str(diagnostic.related[0].place) == "f.yaml:1:1"


def test_only_the_first_document() -> None:
    leaves, codes = read("a: 1\n---\nb: 2\n")
    assert (list(leaves), codes) == (["a"], ["SYN202"])


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("a: !!str 1", "1"),
        ("a: !!int '3'", 3),
        ("a: !!float 3", 3.0),
        ("a: !!bool 'on'", True),
        ("a: !!null x", None),
        ("a: '1e-6'", "1e-6"),
        ("a: >-\n  x\n  y", "x y"),
        ('a: "\\u00e9\\n"', "é\n"),
    ],
)
def test_tags_and_quotes(text: str, value: Value) -> None:
    leaves, codes = read(text)
    assert not codes
    assert leaves["a"].value == value
    assert type(leaves["a"].value) is type(value)


@pytest.mark.parametrize(
    ("text", "code", "place"),
    [
        ("a: 1\nb: [", "SYN201", "2:4"),
        ("a: =", "SYN206", "1:4"),
        ("a: !!int x", "SYN206", "1:4"),
        ("a: 1\n? [x]\n: 2", "SYN207", "2:3"),
        ("a:\n  <<: 3", "SYN205", "2:7"),
        ("a: !!set {x}", "SYN208", "1:4"),
    ],
)
def test_errors_have_places(text: str, code: str, place: str) -> None:
    _, diagnostics = read_yaml("f.yaml", text)
    assert diagnostics[0].code == code
    assert str(diagnostics[0].place).startswith(f"f.yaml:{place.partition(':')[0]}:")


NAMES = st.text("abcxyz_-/0", min_size=1, max_size=5).filter(lambda name: name[0] not in "-0/")
PLAIN = (
    st.integers(-(10**6), 10**6)
    | st.booleans()
    | st.none()
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(st.characters(codec="utf-8", exclude_categories=["Cs", "Cc", "Cn", "Zl", "Zp"]), max_size=8)
)
TREES = st.dictionaries(
    NAMES,
    st.recursive(
        PLAIN,
        lambda inner: st.lists(inner, max_size=3) | st.dictionaries(NAMES, inner, max_size=3),
        max_leaves=8,
    ),
    min_size=1,
    max_size=4,
)


def nested(leaves: dict[str, Leaf]) -> Any:
    """The tree that leaves describe."""
    root: dict[str | int, Any] = {}
    for key, leaf in leaves.items():
        position: dict[str | int, Any] = root
        *path, last = keys.segments(key)
        for part in path:
            position = position.setdefault(part, {})
        position[last] = leaf.value
    return listed(root)


def listed(tree: Any) -> Any:
    if not isinstance(tree, dict):
        return tree
    if tree and all(isinstance(part, int) for part in tree):
        return [listed(tree[part]) for part in sorted(tree)]
    return {part: listed(inner) for part, inner in tree.items()}


@settings(max_examples=150, deadline=None)
@given(TREES, st.sampled_from([True, False, None]))
def test_any_tree_comes_back(tree: dict[str, Any], flow: bool | None) -> None:
    text = yaml.safe_dump(tree, default_flow_style=flow, allow_unicode=True)
    leaves, codes = read(text)
    assert not codes, text
    assert nested(leaves) == OmegaConf.to_container(OmegaConf.create(text)), text
    for leaf in leaves.values():
        assert text[leaf.place.span.start : leaf.place.span.end] == leaf.raw
        line_start = text.rfind("\n", 0, leaf.place.span.start) + 1
        assert leaf.place.span.col == leaf.place.span.start - line_start + 1
        assert leaf.place.span.line == text.count("\n", 0, leaf.place.span.start) + 1


@pytest.mark.parametrize(
    ("path", "key"),
    [
        (("a", "b"), "a.b"),
        (("a", 0, "b"), "a[0].b"),
        (("a.b", 1, 2), '["a.b"][1][2]'),
        (("",), '[""]'),
        (("x", 'q"]['), 'x["q\\"]["]'),
    ],
)
def test_keys_go_both_ways(path: tuple[str | int, ...], key: str) -> None:
    built = ""
    for part in path:
        built = keys.item(built, part) if isinstance(part, int) else keys.child(built, part)
    assert built == key
    assert keys.segments(key) == path


def test_without_the_c_library() -> None:
    program = (
        "import sys\n"
        "sys.modules['yaml._yaml'] = None\n"
        "from rftconf.text.yaml.leaves import read_yaml\n"
        "leaves, diagnostics = read_yaml('f', sys.argv[1])\n"
        "assert not diagnostics, diagnostics\n"
        "print([(l.key, l.value, l.raw, str(l.place)) for l in leaves])\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", program, TEXT],
        capture_output=True,
        text=True,
        check=True,
        cwd=Path(__file__).parents[2],
        timeout=20,
    )
    leaves, _ = read_yaml("f", TEXT)
    assert done.stdout.strip() == str([(leaf.key, leaf.value, leaf.raw, str(leaf.place)) for leaf in leaves])
