"""A certificate beside the same one computed again: each leaf that differs is named."""

from __future__ import annotations

from typing import Any

import pytest

from rftconf.certificate.canonical import canonical, digest_of, sha256
from rftconf.certificate.checks import MOST_NAMED, PARTS, differing_parts
from rftconf.certificate.model import Certificate

SAID: dict[str, Any] = {
    "verdict": "same",
    "invariants": [{"name": "a", "source": 4}],
    "ledger": {"counts": {"exact": 1}},
}


def problems(again: dict[str, Any]) -> list[str]:
    return [problem for check in differing_parts(SAID, again) for problem in check.problems]


def test_the_same_has_no_problems() -> None:
    assert problems(SAID) == []


@pytest.mark.parametrize(
    ("again", "message"),
    [
        ({**SAID, "verdict": "different"}, "verdict: recorded 'same', is 'different'"),
        ({**SAID, "invariants": [{"name": "a", "source": 5}]}, "invariants[0].source: recorded 4, is 5"),
        ({**SAID, "invariants": []}, "invariants: 1 are recorded, there are 0"),
        ({**SAID, "ledger": {"counts": {"exact": True}}}, "ledger.counts.exact: recorded 1, is True"),
        ({**SAID, "ledger": {"counts": {"exact": 1, "new": None}}}, "ledger.counts.new: recorded absent, is None"),
        ({**SAID, "ledger": {"counts": {}}}, "ledger.counts.exact: recorded 1, is absent"),
    ],
)
def test_a_leaf_is_named(again: dict[str, Any], message: str) -> None:
    assert problems(again) == [message]


def test_many_leaves_are_counted() -> None:
    first, second = ({**SAID, "ledger": {str(n): n + shift for n in range(20)}} for shift in (0, 1))
    values = [check.problems for check in differing_parts(first, second) if check.problems]
    assert len(values) == 1
    assert values[0][-1] == f"ledger: and {20 - MOST_NAMED} more"


def test_every_part_of_a_certificate_is_compared() -> None:
    assert set(PARTS) == set(Certificate.model_fields) - {"rftconf", "digest"}


def test_canonical_text_has_one_order() -> None:
    assert canonical({"b": 1, "a": [{"d": "ü", "c": 2}]}) == canonical({"a": [{"c": 2, "d": "ü"}], "b": 1})
    assert digest_of({"a": 1, "digest": "x"}) == digest_of({"a": 1, "digest": "y"}) == sha256('{\n  "a": 1\n}\n')
