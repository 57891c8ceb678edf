"""Single keys changed in YAML and in overrides: the rest stays byte for byte."""

from __future__ import annotations

import pytest

from rftconf.base.patch import Patch, apply
from rftconf.migrate.words import bounds
from rftconf.text.document import Document
from rftconf.text.read.read import read
from rftconf.text.source import Source
from rftconf.text.write import edit_overrides, edit_yaml

YAML = "# top\na:\n  b: 'x'  # why\n  c: 2\nd:\n  - e: 1\n    f: 2\nflow: {g: 1}\n"
SHELL = "python3 -m verl.trainer.main_ppo \\\n  data.a=1 \\\n  'data.b=2' \\\n  data.c=\"3\"  # end\n"
ARRAY = 'ARGS=(\n  data.a=1  # one\n  data.b=2\n)\npython3 -m verl.trainer.main_ppo "${ARGS[@]}"\n'


def document(text: str, name: str) -> Document:
    return read(Source(name, text))


def changed(text: str, patches: list[Patch] | None) -> str | None:
    return None if patches is None else apply(text, patches)


def yaml(text: str = YAML) -> Document:
    return document(text, "f.yaml")


@pytest.mark.parametrize(
    ("key", "value", "old", "new"),
    [
        ("a.b", "y", "b: 'x'  # why", "b: 'y'  # why"),
        ("a.c", 3, "c: 2", "c: 3"),
        ("a.c", True, "c: 2", "c: true"),
        ("d[0].f", 1e-06, "f: 2", "f: 1e-06"),
        ("flow.g", None, "{g: 1}", "{g: null}"),
    ],
)
def test_yaml_put(key: str, value: str | float | bool | None, old: str, new: str) -> None:
    leaf = yaml().last()[key]
    after = changed(YAML, edit_yaml.put(yaml(), leaf, value))
    assert after is not None
    assert after.replace(new.replace("1e-06", "1.0e-06"), old).replace(new, old) == YAML


def test_yaml_add_goes_into_the_deepest_mapping() -> None:
    assert changed(YAML, edit_yaml.add(yaml(), "a.new", 5)) == YAML.replace("c: 2\n", "c: 2\n  new: 5\n")
    assert changed(YAML, edit_yaml.add(yaml(), "a.n.m", 5)) == YAML.replace("c: 2\n", "c: 2\n  n:\n    m: 5\n")
    assert changed(YAML, edit_yaml.add(yaml(), "d[0].h", 5)) == YAML.replace("f: 2\n", "f: 2\n    h: 5\n")
    assert edit_yaml.add(yaml(), "flow.h", 5) is None


def test_yaml_drop_takes_the_line_and_empty_parents() -> None:
    leaves = yaml().last()
    assert changed(YAML, edit_yaml.drop(yaml(), leaves["a.b"])) == YAML.replace("  b: 'x'  # why\n", "")
    text = "x:\n  y:\n    z: 1\nw: 2\n"
    assert changed(text, edit_yaml.drop(yaml(text), yaml(text).last()["x.y.z"])) == "w: 2\n"
    assert edit_yaml.drop(yaml(), leaves["d[0].e"]) is None
    assert changed(YAML, edit_yaml.drop(yaml(), leaves["flow.g"])) == YAML.replace("flow: {g: 1}\n", "")
    two = "flow: {g: 1, h: 2}\nw: 2\n"
    assert edit_yaml.drop(yaml(two), yaml(two).last()["flow.g"]) is None


def test_yaml_rename_in_place_and_elsewhere() -> None:
    leaves = yaml().last()
    assert changed(YAML, edit_yaml.rename(yaml(), leaves["a.b"], "a.z")) == YAML.replace("  b: 'x'", "  z: 'x'")
    moved = changed(YAML, edit_yaml.rename(yaml(), leaves["a.b"], "d2.b"))
    assert moved is not None
    assert "d2:\n  b: 'x'  # why" in moved
    assert "\n  b: 'x'  # why\n  c" not in moved


@pytest.mark.parametrize("text", [SHELL, ARRAY])
def test_overrides_put_add_drop_and_rename(text: str) -> None:
    doc = document(text, "run.sh")
    leaves = doc.last()
    assert changed(text, edit_overrides.put(doc, leaves["data.b"], 7)) == text.replace("data.b=2", "data.b=7")
    assert changed(text, edit_overrides.rename(doc, leaves["data.a"], "data.z")) == text.replace("data.a=", "data.z=")
    for patches, keys in (
        (edit_overrides.add(doc, leaves["data.b"], "data.n", 5), {"data.n", *leaves}),
        (edit_overrides.drop(doc, leaves["data.a"]), set(leaves) - {"data.a"}),
        (edit_overrides.drop(doc, leaves["data.b"]), set(leaves) - {"data.b"}),
    ):
        after = changed(text, patches)
        assert after is not None
        fresh = document(after, "run.sh")
        assert fresh.readable
        assert set(fresh.last()) == keys


def test_the_last_override_takes_the_backslash_above_it_along() -> None:
    text = "python3 -m verl.trainer.main_ppo \\\n  data.a=1 \\\n  data.b=2\necho done\n"
    doc = document(text, "run.sh")
    after = changed(text, edit_overrides.drop(doc, doc.last()["data.b"]))
    assert after == "python3 -m verl.trainer.main_ppo \\\n  data.a=1\necho done\n"


def test_what_would_need_quotes_is_left_alone() -> None:
    doc = document(SHELL, "run.sh")
    assert edit_overrides.put(doc, doc.last()["data.a"], "a b") is None
    assert edit_overrides.put(doc, doc.last()["data.a"], [1]) is None


def test_a_key_of_a_config_that_the_script_writes_is_no_override() -> None:
    text = "cat > c.yaml <<EOF\nmode: both\nseed: 1\nEOF\ntrinity run --config c.yaml\n"
    script = document(text, "run.sh")
    leaf = script.last()["mode"]
    assert edit_overrides.rename(script, leaf, "way") is None
    assert edit_overrides.put(script, leaf, "train") is None
    assert edit_overrides.drop(script, leaf) is None
    assert edit_overrides.add(script, leaf, "a.b", 1) is None
    assert bounds(script, leaf) is None
