"""Two plans side by side: stages that stand for each other, what is certain, what is outside the plan."""

from __future__ import annotations

from typing import Any

import pytest

from rftconf.base.symbols import Var
from rftconf.diff.compare import Comparison, Difference, Verdict, compare, differences
from rftconf.diff.effects import COUNTED, Effect
from tests.cli.scripts import GRPO
from tests.diff.runs import GOLDEN, compared, side_of, side_of_text

KL = "actor_rollout_ref.actor.use_kl_loss=True actor_rollout_ref.actor.kl_loss_coef=0.01"


def changed(old: str, new: str) -> Comparison:
    """A veRL script beside itself with one thing changed."""
    assert old in GRPO
    return compare(side_of_text(GRPO), side_of_text(GRPO.replace(old, new), "b.sh"))


def with_more(more: str) -> Comparison:
    return changed('"$@"', more)


def paths(comparison: Comparison) -> dict[str, Difference]:
    return {difference.path: difference for stage in comparison.stages for difference in stage.differences}


@pytest.mark.parametrize(
    ("old", "new", "effect", "path", "pair"),
    [
        ("rollout.n=8", "rollout.n=4", Effect.MATHEMATICS, "stage.batch.responses_per_prompt", (8, 4)),
        ("total_epochs=2", "total_epochs=3", Effect.MATHEMATICS, "stage.run_length.epochs", (2, 3)),
        ('"$@"', "trainer.save_freq=7", Effect.MEASUREMENT, "stage.cadence.save_rollouts", (None, 7)),
        ("tensor_model_parallel_size=2", "tensor_model_parallel_size=1", Effect.PERFORMANCE,
         "stage.placement.rollout.tp", (2, 1)),
        ('"$@"', "trainer.project_name=x", Effect.BOOKKEEPING, "identity.project", ("verl_examples", "x")),
    ],
)  # fmt: skip
def test_one_change_is_one_difference(old: str, new: str, effect: Effect, path: str, pair: tuple[Any, Any]) -> None:
    new_differences = paths(changed(old, new))
    first = new_differences[path]
    assert (first.known.effect, (first.a.value, first.b.value), first.certain) == (effect, pair, True)
    strongest = min(
        new_differences.values(), key=lambda other_difference: list(Effect).index(other_difference.known.effect)
    )
    assert strongest.known.effect is effect


def test_a_written_default_is_no_difference() -> None:
    comparison = with_more("algorithm.gamma=1.0 actor_rollout_ref.rollout.top_p=1 actor_rollout_ref.actor.ppo_epochs=1")
    assert comparison.verdict((*COUNTED, Effect.BOOKKEEPING)) is Verdict.SAME


def test_what_does_nothing_is_no_difference() -> None:
    comparison = with_more("actor_rollout_ref.actor.kl_loss_coef=0.5 critic.optim.lr=1 data.seed=null")
    assert [
        path for path, difference in paths(comparison).items() if difference.known.effect is Effect.MATHEMATICS
    ] == []


def test_periods_without_the_policy_count_without_a_critic_too() -> None:
    difference = paths(with_more("trainer.critic_warmup=3"))["stage.algorithm.critic.warmup_rollouts"]
    assert ((difference.a.value, difference.b.value), difference.known.effect) == ((0, 2), Effect.MATHEMATICS)


def test_what_follows_from_a_switch_says_so() -> None:
    new_differences = paths(with_more(KL))
    assert (
        new_differences["stage.algorithm.kl_loss.enabled"].a.value,
        new_differences["stage.algorithm.kl_loss.enabled"].a.idle,
    ) == (
        False,
        None,
    )
    assert new_differences["stage.algorithm.kl_loss.coef"].a.idle == "there is no KL term in the loss"
    assert new_differences["stage.algorithm.kl_loss.coef"].b.value == 0.01
    assert new_differences["stage.algorithm.kl_loss.coef"].certain


def test_names_without_values() -> None:
    comparison = changed("${BATCH:-256}", "$BATCH")
    difference = paths(comparison)["stage.batch.prompts_per_rollout"]
    assert (difference.a.value, difference.b.value, difference.certain) == (256, Var("BATCH"), False)
    assert comparison.verdict() is Verdict.UNKNOWN
    unknown = {total.total.name for total in comparison.stages[0].totals if total.same is None}
    assert {"prompts per period", "sequences per period", "updates per period"} <= unknown


def test_equal_names_are_equal() -> None:
    open_ = GRPO.replace("${BATCH:-256}", "$BATCH")
    assert compare(side_of_text(open_), side_of_text(open_)).verdict() is Verdict.SAME


def test_a_second_data_set_is_certain() -> None:
    new_differences = paths(
        changed("data.train_files=$DATA/gsm8k/train.parquet", "data.train_files='[/a/x.parquet,/b/y.parquet]'")
    )
    assert new_differences["stage.data.train[1].uri"].certain


def test_silence_of_one_framework_is_not_certain() -> None:
    comparison = compared("grpo-guide/input.sh", "grpo-guide-back/input.yaml")
    waits = paths(comparison)["stage.sync.timeout_seconds"]
    assert (waits.a.value, waits.b.value, waits.certain) == (None, 1200, False)


def test_what_the_code_does_without_a_key_is_known() -> None:
    """Trinity-RFT has no seed of its own for the trainer, whose workers take veRL's 42; the golden run writes none."""
    comparison = compared("grpo-guide/input.sh", "grpo-guide-back/input.yaml")
    assert "stage.placement.actor.seed" not in paths(comparison)
    comparison = compare(side_of_text(GRPO.replace('"$@"', "actor_rollout_ref.actor.fsdp_config.seed=7")), comparison.b)
    seed = paths(comparison)["stage.placement.actor.seed"]
    assert (seed.a.value, seed.b.value, seed.certain) == (7, 42, True)
    assert seed.b.said is not None
    assert "no seed of its own" in seed.b.said.how


@pytest.mark.parametrize(("release", "seed"), [("0.9.1", 67280421310721), ("0.5.0", 1)])
def test_what_the_code_does_with_a_null_key_is_known(release: str, seed: int) -> None:
    """veRL main_ppo.create_rl_sampler: PyTorch's own seed where data.seed is null, 1 up to 0.5."""
    comparison = compare(
        side_of_text(GRPO, release=release), side_of_text(GRPO.replace('"$@"', "data.seed=3"), "b.sh", release="0.9.1")
    )
    difference = paths(comparison)["stage.data.seed"]
    assert (difference.a.value, difference.b.value, difference.certain) == (seed, 3, True)


def test_stages_stand_for_each_other_by_kind() -> None:
    staged, single = side_of(GOLDEN / "sft-then-rl" / "input.yaml"), side_of_text(GRPO)
    comparison = compare(staged, single)
    assert [(stage.a, stage.b) for stage in comparison.stages] == [(1, 0)]
    assert comparison.only_a == ("warmup (sft)",)
    assert comparison.verdict() is Verdict.DIFFERENT
    assert compare(single, staged).only_b == comparison.only_a


def test_a_run_of_one_stage_stands_for_the_last_of_its_kind() -> None:
    text = (GOLDEN / "sft-then-rl" / "input.yaml").read_text().replace("algorithm_type: sft", "algorithm_type: grpo")
    twice, single = side_of_text(text, "run.yaml"), side_of_text(GRPO)
    assert [stage["stage.kind"] for stage in twice.stages] == ["rl", "rl"]
    assert [(stage.a, stage.b) for stage in compare(twice, single).stages] == [(1, 0)]
    assert [(stage.a, stage.b) for stage in compare(single, twice).stages] == [(0, 1)]


def test_keys_outside_the_plan_count_within_one_framework() -> None:
    comparison = with_more("trainer.ray_wait_register_center_timeout=7")
    assert [(entry.key, entry.a, entry.b) for entry in comparison.own] == [
        ("trainer.ray_wait_register_center_timeout", None, 7)
    ]
    assert comparison.verdict() is Verdict.DIFFERENT
    assert comparison.verdict((Effect.PERFORMANCE,)) is Verdict.SAME


def test_keys_without_effect_are_told_and_not_compared() -> None:
    more = GRPO.replace('"$@"', "data.truncation=right reward_model.enable=True")
    comparison = compare(side_of_text(GRPO, release="0.9.1"), side_of_text(more, "b.sh", release="0.9.1"))
    assert {idle.key for idle in comparison.idle[1]} == {"data.truncation", "reward_model.enable"}
    assert comparison.own == ()


def test_origins_name_the_line_of_the_user() -> None:
    difference = paths(changed("rollout.n=8", "rollout.n=4"))["stage.batch.responses_per_prompt"]
    assert difference.b.said is not None
    ((key, place),) = difference.b.said.keys
    assert key == "actor_rollout_ref.rollout.n"
    assert place is not None
    assert (place.file, place.span.line) == ("b.sh", 10)


def test_what_sleeps_by_a_number_that_only_one_side_tells_is_not_certain() -> None:
    """Updates are whole with 256 sequences; with $SIZE nobody knows."""
    tail = "stage.batch.uneven_tail"
    names: dict[str, Any] = {
        "stage.kind": "rl",
        "stage.batch.prompts_per_rollout": 64,
        "stage.batch.responses_per_prompt": 4,
        "stage.batch.sequences_per_update": 256,
        tail: "pad",
    }
    size = {"stage.batch.sequences_per_update": Var("SIZE")}
    (open_,) = [
        difference
        for difference in differences((names, {}), ({**names, **size, tail: "forbid"}, {}))
        if difference.path == tail
    ]
    assert not open_.certain
    (torn,) = [
        difference
        for difference in differences(
            (names, {}), ({**names, "stage.batch.sequences_per_update": 96, tail: "forbid"}, {})
        )
        if difference.path == tail
    ]
    assert torn.certain


def test_a_value_that_both_sides_state_is_no_difference_though_it_follows_from_another_on_one() -> None:
    """The critic's update is 256 sequences on both sides; on one it is the policy's too, and goes without saying there."""
    critic = "stage.batch.critic_sequences_per_update"
    stage: dict[str, Any] = {"stage.kind": "rl", "stage.algorithm.critic.enabled": True, critic: 256}
    policy = "stage.batch.sequences_per_update"
    for other in (Var("SIZE"), 128):
        listed = differences(({**stage, policy: 256}, {}), ({**stage, policy: other}, {}))
        assert [difference.path for difference in listed] == [policy]
    (differing,) = differences(({**stage, policy: 256}, {}), ({**stage, policy: 256, critic: 128}, {}))
    assert differing.path == critic
