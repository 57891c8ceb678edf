"""Every estimator of every framework becomes one of the same formula elsewhere, or a person is asked, or it is refused.

The tables are worked out from the frameworks' code: veRL's core_algos.py, Trinity-RFT's algorithm/advantage_fn, ROLL's
utils/functionals.py (reward_norm, then compute_advantage), ChatLearn's grpo_utils/advantage_compute.py.
"""

from __future__ import annotations

import re
from typing import Any

import pytest

from rftconf.base.errors import RefusedError
from tests.conformance.environment import folder
from tests.laws.flip_bases import TRINITY_GRPO, VERL_GRPO
from tests.laws.flip_bases_roll import RLVR
from tests.laws.round_trips import convert_flat
from tests.mappers.roll_runs import from_roll

ASKED, REFUSED = "asked", "refused"
Expected = dict[str, Any] | str
KEY = {
    "verl": "algorithm.adv_estimator",
    "trinity": "algorithm.algorithm_type",
    "roll": "adv_estimator",
    "chatlearn": "models.policy_trainer",
}
BASES = {"verl": (VERL_GRPO, "fsdp"), "trinity": (TRINITY_GRPO, ""), "roll": (RLVR, "rlvr")}
DEVIATION, MEAN, STD, WHITE = (
    "algorithm.norm_adv_by_std_in_grpo",
    "norm_mean_type",
    "norm_std_type",
    "whiten_advantages",
)
EST, FUNCTION = "algorithm.adv_estimator", "algorithm.advantage_fn"
GRPO: dict[str, Expected] = {
    "verl": {EST: "grpo"},
    "trinity": {FUNCTION: "grpo"},
    "roll": {"adv_estimator": "grpo"},
    "chatlearn": {},
}
MEAN_ONLY: dict[str, Expected] = {
    "verl": {EST: "grpo", DEVIATION: False},
    "trinity": {FUNCTION: "opmd"},
    "roll": {"adv_estimator": "reinforce", MEAN: "group", STD: None},
    "chatlearn": ASKED,
}
CRITIC: dict[str, Expected] = {
    "verl": {EST: "gae"},
    "trinity": {FUNCTION: "ppo"},
    "roll": {"adv_estimator": "gae", WHITE: True},
    "chatlearn": REFUSED,
}
WHITENED_RETURNS: dict[str, Expected] = {
    "verl": {EST: "reinforce_plus_plus"},
    "trinity": {FUNCTION: "reinforceplusplus"},
    "roll": {"adv_estimator": "reinforce", WHITE: True, MEAN: None, STD: None},
    "chatlearn": ASKED,
}
LEAVE_ONE_OUT: dict[str, Expected] = {
    "verl": {EST: "rloo"},
    "trinity": {FUNCTION: "rloo"},
    "roll": ASKED,
    "chatlearn": ASKED,
}
REWARDS_AS_THEY_ARE: dict[str, Expected] = {
    "verl": ASKED,
    "trinity": {FUNCTION: "reinforce"},
    "roll": {"adv_estimator": "reinforce", MEAN: None, STD: None},
    "chatlearn": ASKED,
}
# Trinity registers the function and no class that computes the greedy answer's reward for it
GREEDY_BASELINE: dict[str, Expected] = {"verl": {EST: "remax"}, "trinity": ASKED, "roll": ASKED, "chatlearn": ASKED}
OWN: dict[str, Expected] = dict.fromkeys(KEY, ASKED)

VERL = {
    "gae": CRITIC,
    "grpo": GRPO,
    "grpo_vectorized": GRPO,
    "reinforce_plus_plus": WHITENED_RETURNS,
    "rloo": LEAVE_ONE_OUT,
    "rloo_vectorized": LEAVE_ONE_OUT,
    "remax": GREEDY_BASELINE,
    "reinforce_plus_plus_baseline": OWN,
    "opo": OWN,
    "grpo_passk": OWN,
    "gpg": OWN,
    "gdpo": OWN,
    "optimal_token_baseline": OWN,
    "tir_optimal_token_baseline": OWN,
}
TRINITY = {
    "ppo": CRITIC,
    "grpo": GRPO,
    "grpo_verl": GRPO,
    "opmd": MEAN_ONLY,
    "opmd_verl": MEAN_ONLY,
    "reinforceplusplus": WHITENED_RETURNS,
    "reinforce": REWARDS_AS_THEY_ARE,
    "remax": GREEDY_BASELINE,
    "rloo": LEAVE_ONE_OUT,
    "step_wise_grpo": OWN,
    "gigpo": OWN,
    "asymre": OWN,
    "asymre_verl": OWN,
    "rec": OWN,
    "clipb": OWN,
    "clipv": OWN,
}
TEACHERS = {"on_policy_distill", "jsd"}
"""Functions whose advantage is a teacher's divergence: no estimator."""
PLAIN = {"adv_estimator": "reinforce", WHITE: False}
ROLL: dict[str, tuple[dict[str, Any], dict[str, Expected]]] = {
    "gae, whitened": ({"adv_estimator": "gae", WHITE: True}, CRITIC),
    "grpo": ({"adv_estimator": "grpo", WHITE: False}, GRPO),
    "rewards as they are": ({**PLAIN, MEAN: None, STD: None}, REWARDS_AS_THEY_ARE),
    "whitened returns": ({**PLAIN, WHITE: True, MEAN: None, STD: None}, WHITENED_RETURNS),
    "group and group": ({**PLAIN, MEAN: "group", STD: "group"}, GRPO),
    "group alone": ({**PLAIN, MEAN: "group", STD: None}, MEAN_ONLY),
    "batch alone": ({**PLAIN, MEAN: "batch", STD: None}, OWN),
    "batch and group": ({**PLAIN, MEAN: "batch", STD: "group"}, OWN),
    "deviation alone": ({**PLAIN, MEAN: None, STD: "batch"}, OWN),
    "running": ({**PLAIN, MEAN: "running", STD: "running"}, OWN),
    "gigpo": ({"adv_estimator": "gigpo"}, OWN),
    "step_reinforce": ({"adv_estimator": "step_reinforce"}, OWN),
    "agentic_reinforce": ({"adv_estimator": "agentic_reinforce"}, OWN),
}
CASES = [
    *(("verl", {EST: name}, name, expected) for name, expected in VERL.items()),
    ("verl", {EST: "grpo", DEVIATION: False}, "grpo without deviation", MEAN_ONLY),
    *(("trinity", {FUNCTION: name}, name, expected) for name, expected in TRINITY.items()),
    *(("roll", keys, name, expected) for name, (keys, expected) in ROLL.items()),
]


@pytest.mark.parametrize(
    ("framework", "keys", "to", "expected"),
    [
        pytest.param(framework, keys, to, expected[to], id=f"{framework} {name} to {to}")
        for framework, keys, name, expected in CASES
        for to in KEY
        if to != framework
    ],
)
def test_an_estimator_is_the_same_formula_elsewhere_or_asked_about(
    framework: str, keys: dict[str, Any], to: str, expected: Expected
) -> None:
    base, trainer = BASES[framework]
    if expected == REFUSED:
        with pytest.raises(RefusedError, match="critic"):
            convert_flat(framework, to, {**base, **keys}, trainer)
        return
    ledger = convert_flat(framework, to, {**base, **keys}, trainer).ledger
    targets = {line.key: line.value for line in ledger.targets}
    decisions = [decision.key for decision in ledger.decisions]
    assert (KEY[to] in decisions) == (expected == ASKED)
    if isinstance(expected, dict):
        assert {key: targets.get(key) for key in expected} == expected
    elif to != "chatlearn":
        assert targets[KEY[to]] == "???"


@pytest.mark.parametrize("norms", [("batch", None), ("running", "running"), ("batch", "group"), ("group", "batch")])
def test_roll_gets_its_normalisation_back(norms: tuple[str | None, str | None]) -> None:
    keys = {**PLAIN, MEAN: norms[0], STD: norms[1]}
    targets = {line.key: line.value for line in convert_flat("roll", "roll", {**RLVR, **keys}, "rlvr").ledger.targets}
    assert {key: targets.get(key) for key in (MEAN, STD, "adv_estimator")} == {
        MEAN: norms[0],
        STD: norms[1],
        "adv_estimator": "reinforce",
    }


@pytest.mark.parametrize("to", ["verl", "trinity"])
def test_rewards_that_are_normalised_before_gae_are_a_change_that_is_named(to: str) -> None:
    """functionals.reward_norm runs whatever the estimator is; core_algos.compute_gae_advantage_return takes rewards as they are."""
    keys = {"adv_estimator": "gae", WHITE: True, MEAN: "batch", STD: "batch"}
    ledger = from_roll(keys, to=to).conversion.ledger
    assert any("norm_mean_type=batch and norm_std_type=batch act" in change.says for change in ledger.learning)


def registered(path: str, pattern: str) -> set[str]:
    """The names in a file of an installed package."""
    file = folder() / "releases" / path
    if not file.exists():
        pytest.skip("the published packages are not installed here")
    return set(re.findall(pattern, file.read_text()))


def test_the_tables_hold_every_estimator_that_is_registered() -> None:
    verl = registered("verl-0.9.1/verl/trainer/ppo/core_algos.py", r"(?m)^    [A-Z_]+ = \"(\w+)\"$")
    assert verl == set(VERL)
    trinity = registered("trinity-0.6.0/trinity/algorithm/advantage_fn/__init__.py", r"\"(\w+)\": \"trinity\.")
    assert trinity - TEACHERS == set(TRINITY)
