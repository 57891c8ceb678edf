"""The conversion hazards H1-H72 between veRL and Trinity-RFT: each test is the numeric example of one, both ways."""

from __future__ import annotations

from typing import Any

import pytest

from rftconf.errors import RefusedError
from rftconf.ledger import State
from tests.mappers.hazard_runs import ACTOR, CRITIC, LOSS, ROLLOUT, from_trinity, from_verl

PPO = {"algorithm.adv_estimator": "gae", "critic.model.path": "/models/c"}
TRINITY_PPO = {"algorithm.algorithm_type": "ppo", "model.critic_model_path": "/models/c"}


def picked(out: dict[str, Any], *keys: str) -> list[Any]:
    return [out.get(key) for key in keys]


# -- batches and steps ------------------------------------------------------------------------------------------


def test_h1_prompts_are_not_sequences() -> None:
    out = from_verl().out
    keys = ("buffer.batch_size", "buffer.train_batch_size", "synchronizer.sync_interval", "algorithm.repeat_times")
    assert picked(out, *keys) == [256, 2048, 4, 8]
    back = from_trinity().out
    assert picked(back, "data.train_batch_size", ACTOR + "ppo_mini_batch_size", ROLLOUT + "n") == [1024, 256, 8]


def test_h1_form_b_keeps_the_period() -> None:
    out = from_verl(form="B").out
    keys = ("buffer.batch_size", "buffer.train_batch_size")
    sync = ("synchronizer.explorer_sync_interval", "synchronizer.trainer_sync_interval", "synchronizer.sync_interval")
    assert picked(out, *keys, *sync) == [1024, 2048, 1, 4, None]


def test_h2_the_mini_batch_is_not_written_again_below_trainer_config() -> None:
    assert not [key for key in from_verl().out if key.endswith("ppo_mini_batch_size")]


def test_h3_an_unbalanced_pair_is_named() -> None:
    done = from_trinity({"buffer.batch_size": 1024, "synchronizer.sync_interval": 1})
    assert "8192 sequences" in done.notes
    assert "consumes 2048" in done.notes
    assert "H3" in done.notes
    assert "H3" not in from_trinity().notes


def test_h7_uneven_periods_are_refused_with_what_would_do() -> None:
    with pytest.raises(RefusedError, match="8000 sequences") as refused:
        from_verl({"data.train_batch_size": "1000"})
    assert any("2000 sequences" in choice for choice in refused.value.choices)


def test_h9_every_rank_of_the_trainer_gets_its_share() -> None:
    out = from_verl().out
    assert out["explorer.rollout_model.engine_num"] == 2
    assert 2048 % (8 - 2 * 2) == 0
    with pytest.raises(RefusedError, match="H9"):
        from_verl(rollout_gpus=2)


def test_h9_a_trinity_file_that_would_die_at_its_first_step_gets_a_trainer_that_lives() -> None:
    done = from_trinity({"explorer.rollout_model.engine_num": 1, "synchronizer.sync_offset": 1})
    assert picked(done.out, "trainer.nnodes", "trainer.n_gpus_per_node") == [1, 4]
    assert picked(done.out, ROLLOUT + "nnodes", ROLLOUT + "n_gpus_per_node") == [1, 2]
    assert any("6 ranks" in decision.why for decision in done.conversion.ledger.decisions)


def test_h11_every_counter_has_its_unit() -> None:
    changes: dict[str, str | None] = {ACTOR + "optim.lr_warmup_steps": "10"}
    keys = ("explorer.eval_interval", "trainer.save_interval", "algorithm.optimizer.lr_warmup_steps")
    totals = ("trainer.total_steps", "buffer.total_steps")
    assert picked(from_verl(changes).out, *keys, *totals) == [20, 80, 40, 420, 420]
    assert picked(from_verl(changes, form="B").out, *keys, *totals) == [5, 80, 40, 420, 105]
    back = from_trinity({"algorithm.optimizer.lr_warmup_steps": 40}).out
    names = ("trainer.test_freq", "trainer.save_freq", ACTOR + "optim.lr_warmup_steps", "trainer.total_training_steps")
    assert picked(back, *names) == [5, 20, 10, 105]


def test_h12_epochs_become_an_explicit_limit() -> None:
    done = from_verl({"trainer.total_training_steps": None, "trainer.total_epochs": "15"}, rows=7473)
    assert picked(done.out, "trainer.total_steps", "buffer.total_steps") == [420, 420]
    changes = {"buffer.total_steps": None, "trainer.total_steps": None, "buffer.total_epochs": 15}
    back = from_trinity(changes, rows=7473)
    assert back.out["trainer.total_training_steps"] == 15 * 7473 // 1024


def test_h12_without_rows_no_limit_is_invented() -> None:
    done = from_verl({"trainer.total_training_steps": None, "trainer.total_epochs": "15"})
    assert "trainer.total_steps" not in done.out
    assert any("--rows" in " ".join(d.choices) for d in done.conversion.ledger.decisions)


def test_h16_an_omitted_repeat_times_is_one() -> None:
    done = from_trinity({"algorithm.repeat_times": None, "buffer.train_batch_size": None})
    assert picked(done.out, ROLLOUT + "n", ACTOR + "ppo_mini_batch_size") == [1, 256]
    assert from_verl({ROLLOUT + "n": None}).out["algorithm.repeat_times"] == 1


# -- sync and evaluation ----------------------------------------------------------------------------------------


def test_h17_lock_step_is_offset_zero() -> None:
    assert picked(from_verl().out, "synchronizer.sync_offset", "synchronizer.sync_style") == [0, "fixed"]
    out = from_trinity({"synchronizer.sync_offset": 1}).out
    mode = ("trainer.v1.trainer_mode", "trainer.v1.separate_async.num_warmup_batches")
    assert picked(out, *mode) == ["separate_async", 0.25]
    assert from_trinity().out["trainer.v1.trainer_mode"] == "sync"


def test_h17_a_release_that_cannot_run_ahead_says_so() -> None:
    done = from_trinity({"synchronizer.sync_offset": 4}, to="0.8.0")
    assert done.line("synchronizer.sync_offset").state is State.NARROWED
    assert "trainer.v1.trainer_mode" not in done.out


@pytest.mark.parametrize(("interval", "periods"), [(5, 1), (6, 1), (3, 1), (20, 5), (8, 2)])
def test_h19_evaluation_is_floored_to_whole_periods(interval: int, periods: int) -> None:
    assert from_trinity({"explorer.eval_interval": interval}).out["trainer.test_freq"] == periods


@pytest.mark.parametrize(("verl", "trinity"), [(10, 37), (1, 1), (2, 5)])
def test_h20_critic_warmup_counts_from_one(verl: int, trinity: int) -> None:
    done = from_verl({**PPO, "trainer.critic_warmup": str(verl)})
    # one skips nothing, and neither does zero
    assert done.out.get("trainer.critic_warmup", 1) == trinity
    if verl > 1:
        back = from_trinity({**TRINITY_PPO, "trainer.critic_warmup": trinity})
        assert back.out["trainer.critic_warmup"] == verl


def test_h21_a_shared_memory_share_is_not_copied() -> None:
    done = from_verl({ROLLOUT + "gpu_memory_utilization": "0.5"})
    assert done.out.get("explorer.rollout_model.gpu_memory_utilization", 0.9) == 0.9
    assert done.line(ROLLOUT + "gpu_memory_utilization").state is State.NARROWED


@pytest.mark.parametrize(("rollout", "legal"), [(6, False), (8, True), (12, True)])
def test_h22_trainers_take_whole_nodes(rollout: int, legal: bool) -> None:
    changes: dict[str, str | None] = {"trainer.nnodes": "2", ROLLOUT + "tensor_model_parallel_size": "1"}
    if legal:
        assert from_verl(changes, rollout_gpus=rollout).out["explorer.rollout_model.engine_num"] == rollout
        return
    with pytest.raises(RefusedError, match="H22"):
        from_verl(changes, rollout_gpus=rollout)


def test_h24_several_updates_a_period_keep_the_engines_log_probabilities() -> None:
    assert from_verl().out["algorithm.bypass_old_logprobs"] is True
    assert "H24" in from_verl().notes
    single = from_verl({ACTOR + "ppo_mini_batch_size": "1024"})
    assert single.out["algorithm.bypass_old_logprobs"] is False


# -- loss and algorithm -----------------------------------------------------------------------------------------


def test_h25_sums_of_micro_batch_means_are_named() -> None:
    assert "H25" in from_verl().notes
    assert "H25" in from_trinity().notes


def test_h30_clip_ratio_alone_does_nothing() -> None:
    done = from_verl({ACTOR + "clip_ratio": "0.1"})
    assert picked(done.out, LOSS + "clip_range_low", LOSS + "clip_range_high") == [0.2, 0.2]
    assert done.line(ACTOR + "clip_ratio").state is State.DEAD_IN_SOURCE


def test_h33_loss_arguments_come_complete() -> None:
    done = from_verl({ACTOR + "clip_ratio_c": "5.0"})
    assert picked(done.out, LOSS + "clip_range_low", LOSS + "clip_range_high", LOSS + "clip_ratio_c") == [0.2, 0.2, 5.0]
    assert "H33" in from_trinity({LOSS + "clip_ratio_c": 3.0}).notes


def test_h34_the_aggregation_is_written_inside_and_outside() -> None:
    done = from_verl({ACTOR + "loss_agg_mode": "seq-mean-token-sum"})
    assert picked(done.out, "algorithm.loss_agg_mode", LOSS + "loss_agg_mode") == ["seq-mean-token-sum"] * 2
    changes = {LOSS + "clip_range_low": 0.2, LOSS + "clip_range_high": 0.28, "algorithm.loss_agg_mode": "token-mean"}
    mixed = from_trinity({**changes, "algorithm.algorithm_type": "gspo"})
    assert mixed.out[ACTOR + "loss_agg_mode"] == "seq-mean-token-mean"
    assert "H34" in mixed.notes


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


def test_h40_a_refilling_filter_repeats_kept_groups() -> None:
    done = from_verl({"algorithm.filter_groups.enable": "True", "algorithm.filter_groups.metric": "reward"})
    keys = ("std_threshold", "duplicate_experiences")
    assert picked(done.out, *(f"algorithm.advantage_fn_args.{key}" for key in keys)) == [0.0, True]
    assert done.line("algorithm.filter_groups.enable").state is State.NARROWED
    assert "H40" in done.line("algorithm.filter_groups.enable").reason


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


# -- lengths, data, the rest ------------------------------------------------------------------------------------


def test_h50_dropped_prompts_are_not_masked_ones() -> None:
    done = from_verl({"data.filter_overlong_prompts": "True"})
    assert done.out["model.enable_prompt_truncation"] is True
    assert done.line("data.filter_overlong_prompts").state is State.NARROWED
    back = from_trinity({"model.enable_prompt_truncation": True})
    assert back.out["data.filter_overlong_prompts"] is True
    assert back.line("model.enable_prompt_truncation").state is State.NARROWED
    assert (
        from_trinity({"model.enable_prompt_truncation": False}).out.get("data.filter_overlong_prompts", False) is False
    )


SELECTOR = "buffer.explorer_input.tasksets[0].data_selector.selector_type"


def test_h52_order_is_explicit() -> None:
    assert from_verl().out[SELECTOR] == "shuffle"
    assert from_verl({"data.shuffle": "False"}).out.get(SELECTOR, "sequential") == "sequential"
    assert from_trinity().out["data.shuffle"] is False
    key = "buffer.explorer_input.taskset.data_selector.selector_type"
    assert from_trinity({key: "shuffle"}).out.get("data.shuffle", True) is True


def test_h54_the_scale_of_adapters_is_kept() -> None:
    done = from_verl({"actor_rollout_ref.model.lora_rank": "16"})
    assert picked(done.out, "model.lora_configs[0].lora_rank", "model.lora_configs[0].lora_alpha") == [16, 16]
    back = from_trinity({"model.lora_configs": [{"target_modules": "all-linear"}]})
    assert picked(back.out, "actor_rollout_ref.model.lora_rank", "actor_rollout_ref.model.lora_alpha") == [32, 32]


def test_h55_evaluation_is_spelt_out() -> None:
    out = from_verl().out
    at = "buffer.explorer_input.eval_tasksets[0]."
    args = ("rollout_args.temperature", "rollout_args.top_p", "rollout_args.top_k", "repeat_times")
    assert picked(out, *(at + arg for arg in args)) == [0, 1.0, -1, 1]
    back = from_trinity({"model.temperature": 0.7}).out
    assert picked(back, *(f"{ROLLOUT}val_kwargs.{arg}" for arg in ("temperature", "top_p", "top_k", "n"))) == [
        0.7,
        1.0,
        -1,
        1,
    ]


def test_h58_a_stage_section_stands_alone() -> None:
    stages = [{"stage_name": "s", "buffer": {"train_batch_size": 128}, "algorithm": {"algorithm_type": "grpo"}}]
    done = from_trinity({"stages": stages, "synchronizer.sync_interval": 128})
    # batch_size is back at 1 and repeat_times too
    assert picked(done.out, "data.train_batch_size", ROLLOUT + "n") == [128, 1]


def test_h59_old_reward_keys_are_dead_in_0_9() -> None:
    key = "custom_reward_function.path"
    assert from_verl({key: "my.py"}).line(key).state is State.DEAD_IN_SOURCE
    assert from_verl({key: "my.py"}, release="0.7.1").line(key).state is State.NO_COUNTERPART


def test_h61_sum_norm_is_three_losses() -> None:
    key = ACTOR + "loss_agg_mode"
    done = from_verl({key: "seq-mean-token-sum-norm"})
    assert done.out["algorithm.loss_agg_mode"] == "seq-mean-token-sum-norm"
    assert done.line(key).state is State.NARROWED
    assert "H61" in done.line(key).reason
    assert from_verl({key: "seq-mean-token-sum-norm"}, release="0.6.1").line(key).state is State.EXACT
    back = from_trinity({"algorithm.loss_agg_mode": "seq-mean-token-sum-norm"})
    assert back.line("algorithm.loss_agg_mode").state is State.NARROWED


SEPARATE: dict[str, str | None] = {
    "trainer.v1.trainer_mode": "separate_async",
    "trainer.v1.separate_async.parameter_sync_step": "4",
    "trainer.v1.separate_async.num_warmup_batches": "1",
    "actor_rollout_ref.hybrid_engine": "False",
    ROLLOUT + "nnodes": "1",
    ROLLOUT + "n_gpus_per_node": "8",
    ACTOR + "optim.lr_warmup_steps": "10",
}


def test_h62_own_pools_tick_once_a_local_update() -> None:
    assert from_verl(SEPARATE).out["algorithm.optimizer.lr_warmup_steps"] == 10
    sync: dict[str, str | None] = {ACTOR + "optim.lr_warmup_steps": "10"}
    assert from_verl(sync).out["algorithm.optimizer.lr_warmup_steps"] == 40
    back = from_trinity({"algorithm.optimizer.lr_warmup_steps": 10, "synchronizer.sync_offset": 4})
    assert back.out[ACTOR + "optim.lr_warmup_steps"] == 10


def test_h65_the_critics_ulysses_reaches_the_engine() -> None:
    out = from_trinity({**TRINITY_PPO, "trainer.ulysses_sequence_parallel_size": 4}).out
    keys = ("critic.fsdp.ulysses_sequence_parallel_size", "critic.ulysses_sequence_parallel_size")
    assert picked(out, *keys) == [4, 4]
    old = from_trinity({**TRINITY_PPO, "trainer.ulysses_sequence_parallel_size": 4}, to="0.7.1").out
    assert picked(old, *keys, "critic.model.use_remove_padding") == [None, 4, True]


@pytest.mark.parametrize(("release", "mode"), [("0.8.0", "seq-mean-token-mean"), ("0.9.1", "token-mean")])
def test_h66_gspo_aggregates_by_release(release: str, mode: str) -> None:
    done = from_verl({ACTOR + "policy_loss.loss_mode": "gspo"}, release=release)
    assert picked(done.out, "algorithm.loss_agg_mode", LOSS + "loss_agg_mode") == [mode, mode]
    assert done.line(ACTOR + "policy_loss.loss_mode").state is not State.DEAD_IN_SOURCE
    back = from_trinity({"algorithm.algorithm_type": "gspo", "algorithm.loss_agg_mode": "seq-mean-token-mean"})
    assert back.out[ACTOR + "loss_agg_mode"] == "seq-mean-token-mean"


def test_h67_adaptive_control_becomes_fixed() -> None:
    changes: dict[str, str | None] = {
        **PPO,
        "algorithm.use_kl_in_reward": "True",
        "algorithm.kl_ctrl.type": "adaptive",
        "algorithm.kl_ctrl.kl_coef": "0.005",
    }
    done = from_verl(changes)
    assert "algorithm.kl_penalty_fn_args.adaptive" not in done.out
    assert done.out["algorithm.kl_penalty_fn_args.kl_coef"] == 0.005
    assert done.line("algorithm.kl_ctrl.type").state is State.NARROWED


def test_h68_two_limits_agree() -> None:
    changes: dict[str, str | None] = {"trainer.total_training_steps": "500", "trainer.total_epochs": "30"}
    done = from_verl(changes, rows=7473)
    assert done.out["trainer.total_steps"] == 210 * 4
    assert "H68" in done.notes
    back = from_trinity(rows=7473)
    assert picked(back.out, "trainer.total_training_steps", "trainer.total_epochs") == [105, 15]
    assert from_trinity().out["trainer.total_epochs"] >= 105


def test_h71_hybrid_engine_matters_to_own_pools_only() -> None:
    shared = from_verl({"actor_rollout_ref.hybrid_engine": "False"})
    assert picked(shared.out, "cluster.node_num", "explorer.rollout_model.engine_num") == [1, 2]
    apart = from_verl(SEPARATE)
    assert picked(apart.out, "cluster.node_num", "cluster.gpu_per_node", "explorer.rollout_model.engine_num") == [
        2,
        8,
        4,
    ]
    lent = from_verl({**SEPARATE, "actor_rollout_ref.hybrid_engine": "True"})
    assert lent.line("actor_rollout_ref.hybrid_engine").state is State.NARROWED


def test_rule_5_the_critic_takes_the_actors_cap() -> None:
    out = from_trinity({**TRINITY_PPO, "trainer.max_token_len_per_gpu": 9000}).out
    assert picked(out, ACTOR + "ppo_max_token_len_per_gpu", "critic.ppo_max_token_len_per_gpu") == [9000, 9000]


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


def test_row_7_1_two_files_of_one_folder_are_asked_about() -> None:
    done = from_verl({"data.train_files": "[/d/a/x.parquet,/d/a/y.parquet]"})
    assert any("two files lie in /d/a" in decision.why for decision in done.conversion.ledger.decisions)


@pytest.mark.parametrize(("to", "live"), [("0.6.0", "optim.clip_grad"), ("0.5.2", "grad_clip")])
def test_h48_the_critics_clip_by_back_end(to: str, live: str) -> None:
    out = from_verl({**PPO, "critic.optim.clip_grad": "0.4"}, to=to).out
    written = {key: out[key] for key in (CRITIC + "optim.clip_grad", CRITIC + "grad_clip") if key in out}
    assert written == {CRITIC + live: 0.4}
    back = from_trinity({**TRINITY_PPO, CRITIC + live: 0.4}, release=to)
    assert back.out["critic.optim.clip_grad"] == 0.4
