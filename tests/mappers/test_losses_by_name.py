"""Two losses of one name are two losses, and one whose name nobody knows is neither."""

from __future__ import annotations

from typing import Any

import pytest

from rftconf.base.ledger import LOSSES, State
from rftconf.base.symbols import is_symbolic
from rftconf.mappers import families
from tests.laws.flip_bases import ARR, PPO, TRINITY_GRPO, VERL_GRPO
from tests.laws.flip_bases_roll import RLVR
from tests.laws.round_trips import convert_flat
from tests.mappers.worked.runs import Flat, keys, outcome, plan, read

FAMILY = "algorithm.policy_loss.family"
MODE = f"{ARR}.actor.policy_loss.loss_mode"
PG = {"actor_train.worker_cls": "roll.pipeline.rlvr.actor_pg_worker.ActorPGWorker"}
VARIANT = "actor_train.pg_variant"


@pytest.mark.parametrize(
    ("framework", "flat", "trainer", "to"),
    [
        # trinity 0.6.0 sapo_policy_loss.py: -advantages * soft_gate.detach() * logprob; verl 0.9.1 core_algos.py: -gates * advantages
        ("trinity", {**TRINITY_GRPO, "algorithm.algorithm_type": "sapo"}, "", "verl"),
        ("verl", {**VERL_GRPO, MODE: "sapo"}, "fsdp", "trinity"),
        # roll 0.3.0 actor_pg_worker.py: scores > 0; trinity 0.6.0 topr_policy_loss.py: advantages <= advantage_threshold
        ("trinity", {**TRINITY_GRPO, "algorithm.policy_loss_fn": "topr"}, "", "roll"),
        ("roll", {**RLVR, **PG, VARIANT: "topr"}, "rlvr", "trinity"),
        # a loss that a fork registers under another framework's name
        ("verl", {**VERL_GRPO, MODE: "tis"}, "fsdp", "roll"),
        ("verl", {**VERL_GRPO, MODE: "topr_by_reward"}, "fsdp", "roll"),
        ("trinity", {**TRINITY_GRPO, "algorithm.policy_loss_fn": "geo_mean"}, "", "verl"),
    ],
)
def test_a_loss_of_another_formula_is_asked_about(framework: str, flat: Flat, trainer: str, to: str) -> None:
    ledger = convert_flat(framework, to, dict(flat), trainer).ledger
    key = {"verl": MODE, "trinity": "algorithm.policy_loss_fn", "roll": "importance_sampling"}[to]
    assert {line.key: line.value for line in ledger.targets}[key] == "???"
    assert key in [decision.key for decision in ledger.decisions]


def test_estimators_of_a_fork_are_not_another_frameworks() -> None:
    flat = {**VERL_GRPO, "algorithm.adv_estimator": "gigpo"}
    targets = {line.key: line.value for line in convert_flat("verl", "trinity", flat, "fsdp").ledger.targets}
    assert targets["algorithm.algorithm_type"] == "???"
    flat["algorithm.adv_estimator"] = "reinforce"
    targets = {line.key: line.value for line in convert_flat("verl", "roll", flat, "fsdp").ledger.targets}
    assert targets["adv_estimator"] == "???"


@pytest.mark.parametrize(
    ("framework", "key", "value"),
    [
        ("verl", MODE, "topr_by_reward"),
        ("verl", MODE, "sapo"),
        ("verl", "algorithm.adv_estimator", "reinforce"),
        ("trinity", "algorithm.policy_loss_fn", "sapo"),
        ("trinity", "algorithm.policy_loss_fn", "geo_mean"),
        ("roll", VARIANT, "topr"),
        ("roll", VARIANT, "sapo"),
    ],
)
def test_a_framework_gets_its_own_names_back(framework: str, key: str, value: str) -> None:
    base: dict[str, dict[str, Any]] = {"verl": VERL_GRPO, "trinity": TRINITY_GRPO, "roll": {**RLVR, **PG}}
    trainer = {"verl": "fsdp", "trinity": "", "roll": "rlvr"}[framework]
    ledger = convert_flat(framework, framework, {**base[framework], key: value}, trainer).ledger
    assert {line.key: line.value for line in ledger.targets}[key] == value


@pytest.mark.parametrize(("mode", "release"), [("sapo", "0.9.1"), ("geo_mean", "0.9.1"), ("sapo", "0.8.0")])
def test_losses_of_verl_that_are_means_over_sequences(mode: str, release: str) -> None:
    """verl core_algos.py: agg_loss(loss_agg_mode="seq-mean-token-mean"), or torch.mean, whatever loss_agg_mode says."""
    key = f"{ARR}.actor.loss_agg_mode"
    flat = {**VERL_GRPO, MODE: mode, key: "token-mean", f"{ARR}.actor.entropy_coeff": 0}
    alone = read("verl", {**flat, f"{ARR}.actor.use_kl_loss": False}, release=release)
    assert alone.values["stage.algorithm.loss_agg"] == "seq-mean-token-mean"
    assert key in alone.inactive
    beside = read("verl", {**flat, f"{ARR}.actor.use_kl_loss": True}, release=release)
    assert (key in beside.inactive, key in beside.narrowed) == (False, True)


def test_a_mean_over_tokens_that_verls_sapo_does_not_take() -> None:
    aggregation = "algorithm.loss_agg"
    assert outcome("verl", aggregation, "token-mean", {FAMILY: "sapo"}) is State.NARROWED
    assert outcome("verl", aggregation, "token-mean", {FAMILY: "ppo"}) is State.EXACT


LOSS = "algorithm.policy_loss."
CLIPS = (f"{LOSS}family", f"{LOSS}clip_low", f"{LOSS}clip_high", f"{LOSS}dual_clip_c")


@pytest.mark.parametrize(
    ("variant", "clips"),
    [
        ("cispo", ["cispo", 0.1, 0.1, None]),
        ("topr", ["topr_by_reward", None, None, None]),
        (None, ["gpg", None, None, None]),
        ("ppo", ["ppo", 0.3, 0.3, 1.6]),
    ],
)
def test_what_variants_of_roll_clip(variant: str | None, clips: list[Any]) -> None:
    """roll 0.3.0 actor_pg_worker.py: ppo alone reads pg_clip; cispo takes cispo_epsilon_low and _high, 0.1, which its config lacks."""
    flat = {**RLVR, **PG, VARIANT: variant, "pg_clip": 0.3, "dual_clip_loss": True}
    assert plan("roll", flat, *CLIPS) == clips
    assert ("pg_clip" in read("roll", flat).inactive) is (variant != "ppo")


@pytest.mark.parametrize(("clip", "same"), [(0.1, True), (0.28, False)])
def test_the_range_of_rolls_cispo(clip: float, same: bool) -> None:
    state = outcome("roll", f"{LOSS}clip_high", clip, {FAMILY: "cispo"})
    assert (state not in LOSSES) is same
    assert keys("roll", {FAMILY: "cispo", f"{LOSS}clip_high": clip}, "pg_clip", "pg_clip_high") == [None, None]


UNKNOWN = "${oc.env:ALGORITHM}"
FOLLOWS = (
    "advantage",
    "policy_loss.family",
    "kl_loss.enabled",
    "critic.enabled",
    "whiten_advantage",
    "policy_loss.clip_high",
)


@pytest.mark.parametrize("field", FOLLOWS)
def test_all_of_an_algorithm_that_nobody_knows_is_open(field: str) -> None:
    flat = {**TRINITY_GRPO, "algorithm.algorithm_type": UNKNOWN, "algorithm.kl_loss_fn": None}
    (value,) = plan("trinity", flat, f"algorithm.{field}")
    assert is_symbolic(value)


@pytest.mark.parametrize("to", ["verl", "roll"])
def test_an_algorithm_that_nobody_knows_is_asked_about_everywhere(to: str) -> None:
    flat = {**TRINITY_GRPO, "algorithm.algorithm_type": UNKNOWN, "algorithm.kl_loss_fn": None}
    ledger = convert_flat("trinity", to, flat, "").ledger
    lines = {line.key: line.value for line in ledger.targets}
    names = {"verl": ("algorithm.adv_estimator", MODE), "roll": ("adv_estimator", "importance_sampling")}[to]
    assert [lines.get(key) for key in names] == ["???", "???"]


def test_kl_in_rewards_of_an_algorithm_that_nobody_knows() -> None:
    flat = {**TRINITY_GRPO, **PPO, "algorithm.algorithm_type": UNKNOWN, "algorithm.kl_penalty_fn": "k2"}
    done = read("trinity", flat)
    assert is_symbolic(done.values["stage.algorithm.kl_reward.enabled"])
    assert "algorithm.kl_penalty_fn" not in done.inactive


def test_a_deviation_of_an_estimator_that_nobody_knows() -> None:
    """norm_adv_by_std_in_grpo acts where the estimator turns out to be grpo."""
    done = read("verl", {**VERL_GRPO, "algorithm.adv_estimator": UNKNOWN, "algorithm.norm_adv_by_std_in_grpo": False})
    assert "algorithm.norm_adv_by_std_in_grpo" not in done.inactive
    assert is_symbolic(done.values["stage.algorithm.std_scope"])


def test_names_that_are_shared_are_sentences_or_words() -> None:
    assert set(families.OTHERS) - families.LOSSES == {"topr"}
    assert families.described("gspo") == "gspo"


def test_the_second_clip_is_dead_below_a_loss_that_does_not_take_it() -> None:
    """Trinity-RFT 0.6.0: ppo_policy_loss.py alone has clip_ratio_c; sapo_policy_loss.py clips no ratio."""
    key = "algorithm.policy_loss_fn_args.clip_ratio_c"
    flat = {**TRINITY_GRPO, "algorithm.algorithm_type": "sapo", key: 4.0}
    ledger = convert_flat("trinity", "verl", flat, "").ledger
    (line,) = [line for line in ledger.sources if line.key == key]
    assert line.state is State.DEAD_IN_SOURCE
    assert f"{ARR}.actor.clip_ratio_c" not in line.targets
    flat["algorithm.algorithm_type"] = "grpo"
    (line,) = [line for line in convert_flat("trinity", "verl", flat, "").ledger.sources if line.key == key]
    assert line.state is State.EXACT


def test_a_plain_policy_gradient_has_one_name() -> None:
    """roll 0.3.0 actor_pg_worker.py: _compute_vanilla_pg_loss is -log_probs * advantages, and so is veRL's gpg
    (core_algos: compute_policy_loss_gpg); both are made one number by loss_agg_mode."""
    assert keys("verl", {"algorithm.policy_loss.family": "gpg"}, "actor_rollout_ref.actor.policy_loss.loss_mode") == [
        "gpg"
    ]
    names = ("actor_train.pg_variant", "actor_train.worker_cls")
    variant, worker = keys("roll", {"algorithm.policy_loss.family": "gpg"}, *names)
    assert (variant, str(worker).rpartition(".")[2]) == ("vanilla", "ActorPGWorker")


def test_trinity_falls_back_to_a_plain_policy_gradient() -> None:
    """Trinity-RFT 0.6.0 ppo_policy_loss.py: fallback_to_policy_gradient makes the ratio exp(logprob - logprob.detach())."""
    prefix = "algorithm.policy_loss_fn_args."
    flat = {
        **TRINITY_GRPO,
        "algorithm.policy_loss_fn": "ppo",
        prefix + "clip_range": 0.3,
        prefix + "enable_sequence_masking": True,
    }
    assert plan("trinity", {**flat, prefix + "fallback_to_policy_gradient": True}, *CLIPS) == ["gpg", None, None, None]
    assert plan("trinity", {**flat, prefix + "fallback_to_policy_gradient": False}, *CLIPS)[:2] == ["ppo", 0.3]
    names = ("algorithm.policy_loss_fn", prefix + "fallback_to_policy_gradient", prefix + "clip_range")
    assert keys("trinity", {"algorithm.policy_loss.family": "gpg"}, *names) == ["ppo", True, 0.2]
    assert keys("trinity", {"algorithm.policy_loss.family": "gpg"}, names[0], release="0.3.3") == ["???"]


def test_no_clip_differs_where_neither_loss_has_a_ratio() -> None:
    """veRL's core_algos reads no clip_ratio with gpg, which its actor's config has all the same."""
    prefix = "algorithm.policy_loss_fn_args."
    flat = {
        **TRINITY_GRPO,
        "algorithm.policy_loss_fn": "ppo",
        prefix + "clip_range": 0.3,
        prefix + "fallback_to_policy_gradient": True,
    }
    changes = convert_flat("trinity", "verl", flat, "verl").ledger.learning
    assert changes
    assert not [change for change in changes if any(".policy_loss.clip" in path for path in change.plan)]
