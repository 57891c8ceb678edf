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


def paths(found: Comparison) -> dict[str, Difference]:
    return {one.path: one for stage in found.stages for one in stage.differences}


@pytest.mark.parametrize(
    ("old", "new", "effect", "path", "both"),
    [
        ("rollout.n=8", "rollout.n=4", Effect.MATHEMATICS, "stage.batch.responses_per_prompt", (8, 4)),
        ("total_epochs=2", "total_epochs=3", Effect.MATHEMATICS, "stage.run_length.epochs", (2, 3)),
        ('"$@"', "trainer.save_freq=7", Effect.MEASUREMENT, "stage.cadence.save_rollouts", (None, 7)),
        ("tensor_model_parallel_size=2", "tensor_model_parallel_size=1", Effect.PERFORMANCE,
         "stage.placement.rollout.tp", (2, 1)),
        ('"$@"', "trainer.project_name=x", Effect.BOOKKEEPING, "identity.project", ("verl_examples", "x")),
    ],
)  # fmt: skip
def test_one_change_is_one_difference(old: str, new: str, effect: Effect, path: str, both: tuple[Any, Any]) -> None:
    found = paths(changed(old, new))
    one = found[path]
    assert (one.known.effect, (one.a.value, one.b.value), one.certain) == (effect, both, True)
    strongest = min(found.values(), key=lambda other: list(Effect).index(other.known.effect))
    assert strongest.known.effect is effect


def test_a_written_default_is_no_difference() -> None:
    found = with_more("algorithm.gamma=1.0 actor_rollout_ref.rollout.top_p=1 actor_rollout_ref.actor.ppo_epochs=1")
    assert found.verdict((*COUNTED, Effect.BOOKKEEPING)) is Verdict.SAME


def test_what_does_nothing_is_no_difference() -> None:
    found = with_more("actor_rollout_ref.actor.kl_loss_coef=0.5 critic.optim.lr=1 data.seed=null")
    assert [path for path, one in paths(found).items() if one.known.effect is Effect.MATHEMATICS] == []


def test_periods_without_the_policy_count_without_a_critic_too() -> None:
    found = paths(with_more("trainer.critic_warmup=3"))["stage.algorithm.critic.warmup_rollouts"]
    assert ((found.a.value, found.b.value), found.known.effect) == ((0, 2), Effect.MATHEMATICS)


def test_what_follows_from_a_switch_says_so() -> None:
    found = paths(with_more(KL))
    assert (found["stage.algorithm.kl_loss.enabled"].a.value, found["stage.algorithm.kl_loss.enabled"].a.idle) == (
        False,
        None,
    )
    assert found["stage.algorithm.kl_loss.coef"].a.idle == "there is no KL term in the loss"
    assert found["stage.algorithm.kl_loss.coef"].b.value == 0.01
    assert found["stage.algorithm.kl_loss.coef"].certain


def test_names_without_values() -> None:
    found = changed("${BATCH:-256}", "$BATCH")
    one = paths(found)["stage.batch.prompts_per_rollout"]
    assert (one.a.value, one.b.value, one.certain) == (256, Var("BATCH"), False)
    assert found.verdict() is Verdict.UNKNOWN
    unknown = {total.total.name for total in found.stages[0].totals if total.same is None}
    assert {"prompts per period", "sequences per period", "updates per period"} <= unknown


def test_equal_names_are_equal() -> None:
    open_ = GRPO.replace("${BATCH:-256}", "$BATCH")
    assert compare(side_of_text(open_), side_of_text(open_)).verdict() is Verdict.SAME


def test_a_second_data_set_is_certain() -> None:
    found = paths(
        changed("data.train_files=$DATA/gsm8k/train.parquet", "data.train_files='[/a/x.parquet,/b/y.parquet]'")
    )
    assert found["stage.data.train[1].uri"].certain


def test_silence_of_one_framework_is_not_certain() -> None:
    found = compared("grpo-guide/input.sh", "grpo-guide-back/input.yaml")
    waits = paths(found)["stage.sync.timeout_seconds"]
    assert (waits.a.value, waits.b.value, waits.certain) == (None, 1200, False)


def test_what_the_code_does_without_a_key_is_known() -> None:
    """Trinity-RFT has no seed of its own for the trainer, whose workers take veRL's 42; the golden run writes none."""
    found = compared("grpo-guide/input.sh", "grpo-guide-back/input.yaml")
    assert "stage.placement.actor.seed" not in paths(found)
    found = compare(side_of_text(GRPO.replace('"$@"', "actor_rollout_ref.actor.fsdp_config.seed=7")), found.b)
    seed = paths(found)["stage.placement.actor.seed"]
    assert (seed.a.value, seed.b.value, seed.certain) == (7, 42, True)
    assert seed.b.said is not None
    assert "no seed of its own" in seed.b.said.how


@pytest.mark.parametrize(("release", "seed"), [("0.9.1", 67280421310721), ("0.5.0", 1)])
def test_what_the_code_does_with_a_null_key_is_known(release: str, seed: int) -> None:
    """veRL main_ppo.create_rl_sampler: PyTorch's own seed where data.seed is null, 1 up to 0.5."""
    found = compare(
        side_of_text(GRPO, release=release), side_of_text(GRPO.replace('"$@"', "data.seed=3"), "b.sh", release="0.9.1")
    )
    one = paths(found)["stage.data.seed"]
    assert (one.a.value, one.b.value, one.certain) == (seed, 3, True)


def test_stages_stand_for_each_other_by_kind() -> None:
    staged, single = side_of(GOLDEN / "sft-then-rl" / "input.yaml"), side_of_text(GRPO)
    found = compare(staged, single)
    assert [(stage.a, stage.b) for stage in found.stages] == [(1, 0)]
    assert found.only_a == ("warmup (sft)",)
    assert found.verdict() is Verdict.DIFFERENT
    assert compare(single, staged).only_b == found.only_a


def test_a_run_of_one_stage_stands_for_the_last_of_its_kind() -> None:
    text = (GOLDEN / "sft-then-rl" / "input.yaml").read_text().replace("algorithm_type: sft", "algorithm_type: grpo")
    twice, single = side_of_text(text, "run.yaml"), side_of_text(GRPO)
    assert [stage["stage.kind"] for stage in twice.stages] == ["rl", "rl"]
    assert [(stage.a, stage.b) for stage in compare(twice, single).stages] == [(1, 0)]
    assert [(stage.a, stage.b) for stage in compare(single, twice).stages] == [(0, 1)]


def test_keys_outside_the_plan_count_within_one_framework() -> None:
    found = with_more("trainer.ray_wait_register_center_timeout=7")
    assert [(one.key, one.a, one.b) for one in found.own] == [("trainer.ray_wait_register_center_timeout", None, 7)]
    assert found.verdict() is Verdict.DIFFERENT
    assert found.verdict((Effect.PERFORMANCE,)) is Verdict.SAME


def test_keys_without_effect_are_told_and_not_compared() -> None:
    more = GRPO.replace('"$@"', "data.truncation=right reward_model.enable=True")
    found = compare(side_of_text(GRPO, release="0.9.1"), side_of_text(more, "b.sh", release="0.9.1"))
    assert {one.key for one in found.idle[1]} == {"data.truncation", "reward_model.enable"}
    assert found.own == ()


def test_origins_name_the_line_of_the_user() -> None:
    one = paths(changed("rollout.n=8", "rollout.n=4"))["stage.batch.responses_per_prompt"]
    assert one.b.said is not None
    ((key, place),) = one.b.said.keys
    assert key == "actor_rollout_ref.rollout.n"
    assert place is not None
    assert (place.file, place.span.line) == ("b.sh", 10)


def test_what_sleeps_by_a_number_that_only_one_side_tells_is_not_certain() -> None:
    """Updates are whole with 256 sequences; with $SIZE nobody knows."""
    tail = "stage.batch.uneven_tail"
    told: dict[str, Any] = {
        "stage.kind": "rl",
        "stage.batch.prompts_per_rollout": 64,
        "stage.batch.responses_per_prompt": 4,
        "stage.batch.sequences_per_update": 256,
        tail: "pad",
    }
    size = {"stage.batch.sequences_per_update": Var("SIZE")}
    (open_,) = [one for one in differences((told, {}), ({**told, **size, tail: "forbid"}, {})) if one.path == tail]
    assert not open_.certain
    (torn,) = [
        one
        for one in differences((told, {}), ({**told, "stage.batch.sequences_per_update": 96, tail: "forbid"}, {}))
        if one.path == tail
    ]
    assert torn.certain
