"""The two pairs that Trinity-RFT's guide to aligning with veRL calls equivalent: every discrepancy of theirs is found.

Each test has one discrepancy between the guide's words and the two frameworks' code.
"""

from __future__ import annotations

from fractions import Fraction
from functools import cache
from typing import Any

import pytest

from rftconf.diff.compare import Comparison, Difference, Verdict
from rftconf.diff.effects import Effect
from tests.diff.runs import compared

ROWS = {"grpo": 7473, "ppo": 14973}
BOTH = pytest.mark.parametrize("pair", ROWS)


@cache
def pair_of(pair: str) -> Comparison:
    return compared(f"{pair}-guide/input.sh", f"{pair}-guide-back/input.yaml", ROWS[pair])


def difference(pair: str, path: str) -> Difference:
    (new_difference,) = [
        new_difference
        for stage in pair_of(pair).stages
        for new_difference in stage.differences
        if new_difference.path == f"stage.{path}"
    ]
    return new_difference


def values(pair: str, path: str) -> tuple[Any, Any]:
    new_difference = difference(pair, path)
    return new_difference.a.value, new_difference.b.value


def total(pair: str, name: str) -> tuple[Any, Any]:
    (new_total,) = [new_total for new_total in pair_of(pair).stages[0].totals if new_total.total.name == name]
    assert (new_total.same is True) == (new_total.a == new_total.b)
    return new_total.a, new_total.b


def keys(pair: str, path: str) -> list[str]:
    """The keys in which the guide's file for Trinity-RFT says the value."""
    answer = difference(pair, path).b.said
    assert answer is not None
    return [f"{key}:{place.span.line}" for key, place in answer.keys if place is not None]


def without_effect(pair: str) -> dict[str, str]:
    return {idle.key: idle.why for idle in pair_of(pair).idle[1]}


@BOTH
def test_they_are_not_the_same_run(pair: str) -> None:
    comparison = pair_of(pair)
    assert comparison.verdict() is comparison.verdict((Effect.MATHEMATICS,)) is Verdict.DIFFERENT
    assert comparison.math_ids[0] != comparison.math_ids[1]


@BOTH
def test_d1_an_offset_of_one_runs_ahead(pair: str) -> None:
    assert values(pair, "sync.run_ahead_rollouts") == (0, 0.25)
    assert keys(pair, "sync.run_ahead_rollouts")[0].startswith("synchronizer.sync_offset:")
    assert total(pair, "staleness at most") == (0, 1)


@BOTH
def test_d2_an_overlong_prompt_is_dropped_or_masked(pair: str) -> None:
    assert values(pair, "length.overlong_prompt") == ("drop_gt", "mask_dummy")


@BOTH
def test_d3_no_selector_means_in_order(pair: str) -> None:
    assert values(pair, "data.shuffle") == (True, False)


def test_d4_a_ratio_of_no_total_never_warms_up() -> None:
    for who, updates in (("actor", 84), ("critic", 40)):
        ours, theirs = values("ppo", f"optim.{who}.warmup_updates")
        assert ours == updates
        assert theirs > 1e17
    assert keys("ppo", "optim.actor.warmup_updates") == ["algorithm.optimizer.lr_warmup_steps_ratio:10"]


@BOTH
def test_d5_cadences_were_copied_unscaled(pair: str) -> None:
    """A step is an update on one side, and a period on the other."""
    assert values(pair, "cadence.save_rollouts") == (20, 5)
    assert values(pair, "cadence.eval_rollouts") == (5, 1)


def test_d6_six_ranks_do_not_share_an_update() -> None:
    assert values("grpo", "placement.actor.gpus") == (8, 6)
    assert total("grpo", "sequences per rank and update") == (256, Fraction(2048, 6))


def test_d7_the_block_of_the_reference_acts_on_the_back_end_of_today() -> None:
    """The back end before 0.8 overwrites it; the plan is of the one that Trinity-RFT 0.6 is written for."""
    comparison = pair_of("grpo")
    assert [side.stages[0]["stage.placement.reference.offload.param"] for side in (comparison.a, comparison.b)] == [
        True,
        True,
    ]
    answer = comparison.b.said[0]["stage.placement.reference.offload.param"]
    assert answer.keys[0][0] == "trainer.trainer_config.actor_rollout_ref.ref.fsdp_config.param_offload"


def test_d8_nothing_calls_the_reward_model() -> None:
    assert values("ppo", "placement.auxiliary[0].role") == ("reward", "helper")
    assert difference("ppo", "placement.auxiliary[0].role").known.effect is Effect.MATHEMATICS


def test_d9_micro_batches_of_sequences_do_nothing() -> None:
    assert values("ppo", "batch.micro.dynamic") == (False, True)
    prefix = "trainer.trainer_config.actor_rollout_ref."
    assert "use_dynamic_bsz" in without_effect("ppo")[prefix + "actor.ppo_micro_batch_size_per_gpu"]
    assert prefix + "rollout.log_prob_micro_batch_size_per_gpu" in without_effect("ppo")


@BOTH
def test_d35_critic_warmup_stands_where_nobody_reads_it(pair: str) -> None:
    assert (
        "only the back end before 0.6 reads it" in without_effect(pair)["trainer.trainer_config.trainer.critic_warmup"]
    )


@BOTH
def test_d37_truncation_has_no_counterpart(pair: str) -> None:
    comparison = pair_of(pair)
    names = {entry.key for entry in comparison.uncompared} | {idle.key for idle in comparison.idle[0]}
    assert "data.truncation" in names


@BOTH
def test_d42_the_rule_of_batches_is_right(pair: str) -> None:
    n = 8 if pair == "grpo" else 1
    assert total(pair, "prompts per period") == (1024, 1024)
    assert total(pair, "sequences per update") == (256 * n, 256 * n)
    assert total(pair, "updates per period") == (4, 4)


@BOTH
@pytest.mark.parametrize(
    ("path", "new_pair"),
    [
        ("sync.old_logprob", ("recompute_at_rollout", "rollout_engine")),
        ("sampling.eval.temperature", (0, 1)),  # H55
        ("placement.actor.backend", ("fsdp", "fsdp2")),
        ("placement.layout", ("colocated", "disaggregated")),  # H21
    ],
)
def test_what_the_review_of_the_pairs_found_besides(pair: str, path: str, new_pair: tuple[Any, Any]) -> None:
    assert values(pair, path) == new_pair


@BOTH
def test_epochs_end_elsewhere(pair: str) -> None:
    """H12: one drops the rest of each epoch, the other carries it on."""
    assert total(pair, "periods") == ((105, 109) if pair == "grpo" else (210, 219))
