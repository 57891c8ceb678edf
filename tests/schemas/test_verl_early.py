"""veRL 0.2.0 and 0.3.0: keys with the names of today that did something else, each as the code of its release has it."""

from __future__ import annotations

import pytest

from rftconf.base.symbols import Branch, Value, Var
from rftconf.schemas import catalogue, versions
from rftconf.schemas.edits import Change
from tests.schemas.shared import Cell

ACTOR = "actor_rollout_ref.actor."
IN_LOSS, IN_REWARD = ACTOR + "use_kl_loss", "algorithm.use_kl_in_reward"


def up(flat: dict[str, Value], release: str, to: str | None = None, trainer: str = "") -> dict[str, Value]:
    done = versions.upgrade("verl", {k: Cell(v) for k, v in flat.items()}, release, to, trainer)
    return {name: cell.value for name, cell in done.flat.items()}


def down(flat: dict[str, Value], to: str, trainer: str = "") -> tuple[dict[str, Value], tuple[Change, ...]]:
    done = versions.downgrade("verl", {k: Cell(v) for k, v in flat.items()}, to, trainer=trainer)
    return {name: cell.value for name, cell in done.flat.items()}, done.losses


@pytest.mark.parametrize("release", ["0.2.0", "0.3.0"])
@pytest.mark.parametrize("trainer", ["fsdp", "megatron"])
def test_kl_is_taken_off_the_rewards_unless_it_is_in_the_loss(release: str, trainer: str) -> None:
    """veRL 0.2.0 and 0.3.0, ray_trainer.fit: `if not actor.get('use_kl_loss', False)` applies kl_ctrl to the rewards."""
    assert versions.defaults("verl", release, trainer)[IN_REWARD] is True
    assert versions.defaults("verl", "0.4.1", trainer)[IN_REWARD] is False


def test_kl_in_the_loss_takes_it_out_of_the_rewards() -> None:
    assert up({IN_LOSS: True}, "0.3.0", "0.4.1") == {IN_LOSS: True, IN_REWARD: False}
    assert up({IN_LOSS: False}, "0.3.0", "0.4.1") == {IN_LOSS: False, IN_REWARD: True}
    assert up({IN_LOSS: Var("KL")}, "0.3.0", "0.4.1")[IN_REWARD] == Branch('[ "$KL" = True ]', False, True)


def test_kl_of_newer_releases_in_0_3_0() -> None:
    assert down({IN_LOSS: True, IN_REWARD: False}, "0.3.0") == ({IN_LOSS: True}, ())
    assert down({IN_LOSS: False, IN_REWARD: True}, "0.3.0") == ({IN_LOSS: False}, ())
    no_kl = {IN_LOSS: False, "algorithm.kl_ctrl.kl_coef": 0.0}
    assert down({IN_LOSS: False, IN_REWARD: False}, "0.3.0") == (no_kl, ())
    flat, losses = down({IN_LOSS: True, IN_REWARD: True}, "0.3.0")
    assert flat == {IN_LOSS: True}
    assert [loss.key for loss in losses] == [IN_REWARD]


def test_a_switch_that_is_not_known_is_neither_on_nor_off() -> None:
    """`use_kl_loss=$KL` beside a KL in the rewards of which nothing is known: never both there, so it is said."""
    flat, losses = down({IN_LOSS: Var("KL"), IN_REWARD: False}, "0.3.0")
    assert flat == {IN_LOSS: Var("KL")}
    assert [loss.key for loss in losses] == [IN_REWARD]
    assert down({IN_LOSS: Var("KL"), IN_REWARD: Branch('[ "$KL" = True ]', False, True)}, "0.3.0")[1] == ()


def test_what_hangs_on_a_value_that_is_not_known_is_said() -> None:
    mode, agg = ACTOR + "policy_loss.loss_mode", ACTOR + "loss_agg_mode"
    done = versions.upgrade("verl", {mode: Cell(Var("LOSS"))}, "0.9.0")
    assert {name: cell.value for name, cell in done.flat.items()} == {mode: Var("LOSS")}
    assert [(loss.key, "=LOSS, which is not known" in loss.why) for loss in done.losses] == [(mode, True)]
    assert up({mode: "gspo"}, "0.9.0")[agg] == "seq-mean-token-mean"


def test_a_coefficient_that_is_set_to_nothing_stays_one_key() -> None:
    coef = "algorithm.kl_ctrl.kl_coef"
    flat, losses = down({coef: 0.01, IN_LOSS: False, IN_REWARD: False}, "0.3.0")
    assert flat == {coef: 0.0, IN_LOSS: False}
    assert losses == ()


def test_early_releases_want_the_micro_batches_of_every_log_probability() -> None:
    """veRL 0.2.0 and 0.3.0, ray_trainer._validate_config: the reference's and the rollout's, unless they are dynamic."""
    reference, rollout, micro = (
        f"actor_rollout_ref.{name}_micro_batch_size_per_gpu"
        for name in ("ref.log_prob", "rollout.log_prob", "actor.ppo")
    )
    for release in ("0.2.0", "0.3.0"):
        assert down({micro: 4}, release) == ({micro: 4, rollout: 4, reference: 4}, ())
        assert down({micro: 4, rollout: 8}, release)[0][reference] == 8
        assert reference not in down({micro: 4, ACTOR + "use_dynamic_bsz": True}, release)[0]
    assert down({micro: 4}, "0.4.1") == ({micro: 4}, ())


def test_reward_managers_of_early_releases_take_no_arguments() -> None:
    """veRL 0.3.0, main_ppo: `reward_manager_cls(tokenizer=…, num_examine=0, compute_score=…)`."""
    length = "reward.reward_kwargs.overlong_buffer_cfg.len"
    flat, losses = down({length: 128}, "0.3.0")
    assert flat == {}
    assert "take no arguments" in losses[0].why
    assert down({length: 128}, "0.4.1")[1] == ()


def test_one_clip_ratio_is_both_bounds_and_nothing_caps_bad_answers() -> None:
    """veRL 0.3.0, core_algos.compute_policy_loss: clamp(ratio, 1 - cliprange, 1 + cliprange), and no third bound."""
    ratio, low, high, cap = (
        ACTOR + name for name in ("clip_ratio", "clip_ratio_low", "clip_ratio_high", "clip_ratio_c")
    )
    assert up({ratio: 0.28}, "0.3.0") == {ratio: 0.28, low: 0.28, high: 0.28}
    defaults = versions.defaults("verl", "0.3.0")
    assert (defaults[low], defaults[high], defaults[cap]) == (0.2, 0.2, 1.0e9)
    assert down({low: 0.2, high: 0.2, cap: 1.0e9}, "0.3.0") == ({ratio: 0.2}, ())
    flat, losses = down({low: 0.2, high: 0.28, cap: 3.0}, "0.3.0")
    assert flat == {ratio: 0.2}
    assert {loss.key for loss in losses} == {low, high, cap}


def test_what_0_3_0_always_did() -> None:
    """veRL 0.3.0: verl_F.masked_mean over tokens, division by the group's deviation, 1e-2 of weight decay."""
    defaults = versions.defaults("verl", "0.3.0")
    assert defaults[ACTOR + "loss_agg_mode"] == "token-mean"
    assert defaults["algorithm.norm_adv_by_std_in_grpo"] is True
    assert defaults[ACTOR + "optim.weight_decay"] == 0.01
    assert defaults[ACTOR + "entropy_coeff"] == 0.001
    _, losses = down({ACTOR + "loss_agg_mode": "seq-mean-token-sum"}, "0.3.0")
    assert [loss.key for loss in losses] == [ACTOR + "loss_agg_mode"]


def test_0_2_0_filters_long_prompts_and_validates_greedily() -> None:
    """veRL 0.2.0, rl_dataset._read_files_and_tokenize filters always; ray_trainer._validate sets do_sample to False."""
    defaults = versions.defaults("verl", "0.2.0")
    assert defaults["data.filter_overlong_prompts"] is True
    assert versions.defaults("verl", "0.3.0")["data.filter_overlong_prompts"] is False
    greedy = {"temperature": 0, "n": 1, "do_sample": False}
    assert {name: defaults[f"actor_rollout_ref.rollout.val_kwargs.{name}"] for name in greedy} == greedy


def test_0_2_0_goes_once_over_a_rollout_whatever_ppo_epochs_says() -> None:
    """veRL 0.2.0, dp_actor.update_policy has no loop over ppo_epochs; 0.3.0 has, and Megatron's make_iterator always had."""
    passes = ACTOR + "ppo_epochs"
    assert up({passes: 4}, "0.2.0", "0.3.0") == {passes: 1}
    assert up({passes: 4}, "0.2.0", "0.3.0", "megatron") == {passes: 4}
    assert up({passes: 4}, "0.3.0", "0.4.1") == {passes: 4}


def test_there_is_no_cosine_before_0_4() -> None:
    """veRL 0.3.0, fsdp_workers._build_model_optimizer: get_constant_schedule_with_warmup, whatever warmup_style says."""
    style = ACTOR + "optim.warmup_style"
    assert up({style: "cosine"}, "0.3.0", "0.4.1") == {style: "constant"}
    share = ACTOR + "optim.lr_warmup_steps_ratio"
    assert up({share: 0.1}, "0.3.0", "0.4.1") == {share: 0.1}
    assert up({share: 0.1}, "0.3.0", "0.4.1", "megatron") == {share: 0}


def test_a_checkpoint_to_resume_from_is_named_in_resume_mode() -> None:
    """veRL 0.2.0, ray_trainer._load_checkpoint: what is neither auto nor disable is the path."""
    mode, path = "trainer.resume_mode", "trainer.resume_from_path"
    moved: dict[str, Value] = {mode: "resume_path", path: "/runs/global_step_20"}
    assert up({mode: "/runs/global_step_20", path: False}, "0.2.0", "0.3.0") == moved
    assert up({mode: "auto", path: False}, "0.2.0", "0.3.0") == {mode: "auto", path: None}
    assert down(moved, "0.2.0") == ({mode: "/runs/global_step_20"}, ())


def test_one_checkpoint_kept_is_a_number_since_0_3_0() -> None:
    """veRL 0.3.0, ray_trainer._save_checkpoint: remove_previous_ckpt_in_save is max_actor_ckpt_to_keep=1."""
    saved = {"trainer.max_actor_ckpt_to_keep": 1, "trainer.max_critic_ckpt_to_keep": 1}
    assert up({"trainer.remove_previous_ckpt_in_save": True}, "0.2.0", "0.3.0") == saved
    assert up({"trainer.remove_previous_ckpt_in_save": False}, "0.2.0", "0.3.0") == {}


def test_what_0_9_0_does_otherwise_than_0_9_1() -> None:
    """veRL 0.9.0, core_algos.compute_policy_loss_gspo averages within a sequence whatever loss_agg_mode says."""
    assert up({ACTOR + "policy_loss.loss_mode": "gspo"}, "0.9.0")[ACTOR + "loss_agg_mode"] == "seq-mean-token-mean"
    assert versions.dead("verl", "0.9.0", "reward_model.enable")
    assert up({ACTOR + "fsdp_config.grad_offload": True}, "0.8.0", "0.9.0") == {
        ACTOR + "fsdp_config.grad_offload": True
    }
    assert up({ACTOR + "fsdp_config.grad_offload": True}, "0.9.0") == {}


def test_the_second_fsdp_is_the_first_one() -> None:
    """veRL 0.2.0 and 0.3.0, main_ppo: `actor.strategy` is fsdp or megatron, anything else raises NotImplementedError."""
    for release in ("0.2.0", "0.3.0"):
        assert down({ACTOR + "strategy": "fsdp2"}, release, "fsdp")[0] == {ACTOR + "strategy": "fsdp"}
    assert up({ACTOR + "strategy": "fsdp"}, "0.3.0", "0.4.1", "fsdp") == {ACTOR + "strategy": "fsdp"}


def test_estimators_of_early_releases() -> None:
    """veRL 0.2.0, RayPPOTrainer.__init__ compares with four names; 0.3.0 has the enumeration AdvantageEstimator."""
    early = {
        release: catalogue.load("verl", release).names("algorithm.adv_estimator") for release in ("0.2.0", "0.3.0")
    }
    assert early["0.2.0"] == ("gae", "grpo", "reinforce_plus_plus", "remax")
    assert early["0.3.0"] == (*early["0.2.0"], "rloo")


def test_engines_and_reward_managers_of_early_releases() -> None:
    """veRL 0.2.0 and 0.3.0: fsdp_workers, megatron_workers and main_ppo compare with each name and know no others."""
    engine, manager = "actor_rollout_ref.rollout.name", "reward_model.reward_manager"
    having = {
        (release, trainer): catalogue.load("verl", release, trainer).names(engine)
        for release in ("0.2.0", "0.3.0")
        for trainer in ("fsdp", "megatron")
    }
    assert having["0.2.0", "fsdp"] == ("hf", "vllm")
    assert having["0.3.0", "fsdp"] == ("hf", "sglang", "vllm")
    assert having["0.2.0", "megatron"] == having["0.3.0", "megatron"] == ("vllm",)
    assert catalogue.load("verl", "0.3.0").names(manager) == ("naive", "prime")
