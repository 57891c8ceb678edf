"""Hazards of ROLL by their number, both ways, with the numbers of the worked example."""

from __future__ import annotations

import pytest

from rftconf.base.errors import RefusedError
from rftconf.base.ledger import State
from tests.mappers.roll_runs import ARGS, CONFIG, INFER, STRATEGY, TRAIN, from_roll, to_roll

ACTOR, ROLLOUT = "actor_rollout_ref.actor.", "actor_rollout_ref.rollout."
MICRO, STEPS = TRAIN + ARGS + "per_device_train_batch_size", TRAIN + ARGS + "gradient_accumulation_steps"
STATIC = {ACTOR + "use_dynamic_bsz": "False", ACTOR + "ppo_micro_batch_size_per_gpu": "4"}
PPO = {"adv_estimator": "gae", "reward_pretrain": "/models/c", "num_return_sequences_in_group": 1,
       "critic." + STRATEGY: "fsdp2_train", "critic.device_mapping": "list(range(0,8))", "value_clip": 0.5,
       STEPS: 32}  # fmt: skip


def test_h1_prompts_are_not_sequences() -> None:
    out = to_roll(STATIC).out
    assert [out[k] for k in ("rollout_batch_size", "num_return_sequences_in_group", MICRO, STEPS)] == [1024, 8, 4, 64]
    back = from_roll().out
    keys = ("data.train_batch_size", ACTOR + "ppo_mini_batch_size", ROLLOUT + "n")
    assert [back[key] for key in keys] == [1024, 256, 8]


@pytest.mark.parametrize(("gpus", "sequences"), [(8, 2048), (16, 4096), (4, 1024)])
def test_h4_gpus_change_the_update(gpus: int, sequences: int) -> None:
    mapping = f"list(range(0,{gpus}))"
    done = from_roll({TRAIN + "device_mapping": mapping, INFER + "device_mapping": mapping})
    assert done.plan("stage.batch.sequences_per_update") == sequences
    assert done.out[ACTOR + "ppo_mini_batch_size"] == sequences // 8


def test_h4_accumulation_follows_from_the_gpus() -> None:
    out = to_roll({**STATIC, "trainer.nnodes": "2"}).out
    assert (out[MICRO], out[STEPS], out[TRAIN + "device_mapping"]) == (4, 32, "list(range(0,16))")


def test_h4_an_update_that_no_rank_can_share_is_refused() -> None:
    with pytest.raises(RefusedError, match="H4") as refused:
        to_roll({ACTOR + "ppo_mini_batch_size": "4", ROLLOUT + "n": "1", "data.train_batch_size": "64"})
    assert "4 trainer GPUs" in refused.value.choices


def test_h5_dynamic_batches_are_read_as_an_estimate_and_never_written() -> None:
    done = from_roll(
        {TRAIN + "use_dynamic_batching_in_train": True, TRAIN + "max_tokens_per_microbatch_in_train": 32768}
    )
    assert done.line(TRAIN + "use_dynamic_batching_in_train").state is State.NARROWED
    assert "H5" in done.notes
    out = to_roll({ACTOR + "ppo_max_token_len_per_gpu": "16384"}).out
    assert TRAIN + "use_dynamic_batching_in_train" not in out
    assert out[MICRO] * out[STEPS] * 8 == 2048
    assert out[MICRO] <= 16384 // 1536


def test_h6_the_switch_is_said_explicitly() -> None:
    assert to_roll().out["enable_old_logprobs_recompute"] is True
    done = from_roll(
        {TRAIN + "use_dynamic_batching_in_train": True, TRAIN + "max_tokens_per_microbatch_in_train": 32768, STEPS: 256}
    )
    assert "H6" in done.notes
    assert done.plan("stage.sync.old_logprob") == "current"


def test_h7_uneven_periods_are_refused_with_what_would_do() -> None:
    with pytest.raises(RefusedError, match="8000 sequences") as refused:
        to_roll({"data.train_batch_size": "1000"})
    assert any("2000 sequences" in choice for choice in refused.value.choices)


def test_h10_megatron_counts_prompts() -> None:
    megatron = {ACTOR + "strategy": "megatron", "data.train_batch_size": "4", ACTOR + "ppo_mini_batch_size": "4"}
    with pytest.raises(RefusedError, match="H10"):
        to_roll(megatron)


def test_h11_periods_and_updates() -> None:
    out = to_roll({ACTOR + "optim.lr_warmup_steps": "10"}).out
    assert [out[k] for k in ("eval_steps", "save_steps", TRAIN + ARGS + "warmup_steps", "max_steps")] == [
        5,
        20,
        40,
        105,
    ]
    assert "H11" in from_roll().notes


def test_h12_epochs_need_a_number() -> None:
    epochs = {"trainer.total_training_steps": "null", "trainer.total_epochs": "15"}
    done = to_roll(epochs)
    assert done.out["max_steps"] == "???"
    assert any("H12" in decision.why for decision in done.conversion.ledger.decisions)
    assert to_roll(epochs, rows=7473).out["max_steps"] == 105


def test_h15_agentic_runs_count_trajectories() -> None:
    done = from_roll({"train_env_manager.group_size": 8, "train_env_manager.tags": ["Maze"], "train_env_manager.num_groups_partition": [128],
                      "custom_envs.Maze.env_type": "maze", "custom_envs.Maze.max_steps": 5, STEPS: 32}, without=("num_return_sequences_in_group",))  # fmt: skip
    assert done.plan("stage.batch.prompts_per_rollout") == 128
    assert done.plan("stage.data.environments[0].turns_max") == 5
    assert any("Maze" in decision.why for decision in done.conversion.ledger.decisions)


# -- sync -------------------------------------------------------------------------------------------------------


def test_h20_critic_warm_up_is_counted_from_0() -> None:
    assert from_roll({**PPO, "critic_warmup": 10}).out["trainer.critic_warmup"] == 11
    critic = {"algorithm.adv_estimator": "gae", "critic.model.path": "/models/c", "trainer.critic_warmup": "10"}
    assert to_roll(critic).out["critic_warmup"] == 9


def test_h23_there_is_no_ratio_below_1() -> None:
    done = to_roll({"trainer.v1.trainer_mode": "colocate_async", "trainer.v1.colocate_async.num_warmup_batches": "0.5"})
    assert done.out["async_generation_ratio"] == 1
    assert done.line("trainer.v1.colocate_async.num_warmup_batches").state is State.ROUNDED


# -- loss -------------------------------------------------------------------------------------------------------


def test_h27_kl_is_added_after_normalisation() -> None:
    done = from_roll({"add_token_level_kl": True, "init_kl_coef": 0.01})
    assert done.out["algorithm.kl_ctrl.kl_coef"] == 0.01
    assert "H27" in done.notes
    assert "H27" in to_roll({"algorithm.use_kl_in_reward": "True"}).notes


def test_h28_the_temperature_does_not_divide_logits() -> None:
    assert "H28" in from_roll({INFER + "generating_args.temperature": 0.6}).notes
    assert "H28" in to_roll({ROLLOUT + "temperature": "0.6"}).notes


def test_h29_sampling_is_spelt_out() -> None:
    out = to_roll().out
    section = INFER + "generating_args."
    assert [out[section + k] for k in ("temperature", "top_p", "top_k")] == [1.0, 1, -1]
    left_out = tuple(section + k for k in ("temperature", "top_p", "top_k"))
    back = from_roll(without=left_out).out
    assert [back[ROLLOUT + k] for k in ("temperature", "top_p", "top_k")] == [0.95, 0.7, 50]


def test_h31_the_range_needs_its_switch() -> None:
    done = from_roll({"pg_clip_low": 0.2, "pg_clip_high": 0.28})
    assert done.out[ACTOR + "clip_ratio_high"] == 0.2
    assert done.line("pg_clip_high").state is State.DEAD_IN_SOURCE
    out = to_roll({ACTOR + "clip_ratio_high": "0.28"}).out
    assert [out[k] for k in ("use_pg_clip_range", "pg_clip_low", "pg_clip_high")] == [True, 0.2, 0.28]


def test_h32_the_bound_of_the_dual_clip() -> None:
    assert from_roll({"dual_clip_loss": True}).out[ACTOR + "clip_ratio_c"] == pytest.approx(1.4)
    out = to_roll().out
    assert (out["dual_clip_loss"], 1 + 2 * out["pg_clip"], out["use_pg_clip_range"]) == (True, 3.0, True)


def test_h35_no_reference_is_loaded_for_nothing() -> None:
    assert to_roll().out["init_kl_coef"] == 0.0
    assert not [key for key in to_roll().out if key.startswith("reference.")]
    done = from_roll(without=("init_kl_coef",))
    assert done.out[ACTOR + "use_kl_loss"] is False
    assert "H35" in from_roll({"init_kl_coef": 0.1}).line("init_kl_coef").reason


def test_h36_the_kl_loss_is_clamped() -> None:
    assert from_roll({"use_kl_loss": True, "kl_loss_coef": 0.001}).out[ACTOR + "kl_loss_type"] == "low_var_kl"
    assert (
        from_roll({"use_kl_loss": True, "kl_loss_coef": 0.001}, to="trinity").out["algorithm.kl_loss_fn"]
        == "low_var_kl"
    )
    narrowed = to_roll({ACTOR + "use_kl_loss": "True", ACTOR + "kl_loss_type": "mse"})
    assert narrowed.line(ACTOR + "kl_loss_type").state is State.NARROWED


def test_h39_a_group_of_one() -> None:
    done = to_roll({ROLLOUT + "n": "1"})
    assert any("H39" in decision.why for decision in done.conversion.ledger.decisions)
    single = {"num_return_sequences_in_group": 1, STEPS: 8}
    assert "NaN (H39)" in from_roll(single).notes
    assert "H39" not in from_roll({**single, "adv_estimator": "reinforce"}).notes


def test_h40_a_filter_that_draws_again() -> None:
    out = to_roll({"algorithm.filter_groups.enable": "True", "algorithm.filter_groups.metric": "reward"}).out
    assert out["rewards.math_rule.query_filter_config.type"] == "std_filter"
    back = from_roll({"rewards.math_rule.query_filter_config.type": "std_filter",
                      "rewards.math_rule.query_filter_config.filter_args.std_threshold": 0.0}).out  # fmt: skip
    assert back["algorithm.filter_groups.enable"] is True


def test_h43_rows_without_a_known_tag() -> None:
    probabilities = TRAIN + "data_args.domain_interleave_probs."
    code = {
        "rewards.code.worker_cls": "own.Code",
        "rewards.code.tag_included": ["kodcode"],
        probabilities + "code": 1.0,
    }
    without = ("rewards.math_rule.worker_cls", "rewards.math_rule.tag_included", probabilities + "math_rule")
    assert "H43" in from_roll(code, without=without).notes
    assert "H43" not in from_roll().notes


# -- optimiser and the rest -------------------------------------------------------------------------------------


def test_h44_warm_up_is_counted_in_updates() -> None:
    warm = {TRAIN + ARGS + "lr_scheduler_type": "constant_with_warmup", TRAIN + ARGS + "warmup_steps": 40}
    assert from_roll(warm).out[ACTOR + "optim.lr_warmup_steps"] == 10
    odd = from_roll({**warm, TRAIN + ARGS + "warmup_steps": 41})
    assert odd.out[ACTOR + "optim.lr_warmup_steps"] == 11
    assert odd.line(TRAIN + ARGS + "warmup_steps").state is State.ROUNDED


def test_h46_the_default_schedule_decays_to_zero() -> None:
    assert from_roll(without=(TRAIN + ARGS + "lr_scheduler_type",)).plan("stage.optim.actor.schedule") == "linear"
    assert to_roll().out[TRAIN + ARGS + "lr_scheduler_type"] == "constant"
    assert (
        to_roll({ACTOR + "optim.lr_warmup_steps": "10"}).out[TRAIN + ARGS + "lr_scheduler_type"]
        == "constant_with_warmup"
    )


def test_h49_the_cosine_ends_at_zero() -> None:
    done = to_roll({ACTOR + "optim.lr_scheduler_type": "cosine", ACTOR + "optim.min_lr_ratio": "0.1"})
    assert done.line(ACTOR + "optim.min_lr_ratio").state is State.NARROWED


def test_h51_prompts_over_the_limit_are_dropped() -> None:
    assert from_roll().out["data.filter_overlong_prompts"] is True


def test_h54_the_scale_of_an_adapter() -> None:
    out = from_roll({TRAIN + "model_args.lora_target": "all", TRAIN + "model_args.lora_rank": 16}).out
    assert [out[f"actor_rollout_ref.model.{k}"] for k in ("lora_rank", "lora_alpha")] == [16, 32]
    back = to_roll({"actor_rollout_ref.model.lora_rank": "16"}).out
    assert [back[TRAIN + f"model_args.lora_{k}"] for k in ("rank", "alpha")] == [16, 16]


def test_h55_validation_is_spelt_out() -> None:
    out = to_roll().out
    section = "validation.generating_args."
    assert [out[section + k] for k in ("temperature", "top_p", "top_k", "num_return_sequences")] == [0, 1.0, -1, 1]
    assert (
        from_roll(without=("validation.generating_args.temperature",)).out[ROLLOUT + "val_kwargs.temperature"] == 0.95
    )


def test_h57_what_the_loader_drops_is_named() -> None:
    line = from_roll({"reward_clp": 5}).line("reward_clp")
    assert line.state is State.UNKNOWN
    assert "no such key" in line.reason


@pytest.mark.parametrize(("mode", "enabled", "warns"),
                         [("token-mean", True, True), ("token-mean", False, False), ("seq-mean-token-mean", True, False)])  # fmt: skip
def test_h60_filtered_tokens_stay_in_the_numerator(mode: str, enabled: bool, warns: bool) -> None:
    done = from_roll({"loss_agg_mode": mode, "train_infer_correction.filters": [{"enabled": enabled}]})
    assert ("(H60)" in done.notes) is warns
    assert done.out[ACTOR + "loss_agg_mode"] == mode


def test_h60_no_such_filter_is_written() -> None:
    rejects = {"algorithm.rollout_correction.rollout_rs": "token", "algorithm.rollout_correction.rollout_rs_threshold": "2.0"}  # fmt: skip
    done = to_roll(rejects, release="0.8.0")
    assert done.out["loss_agg_mode"] == "token-mean"
    assert not [key for key in done.out if key.startswith("train_infer_correction")]
    assert done.line("algorithm.rollout_correction.rollout_rs").state is State.NO_COUNTERPART


def test_h61_the_same_name_divides_otherwise() -> None:
    done = to_roll({ACTOR + "loss_agg_mode": "seq-mean-token-sum-norm"})
    assert done.line(ACTOR + "loss_agg_mode").state is State.NARROWED
    assert "H61" in done.line(ACTOR + "loss_agg_mode").reason
    assert from_roll({"loss_agg_mode": "seq-mean-token-sum-norm"}).line("loss_agg_mode").state is State.NARROWED


def test_engine_shares_and_context() -> None:
    """Rows 6.3 and 8.2."""
    out = from_roll({INFER + CONFIG + "max_model_len": 4096}).out
    assert (out[ROLLOUT + "max_model_len"], out[ROLLOUT + "gpu_memory_utilization"]) == (4096, 0.6)


@pytest.mark.parametrize("bound", ["0.5", "1.0"])
def test_h32_a_dual_clip_that_bounds_nothing_is_lost(bound: str) -> None:
    """pg_clip, which would hold (c - 1) / 2, is never below 0."""
    run = to_roll({ACTOR + "clip_ratio_c": bound})
    assert run.line(ACTOR + "clip_ratio_c").state is State.NO_COUNTERPART
    assert not [
        value for key, value in run.out.items() if key.startswith("pg_clip") and isinstance(value, float) and value < 0
    ]


def test_d22_an_estimator_that_roll_does_not_have_is_no_run() -> None:
    run = from_roll({"adv_estimator": "rloo"})
    assert run.line("adv_estimator").state is State.NARROWED
    assert "no estimator rloo" in run.notes
