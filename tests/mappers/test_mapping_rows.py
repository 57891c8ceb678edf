"""What rows say that no hazard names, each with a run that would go wrong without it."""

from __future__ import annotations

import pytest

from rftconf.base.ledger import State
from rftconf.convert.convert import Options, convert_loaded
from tests.mappers.hazard_runs import ACTOR, CRITIC, PPO, ROLLOUT, TRINITY_PPO, from_trinity, from_verl, picked


def test_rule_5_the_critic_takes_the_actors_cap() -> None:
    out = from_trinity({**TRINITY_PPO, "trainer.max_token_len_per_gpu": 9000}).out
    assert picked(out, ACTOR + "ppo_max_token_len_per_gpu", "critic.ppo_infer_max_token_len_per_gpu") == [9000, 9000]


def test_rule_6_critic_values_that_differ_by_back_end_are_written() -> None:
    out = from_verl(PPO).out
    assert picked(out, CRITIC + "optim.lr", CRITIC + "cliprange_value") == [1e-5, 0.5]


def test_row_6_6_train_top_k_reaches_the_data_set() -> None:
    out = from_verl({ROLLOUT + "top_k": "50"}).out
    assert out["buffer.explorer_input.tasksets[0].rollout_args.top_k"] == 50
    assert from_trinity({"model.top_k": 50}).out[ROLLOUT + "top_k"] == -1


def test_row_8_9_megatron_names_its_optimizer() -> None:
    out = from_trinity({"trainer.trainer_strategy": "megatron"}).out
    assert out.get(ACTOR + "optim.optimizer", "adam") == "adam"
    assert ACTOR + "grad_clip" not in out


def test_row_10_5_without_an_evaluation_set_nothing_is_evaluated() -> None:
    out = from_trinity({"buffer.explorer_input.eval_tasksets": None}).out
    keys = ("trainer.test_freq", "trainer.val_before_train", "data.val_files")
    assert picked(out, *keys) == [-1, False, "/data/gsm8k/train.parquet"]


@pytest.mark.parametrize(("release", "state"), [("0.8.0", True), ("0.9.1", None)])
def test_row_2_9_bypass_needs_the_engines_log_probabilities(release: str, state: bool | None) -> None:
    out = from_trinity(to=release).out
    assert out["algorithm.rollout_correction.bypass_mode"] is True
    assert out.get(ROLLOUT + "calculate_log_probs") is state


@pytest.mark.parametrize(
    ("kind", "estimator", "loss"),
    [
        ("dapo", "grpo", "vanilla"),
        ("grpo_verl", "grpo", "vanilla"),
        ("cispo", "grpo", "cispo"),
        ("sppo", "grpo", "???"),
        ("rec", "???", "???"),
        ("multi_step_grpo", "???", "vanilla"),
        ("gigpo", "???", "vanilla"),
        ("asymre", "???", "???"),
        ("a_class_of_mine", "???", "???"),
    ],
)
def test_row_4_1_no_algorithm_class_is_taken_for_another(kind: str, estimator: str, loss: str) -> None:
    done = from_trinity({"algorithm.algorithm_type": kind, "algorithm.kl_loss_fn": None})
    assert done.out["algorithm.adv_estimator"] == estimator
    assert done.out.get(ACTOR + "policy_loss.loss_mode", "vanilla") == loss
    lost = "???" in (estimator, loss)
    assert (done.line("algorithm.algorithm_type").state is State.NO_COUNTERPART) is lost


def test_row_4_1_remax_needs_a_baseline_that_trinity_does_not_make() -> None:
    done = from_verl({"algorithm.adv_estimator": "remax"})
    assert done.line("algorithm.adv_estimator").state is State.NO_COUNTERPART


@pytest.mark.parametrize(("to", "written"), [("0.9.1", True), ("0.8.0", None)])
def test_row_4_2_20_filters_are_built_in_since_0_9(to: str, written: bool | None) -> None:
    key = "algorithm.advantage_fn_args.std_threshold"
    done = from_trinity({key: 0.0}, to=to)
    assert done.out.get("algorithm.filter_groups.enable") is written
    assert done.line(key).state is (State.NARROWED if written else State.NO_COUNTERPART)


def test_row_6_3_a_context_alone_is_halved() -> None:
    changes = {"model.max_prompt_tokens": None, "model.max_response_tokens": None, "model.max_model_len": 4097}
    out = from_trinity(changes).out
    assert picked(out, "data.max_prompt_length", "data.max_response_length") == [2048, 2049]


def test_row_8_2_a_shared_gpu_keeps_its_share() -> None:
    changes: dict[str, str | None] = {
        "trainer.n_gpus_per_node": "1",
        ROLLOUT + "tensor_model_parallel_size": "1",
        ROLLOUT + "gpu_memory_utilization": None,
    }
    out = from_verl(changes).out
    assert picked(out, "mode", "explorer.rollout_model.gpu_memory_utilization") == ["colocate", 0.5]


def test_row_5_9_megatron_takes_the_floor_as_a_number() -> None:
    changes = {"trainer.trainer_strategy": "megatron", "algorithm.optimizer.lr_scheduler_type": "cosine"}
    done = from_trinity(changes)
    assert done.out[ACTOR + "optim.min_lr"] == pytest.approx(1e-8)
    assert "min_lr_ratio" not in done.notes
    back = from_verl(
        {
            ACTOR + "strategy": "megatron",
            ACTOR + "optim.lr": "1e-6",
            ACTOR + "optim.lr_decay_style": "linear",
            ACTOR + "optim.min_lr": "1e-7",
        }
    )
    assert back.out["algorithm.optimizer.min_lr_ratio"] == pytest.approx(0.1)


@pytest.mark.parametrize("files", ["/d/a/x.parquet,/d/a/y.parquet", "/d/a/x.parquet,/d/a/y.parquet,/d/a/z.parquet"])
def test_row_7_1_files_of_one_folder_are_asked_about_once(files: str) -> None:
    done = from_verl({"data.train_files": f"[{files}]"})
    assert sum("several files lie in /d/a" in decision.why for decision in done.conversion.ledger.decisions) == 1


@pytest.mark.parametrize(("to", "live"), [("0.6.0", "optim.clip_grad"), ("0.5.2", "grad_clip")])
def test_h48_the_critics_clip_by_back_end(to: str, live: str) -> None:
    out = from_verl({**PPO, "critic.optim.clip_grad": "0.4"}, to=to).out
    written = {key: out[key] for key in (CRITIC + "optim.clip_grad", CRITIC + "grad_clip") if key in out}
    assert written == {CRITIC + live: 0.4}
    back = from_trinity({**TRINITY_PPO, CRITIC + live: 0.4}, release=to)
    assert back.out["critic.optim.clip_grad"] == 0.4


def test_row_4_1_an_estimator_of_the_trainer_hears_kl_in_the_reward() -> None:
    changes = {"algorithm.advantage_fn": "grpo_verl", "algorithm.kl_penalty_fn": "k1"}
    out = from_trinity({"algorithm.algorithm_type": "grpo_verl", **changes}).out
    assert picked(out, "algorithm.adv_estimator", "algorithm.use_kl_in_reward") == ["grpo", True]


@pytest.mark.parametrize("role", [ACTOR, "critic."])
def test_h48_the_deprecated_alias_of_the_clip_wins(role: str) -> None:
    changes = {**PPO, f"{role}optim.clip_grad": "0.5", f"{role}optim.grad_clip": "0.3"}
    out = from_verl(changes).out
    key = "algorithm.optimizer.clip_grad" if role == ACTOR else CRITIC + "optim.clip_grad"
    assert out[key] == 0.3
    assert from_verl({**PPO, f"{role}optim.grad_clip": "0.3"}).out[key] == 0.3


OLD_CORRECTION = "trainer.trainer_config.algorithm.rollout_correction."


def test_row_2_8_the_back_end_before_0_6_has_its_own_switch() -> None:
    recomputes = {OLD_CORRECTION + "bypass_mode": False}
    assert "algorithm.rollout_correction.bypass_mode" not in from_trinity(recomputes, release="0.5.2").out
    assert from_trinity(release="0.5.2").out["algorithm.rollout_correction.bypass_mode"] is True
    dead = from_trinity(recomputes)
    assert dead.line(OLD_CORRECTION + "bypass_mode").state is State.DEAD_IN_SOURCE
    old = from_verl({ACTOR + "ppo_mini_batch_size": "1024"}, to="0.5.2")
    assert "weighs recomputed log-probabilities by rollout_is" in old.notes
    assert "algorithm.bypass_old_logprobs" not in old.out


def test_row_2_9_trinity_0_6_hands_the_correction_to_nobody() -> None:
    key = "algorithm.rollout_correction.rollout_is"
    to = from_verl({key: "token"})
    assert key not in to.out
    assert to.line(key).state is State.NO_COUNTERPART
    back = from_trinity({"algorithm.rollout_correction": {"rollout_is": "token"}})
    assert key not in back.out
    assert back.line(key).state is State.DEAD_IN_SOURCE


def test_row_2_9_before_0_6_recomputed_log_probabilities_are_weighed_by_default() -> None:
    changes = {OLD_CORRECTION + "bypass_mode": False, OLD_CORRECTION + "rollout_is_threshold": 4.0}
    out = from_trinity(changes, release="0.5.2").out
    keys = ("algorithm.rollout_correction.rollout_is", "algorithm.rollout_correction.rollout_is_threshold")
    assert picked(out, *keys) == ["sequence", 4.0]


BY_HAND: dict[str, str | None] = {"+trainer.v1.sync.parameter_sync_step": "4", ACTOR + "optim.lr_warmup_steps": "10"}


def test_row_15_2_a_step_set_by_hand_ticks_once_a_local_update() -> None:
    done = from_verl(BY_HAND)
    assert done.out["algorithm.optimizer.lr_warmup_steps"] == 10
    assert done.out["algorithm.bypass_old_logprobs"] is False  # the weights of the moment, as in Trinity


OWN_POOLS: dict[str, str | None] = {
    "trainer.v1.trainer_mode": "separate_async",
    "trainer.v1.separate_async.parameter_sync_step": "4",
    ROLLOUT + "nnodes": "1",
    ROLLOUT + "n_gpus_per_node": "8",
}


def test_row_1_5_passes_over_one_mini_batch_have_no_order() -> None:
    twice: dict[str, str | None] = {ACTOR + "ppo_epochs": "2"}
    assert "repeated E times in a row" in from_verl(twice).notes
    assert "repeated E times in a row" not in from_verl({**twice, ACTOR + "ppo_mini_batch_size": "1024"}).notes
    assert "repeated E times in a row" not in from_verl({**twice, **OWN_POOLS}).notes
    key = "trainer.trainer_config.actor_rollout_ref.actor.ppo_epochs"
    assert "veRL sweeps all mini-batches" in from_trinity({key: 2}).notes
    assert "veRL sweeps all mini-batches" not in from_trinity({key: 2, "synchronizer.sync_offset": 4}).notes


def test_h42_own_pools_and_single_updates_whiten_as_trinity_does() -> None:
    assert "H42" in from_verl(PPO).notes
    assert "H42" not in from_verl({**PPO, ACTOR + "ppo_mini_batch_size": "1024"}).notes
    assert "H42" not in from_verl({**PPO, **OWN_POOLS}).notes
    assert "H42" not in from_trinity({**TRINITY_PPO, "synchronizer.sync_offset": 4}).notes


def test_row_15_1_the_older_trainer_of_0_9_has_no_modes() -> None:
    changes: dict[str, str | None] = {**OWN_POOLS, "trainer.use_v1": "False", "trainer.balance_batch": "False"}
    done = from_verl(changes)
    assert picked(done.out, "synchronizer.sync_offset", "trainer.balance_batch") == [0, False]
    assert done.line("trainer.v1.trainer_mode").state is State.DEAD_IN_SOURCE


def test_h20_a_warmup_that_ends_within_a_period_is_rounded() -> None:
    done = from_trinity({**TRINITY_PPO, "trainer.critic_warmup": 10})
    assert done.out["trainer.critic_warmup"] == 4  # 9 train steps are 2.25 periods
    assert done.line("trainer.critic_warmup").state is State.ROUNDED


def test_h20_without_a_critic_only_trinity_0_6_waits() -> None:
    stray: dict[str, str | None] = {"trainer.critic_warmup": "10"}
    assert from_verl(stray).out["trainer.critic_warmup"] == 37
    assert from_verl(stray, to="0.5.2").line("trainer.critic_warmup").state is State.DEAD_IN_TARGET
    key = "trainer.trainer_config.trainer.critic_warmup"
    assert from_trinity({key: 37}, release="0.5.2").line(key).state is State.DEAD_IN_SOURCE
    assert from_trinity({**TRINITY_PPO, key: 37}, release="0.5.2").out["trainer.critic_warmup"] == 10


@pytest.mark.parametrize(("strategy", "name"), [("fsdp2", "SGD"), ("megatron", "sgd")])
def test_row_5_10_sgd_is_a_class_of_torch_or_a_word_of_megatron(strategy: str, name: str) -> None:
    out = from_trinity({"algorithm.optimizer.optimizer_type": "sgd", "trainer.trainer_strategy": strategy}).out
    assert out[ACTOR + "optim.optimizer"] == name


def test_row_5_9_the_trainer_overwrites_the_horizon() -> None:
    key = ACTOR + "optim.total_training_steps"
    assert from_verl({key: "50"}).line(key).state is State.DEAD_IN_SOURCE


def test_row_5_9_a_decay_without_an_end_is_flat() -> None:
    key = "algorithm.optimizer.lr_scheduler_type"
    done = from_trinity({key: "cosine", "trainer.total_steps": None})
    assert done.line(key).state is State.NARROWED
    assert "flat" in done.notes
    assert from_trinity({key: "cosine"}).line(key).state is State.EXACT


def test_row_5_8_trinity_cannot_say_how_wsd_ends() -> None:
    key = ACTOR + "optim.lr_decay_style"
    done = from_verl({ACTOR + "strategy": "megatron", key: "WSD"})
    assert done.line(key).state is State.NARROWED


@pytest.mark.parametrize(
    ("release", "to", "written", "becomes"),
    [
        ("0.5.2", "0.6.0", OLD_CORRECTION + "bypass_mode", "algorithm.bypass_old_logprobs"),
        ("0.6.0", "0.5.2", "algorithm.bypass_old_logprobs", OLD_CORRECTION + "bypass_mode"),
    ],
)
def test_row_2_8_the_switch_survives_a_change_of_release(release: str, to: str, written: str, becomes: str) -> None:
    source = from_trinity({written: False}, release=release).conversion.loaded
    done = convert_loaded(source, "trinity", Options(to))
    assert {line.key: line.value for line in done.lines}[becomes] is False
