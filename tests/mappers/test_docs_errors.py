"""What documents of veRL and Trinity-RFT say of a key and the code does not; of ROLL's and ChatLearn's there is a test file beside this one."""

from __future__ import annotations

import pytest

from rftconf.base.errors import RefusedError
from rftconf.base.ledger import State
from rftconf.schemas import catalogue
from tests.mappers.hazard_runs import ACTOR, LOSS, PPO, ROLLOUT, TRINITY_PPO, from_trinity, from_verl, picked

CONFIG, SELECTOR = "trainer.trainer_config.", "buffer.explorer_input.taskset.data_selector.selector_type"
OPTIMIZER, EXPLORER = "algorithm.optimizer.", "explorer.rollout_model."


def default(framework: str, release: str, key: str) -> object:
    """A key's own value in a release."""
    return catalogue.load(framework, release, "fsdp" if framework == "verl" else "").keys[key].default


def test_d1_only_offset_0_is_lock_step() -> None:
    assert from_verl().out["synchronizer.sync_offset"] == 0
    modes = [from_trinity({"synchronizer.sync_offset": offset}).out["trainer.v1.trainer_mode"] for offset in (0, 1)]
    assert modes == ["sync", "separate_async"]


def test_d2_a_dropped_prompt_is_no_masked_one() -> None:
    dropped = from_verl({"data.filter_overlong_prompts": "True"})
    assert dropped.line("data.filter_overlong_prompts").state is State.NARROWED
    masked = from_trinity({"model.enable_prompt_truncation": True})
    assert masked.line("model.enable_prompt_truncation").state is State.NARROWED


@pytest.mark.parametrize("section", ["data_selector", "task_selector"])
def test_d3_random_is_no_shuffle(section: str) -> None:
    key = SELECTOR.replace("data_selector", section)
    assert from_trinity({key: "random"}).line(key).state is State.NO_COUNTERPART
    shuffled = from_trinity({key: "shuffle"})
    assert shuffled.line(key).state is State.DEFAULT
    assert shuffled.out.get("data.shuffle", True) is True
    written = from_verl().out
    assert written["buffer.explorer_input.tasksets[0].data_selector.selector_type"] == "shuffle"
    assert not [k for k in written if "task_selector" in k]


def test_d4_a_ratio_of_no_total() -> None:
    key = OPTIMIZER + "lr_warmup_steps_ratio"
    endless = from_trinity({key: 0.1, "trainer.total_steps": None})
    assert endless.line(key).state is State.NARROWED
    assert "sys.maxsize" in endless.line(key).reason
    changes: dict[str, str | None] = {ACTOR + "optim.lr_warmup_steps_ratio": "0.1"}
    assert picked(from_verl(changes).out, OPTIMIZER + "lr_warmup_steps", key) == [40, None]


def test_d5_cadences_are_scaled() -> None:
    cadences = ("trainer.save_interval", "explorer.eval_interval")
    assert picked(from_verl().out, *cadences) == [80, 20]
    # what the guide keeps unscaled: 20 updates are 5 periods, 5 explorer steps act as 4
    copied = from_trinity({"trainer.save_interval": 20, "explorer.eval_interval": 5}).out
    assert picked(copied, "trainer.save_freq", "trainer.test_freq") == [5, 1]


def test_d6_one_engine_of_two_leaves_six_trainers() -> None:
    """8 GPUs, one engine with tp 2: 2048 % 6 = 2, so neither direction keeps six."""
    separate = from_trinity({"explorer.rollout_model.engine_num": 1, "synchronizer.sync_offset": 1})
    assert separate.out["trainer.n_gpus_per_node"] == 4
    assert any("6 ranks" in decision.why for decision in separate.conversion.ledger.decisions)
    assert from_verl().out["explorer.rollout_model.engine_num"] == 2


@pytest.mark.parametrize(("flag", "offloaded"), [(False, True), (True, False)])
def test_d7_a_references_own_offload(flag: bool, offloaded: bool) -> None:
    """The guide's block counts with the back end that 0.6 runs on; up to 0.5.2 there is no flag to overwrite it."""
    block = CONFIG + "actor_rollout_ref.ref.fsdp_config.param_offload"
    done = from_trinity({"algorithm.kl_loss_fn": "k2", block: offloaded, "trainer.param_offload": flag})
    assert done.out.get("actor_rollout_ref.ref.fsdp_config.param_offload", False) is offloaded
    assert "trainer.param_offload" not in catalogue.load("trinity", "0.5.2").keys


def test_d8_an_auxiliary_model_is_no_reward_model() -> None:
    aux = [{"model_path": "/models/rm", "engine_num": 1, "tensor_parallel_size": 1}]
    done = from_trinity({"explorer.auxiliary_models": aux})
    assert done.line("explorer.auxiliary_models[0].model_path").state is State.NO_COUNTERPART
    assert "reward.reward_model.enable" not in done.out
    changes: dict[str, str | None] = {"reward.reward_model.enable": "True", "reward.reward_model.model_path": "/rm"}
    back = from_verl(changes)
    assert back.out["explorer.auxiliary_models[0].model_path"] == "/rm"
    assert "must ask this one for its verdict" in back.line("reward.reward_model.enable").reason


def test_d9_micro_batches_of_sequences_need_static_ones() -> None:
    key = CONFIG + "actor_rollout_ref.actor.ppo_micro_batch_size_per_gpu"
    assert from_trinity({key: 4}).line(key).state is State.DEAD_IN_SOURCE
    static = from_trinity({key: 4, "trainer.use_dynamic_bsz": False})
    assert static.out[ACTOR + "ppo_micro_batch_size_per_gpu"] == 4


@pytest.mark.parametrize(("release", "strategy"), [("0.3.3", "fsdp"), ("0.5.2", "fsdp"), ("0.6.0", "fsdp2")])
def test_d10_the_default_trainer(release: str, strategy: str) -> None:
    assert from_trinity(release=release).out[ACTOR + "strategy"] == strategy
    written = from_verl({ACTOR + "strategy": "fsdp"}, to=release).out
    assert written.get("trainer.trainer_strategy", default("trinity", release, "trainer.trainer_strategy")) == "fsdp"


@pytest.mark.parametrize(("release", "floor"), [("0.3.3", 0.0), ("0.4.1", 0.0), ("0.5.2", 0.01), ("0.6.0", 0.01)])
def test_d11_the_floor_of_the_cosine(release: str, floor: float) -> None:
    done = from_trinity({OPTIMIZER + "lr_scheduler_type": "cosine"}, release=release)
    assert done.out.get(ACTOR + "optim.min_lr_ratio", 0.0) == floor


@pytest.mark.parametrize(
    "style", ["explorer_driven", "trainer_driven", "dynamic_by_explorer", "dynamic_by_trainer", "fully_async"]
)
def test_d12_styles_beyond_the_listed_ones(style: str) -> None:
    done = from_trinity({"synchronizer.sync_style": style, "buffer.explorer_input.eval_tasksets": None})
    assert done.line("synchronizer.sync_style").state is State.NARROWED
    assert done.out["trainer.test_freq"] == -1


ENGINE = ("rollout.max_num_seqs", "rollout.enforce_eager", "model.enable_gradient_checkpointing",
          "model.use_remove_padding")  # fmt: skip


@pytest.mark.parametrize(
    ("release", "expected"),
    [
        ("0.5.0", [1024, True, True, False]),
        ("0.6.1", [1024, False, True, False]),
        ("0.8.0", [1024, False, True, True]),
        ("0.9.1", [256, False, True, True]),
    ],
)
def test_d13_defaults_by_release(release: str, expected: list[object]) -> None:
    assert [default("verl", release, f"actor_rollout_ref.{key}") for key in ENGINE] == expected


def test_d14_the_coefficient_of_kl() -> None:
    assert from_verl({ACTOR + "use_kl_loss": "True"}).out["algorithm.kl_loss_fn_args.kl_coef"] == 0.001


@pytest.mark.parametrize("mode", ["left", "right", "middle"])
@pytest.mark.parametrize(
    ("release", "state"),
    [("0.5.0", State.NO_COUNTERPART), ("0.6.1", State.NO_COUNTERPART), ("0.7.1", State.DEAD_IN_SOURCE),
     ("0.9.1", State.DEAD_IN_SOURCE)],
)  # fmt: skip
def test_d15_cutting_prompts_acts_before_0_7(mode: str, release: str, state: State) -> None:
    done = from_verl({"data.truncation": mode}, release=release)
    assert done.line("data.truncation").state is state
    assert (f"data.truncation={mode} trains on prompts that are cut" in done.notes) is (state is State.NO_COUNTERPART)
    dropped = from_verl({"data.truncation": mode, "data.filter_overlong_prompts": "True"}, release=release)
    assert dropped.line("data.truncation").state is State.DEAD_IN_SOURCE


def test_d16_low_and_high_are_the_clip() -> None:
    done = from_verl({ACTOR + "clip_ratio": "0.1", ACTOR + "clip_ratio_low": "0.15"})
    assert picked(done.out, LOSS + "clip_range_low", LOSS + "clip_range_high") == [0.15, 0.2]
    assert done.line(ACTOR + "clip_ratio").state is State.DEAD_IN_SOURCE


@pytest.mark.parametrize("release", ["0.5.0", "0.9.1"])
def test_d17_a_validation_batch_is_still_read(release: str) -> None:
    line = from_verl({"data.val_batch_size": "64"}, release=release).line("data.val_batch_size")
    assert (line.state, "one validation fetch holds" in line.reason) == (State.EXTENSION, True)


def test_d18_a_tick_of_warmup_is_a_period() -> None:
    changes: dict[str, str | None] = {ACTOR + "optim.lr_warmup_steps": "10"}
    assert from_verl(changes).out[OPTIMIZER + "lr_warmup_steps"] == 40


OLD, NEW = "critic.model.fsdp_config.param_offload", "critic.fsdp.param_offload"


@pytest.mark.parametrize(("release", "reward", "critic"),
                         [("0.7.1", State.NO_COUNTERPART, State.EXACT), ("0.8.0", State.NO_COUNTERPART, State.UNKNOWN),
                          ("0.9.1", State.DEAD_IN_SOURCE, State.UNKNOWN)])  # fmt: skip
def test_d19_blocks_that_moved(release: str, reward: State, critic: State) -> None:
    done = from_verl({**PPO, "reward_model.reward_manager": "dapo", OLD: "True"}, release=release)
    assert (done.line("reward_model.reward_manager").state, done.line(OLD).state) == (reward, critic)
    back = from_trinity({**TRINITY_PPO, CONFIG + NEW: True}, to=release).out
    assert picked(back, OLD, NEW) == ([True, None] if release == "0.7.1" else [None, True])


def test_d33_a_step_is_an_update_there_and_a_period_here() -> None:
    assert picked(from_verl().out, "trainer.total_steps", "trainer.save_interval") == [105 * 4, 20 * 4]
    assert picked(from_trinity().out, "trainer.total_training_steps", "trainer.save_freq") == [105, 20]


def test_d34_a_train_batch_counts_experiences() -> None:
    assert from_trinity().out[ACTOR + "ppo_mini_batch_size"] == 2048 // 8
    single = from_trinity({"algorithm.repeat_times": 4, "synchronizer.sync_interval": 8}).out
    assert picked(single, "data.train_batch_size", ACTOR + "ppo_mini_batch_size") == [2048, 512]


def test_d35_critic_warmup_has_two_places() -> None:
    old = CONFIG + "trainer.critic_warmup"
    assert from_trinity({**TRINITY_PPO, old: 37}).line(old).state is State.DEAD_IN_SOURCE
    assert from_trinity({**TRINITY_PPO, old: 37}, release="0.5.2").out["trainer.critic_warmup"] == 10
    changes = {**PPO, "trainer.critic_warmup": "10"}
    assert picked(from_verl(changes).out, "trainer.critic_warmup", old) == [37, 37]
    assert picked(from_verl(changes, to="0.5.2").out, "trainer.critic_warmup", old) == [None, 37]


@pytest.mark.parametrize(("more", "rollout"), [({}, 2), ({"data": 2}, 4), ({"pipeline": 2}, 4)])
def test_d36_gpus_of_an_engine(more: dict[str, int], rollout: int) -> None:
    sizes = {f"explorer.rollout_model.{kind}_parallel_size": size for kind, size in more.items()}
    single = {"explorer.rollout_model.engine_num": 1, "synchronizer.sync_offset": 4, "buffer.train_batch_size": 1536,
           "buffer.batch_size": 192}  # fmt: skip
    out = from_trinity({**single, **sizes}).out
    assert picked(out, ROLLOUT + "n_gpus_per_node", "trainer.n_gpus_per_node") == [rollout, 8 - rollout]


@pytest.mark.parametrize("release", ["0.3.3", "0.4.1", "0.5.2"])
def test_d36_before_0_6_an_engine_is_its_tensor_parallel_gpus(release: str) -> None:
    engine = {ROLLOUT + "tensor_model_parallel_size": "1", ROLLOUT + "data_parallel_size": "4"}
    out = from_verl(engine, to=release).out
    assert picked(out, EXPLORER + "engine_num", EXPLORER + "data_parallel_size") == [4, None]
    assert picked(from_verl(engine).out, EXPLORER + "engine_num", EXPLORER + "data_parallel_size") == [1, 4]


def test_d36_a_split_that_whole_engines_forbid_is_found_where_each_rank_is_one() -> None:
    spread = {ROLLOUT + "tensor_model_parallel_size": "1", ROLLOUT + "data_parallel_size": "8"}
    with pytest.raises(RefusedError, match="between engines of 8"):
        from_verl(spread)
    out = from_verl(spread, to="0.5.2").out
    assert 2048 % (8 - out[EXPLORER + "engine_num"]) == 0


def test_d37_no_cut_prompt_is_trained_on() -> None:
    out = from_trinity({"model.enable_prompt_truncation": True}).out
    assert picked(out, "data.truncation", "data.filter_overlong_prompts") == [None, True]
    cut = from_verl({"data.truncation": "right"}, release="0.6.1")
    assert cut.out["model.enable_prompt_truncation"] is False
    assert "trains on prompts that are cut" in cut.notes


def test_d40_over_rollout_has_no_place_in_lock_step() -> None:
    key = "explorer.over_rollout.ratio"
    assert from_trinity({key: 0.5}).line(key).state is State.NO_COUNTERPART
    assert key not in from_verl({ROLLOUT + "over_sample_rate": "0.2"}).out


@pytest.mark.parametrize("algorithm", ["grpo", "dapo"])
def test_d41_repeat_times_is_1_unless_written(algorithm: str) -> None:
    changes = {"algorithm.algorithm_type": algorithm, "algorithm.repeat_times": None, "buffer.train_batch_size": None}
    assert from_trinity(changes).out[ROLLOUT + "n"] == 1
    assert from_verl().out["algorithm.repeat_times"] == 8


def test_d42_the_rule_of_batches() -> None:
    out = from_verl().out
    batch, update, interval = picked(out, "buffer.batch_size", "buffer.train_batch_size", "synchronizer.sync_interval")
    assert batch * interval == 1024
    assert update == 256 * 8 == batch * 8


def test_d43_no_release_leaves_an_update_that_ranks_cannot_share() -> None:
    for release in ("0.5.2", "0.6.0"):
        with pytest.raises(RefusedError, match="6 trainer GPUs"):
            from_verl(rollout_gpus=2, to=release)


def test_d45_the_old_trainer_is_still_there() -> None:
    done = from_verl({"trainer.use_v1": "False", "trainer.balance_batch": "False"})
    # its own reading of a key shows that the old trainer was meant
    assert done.line("trainer.balance_batch").state is State.EXACT
    assert from_trinity().out["trainer.use_v1"] is True


@pytest.mark.parametrize(("release", "mode"), [("0.8.0", "seq-mean-token-mean"), ("0.9.1", "token-mean")])
def test_d46_gspo_gets_what_the_caller_passes(release: str, mode: str) -> None:
    done = from_verl({ACTOR + "policy_loss.loss_mode": "gspo"}, release=release)
    assert done.out["algorithm.loss_agg_mode"] == mode
