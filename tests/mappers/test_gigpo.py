"""GiGPO is one name for several formulas: no conversion takes the name for the thing, and what weighs its steps is said."""

from __future__ import annotations

import pytest

from rftconf.base.ledger import State
from rftconf.convert.convert import Conversion, convert
from rftconf.text.read.read import read
from rftconf.text.source import Source

TRINITY = """\
mode: both
project: p
name: n
algorithm:
  algorithm_type: {type}
  repeat_times: 8
  advantage_fn_args: {{gamma: 0.95{more}}}
model: {{model_path: org/model, max_prompt_tokens: 2048, max_response_tokens: 512}}
cluster: {{node_num: 1, gpu_per_node: 8}}
buffer:
  total_steps: 100
  batch_size: 16
  train_batch_size: 128
  explorer_input:
    taskset: {{storage_type: file, path: /d/alfworld, format: {{prompt_key: game_file}}}}
    default_workflow_type: step_wise_alfworld_workflow
explorer: {{rollout_model: {{engine_num: 4, tensor_parallel_size: 1}}}}
"""


def converted(name: str, to: str, more: str = "") -> Conversion:
    document = read(Source("run.yaml", TRINITY.format(type=name, more=more)))
    return convert(document, to, framework="trinity", assume={"steps_per_episode": "1"})


@pytest.mark.parametrize(("to", "key"), [("roll", "adv_estimator"), ("verl", "algorithm.adv_estimator")])
def test_the_estimator_is_asked_for(to: str, key: str) -> None:
    """Trinity's gigpo_advantage.py counts an episode once and divides by no deviation unless told to; ROLL's
    compute_response_level_rewards counts it once a step and normalises as reward_normalization says; veRL has none.
    """
    done = converted("gigpo", to)
    assert {line.key: line.value for line in done.ledger.targets}[key] == "???"
    assert key in [decision.key for decision in done.ledger.decisions]


def test_another_pipelines_name_is_not_said_to_be_missing() -> None:
    """functionals.compute_advantage takes gigpo for the plain return: pipeline/agentic/utils.py alone computes it."""
    (why,) = [d.why for d in converted("gigpo", "roll").ledger.decisions if d.key == "adv_estimator"]
    assert "only ROLL's agentic pipeline computes gigpo" in why


def test_the_discount_of_steps_is_no_discount_of_tokens_and_acts() -> None:
    """GiGPOAdvantageFn._discounted_returns: R_t = sum of gamma^(k-t) r_k over the steps of a run."""
    done = converted("gigpo", "roll", more=", omega: 0.5")
    states = {line.key: line.state for line in done.ledger.sources}
    assert states["algorithm.advantage_fn_args.gamma"] is State.NO_COUNTERPART
    assert any("algorithm.advantage_fn_args.gamma=0.95" in change.says for change in done.ledger.learning)
    assert "gamma" not in {line.key for line in done.ledger.targets}


def test_an_estimator_that_discounts_tokens_keeps_its_gamma() -> None:
    values = {line.key: line.value for line in converted("reinforceplusplus", "roll").ledger.targets}
    assert values["gamma"] == 0.95
