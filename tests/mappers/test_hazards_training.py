"""Hazards of losses, algorithms and optimizers (H25-H49) between veRL and Trinity-RFT, both ways, with their numbers."""

from __future__ import annotations

import pytest

from rftconf.base.ledger import State
from rftconf.convert.convert import convert
from rftconf.text.read.read import read
from rftconf.text.source import Source
from tests.mappers.hazard_runs import ACTOR, LOSS, PPO, ROLLOUT, VERL, from_trinity, from_verl, picked

# -- loss and algorithm -----------------------------------------------------------------------------------------


def test_h25_sums_of_micro_batch_means_are_named() -> None:
    assert "H25" in from_verl().notes
    assert "H25" in from_trinity().notes


@pytest.mark.parametrize(
    ("release", "scope"), [("0.7.1", "micro_batch_mean"), ("0.8.0", "update"), ("0.9.1", "update")]
)
def test_h26_a_token_of_100_weighs_as_one_of_900_since_0_8(release: str, scope: str) -> None:
    """100 and 900 tokens at one sequence a micro-batch: 1/200 and 1/1800 up to 0.7, 1/1000 each since."""
    assert from_verl(release=release).plan("stage.algorithm.loss_norm_scope") == scope
    over = "over each micro-batch, then over those" if scope == "micro_batch_mean" else "over the whole update"
    assert f"veRL averages the loss {over}" in from_trinity(to=release).notes


@pytest.mark.parametrize(
    ("release", "workers", "scope"),
    [("0.7.1", "disable", "update"), ("0.7.1", "enable", "micro_batch_mean"), ("0.6.1", "disable", "micro_batch_mean")],
)
def test_h26_engine_workers_weigh_every_token_alike(release: str, workers: str, scope: str) -> None:
    """veRL 0.7.1 workers/utils/losses.py: ppo_loss passes global_batch_info to the aggregation; 0.6.1 has no such argument."""
    done = from_verl({"trainer.use_legacy_worker_impl": workers}, release=release)
    assert done.plan("stage.algorithm.loss_norm_scope") == scope


@pytest.mark.parametrize(
    ("workers", "to", "same"), [("disable", "0.7.1", True), ("disable", "0.9.1", True), ("enable", "0.9.1", False)]
)
def test_h26_engine_workers_average_alike_in_both_releases(workers: str, to: str, same: bool) -> None:
    words = " ".join(
        f"'{key}={value}'"
        for key, value in {**VERL, "trainer.use_legacy_worker_impl": workers}.items()
        if value is not None
    )
    document = read(Source("run.sh", f"python3 -m verl.trainer.main_ppo {words}\n"))
    done = convert(document, "verl", framework="verl", release="0.7.1", to_release=to)
    assert (not [change for change in done.ledger.learning if "The loss is averaged" in change.says]) is same


@pytest.mark.parametrize(("to", "same"), [("0.5.2", True), ("0.6.0", False)])
def test_h26_old_releases_of_both_weigh_alike(to: str, same: bool) -> None:
    assert ("loss_norm_scope" not in from_verl(release="0.7.1", to=to).notes) is same
    assert ("loss_norm_scope" not in from_trinity(release=to, to="0.7.1").notes) is same
    assert "averages the loss over each micro-batch, then over those (H26)" in from_verl(to="0.5.2").notes


def test_h30_clip_ratio_alone_does_nothing() -> None:
    done = from_verl({ACTOR + "clip_ratio": "0.1"})
    assert picked(done.out, LOSS + "clip_range_low", LOSS + "clip_range_high") == [0.2, 0.2]
    assert done.line(ACTOR + "clip_ratio").state is State.DEAD_IN_SOURCE


def test_h33_loss_arguments_come_complete() -> None:
    done = from_verl({ACTOR + "clip_ratio_c": "5.0"})
    assert picked(done.out, LOSS + "clip_range_low", LOSS + "clip_range_high", LOSS + "clip_ratio_c") == [0.2, 0.2, 5.0]
    assert "H33" in from_trinity({LOSS + "clip_ratio_c": 3.0}).notes


SET = "buffer.explorer_input.taskset.rollout_args."


def test_h28_the_divisor_is_the_models_temperature() -> None:
    """trainer/verl/trainer.py since 0.6; before, the first task set's temperature divides."""
    key, own = "model.temperature", SET + "temperature"
    two = {key: 0.6, SET + "temperature": 1.0}
    unequal = from_trinity(two)
    assert unequal.out.get(ROLLOUT + "temperature", 1.0) == 1.0
    assert unequal.line(key).state is State.NARROWED
    assert unequal.line(own).state is State.EXACT
    assert unequal.conversion.loaded.extensions[key] == 0.6
    silent = from_trinity({SET + "temperature": 0.6})
    assert silent.line(own).state is State.NARROWED
    assert silent.conversion.loaded.extensions[key] == 1.0
    before = from_trinity(two, release="0.5.2")
    assert before.line(own).state is State.EXACT
    assert "H28" not in before.notes
    same = from_trinity({key: 0.6, SET + "temperature": 0.6})
    assert [same.line(name).state for name in (key, own)] == [State.EXACT, State.EXACT]
    assert key not in same.conversion.loaded.extensions


def test_h34_the_aggregation_is_written_inside_and_outside() -> None:
    done = from_verl({ACTOR + "loss_agg_mode": "seq-mean-token-sum"})
    assert picked(done.out, "algorithm.loss_agg_mode", LOSS + "loss_agg_mode") == ["seq-mean-token-sum"] * 2
    changes = {LOSS + "clip_range_low": 0.2, LOSS + "clip_range_high": 0.28, "algorithm.loss_agg_mode": "token-mean"}
    mixed = from_trinity({**changes, "algorithm.algorithm_type": "gspo"})
    assert mixed.out[ACTOR + "loss_agg_mode"] == "seq-mean-token-mean"
    assert "H34" in mixed.notes


def test_h34_two_aggregations_are_not_one() -> None:
    """trainer/verl/losses.py: KL and entropy obey algorithm.loss_agg_mode, whatever the policy loss does."""
    key, other = "algorithm.loss_agg_mode", "seq-mean-token-mean"
    clips = {LOSS + "clip_range_low": 0.2, LOSS + "clip_range_high": 0.28, key: other}
    idle = from_trinity(clips)
    assert idle.out.get(ACTOR + "loss_agg_mode", "token-mean") == "token-mean"
    assert idle.line(key).state is State.DEAD_IN_SOURCE
    for term in ({"algorithm.kl_loss_fn": "k2"}, {"algorithm.entropy_loss_fn_args.entropy_coef": 0.01}):
        split = from_trinity({**clips, **term})
        assert split.line(key).state is State.NARROWED
        assert split.conversion.loaded.extensions[key] == other
        whole = from_trinity({**clips, **term, LOSS + "loss_agg_mode": "token-sum"})
        assert whole.line(key).state is State.EXACT
        assert whole.line(LOSS + "loss_agg_mode").state is State.DEAD_IN_SOURCE
        assert whole.out[ACTOR + "loss_agg_mode"] == other
        assert key not in whole.conversion.loaded.extensions


def test_h35_kl_is_on_by_default_in_trinity_only() -> None:
    assert from_verl().out["algorithm.kl_loss_fn"] == "none"
    keys = (ACTOR + "use_kl_loss", ACTOR + "kl_loss_type", ACTOR + "kl_loss_coef")
    assert picked(from_trinity({"algorithm.kl_loss_fn": None}).out, *keys) == [True, "mse", 0.001]
    assert from_trinity().out[ACTOR + "use_kl_loss"] is False


def test_h36_the_clamped_estimator_stays_clamped() -> None:
    done = from_verl({ACTOR + "use_kl_loss": "True", ACTOR + "kl_loss_type": "low_var_kl"})
    assert done.out["algorithm.kl_loss_fn"] == "low_var_kl"
    back = from_trinity({"algorithm.kl_loss_fn": "k3"})
    assert back.out[ACTOR + "kl_loss_type"] == "low_var_kl"
    assert back.line("algorithm.kl_loss_fn").state is State.NARROWED


def test_h37_kl_in_the_reward_is_unheard_by_group_estimators() -> None:
    done = from_verl({"algorithm.use_kl_in_reward": "True"})
    assert done.out["algorithm.kl_penalty_fn"] == "none"
    assert done.line("algorithm.use_kl_in_reward").state is State.NO_COUNTERPART
    back = from_trinity({"algorithm.kl_penalty_fn": "k1"})
    assert back.out["algorithm.use_kl_in_reward"] is False
    assert back.line("algorithm.kl_penalty_fn").state is State.DEAD_IN_SOURCE
    heard = from_verl({**PPO, "algorithm.use_kl_in_reward": "True", "algorithm.kl_ctrl.kl_coef": "0.02"})
    assert picked(heard.out, "algorithm.kl_penalty_fn", "algorithm.kl_penalty_fn_args.kl_coef") == ["k1", 0.02]


def test_h38_h39_three_frameworks_share_a_definition() -> None:
    """n=8, four answers right: the sample's deviation .5345, so no word about it; n=1: the reward itself."""
    assert "H38" not in from_verl().notes + from_trinity().notes
    assert (
        from_trinity({"algorithm.repeat_times": 1, "buffer.train_batch_size": 256}).out["data.train_batch_size"] == 1024
    )
    assert from_verl({"actor_rollout_ref.rollout.n": "1"}).out["algorithm.repeat_times"] == 1


def test_h40_a_refilling_filter_repeats_kept_groups() -> None:
    done = from_verl({"algorithm.filter_groups.enable": "True", "algorithm.filter_groups.metric": "reward"})
    keys = ("std_threshold", "duplicate_experiences")
    assert picked(done.out, *(f"algorithm.advantage_fn_args.{key}" for key in keys)) == [0.0, True]
    assert done.line("algorithm.filter_groups.enable").state is State.NARROWED
    assert "H40" in done.line("algorithm.filter_groups.enable").reason


def test_h40_a_filter_that_only_drops_is_refilled_there() -> None:
    key = "algorithm.advantage_fn_args.std_threshold"
    done = from_trinity({key: 0.0})
    assert done.out["algorithm.filter_groups.enable"] is True
    assert done.line(key).state is State.NARROWED


def test_h42_the_scope_of_whitening_is_named() -> None:
    assert "H42" in from_verl(PPO).notes
    assert "H42" not in from_verl().notes


# -- optimizer --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("updates", "ticks", "state"), [(40, 10, State.DERIVED), (41, 11, State.ROUNDED)])
def test_h44_a_tick_is_a_period_in_verl_and_an_update_in_trinity(updates: int, ticks: int, state: State) -> None:
    key = "algorithm.optimizer.lr_warmup_steps"
    back = from_trinity({key: updates})
    assert back.out[ACTOR + "optim.lr_warmup_steps"] == ticks
    assert back.line(key).state is state


def test_h44_a_staircase_that_becomes_a_ramp_is_named() -> None:
    stairs = {ACTOR + "optim.lr_warmup_steps": "10"}
    assert "updates_per_tick: the scheduler ticks with each train step (H44) (here 1, the source 4)" in (
        from_verl(stairs).notes
    )
    assert "updates_per_tick" not in from_verl().notes  # the rate never moves
    single = {**stairs, ACTOR + "ppo_mini_batch_size": "1024"}  # a period is one update
    assert "updates_per_tick" not in from_verl(single).notes
    ramp = from_trinity({"algorithm.optimizer.lr_warmup_steps": 40})
    assert "so the rate is a staircase (H44) (here 4, the source 1)" in ramp.notes


def test_h45_a_ratio_becomes_explicit_updates_by_the_sources_own_rounding() -> None:
    changes = {
        ACTOR + "optim.lr_warmup_steps_ratio": "0.1",
        "trainer.total_training_steps": None,
        "trainer.total_epochs": "15",
    }
    out = from_verl(changes, rows=7473).out
    assert out["algorithm.optimizer.lr_warmup_steps"] == 40
    assert "algorithm.optimizer.lr_warmup_steps_ratio" not in out


def test_h45_an_endless_warmup_is_asked_about() -> None:
    changes = {"algorithm.optimizer.lr_warmup_steps_ratio": 0.1, "trainer.total_steps": None}
    done = from_trinity(changes)
    assert done.out[ACTOR + "optim.lr_warmup_steps_ratio"] == 0.1
    assert ACTOR + "optim.lr_warmup_steps" not in done.out
    assert "H45" in done.notes
    whole = from_trinity({"algorithm.optimizer.lr_warmup_steps_ratio": 0.1})
    assert whole.out[ACTOR + "optim.lr_warmup_steps"] == 11  # 42 updates are 10.5 periods


def test_h48_both_keys_of_the_gradient_clip() -> None:
    out = from_verl({ACTOR + "optim.clip_grad": "0.5"}).out
    assert picked(out, "algorithm.optimizer.clip_grad", "trainer.grad_clip") == [0.5, 0.5]
    dead = from_verl({ACTOR + "grad_clip": "0.5"})
    assert dead.line(ACTOR + "grad_clip").state is State.DEAD_IN_SOURCE
    assert dead.out.get("algorithm.optimizer.clip_grad", 1.0) == 1.0
    old = from_verl({ACTOR + "grad_clip": "0.5"}, release="0.7.1")
    assert old.out["algorithm.optimizer.clip_grad"] == 0.5
    back = from_trinity({"algorithm.optimizer.clip_grad": 0.5}).out
    assert picked(back, ACTOR + "optim.clip_grad", ACTOR + "grad_clip") == [0.5, 0.5]


def test_h49_the_floor_of_the_cosine_is_written() -> None:
    done = from_verl({ACTOR + "optim.lr_scheduler_type": "cosine"})
    assert done.out["algorithm.optimizer.min_lr_ratio"] == 0.0
    back = from_trinity({"algorithm.optimizer.lr_scheduler_type": "cosine"})
    assert back.out[ACTOR + "optim.min_lr_ratio"] == 0.01


def test_h49_a_release_whose_default_differs_is_told_too() -> None:
    done = from_verl({ACTOR + "optim.lr_scheduler_type": "cosine"}, to="0.3.3")
    assert done.out.get("algorithm.optimizer.min_lr_ratio", 0.0) == 0.0
