"""No key of TRL's GRPO says something in vain: each is translated, lost, dead or refused with a sentence, in every direction."""

from __future__ import annotations

import os

import pytest

from rftconf.schemas import registry, versions
from tests.laws.leaf_flip import Catalogued, defaults_written, further
from tests.laws.survey import of_other_turns, survey

TRL = registry.TRL
TARGETS = tuple(name for name in registry.FRAMEWORKS if name != TRL.name)
OLDER = TRL.releases[:-1] if os.environ.get("RFTCONF_EVERY_FLIP") else ("0.18.2", "0.24.0", "0.27.2", "1.0.0", "1.8.0")
"""Releases whose defaults, or whose keys, are most unlike those of their neighbours."""
CASES = [
    *(Catalogued("trl", TRL.newest, to=target) for target in TARGETS),
    *(Catalogued("trl", release, to="verl") for release in OLDER),
]


@pytest.mark.parametrize("of", CASES, ids=lambda of: f"{of.release}-{of.to}")
def test_no_leaf_is_silent_and_each_with_a_row_acts(of: Catalogued) -> None:
    left_out = of_other_turns(of, TARGETS)
    verdicts = survey(of, without=left_out)
    assert len(verdicts) + len(left_out) > 150
    assert [str(v) for v in verdicts if v.outcome == "silent"] == []
    late = versions.lingering("trl")  # releases have them that do not read them any more
    assert [str(v) for v in verdicts if v.row and v.outcome == "dead" and v.key not in late] == []


@pytest.mark.parametrize("target", TARGETS)
def test_defaults_written_out_lose_nothing_without_a_word(target: str) -> None:
    verdicts = defaults_written(Catalogued("trl", TRL.newest, to=target))
    assert [str(v) for v in verdicts if v.outcome == "silent"] == []


WRITTEN = TARGETS if os.environ.get("RFTCONF_EVERY_FLIP") else ("chatlearn",)
"""Sources whose leaves are flipped into TRL; the others take some minutes each."""


@pytest.mark.parametrize("framework", WRITTEN)
def test_no_leaf_of_another_framework_is_silent_in_what_is_written_for_trl(framework: str) -> None:
    verdicts = survey(further(framework, "trl"))
    assert len(verdicts) > 150
    assert [str(v) for v in verdicts if v.outcome == "silent"] == []
