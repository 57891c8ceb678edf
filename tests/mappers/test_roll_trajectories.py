"""ROLL's agentic pipeline normalises rewards by `reward_normalization`, whatever its estimator is called.

agentic/utils.py computes `reinforce` and `grpo` alike (agentic_compute_advantage), of rewards that agentic_reward_norm
made from reward_normalization; norm_mean_type and norm_std_type beside adv_estimator are RLVR's (functionals:
reward_postprocess), and nothing in roll/pipeline/agentic reads them.
"""

from __future__ import annotations

from typing import Any

import pytest

from rftconf.base.ledger import State
from rftconf.convert.convert import convert
from rftconf.load.load import load
from rftconf.text.read.read import read
from rftconf.text.source import Source
from tests.mappers.test_roll_worlds import TRAINED, config, out, values

R, A = "reward_normalization.", "stage.algorithm."


def estimator(name: str, release: str = "0.3.0", **norms: Any) -> tuple[Any, Any]:
    changes = {"adv_estimator": name, **{R + key: value for key, value in norms.items()}}
    run = load_values(changes, release)
    return run[A + "advantage"], run.get(A + "std_scope")


def load_values(changes: dict[str, Any], release: str = "0.3.0") -> dict[str, Any]:
    bare = {key: value for key, value in TRAINED.items() if key not in ("reward_normalization", "adv_estimator")}
    return load(config(changes, bare), framework="roll", release=release).stages[-1].values


@pytest.mark.parametrize("name", ["reinforce", "grpo"])
@pytest.mark.parametrize(
    ("norms", "means"),
    [
        ({}, ("reinforce", None)),  # identity is the default of method
        ({"grouping": "traj_group_id", "method": "mean_std"}, ("grpo", "group")),
        ({"grouping": "traj_group_id", "method": "asym_clip"}, ("grpo", "group")),  # nothing is cut off since 0.1.3
        ({"grouping": "traj_group_id", "method": "mean"}, ("grpo_mean_only", "none")),
        ({"grouping": "traj_group_id", "norm_mean_type": "group", "norm_std_type": "batch"}, ("grpo", "batch")),
        ({"grouping": "batch", "method": "mean_std"}, ("reinforce_pp", "batch")),
        ({"grouping": "batch", "method": "identity"}, ("reinforce", None)),
        ({"grouping": "traj_group_id", "method": "none_such"}, ("reinforce", None)),  # falls back to identity
        ({"grouping": "batch", "method": "mean"}, ("reinforce_mean_batch_std_none", None)),
        ({"grouping": "tags", "method": "mean_std"}, ("reinforce_mean_tags_std_tags", None)),
    ],
)
def test_rewards_are_normalised_by_their_own_keys(name: str, norms: dict[str, str], means: tuple[Any, Any]) -> None:
    assert estimator(name, **norms) == means


def test_the_first_release_cuts_off_what_asym_clip_normalises() -> None:
    """v0.1.1 get_score_normalize_fn: clamp(min=-1, max=3) after the division."""
    assert estimator("grpo", "0.1.1", grouping="traj_group_id", method="asym_clip")[0].startswith("reinforce_mean_")
    assert estimator("grpo", "0.1.1", grouping="traj_group_id", method="mean_std") == ("grpo", "group")


def test_keys_of_the_other_pipeline_do_nothing() -> None:
    run = load_values({"adv_estimator": "reinforce", "norm_mean_type": "group", "norm_std_type": "group"})
    assert run[A + "advantage"] == "reinforce"


@pytest.mark.parametrize("to", ["verl", "trinity"])
def test_grpo_that_normalises_nothing_is_no_grpo_elsewhere(to: str) -> None:
    base = {key: value for key, value in TRAINED.items() if key != "reward_normalization"}
    plain = out(convert(config({"adv_estimator": "grpo"}, base), to, framework="roll"))
    group = {R + "grouping": "traj_group_id", R + "method": "mean_std", "adv_estimator": "reinforce"}
    grouped = out(convert(config(group, base), to, framework="roll"))
    key = {"verl": "algorithm.adv_estimator", "trinity": "algorithm.advantage_fn"}[to]
    assert plain[key] == {"verl": "???", "trinity": "reinforce"}[to]
    assert grouped[key] == "grpo"


def test_what_normalises_otherwise_is_kept_for_roll_and_asked_elsewhere() -> None:
    base = {key: value for key, value in TRAINED.items() if key != "reward_normalization"}
    tagged = config({R + "grouping": "tags", R + "method": "mean_std", "adv_estimator": "grpo"}, base)
    again = out(convert(tagged, "roll", framework="roll"))
    assert (again[R + "grouping"], again[R + "method"]) == ("tags", "mean_std")
    conversion = convert(tagged, "verl", framework="roll")
    assert out(conversion)["algorithm.adv_estimator"] == "???"
    lines = {line.key: line for line in conversion.ledger.sources}
    assert lines[R + "method"].state is State.NO_COUNTERPART


def test_a_run_is_the_same_run_for_roll_again() -> None:
    for norms in ({"grouping": "traj_group_id", "method": "mean_std"}, {"grouping": "batch", "method": "mean_std"}):
        changes = {"adv_estimator": "grpo", **{R + key: value for key, value in norms.items()}}
        done = convert(config(changes, TRAINED), "roll", framework="roll")
        again = values(read(Source("again.yaml", done.text)))
        first = values(config(changes, TRAINED))
        assert [again[A + f] for f in ("advantage", "std_scope")] == [first[A + f] for f in ("advantage", "std_scope")]
