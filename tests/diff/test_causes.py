"""Causes: every field that changes the mathematics has one, and what is computed is what the numbers give."""

from __future__ import annotations

from collections import Counter
from math import inf, log2, nan, sqrt
from typing import Any

import pytest

from rftconf.diff.causes import CAUSES
from rftconf.diff.compare import Difference, differences
from rftconf.diff.measured_difference import WORDS, Tier, render_value
from rftconf.diff.ranking import SOURCE_AND_TARGET, Ranked, _pattern, cause_of, ranked
from rftconf.plan.index import fields

MATHEMATICS = [path for path, field in fields().items() if field.role == ""]
RUN: dict[str, Any] = {
    "stage.kind": "rl",
    "stage.batch.prompts_per_rollout": 64,
    "stage.batch.responses_per_prompt": 8,
    "stage.batch.sequences_per_update": 512,
    "stage.batch.passes": 1,
    "stage.batch.micro.dynamic": False,
    "stage.batch.micro.sequences_per_rank": 4,
    "stage.placement.actor.backend": "fsdp",
    "stage.placement.actor.gpus": 8,
    "stage.run_length.rollouts": 100,
    "stage.sampling.train.temperature": 1.0,
    "stage.algorithm.advantage": "grpo",
    "stage.algorithm.std_scope": "group",
    "stage.algorithm.std_ddof": 1,
    "stage.algorithm.std_guard": 1e-6,
    "stage.algorithm.loss_norm_scope": "micro_batch_mean",
    "stage.algorithm.divide_logits_by_temperature": True,
    "stage.algorithm.kl_loss.enabled": True,
    "stage.algorithm.kl_loss.coef": 0.001,
    "stage.algorithm.policy_loss.family": "ppo",
    "stage.algorithm.policy_loss.clip_low": 0.2,
    "stage.algorithm.policy_loss.clip_high": 0.2,
    "stage.optim.actor.kind": "adamw",
    "stage.optim.actor.lr": 1e-6,
    "stage.optim.actor.grad_clip": 1.0,
    "stage.optim.actor.schedule": "constant",
    "stage.optim.actor.warmup_updates": 0,
    "stage.sync.every_rollouts": 1,
    "stage.sync.run_ahead_rollouts": 0,
}
KEYS = {"stage.optim.actor.grad_clip": "clip", "stage.optim.actor.lr": "lr", "stage.algorithm.kl_loss.coef": "kl"}


def changes(fields: dict[str, Any]) -> tuple[Ranked, ...]:
    """What a run with these values does otherwise, by fields below the stage."""
    second = {**RUN, **{f"stage.{name}": value for name, value in fields.items()}}
    return ranked(found_in(RUN, second), RUN, second, SOURCE_AND_TARGET, KEYS)


def found_in(a: dict[str, Any], b: dict[str, Any]) -> tuple[Difference, ...]:
    return tuple(difference for difference in differences((a, {}), (b, {})))


def only(**named: Any) -> Ranked:
    pairs = changes({name.replace("__", "."): value for name, value in named.items()})
    assert len(pairs) == 1, [cause.cause.name for cause in pairs]
    return pairs[0]


@pytest.mark.parametrize("path", MATHEMATICS)
def test_every_field_of_the_mathematics_has_a_cause(path: str) -> None:
    assert cause_of(path).name


def test_every_pattern_of_a_cause_is_about_a_field_that_it_has() -> None:
    idle = [
        (cause.name, field)
        for cause in CAUSES
        for field in cause.fields
        if not any(_pattern(field).fullmatch(path) and cause_of(path) is cause for path in fields())
    ]
    assert idle == []
    assert [name for name, count in Counter(cause.name for cause in CAUSES).items() if count > 1] == []


def test_words_are_words_that_the_plan_has() -> None:
    for path, words in WORDS.items():
        kinds = fields()[path].kinds
        assert {f"={word}" for word in words} <= set(kinds) or "str" in kinds, path


def test_micro_batches_that_are_added_up_scale_the_gradient_by_their_number() -> None:
    """512 sequences over 8 ranks in micro-batches of 4 are 16 of them: the clip limit has to grow by 16."""
    cause = only(algorithm__loss_norm_scope="micro_batch_sum")
    assert cause.tier is Tier.SCALE
    assert cause.measured.doublings == log2(16)
    assert "×16" in cause.measured.says
    assert cause.measured.remedy.startswith("set clip=16 ")


def test_micro_batches_that_tokens_fill_are_counted_at_most() -> None:
    lengths = {"stage.length.prompt_max_tokens": 1000, "stage.length.response_max_tokens": 3000}
    tokens = {"stage.batch.micro.dynamic": True, "stage.batch.micro.tokens_per_rank": 16000}
    a = {**RUN, **lengths, **tokens}
    b = {**a, "stage.algorithm.loss_norm_scope": "micro_batch_sum"}
    (cause,) = ranked(found_in(a, b), a, b, SOURCE_AND_TARGET, KEYS)
    assert "up to ×16" in cause.measured.says  # 64 sequences of 4,000 tokens a rank, 4 of them in each
    assert cause.measured.remedy.startswith("multiply clip (now 1.0) by that number")


WHOLE = (-1, 0, 1, 10**30, -(10**30))
NUMBERS = (*WHOLE, -0.5, 1e-300, 1e300, inf, -inf, nan)


@pytest.mark.parametrize(
    ("name", "number"),
    [
        (name, number)
        for name, value in RUN.items()
        if type(value) in (int, float)
        for number in (NUMBERS if isinstance(value, float) else WHOLE)
    ],
)
def test_a_number_that_no_run_can_have_is_measured_too(name: str, number: float) -> None:
    """Such a number is refused where it is read; whoever compares the runs all the same is told of every difference."""
    odd = {**RUN, name: number}
    for word in ("micro_batch_sum", "update"):
        other = {**odd, "stage.algorithm.loss_norm_scope": word, "stage.algorithm.std_ddof": 0}
        for a, b in ((odd, other), (other, odd), (RUN, odd), (odd, RUN)):
            assert all(cause.measured.says for cause in ranked(found_in(a, b), a, b, SOURCE_AND_TARGET, KEYS))


def test_another_optimiser_than_adam_sees_the_scale() -> None:
    a = {**RUN, "stage.optim.actor.kind": "sgd"}
    b = {**a, "stage.algorithm.loss_norm_scope": "micro_batch_sum"}
    (cause,) = ranked(found_in(a, b), a, b, SOURCE_AND_TARGET, KEYS)
    assert cause.measured.remedy == "divide lr by the number of micro-batches"


def test_one_micro_batch_changes_nothing() -> None:
    a = {**RUN, "stage.batch.micro.sequences_per_rank": 64}
    b = {**a, "stage.algorithm.loss_norm_scope": "micro_batch_sum"}
    (cause,) = ranked(found_in(a, b), a, b)
    assert not cause.acts


def test_a_deviation_of_the_population_is_smaller() -> None:
    cause = only(algorithm__std_ddof=0)
    assert cause.measured.doublings == pytest.approx(log2(sqrt(8 / 7)))
    assert "×1.07" in cause.measured.says
    assert "clip=1.069" in cause.measured.remedy


def test_what_is_added_to_a_deviation_is_left_to_chance_until_it_weighs() -> None:
    """TRL adds 1e-4, which is below what two seeds differ by; Trinity-RFT takes any number."""
    little, much = only(algorithm__std_guard=1e-4), only(algorithm__std_guard=0.1)
    assert (little.tier, little.acts) == (Tier.CHANCE, True)
    assert "advantages are 0.0099 % smaller" in little.measured.says
    assert much.tier is Tier.SCALE
    assert much.measured.doublings == pytest.approx(log2(1.1), rel=1e-4)


def test_a_term_that_is_gone_is_larger_than_any_factor() -> None:
    pairs = changes({"algorithm.kl_loss.enabled": False, "optim.actor.lr": 1e-3})
    assert [cause.cause.name for cause in pairs] == ["KL in the loss", "learning rate"]
    assert pairs[0].measured.doublings == inf
    assert pairs[0].tier is Tier.OBJECTIVE
    assert pairs[1].measured.doublings == pytest.approx(log2(1000))


def test_a_term_with_another_weight_is_a_factor() -> None:
    cause = only(algorithm__kl_loss__coef=0.004)
    assert cause.measured.says == "The KL term of the loss weighs ×4"
    assert cause.measured.remedy == "set kl=0.001"


def test_a_schedule_is_the_mean_rate_of_the_run() -> None:
    """Linear to 0 over 100 updates halves the mean; 50 updates of warm-up before a constant rate take a quarter of it."""
    linear = only(optim__actor__schedule="linear")
    assert linear.measured.doublings == 1
    assert linear.measured.remedy == "lr=2e-06 keeps the mean"
    warm = only(optim__actor__warmup_updates=50)
    assert warm.measured.doublings == pytest.approx(log2(4 / 3))


def test_staleness_counts_periods() -> None:
    cause = only(sync__run_ahead_rollouts=2)
    assert cause.measured.doublings == 2
    assert "up to 2 periods old here, 0 in the source" in cause.measured.says


def test_the_temperature_is_a_factor_and_logits_act_only_with_one() -> None:
    pairs = changes({"sampling.train.temperature": 0.5})
    assert [cause.cause.name for cause in pairs] == ["temperature"]
    assert pairs[0].measured.doublings == 1
    assert changes({"algorithm.divide_logits_by_temperature": False}) == ()
    hot = {**RUN, "stage.sampling.train.temperature": 0.5}
    second = {**hot, "stage.algorithm.divide_logits_by_temperature": False}
    (first,) = ranked(found_in(hot, second), hot, second)
    assert (first.cause.name, first.measured.doublings) == ("logits", 1)


def test_the_order_is_tier_then_size_and_a_factor_near_1_is_chance() -> None:
    pairs = changes(
        {
            "algorithm.policy_loss.family": "gspo",
            "optim.actor.lr": 1.001e-6,
            "optim.actor.grad_clip": 2.0,
            "algorithm.policy_loss.clip_high": 0.8,
            "data.shuffle": True,
        }
    )
    names = [cause.cause.name for cause in pairs if cause.cause.name != "order"]
    assert names[:3] == ["loss", "clip", "gradient clipping"]
    assert next(cause for cause in pairs if cause.cause.name == "learning rate").tier is Tier.CHANCE


def test_a_number_that_nobody_told_stays_a_formula() -> None:
    from rftconf.base.symbols import Var

    cause = only(optim__actor__lr=Var("LR"))
    assert cause.measured.doublings is None
    assert "LR" in cause.measured.says


def test_a_value_in_a_sentence_is_written_as_a_config_has_it() -> None:
    assert render_value({"rollout_is": None, "levels": [True, 2]}) == "{rollout_is: null, levels: [true, 2]}"


def test_each_setting_that_differs_of_a_cause_is_named() -> None:
    """A person has to look at each: a penalty on long answers is no detail of the manager's name."""
    penalty = {"overlong_buffer_cfg": {"enable": True, "penalty_factor": 0.5}, "max_resp_len": 8192}
    cause = only(reward__manager="dapo", reward__manager_args=penalty, reward__function_name="score")
    says = cause.measured.says
    assert "manager_args (overlong_buffer_cfg, max_resp_len)" in says
    assert "function_name" in says
    assert " more of its" not in says


SHORT = {"stage.length.prompt_max_tokens": 2048, "stage.length.response_max_tokens": 2048}


@pytest.mark.parametrize(
    ("more", "second", "acts"),
    [
        ({}, 4096, False),
        ({}, 3072, True),
        ({"stage.turns.assistant_max": 4}, 4096, True),
        ({"stage.length.prompt_max_tokens": None}, 4096, True),
    ],
)
def test_a_longer_sequence_of_the_engine_than_prompt_and_answer_take_is_no_change(
    more: dict[str, Any], second: int, acts: bool
) -> None:
    """An engine of 40,960 tokens generates what one of 4,096 does, where prompt and answer have 2,048 each."""
    base = {**RUN, **SHORT, **more}
    first_run, second_run = ({**base, "stage.length.model_max_tokens": size} for size in (40960, second))
    (cause,) = ranked(found_in(first_run, second_run), first_run, second_run, SOURCE_AND_TARGET, KEYS)
    assert cause.acts is acts
    assert "prompt" not in cause.measured.says
