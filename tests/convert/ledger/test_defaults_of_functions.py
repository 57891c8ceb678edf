"""An argument that stands at the default of the function it goes to changes nothing, and is said to be that."""

from __future__ import annotations

import pytest
import yaml

from rftconf.base.ledger import State
from rftconf.convert.convert import convert
from rftconf.text.read.read import read
from rftconf.text.source import Source
from tests.sources import ROOT

ARGUMENTS = "algorithm.advantage_fn_args"


@pytest.mark.parametrize(
    ("function", "argument", "value", "at_default"),
    [
        # algorithm/advantage_fn/multi_step_grpo_advantage.py StepWiseGRPOStrategy.__init__: epsilon=1e-6, enable_step_norm=False
        ("step_wise_grpo", "epsilon", 1e-6, True),
        ("step_wise_grpo", "epsilon", 1e-5, False),
        ("step_wise_grpo", "enable_step_norm", False, True),
        ("step_wise_grpo", "enable_step_norm", True, False),
        ("one_of_my_own", "epsilon", 1e-6, False),
    ],
)
def test_a_default_of_the_chosen_function_is_one(function: str, argument: str, value: object, at_default: bool) -> None:
    tree = yaml.safe_load((ROOT / "golden" / "convert" / "trinity-to-chatlearn" / "input.yaml").read_text())
    tree["algorithm"] |= {"advantage_fn": function, "advantage_fn_args": {argument: value}}
    done = convert(read(Source("run.yaml", yaml.safe_dump(tree))), "verl")
    (line,) = [source for source in done.ledger.sources if source.key == f"{ARGUMENTS}.{argument}"]
    assert (line.state is State.DEFAULT) is at_default
    assert any(line.key in change.keys for change in done.ledger.learning) is not at_default
