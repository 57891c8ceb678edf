"""veRL's one-step-off and fully asynchronous programs (H23)."""

from __future__ import annotations

import pytest

from rftconf.base.errors import RefusedError
from rftconf.base.ledger import State
from rftconf.convert.convert import Conversion, convert, plan_of
from rftconf.schemas import registry
from rftconf.text.read.read import read
from rftconf.text.source import from_bytes

FREE = "verl.experimental.fully_async_policy.fully_async_main"
BEHIND = "verl.experimental.one_step_off_policy.main_ppo"
COMMON = (
    "data.train_files=/d/train.parquet actor_rollout_ref.model.path=/m actor_rollout_ref.rollout.name=vllm "
    "actor_rollout_ref.rollout.n=8 actor_rollout_ref.actor.ppo_mini_batch_size=32 rollout.n_gpus_per_node=4 "
    "trainer.n_gpus_per_node=4 algorithm.adv_estimator=grpo "
)
H23 = "async_training.require_batches=4 rollout.total_rollout_steps=5120 "


def script(program: str, overrides: str, config: str = "") -> bytes:
    return f"python3 -m {program} {config} {COMMON} {overrides}\n".encode()


def trinity(program: str, overrides: str, **options: object) -> tuple[Conversion, dict[str, object]]:
    done = convert(read(from_bytes("run.sh", script(program, overrides))), "trinity", **options)  # type: ignore[arg-type]
    return done, {line.key: line.value for line in done.lines}


def test_h23_a_period_is_trigger_times_batches_times_mini_batch() -> None:
    plan = plan_of(read(from_bytes("run.sh", script(FREE, H23))))
    stage = plan.stages[0]
    assert stage.batch is not None
    assert stage.sync is not None
    assert stage.run_length is not None
    assert stage.batch.prompts_per_rollout == 4 * 4 * 32 == 512
    assert stage.sync.run_ahead_rollouts == 0.1
    assert (stage.sync.driver, stage.sync.in_flight) == ("free", "interrupt")
    assert stage.run_length.rollouts == 10


def test_h23_the_cap_is_told() -> None:
    done, _ = trinity(FREE, H23)
    assert any("int(512 x 1.1) = 563 prompts" in note for note in done.ledger.notes)


def test_row_2_7_trinity_takes_the_same_interval_and_bound() -> None:
    _, out = trinity(FREE, H23)
    assert out["synchronizer.sync_style"] == "fully_async"
    assert out["synchronizer.sync_interval"] == 16
    assert "synchronizer.sync_offset" not in out
    assert out["algorithm.sample_strategy_args.max_staleness"] == 17
    assert out["buffer.total_steps"] == 160


@pytest.mark.parametrize(("staleness", "oldest"), [("0", 15), ("0.5", 23), ("1", 31)])
def test_a_whole_number_of_train_steps_is_kept_exactly(staleness: str, oldest: int) -> None:
    done, out = trinity(FREE, H23 + f"async_training.staleness_threshold={staleness}")
    assert out["algorithm.sample_strategy_args.max_staleness"] == oldest
    (line,) = [line for line in done.ledger.sources if line.key == "async_training.staleness_threshold"]
    assert line.state is State.DERIVED
    back = plan_of(read(from_bytes("back.yaml", done.text.encode())), framework="trinity").stages[0].sync
    assert back is not None
    assert back.run_ahead_rollouts == float(staleness)


def test_evaluation_sets_are_left_out_and_asked() -> None:
    done, out = trinity(FREE, H23 + "data.val_files=/d/test.parquet trainer.test_freq=2")
    assert not any("eval" in key for key in out)
    assert [d.key for d in done.ledger.decisions if "eval" in d.key] == ["buffer.explorer_input.eval_tasksets"]
    lost = {line.key for line in done.ledger.sources if line.state is State.NO_COUNTERPART}
    assert {"data.val_files", "trainer.test_freq"} <= lost


def test_a_trinity_without_the_style_syncs_at_the_same_interval() -> None:
    done, out = trinity(FREE, H23 + "data.val_files=/d/test.parquet", to_release="0.5.2")
    assert out["synchronizer.sync_style"] == "fixed"
    assert out["synchronizer.sync_interval"] == 16
    assert "buffer.explorer_input.eval_tasksets[0].path" in out
    assert any("0.6 has" in note for note in done.ledger.notes)


def test_the_streaming_program_ends_with_its_epochs() -> None:
    done, out = trinity(FREE, H23 + "trainer.total_epochs=2", rows=1100)
    assert out["buffer.total_steps"] == 2 * 1100 // 512 * 16
    assert any("is never reached" in note for note in done.ledger.notes)


@pytest.mark.parametrize(
    ("share", "updates"),
    [("0.2", 8)],  # the trainer sets the horizon to the 10 periods: 2 ticks of 4 mini-batches
)
def test_a_share_of_the_streaming_run_warms_up(share: str, updates: int) -> None:
    _, out = trinity(FREE, H23 + f"actor_rollout_ref.actor.optim.lr_warmup_steps_ratio={share}")
    assert out["algorithm.optimizer.lr_warmup_steps"] == updates


def test_row_2_6_one_step_off_is_an_offset_of_one_interval() -> None:
    _, out = trinity(BEHIND, "data.train_batch_size=256 trainer.total_training_steps=10")
    assert (out["synchronizer.sync_interval"], out["synchronizer.sync_offset"]) == (8, 8)
    assert out["synchronizer.sync_style"] == "fixed"
    assert out["algorithm.bypass_old_logprobs"] is True
    assert (out["cluster.node_num"], out["cluster.gpu_per_node"]) == (1, 8)
    assert out["explorer.rollout_model.engine_num"] == 2


def test_keys_alone_tell_the_program() -> None:
    text = b"async_training: {require_batches: 2}\nactor_rollout_ref: {rollout: {n: 4}}\n"
    done = convert(read(from_bytes("run.yaml", text)), "trinity")
    assert done.loaded.guess.trainer == "fully_async"


def test_megatron_has_its_own() -> None:
    config = "--config-name=fully_async_ppo_megatron_trainer.yaml"
    done = convert(read(from_bytes("run.sh", script(FREE, H23, config))), "verl")
    assert done.loaded.guess.trainer == "fully_async_megatron"
    assert FREE in done.text
    assert "--config-name=fully_async_ppo_megatron_trainer" in done.text


def test_within_verl_the_program_stays() -> None:
    document = read(from_bytes("run.sh", script(FREE, H23)))
    done = convert(document, "verl", to_release="0.8.0")
    again = convert(read(from_bytes("again.sh", done.text.encode())), "verl", to_release="0.8.0")
    assert {line.key: line.value for line in done.lines} == {line.key: line.value for line in again.lines}
    with pytest.raises(RefusedError, match=r"0\.6\.1 has no fully_async program"):
        convert(document, "verl", to_release="0.6.1")


def test_a_mandatory_key_nobody_wrote_is_not_pinned() -> None:
    """`rollout.name` is `???` in 0.9; a null of our own would have been accepted and never noticed."""
    text = b"python3 -m verl.trainer.main_ppo data.train_batch_size=64\n"
    assert "rollout.name" not in convert(read(from_bytes("run.sh", text)), "verl", release="0.9.1").text


def test_h62_a_share_of_a_separate_run_counts_local_updates() -> None:
    separate = (
        b"data.train_batch_size=128 trainer.total_training_steps=100 trainer.v1.trainer_mode=separate_async "
        b"actor_rollout_ref.rollout.nnodes=1 actor_rollout_ref.rollout.n_gpus_per_node=4 "
        b"actor_rollout_ref.actor.optim.lr_warmup_steps_ratio=0.1"
    )
    text = script("verl.trainer.main_ppo", "").replace(b"rollout.n_gpus_per_node=4", separate, 1)
    done = convert(read(from_bytes("run.sh", text)), "trinity")
    assert {line.key: line.value for line in done.lines}["algorithm.optimizer.lr_warmup_steps"] == 40


@pytest.mark.parametrize(
    ("program", "release", "reads"),
    [
        ("verl.trainer.main_ppo", "0.8.0", False),
        ("recipe.dapo.main_dapo", "0.8.0", True),
        ("verl.trainer.main_ppo", "0.9.1", True),
    ],
)
def test_row_4_2_20_groups_are_filtered_by_recipes_and_by_the_trainer_of_0_9(
    program: str, release: str, reads: bool
) -> None:
    text = script(
        program, "data.train_batch_size=64 algorithm.filter_groups.enable=True algorithm.filter_groups.metric=acc"
    )
    plan = plan_of(read(from_bytes("run.sh", text.replace(b"rollout.n_gpus_per_node=4", b""))), release=release)
    algorithm = plan.stages[0].algorithm
    assert algorithm is not None
    assert bool(algorithm.filters) is reads


DAPO = """python3 -m {program} data.train_batch_size=64 actor_rollout_ref.actor.ppo_mini_batch_size=64 data.gen_batch_size=192 data.max_response_length=1024 \\
  reward_model.overlong_buffer.enable={on} reward_model.overlong_buffer.len=256 reward_model.overlong_buffer.penalty_factor=1.0 \\
  algorithm.filter_groups.enable=True algorithm.filter_groups.max_num_gen_batches=10 reward_model.reward_manager=dapo
"""


@pytest.mark.parametrize("program", ["recipe.dapo.main_dapo", "recipe/dapo/main_dapo.py"])
def test_row_4_2_20_dapo_s_recipe_is_of_0_7_and_reads_keys_of_its_own(program: str) -> None:
    started = program if "/" not in program else f"-u {program}"
    text = DAPO.format(program=started, on=True).replace("-m -u", "-u")
    guessed = convert(read(from_bytes("run.sh", text.encode())), "verl").loaded.release
    assert registry.at_least("verl", "0.7.1", guessed), "later releases do not bring the recipe"
    done = convert(read(from_bytes("run.sh", text.encode())), "verl", release="0.7.1")
    reward = done.plan.stages[0].reward
    assert reward is not None
    assert reward.manager == "dapo"
    buffer = {"enable": True, "len": 256, "penalty_factor": 1.0}
    assert reward.manager_args == {"overlong_buffer_cfg": buffer, "max_resp_len": 1024}
    other = convert(read(from_bytes("run.sh", text.encode())), "trinity", release="0.7.1")
    states = {line.key: line.state for line in other.ledger.sources}
    assert State.DEAD_IN_SOURCE not in states.values()
    assert states["data.gen_batch_size"] is State.NARROWED
    assert states["algorithm.filter_groups.max_num_gen_batches"] is State.NO_COUNTERPART
    assert states["reward_model.overlong_buffer.len"] is State.NO_COUNTERPART


def test_row_4_2_20_without_its_switch_the_recipe_s_buffer_does_nothing() -> None:
    done = convert(
        read(from_bytes("run.sh", DAPO.format(program="recipe.dapo.main_dapo", on=False).encode())), "trinity"
    )
    states = {line.key: line.state for line in done.ledger.sources}
    assert states["reward_model.overlong_buffer.len"] is State.DEAD_IN_SOURCE
    main = convert(
        read(from_bytes("run.sh", DAPO.format(program="verl.trainer.main_ppo", on=True).encode())), "trinity"
    )
    assert {line.key: line.state for line in main.ledger.sources}[
        "reward_model.overlong_buffer.len"
    ] is State.DEAD_IN_SOURCE
