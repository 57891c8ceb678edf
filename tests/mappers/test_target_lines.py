"""How a target's lines are written: Hydra's `+`."""

from __future__ import annotations

from typing import Any

import pytest

from rftconf.convert.ledger.target_ledger import target_lines
from rftconf.load.effective import effective
from rftconf.mappers.tables import table_of
from rftconf.mappers.writing import Writing
from rftconf.schemas.guess import Guess

OVERRIDES = "actor_rollout_ref.actor.megatron.override_transformer_config"


FULL = {"recompute_granularity": "full"}


@pytest.mark.parametrize(
    ("release", "value", "key"),
    [("0.4.1", FULL, f"+{OVERRIDES}"), ("0.4.1", {}, OVERRIDES), ("0.9.1", FULL, f"+{OVERRIDES}")],
)
def test_what_a_mapping_of_the_framework_s_gets_is_added(release: str, value: dict[str, Any], key: str) -> None:
    """0.4.1 has `override_transformer_config: {}`; Hydra refuses a plain override that puts names into it."""
    source = effective(Guess("roll", "0.3.0", "rlvr", (), True), {}).native
    writing = Writing(table_of("verl"), "verl", release, "megatron", {}, {})
    writing.put(OVERRIDES, value, always=True)
    keys = [line.key for line in target_lines(source, writing)]
    assert keys == [key]
