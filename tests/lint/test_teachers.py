"""Teachers whose keys and models are odd, or not known."""

from __future__ import annotations

import pytest

from rftconf.lint import engine
from rftconf.lint.rule import verl
from rftconf.lint.rules.dialect_verl import TEACHERS, named
from tests.lint.bases import documents

TWO = ("distillation.enabled=True", "distillation.nnodes=1", *named("math"), *named("code"))


def codes(*changes: str) -> set[str]:
    """Of the rules on teachers, in a script."""
    by_key = {line.partition("=")[0]: line for line in (*TWO, *changes)}
    script, *_ = documents(verl(*by_key.values()))
    return {diagnostic.code for diagnostic in engine.check(script)} & {f"DIA0{number}" for number in range(17, 23)}


@pytest.mark.parametrize("value", ["[a,b]", "{a:1}", "5", "null"])
def test_keys_of_any_type(value: str) -> None:
    """Two with the same are named whatever it is, and nothing stops at one that has no hash; null is none."""
    assert codes(f"+{TEACHERS}math.key={value}", f"+{TEACHERS}code.key={value}") == {"DIA019"}
    assert codes(f"+{TEACHERS}math.key={value}") == ({"DIA019"} if value == "null" else set())


def test_what_only_the_shell_knows_is_not_missing() -> None:
    unknown = [f"+{TEACHERS}math.{part}=$THEIRS" for part in ("key", "model_path", "num_replicas", "inference.name")]
    assert codes(*unknown) == set()
