"""A bounded run of the laws over mutated configs with every run of the tests; `make fuzz` takes many more."""

from __future__ import annotations

import os
import subprocess
import sys

from tests.fuzz.fuzz_laws import inputs, judged
from tests.fuzz.mutations import MUTATIONS, cases
from tests.fuzz.tally import Tally

DIGEST = """
import hashlib
from tests.fuzz.mutations import cases
print(hashlib.sha256("\\0".join(one.text for one in cases(40, seed=5)).encode()).hexdigest())
"""


def test_a_case_is_the_same_whatever_the_hash_seed() -> None:
    def digest(hash_seed: str) -> str:
        environment = {**os.environ, "PYTHONHASHSEED": hash_seed}
        return subprocess.run(
            [sys.executable, "-c", DIGEST], env=environment, capture_output=True, text=True, check=True
        ).stdout

    assert digest("1") == digest("2")


def test_mutations_change_and_most_configs_stay_readable() -> None:
    new_cases = list(cases(200, seed=2))
    assert {kind for case in new_cases for kind in case.how} == set(MUTATIONS)
    assert sum(case.text != case.start.text for case in new_cases) > 190
    assert sum(case.document().readable for case in new_cases) > 120


def test_safe_fixes_change_nothing_but_what_they_name() -> None:
    tally = Tally()
    assert list(judged("fixes", inputs(50, seed=3), tally)) == []
    assert tally.ends["fixes made"] > 15


def test_outputs_are_read_back_and_differ_in_nothing_unsaid() -> None:
    tally = Tally()
    list(judged("outputs", inputs(40, seed=4), tally))
    assert tally.broken == []
    assert tally.ends["converted"] > 80
    assert len(tally.refused) < tally.ends["converted"] / 10


def test_the_law_of_one_output_judges_one_conversion_of_each_case() -> None:
    tally = Tally()
    list(judged("one-output", inputs(12, seed=4), tally))
    assert tally.broken == []
    assert 0 < tally.ends["converted"] <= tally.ends["cases"] == 12
