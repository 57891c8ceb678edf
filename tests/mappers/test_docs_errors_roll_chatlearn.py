"""What documents of ROLL and ChatLearn say of a key and the code does not."""

from __future__ import annotations

import pytest

from rftconf.base.ledger import State
from rftconf.schemas import catalogue
from tests.mappers.hazard_runs import ACTOR, ROLLOUT
from tests.mappers.roll_runs import ARGS, CONFIG, INFER, STRATEGY, TRAIN, from_roll, to_roll
from tests.mappers.test_hazards_chatlearn import ENGINE, RUN, TRAINER, from_chatlearn, to_chatlearn

STEPS = TRAIN + ARGS + "gradient_accumulation_steps"

# -- ROLL -------------------------------------------------------------------------------------------------------


def test_d20_there_is_no_deepspeed() -> None:
    key = TRAIN + STRATEGY
    line = from_roll({key: "deepspeed_train"}).line(key)
    assert (line.state, "deepspeed" in line.reason) == (State.NO_COUNTERPART, True)
    choices = catalogue.load("roll", "0.3.0", "rlvr").keys[key].choices
    assert choices
    assert "deepspeed_train" not in choices
    assert [to_roll({ACTOR + "strategy": name}).out[key] for name in ("fsdp", "fsdp2")] == ["fsdp2_train"] * 2


@pytest.mark.parametrize("key", ["reward_norm", "reward_shift", "reward_scale", "sft_loss_coef"])
def test_d21_fields_that_are_none(key: str) -> None:
    line = from_roll({key: 1}).line(key)
    assert (line.state, "H57" in line.reason) == (State.DEAD_IN_SOURCE, True)
    assert key not in to_roll().out


@pytest.mark.parametrize("scope", [None, "batch"])
def test_d22_grpo_normalises_whatever_is_written(scope: str | None) -> None:
    done = from_roll({"norm_mean_type": scope, "norm_std_type": scope})
    assert {done.line(f"norm_{kind}_type").state for kind in ("mean", "std")} == {State.DEAD_IN_SOURCE}
    assert done.out.get("algorithm.norm_adv_by_std_in_grpo", True) is True
    without = to_roll({"algorithm.norm_adv_by_std_in_grpo": "False"}).out
    assert (without["adv_estimator"], without["norm_mean_type"], without.get("norm_std_type")) == (
        "reinforce", "group", None
    )  # fmt: skip


def test_d22_there_is_no_rloo() -> None:
    key = "algorithm.adv_estimator"
    assert "rloo" not in (catalogue.load("roll", "0.3.0", "rlvr").keys["adv_estimator"].choices or ())
    done = to_roll({key: "rloo"})
    assert done.out["adv_estimator"] == "???"
    assert done.line(key).state is State.UNRESOLVED
    assert "adv_estimator" in {decision.key for decision in done.conversion.ledger.decisions}


def test_d23_nodes_are_worked_out() -> None:
    done = from_roll({"num_gpus_per_node": 4, "num_nodes": 7})
    assert done.line("num_nodes").state is State.DEAD_IN_SOURCE
    assert (done.out["trainer.nnodes"], done.out["trainer.n_gpus_per_node"]) == (2, 4)
    assert "num_nodes" not in to_roll({"trainer.nnodes": "2"}).out


def test_d23_nodes_that_devices_do_not_tell_stay_open() -> None:
    done = to_roll({"trainer.n_gpus_per_node": "4", "trainer.nnodes": "$NODES"})
    assert done.line("trainer.nnodes").state is State.UNRESOLVED
    assert done.out["num_gpus_per_node"] == 4
    back = from_roll({"num_gpus_per_node": 4, TRAIN + "device_mapping": "${oc.env:DEVICES}"})
    assert (back.plan("cluster.nodes"), back.plan("cluster.gpus_per_node")) == (None, 4)


def test_d24_a_rollout_batch_is_prompts() -> None:
    out = from_roll().out
    assert (out["data.train_batch_size"], out[ROLLOUT + "n"]) == (1024, 8)
    assert to_roll().out["rollout_batch_size"] == 1024


@pytest.mark.parametrize("ranks", [1, 2])
def test_d25_experts_take_no_part_in_the_data_parallel_size(ranks: int) -> None:
    """8 GPUs, tp 2: 4 x 64 x 4 ranks = 1024 sequences, however the experts are spread."""
    megatron = {TRAIN + STRATEGY: "megatron_train", TRAIN + CONFIG + "tensor_model_parallel_size": 2}
    done = from_roll({**megatron, TRAIN + CONFIG + "expert_model_parallel_size": ranks})
    assert done.plan("stage.batch.sequences_per_update") == 1024
    assert done.out[ACTOR + "ppo_mini_batch_size"] == 128


def test_d26_saves_count_periods() -> None:
    assert from_roll().out["trainer.save_freq"] == 20
    assert from_roll(to="trinity").out["trainer.save_interval"] == 80
    assert to_roll().out["save_steps"] == 20


@pytest.mark.parametrize(("steps", "mini"), [(64, 256), (256, 1024)])
def test_d38_the_optimizers_batch_is_the_rollouts_at_one_update_only(steps: int, mini: int) -> None:
    done = from_roll({STEPS: steps})
    assert done.out[ACTOR + "ppo_mini_batch_size"] == mini
    assert (done.plan("stage.batch.sequences_per_update") == 1024 * 8) is (mini == 1024)
    assert to_roll({ACTOR + "ppo_mini_batch_size": str(mini)}).plan("stage.batch.sequences_per_update") == mini * 8


def test_d39_fsdp2_takes_checkpointing_off() -> None:
    key = "model_args.disable_gradient_checkpointing"
    done = from_roll({TRAIN + key: True})
    assert done.out["actor_rollout_ref.model.enable_gradient_checkpointing"] is False
    assert from_roll({INFER + key: True}).line(INFER + key).state is State.DEAD_IN_SOURCE
    megatron = from_roll({TRAIN + key: True, TRAIN + STRATEGY: "megatron_train"})
    assert megatron.line(TRAIN + key).state is State.DEAD_IN_SOURCE
    assert to_roll({"actor_rollout_ref.model.enable_gradient_checkpointing": "False"}).out[TRAIN + key] is True


# -- ChatLearn --------------------------------------------------------------------------------------------------


def test_d27_the_sequence_length_is_prompt_and_response() -> None:
    done = from_chatlearn({ENGINE + "seq_length": 9999})
    assert done.line(ENGINE + "seq_length").state is State.DEAD_IN_SOURCE
    assert (done.out["data.max_prompt_length"], done.out["data.max_response_length"]) == (512, 1024)
    out = to_chatlearn().out
    assert (out[ENGINE + "max_prompt_tokens_length"], out[ENGINE + "max_response_tokens_length"]) == (512, 1024)
    assert ENGINE + "seq_length" not in out


@pytest.mark.parametrize(("episodes", "stops"), [(None, True), (0, True), (1, False), (2, False)])
def test_d28_no_replay_is_no_advantage(episodes: int | None, stops: bool) -> None:
    assert ("(H14)" in from_chatlearn({RUN + "max_replay_episode": episodes}).notes) is stops
    assert to_chatlearn().out[RUN + "max_replay_episode"] == 1


@pytest.mark.parametrize(("key", "value"), [("gradient_checkpointing", False), ("fsdp_size", 4)])
def test_d29_options_that_are_none(key: str, value: object) -> None:
    done = from_chatlearn({TRAINER + key: value})
    assert done.line(TRAINER + key).state is State.DEAD_IN_SOURCE
    assert done.out.get("actor_rollout_ref.model.enable_gradient_checkpointing", True) is True
    native = {"gradient_checkpointing": "actor_rollout_ref.model.enable_gradient_checkpointing",
              "fsdp_size": ACTOR + "fsdp_config.fsdp_size"}[key]  # fmt: skip
    to = to_chatlearn({native: str(value)})
    assert to.line(native).state is State.NO_COUNTERPART
    assert TRAINER + key not in to.out


def test_d30_files_are_not_mixed_by_ratio() -> None:
    done = from_chatlearn({RUN + "data_path": "/a.jsonl,/b.jsonl", RUN + "data_ratio": [3, 1]})
    assert done.line(RUN + "data_ratio").state is State.DEAD_IN_SOURCE
    assert done.out["data.train_files"] == ["/a.jsonl", "/b.jsonl"]
    assert RUN + "data_ratio" not in to_chatlearn({"data.train_files": "[/a.parquet,/b.parquet]"}).out


@pytest.mark.parametrize(("megatron", "state"), [(True, State.DEAD_IN_SOURCE), (False, State.EXACT)])
def test_d31_megatron_has_no_gradient_of_kl_and_entropy(megatron: bool, state: State) -> None:
    done = from_chatlearn({TRAINER + "kl_coef": 0.002, TRAINER + "entropy_coef": 0.01}, megatron=megatron)
    assert {done.line(TRAINER + key).state for key in ("kl_coef", "entropy_coef")} == {state}
    assert done.out.get(ACTOR + "kl_loss_coef") == (None if megatron else 0.002)


def test_d32_n_has_two_copies() -> None:
    done = from_chatlearn({RUN + "num_inference_per_prompt": 16})
    assert (done.out[ROLLOUT + "n"], "(H13)" in done.notes) == (8, True)
    out = to_chatlearn().out
    assert [out[section + "num_inference_per_prompt"] for section in (RUN, ENGINE)] == [8, 8]


def test_d44_both_copies_are_32_by_default() -> None:
    keys = catalogue.load("chatlearn", None, "fsdp").keys
    assert [keys[section + "num_inference_per_prompt"].default for section in (RUN, ENGINE)] == [32, 32]
    left_out = dict.fromkeys((RUN + "num_inference_per_prompt", ENGINE + "num_inference_per_prompt"))
    assert from_chatlearn(left_out).out[ROLLOUT + "n"] == 32
