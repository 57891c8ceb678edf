"""No flag of OpenRLHF says something in vain: each is translated, lost, dead or refused with a sentence, in every direction."""

from __future__ import annotations

import os

import pytest

from rftconf.schemas import registry
from tests.laws.leaf_flip import Catalogued, defaults_written, further
from tests.laws.survey import of_other_turns, survey

OPENRLHF = registry.OPENRLHF
TARGETS = tuple(name for name in registry.FRAMEWORKS if name != OPENRLHF.name)
OLDER = OPENRLHF.releases[:-1] if os.environ.get("RFTCONF_EVERY_FLIP") else ("0.8.0", "0.9.7", "0.10.0", "0.11.0")
"""Releases whose flags, or whose defaults, are most unlike those of their neighbours."""
CASES = [
    *(Catalogued("openrlhf", OPENRLHF.newest, to=target) for target in TARGETS),
    *(Catalogued("openrlhf", release, to="verl") for release in OLDER),
]


UNREAD = {"0.9.7": {"vllm_generate_batch_size"}}
"""Release to flags that no code of it reads (H81)."""


@pytest.mark.parametrize("of", CASES, ids=lambda of: f"{of.release}-{of.to}")
def test_no_leaf_is_silent_and_each_with_a_row_acts(of: Catalogued) -> None:
    left_out = of_other_turns(of, TARGETS)
    verdicts = survey(of, without=left_out)
    assert len(verdicts) + len(left_out) > 110
    assert [str(v) for v in verdicts if v.outcome == "silent"] == []
    idle = [v for v in verdicts if v.row and v.outcome == "dead"]
    assert [str(v) for v in idle if v.key not in UNREAD.get(of.release, ())] == []


@pytest.mark.parametrize("target", TARGETS)
def test_defaults_written_out_lose_nothing_without_a_word(target: str) -> None:
    verdicts = defaults_written(Catalogued("openrlhf", OPENRLHF.newest, to=target))
    assert [str(v) for v in verdicts if v.outcome == "silent"] == []


WRITTEN = TARGETS if os.environ.get("RFTCONF_EVERY_FLIP") else ("chatlearn",)
"""Sources whose leaves are flipped into OpenRLHF; the others take some minutes each."""


@pytest.mark.parametrize("framework", WRITTEN)
def test_no_leaf_of_another_framework_is_silent_in_what_is_written_for_openrlhf(framework: str) -> None:
    verdicts = survey(further(framework, "openrlhf"))
    assert len(verdicts) > 100
    assert [str(v) for v in verdicts if v.outcome == "silent"] == []
