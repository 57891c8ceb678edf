"""A key that an interpolation gives its framework's own default says what the framework does anyway."""

from __future__ import annotations

import pytest
import yaml

from rftconf.base.ledger import State
from rftconf.convert.convert import convert
from rftconf.text.read.read import read
from rftconf.text.source import Source
from tests.sources import ROOT

SWITCH = "moe_router_force_load_balancing"
"""False by default; on, the plan has no field for it (ChatLearn configs/megatron_config.py)."""


@pytest.mark.parametrize(("value", "state"), [(False, State.DEFAULT), (True, State.NO_COUNTERPART)])
def test_an_interpolation_counts_as_what_it_gives(value: bool, state: State) -> None:
    text = (ROOT / "golden" / "convert" / "chatlearn-megatron-to-verl" / "input.yaml").read_text()
    tree = yaml.safe_load(text)
    tree["models"]["policy_trainer"][SWITCH] = value
    tree["models"]["ref_policy"][SWITCH] = f"${{models.policy_trainer.{SWITCH}}}"
    done = convert(read(Source("run.yaml", yaml.safe_dump(tree))), "verl")
    (line,) = [source for source in done.ledger.sources if source.key == f"models.ref_policy.{SWITCH}"]
    assert line.state is state
    assert any(line.key in change.keys for change in done.ledger.learning) is value
