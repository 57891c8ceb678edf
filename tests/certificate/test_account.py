"""Which lines of a ledger speak of a difference."""

from __future__ import annotations

from typing import Any

import pytest

from rftconf.base.ledger import Basis, Decision, Ledger, SourceLine, State, TargetLine
from rftconf.convert.learning.differences_in_ledger import ledger_lines_on
from rftconf.diff.compare import Difference
from rftconf.diff.effects import known_of
from rftconf.diff.halves import SideValue
from rftconf.diff.sides import Statement
from rftconf.plan.origin import Kind

PATH = "stage.data.train[0].keys.prompt"


def difference(
    path: str = PATH, a: str = "data.prompt_key", b: str = "buffer.tasksets[0].format.prompt_key"
) -> Difference:
    statement_pair = [Statement(Kind.DEFAULT, ((key, None),), "", (key,)) for key in (a, b)]
    return Difference(path, known_of(path, "rl"), SideValue("x", statement_pair[0]), SideValue("y", statement_pair[1]))


def told(ledger: Ledger, new_difference: Difference | None = None) -> tuple[str, ...]:
    new_difference = new_difference or difference()
    return ledger_lines_on([new_difference], ledger)[new_difference.path]


def ledger(**parts: Any) -> Ledger:
    return Ledger("verl", "0.9.1", "trinity", "0.6.0", **parts)


@pytest.mark.parametrize(
    ("parts", "message"),
    [
        ({"sources": (SourceLine("data.prompt_key", "x", None, State.NARROWED, reason="why"),)}, "data.prompt_key: narrowed, why"),
        ({"sources": (SourceLine("other", "x", None, State.NO_COUNTERPART, plan=(PATH,), reason="why"),)},
         "other: no-counterpart, why"),
        ({"notes": ("data.train[0].keys.prompt: why",)}, "data.train[0].keys.prompt: why"),
        ({"notes": ("data.prompt_key is x: why",)}, "data.prompt_key is x: why"),
        ({"decisions": (Decision("buffer.tasksets[].format", "why"),)}, "buffer.tasksets[].format: why"),
        ({"decisions": (Decision("01-a.sh: buffer.tasksets[0].format.prompt_key", "why"),)},
         "01-a.sh: buffer.tasksets[0].format.prompt_key: why"),
        ({"targets": (TargetLine("buffer.tasksets[0].format.prompt_key", "y", Basis.CHOSEN, "why"),)},
         "buffer.tasksets[0].format.prompt_key: chosen, why"),
    ],
)  # fmt: skip
def test_what_speaks_of_it(parts: dict[str, Any], message: str) -> None:
    assert told(ledger(**parts)) == (message,)


@pytest.mark.parametrize(
    "parts",
    [
        {},
        {"sources": (SourceLine("data.prompt_key", "x", None, State.EXACT, plan=(PATH,)),)},
        {"sources": (SourceLine("data.prompt", "x", None, State.NARROWED, reason="why"),)},
        {"notes": ("data.prompt_key_of_another: why",)},
        {"decisions": (Decision("buffer.tasksets[].path", "why"),)},
        {"targets": (TargetLine("buffer.tasksets[0].format.prompt_key", "y", Basis.DERIVED, "why"),)},
    ],
)
def test_what_does_not(parts: dict[str, Any]) -> None:
    assert told(ledger(**parts)) == ()


def test_fields_of_a_missing_item_share_what_is_said() -> None:
    second = "stage.data.train[0].uri"
    missing = Difference(second, known_of(second, "rl"), SideValue(None), SideValue("/default"))
    notes = ledger(notes=("data.train[0].keys.prompt: why",))
    assert ledger_lines_on([missing, difference()], notes)[second] == ("data.train[0].keys.prompt: why",)
