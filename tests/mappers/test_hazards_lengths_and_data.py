"""Hazards of lengths, data and releases (H50-H71) between veRL and Trinity-RFT, both ways, with their numbers."""

from __future__ import annotations

import pytest

from rftconf.base.errors import RefusedError
from rftconf.base.ledger import State
from tests.mappers.hazard_runs import ACTOR, LOSS, PPO, ROLLOUT, TRINITY_PPO, from_trinity, from_verl, picked

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


REF_OFFLOAD = "trainer.trainer_config.actor_rollout_ref.ref.fsdp_config.param_offload"


@pytest.mark.parametrize(("flag", "block", "actor", "reference"),
                         [(False, True, False, True), (True, False, True, False), (True, None, True, True)])  # fmt: skip
def test_h53_a_roles_own_offload_goes_before_the_flag(
    flag: bool, block: bool | None, actor: bool, reference: bool
) -> None:
    done = from_trinity({"algorithm.kl_loss_fn": "k2", "trainer.param_offload": flag, REF_OFFLOAD: block})
    keys = (ACTOR + "fsdp_config.param_offload", "actor_rollout_ref.ref.fsdp_config.param_offload")
    assert [done.out.get(key, False) for key in keys] == [actor, reference]


def test_h53_the_reference_alone_is_offloaded_there_too() -> None:
    done = from_verl({ACTOR + "use_kl_loss": "True", "actor_rollout_ref.ref.fsdp_config.param_offload": "True"})
    assert picked(done.out, "trainer.param_offload", REF_OFFLOAD) == [None, True]
    both = from_verl({ACTOR + "use_kl_loss": "True", "actor_rollout_ref.ref.fsdp_config.param_offload": "True",
                      ACTOR + "fsdp_config.param_offload": "True"})  # fmt: skip
    assert both.out["trainer.param_offload"] is True
    assert both.out.get(REF_OFFLOAD, True) is True


def test_h54_the_scale_of_adapters_is_kept() -> None:
    done = from_verl({"actor_rollout_ref.model.lora_rank": "16"})
    assert picked(done.out, "model.lora_configs[0].lora_rank", "model.lora_configs[0].lora_alpha") == [16, 16]
    back = from_trinity({"model.lora_configs": [{"target_modules": "all-linear"}]})
    assert picked(back.out, "actor_rollout_ref.model.lora_rank", "actor_rollout_ref.model.lora_alpha") == [32, 32]


def test_h55_evaluation_is_spelt_out() -> None:
    out = from_verl().out
    section = "buffer.explorer_input.eval_tasksets[0]."
    args = ("rollout_args.temperature", "rollout_args.top_p", "rollout_args.top_k", "repeat_times")
    assert picked(out, *(section + arg for arg in args)) == [0, 1.0, -1, 1]
    back = from_trinity({"model.temperature": 0.7}).out
    assert picked(back, *(f"{ROLLOUT}val_kwargs.{arg}" for arg in ("temperature", "top_p", "top_k", "n"))) == [
        0.7,
        1.0,
        -1,
        1,
    ]


def test_h57_unknown_keys_are_told() -> None:
    assert from_verl({"algorithm.adv_estimatr": "grpo"}).line("algorithm.adv_estimatr").state is State.UNKNOWN
    assert from_trinity({"algorithm.kl_los": "k2"}).line("algorithm.kl_los").state is State.UNKNOWN


def test_h58_a_stage_section_stands_alone() -> None:
    stages = [{"stage_name": "s", "buffer": {"train_batch_size": 128}, "algorithm": {"algorithm_type": "grpo"}}]
    done = from_trinity({"stages": stages, "synchronizer.sync_interval": 128})
    # batch_size is back at 1 and repeat_times too
    assert picked(done.out, "data.train_batch_size", ROLLOUT + "n") == [128, 1]


def test_h59_old_reward_keys_are_dead_in_0_9() -> None:
    key = "custom_reward_function.path"
    assert from_verl({key: "my.py"}).line(key).state is State.DEAD_IN_SOURCE
    assert from_verl({key: "my.py"}, release="0.7.1").line(key).state is State.NO_COUNTERPART


@pytest.mark.parametrize(("to", "block"), [("0.6.1", ""), ("0.7.1", "reward."), ("0.9.1", "reward.")])
def test_h59_the_reward_is_asked_for_where_it_is_read(to: str, block: str) -> None:
    keys = [decision.key for decision in from_trinity(to=to).conversion.ledger.decisions]
    assert keys == ["layout", f"{block}custom_reward_function.path"]


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


SMALL = {"data.train_batch_size": "128"}


@pytest.mark.parametrize("release", ["0.3.0", "0.8.0", "0.9.1"])
def test_h63_with_static_micro_batches_verl_stops(release: str) -> None:
    with pytest.raises(RefusedError, match="counts both in prompts and refuses that"):
        from_verl({**SMALL, ACTOR + "use_dynamic_bsz": "false"}, release=release)


@pytest.mark.parametrize(
    ("release", "what"), [("0.8.0", "updates on what there is"), ("0.9.1", "fills such a batch up")]
)
def test_h63_a_period_smaller_than_an_update_is_asked_about(release: str, what: str) -> None:
    """128 x 8 = 1024 sequences against 256 x 8 = 2048."""
    with pytest.raises(RefusedError, match=what) as refused:
        from_verl(SMALL, release=release)
    words = [choice.split(",")[0] for choice in refused.value.choices]
    assert words == [f"--assume mini_batch={word}" for word in ("samples", "capped", "prompts")]
    with pytest.raises(RefusedError, match="updates of 2048 sequences") as upstream:
        from_verl(SMALL, release=release, assume={"mini_batch": "prompts"})
    assert "1024 sequences an update = 128 prompts, 1 updates a period" in upstream.value.choices
    fork = from_verl(SMALL, release=release, assume={"mini_batch": "samples"})
    assert picked(fork.out, "buffer.batch_size", "buffer.train_batch_size", "synchronizer.sync_interval") == [
        32,
        256,
        4,
    ]


@pytest.mark.parametrize(("to", "what"), [("0.8.0", "veRL stops"), ("0.9.1", "rows of zero mask fill it up")])
def test_h63_what_becomes_of_such_a_period_is_said(to: str, what: str) -> None:
    done = from_trinity({"buffer.batch_size": 128, "synchronizer.sync_interval": 1}, to=to)
    line = done.line("buffer.train_batch_size")
    assert line.state is State.NARROWED
    assert f"an update takes 256 prompts, a period yields 128: {what}" in line.reason
    assert "H63" in line.reason
    assert from_trinity(to=to).line("buffer.train_batch_size").state is State.DERIVED


@pytest.mark.parametrize(
    ("release", "more", "state"),
    [("0.7.1", {}, State.EXACT), ("0.8.0", {}, State.EXACT), ("0.9.1", {"trainer.use_v1": "False"}, State.EXACT),
     ("0.9.1", {}, State.DEAD_IN_SOURCE)],
)  # fmt: skip
def test_h64_the_trainer_of_0_9_always_balances(release: str, more: dict[str, str | None], state: State) -> None:
    done = from_verl({"trainer.balance_batch": "False", **more}, release=release)
    assert done.line("trainer.balance_batch").state is state
    assert done.out.get("trainer.balance_batch", True) is (state is State.DEAD_IN_SOURCE)


@pytest.mark.parametrize(("to", "state"), [("0.8.0", State.EXACT), ("0.9.1", State.DEAD_IN_TARGET)])
def test_h64_unbalanced_ranks_are_balanced_there(to: str, state: State) -> None:
    done = from_trinity({"trainer.balance_batch": False}, to=to)
    assert done.line("trainer.balance_batch").state is state
    assert done.out.get("trainer.balance_batch") is (False if state is State.EXACT else None)


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


def test_h67_adaptive_control_that_stops_the_run_is_told() -> None:
    args = "algorithm.kl_penalty_fn_args."
    adaptive = {
        "algorithm.kl_penalty_fn": "k1",
        args + "adaptive": True,
        args + "target_kl": 0.1,
        args + "horizon": 1e4,
    }
    done = from_trinity({**TRINITY_PPO, **adaptive})
    assert "H67" in done.notes
    assert "H67" not in from_trinity({**TRINITY_PPO, "algorithm.kl_penalty_fn": "k1"}).notes


def test_h68_two_limits_agree() -> None:
    changes: dict[str, str | None] = {"trainer.total_training_steps": "500", "trainer.total_epochs": "30"}
    done = from_verl(changes, rows=7473)
    assert done.out["trainer.total_steps"] == 210 * 4
    assert "H68" in done.notes
    back = from_trinity(rows=7473)
    assert picked(back.out, "trainer.total_training_steps", "trainer.total_epochs") == [105, 15]
    assert from_trinity().out["trainer.total_epochs"] >= 105


def test_h69_own_pools_drop_what_is_old() -> None:
    assert "H69" in from_verl(SEPARATE).notes
    assert "H69" not in from_verl({**SEPARATE, "trainer.v1.sampler.max_off_policy_threshold": "null"}).notes
    assert "H69" in from_trinity({"synchronizer.sync_offset": 4}).notes
    assert "H69" not in from_trinity().notes


def test_h71_hybrid_engine_matters_to_own_pools_only() -> None:
    shared = from_verl({"actor_rollout_ref.hybrid_engine": "False"})
    assert picked(shared.out, "cluster.node_num", "explorer.rollout_model.engine_num") == [1, 2]
    separate = from_verl(SEPARATE)
    assert picked(separate.out, "cluster.node_num", "cluster.gpu_per_node", "explorer.rollout_model.engine_num") == [
        2,
        8,
        4,
    ]
    lent = from_verl({**SEPARATE, "actor_rollout_ref.hybrid_engine": "True"})
    assert lent.line("actor_rollout_ref.hybrid_engine").state is State.NARROWED


def test_h72_failed_rollouts_stay_unless_refilled() -> None:
    key = "trainer.v1.sampler.sync_refill_failed_groups"
    assert from_verl({key: "False"}).line(key).state is State.DEFAULT
    refilled = from_verl({key: "True"})
    assert refilled.line(key).state is State.NO_COUNTERPART
    assert "failed" in refilled.line(key).reason
    # a setting of the same name elsewhere is no setting
    misplaced = "trainer.v1.sync_refill_failed_groups"
    assert from_verl({misplaced: "True"}).line(misplaced).state is State.UNKNOWN
    assert key not in from_trinity().out
