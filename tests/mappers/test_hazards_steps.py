"""Hazards of batches, steps, sync and evaluation (H1-H24) between veRL and Trinity-RFT, both ways, with their numbers."""

from __future__ import annotations

import pytest

from rftconf.base.errors import RefusedError
from rftconf.base.ledger import State
from rftconf.convert.convert import convert
from rftconf.text.read.read import read
from rftconf.text.source import Source
from tests.mappers.hazard_runs import ACTOR, PPO, ROLLOUT, TRINITY_PPO, Done, from_trinity, from_verl, picked

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


@pytest.mark.parametrize("release", ["0.5.2", "0.6.0"])
def test_h2_the_number_there_is_not_read_either(release: str) -> None:
    key = "trainer.trainer_config.actor_rollout_ref.actor.ppo_mini_batch_size"
    done = from_trinity({key: 64}, release=release)
    assert done.line(key).state is State.DEAD_IN_SOURCE
    assert done.out[ACTOR + "ppo_mini_batch_size"] == 2048 // 8


def test_h3_an_unbalanced_pair_is_named() -> None:
    done = from_trinity({"buffer.batch_size": 1024, "synchronizer.sync_interval": 1})
    assert "8192 sequences" in done.notes
    assert "consumes 2048" in done.notes
    assert "H3" in done.notes
    assert "H3" not in from_trinity().notes
    assert done.line("synchronizer.sync_interval").state is State.NARROWED


def test_h3_the_plan_tells_an_unbalanced_pair_apart() -> None:
    """8 x 1024 made and 2048 taken: three times as many answers stay as are learned from."""
    form_b = {"buffer.batch_size": 1024, "synchronizer.sync_interval": None, "synchronizer.explorer_sync_interval": 1}
    even = from_trinity({**form_b, "synchronizer.trainer_sync_interval": 4})
    assert even.plan("stage.sync.run_ahead_rollouts") == 0
    assert not even.conversion.loaded.extensions
    for taken in (1, 2, 8):
        odd = from_trinity({**form_b, "synchronizer.trainer_sync_interval": taken, "synchronizer.sync_offset": 1})
        assert odd.plan("stage.sync.run_ahead_rollouts") is None
        beside = {"synchronizer.trainer_sync_interval": taken, "synchronizer.sync_offset": 1}
        assert odd.conversion.loaded.extensions == beside
        assert ("pile up" in odd.notes) is (taken < 4)
        for key in ("explorer_sync_interval", "trainer_sync_interval", "sync_offset"):
            assert odd.line(f"synchronizer.{key}").state is State.NARROWED


def test_h3_two_intervals_are_one_in_an_older_release_of_the_same_framework() -> None:
    lines = ["algorithm: {algorithm_type: grpo, repeat_times: 8}", "model: {model_path: /m}", "cluster: {node_num: 1, gpu_per_node: 8}",
             "buffer: {batch_size: 96, train_batch_size: 256, total_steps: 300}",
             "synchronizer: {explorer_sync_interval: 1, trainer_sync_interval: 3}"]  # fmt: skip
    even = read(Source("run.yaml", "\n".join(lines)))
    done = Done(convert(even, "trinity", framework="trinity", release="0.6.0", to_release="0.5.2"))
    assert picked(done.out, "buffer.batch_size", "buffer.total_steps", "synchronizer.sync_interval") == [32, 900, 3]
    assert done.line("synchronizer.explorer_sync_interval").targets == ("synchronizer.sync_interval",)
    odd = read(Source("run.yaml", "\n".join(lines).replace("_interval: 3", "_interval: 2")))
    with pytest.raises(RefusedError, match="1 explore steps and 2 train steps"):
        convert(odd, "trinity", framework="trinity", release="0.6.0", to_release="0.5.2")


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


def test_h12_a_limit_of_the_trainer_leaves_the_epochs_in_force() -> None:
    """The explorer's reader asks buffer.total_steps alone, then buffer.total_epochs (buffer/reader/file_reader.py)."""
    both = {"buffer.total_steps": None, "trainer.total_steps": 4000, "buffer.total_epochs": 3}
    known = from_trinity(both, rows=102400)
    assert picked(known.out, "trainer.total_training_steps", "trainer.total_epochs") == [300, 3]
    assert known.line("buffer.total_epochs").state is State.EXACT
    assert "trainer.total_steps=4000 is never reached" in known.notes
    shorter = from_trinity({**both, "trainer.total_steps": 400}, rows=102400)
    assert picked(shorter.out, "trainer.total_training_steps", "trainer.total_epochs") == [100, 1]
    assert shorter.line("buffer.total_epochs").state is State.DERIVED
    open_ = from_trinity(both)
    assert picked(open_.out, "trainer.total_training_steps", "trainer.total_epochs") == [1000, 3]
    assert "--rows N tells" in open_.notes


def test_h12_a_limit_of_the_explorer_wins_over_the_epochs() -> None:
    done = from_trinity({"buffer.total_epochs": 3}, rows=1024)
    assert done.line("buffer.total_epochs").state is State.DEAD_IN_SOURCE
    assert done.plan("stage.run_length.epochs") is None
    assert done.out["trainer.total_training_steps"] == 105


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


def test_what_a_release_does_without_a_key_is_no_default_of_that_key() -> None:
    style = {release: comment(from_verl(release=release), "synchronizer.sync_style") for release in ("0.8.0", "0.9.1")}
    assert style == {
        "0.8.0": "what veRL 0.8.0 does, which has no key for it",
        "0.9.1": "trainer.v1.trainer_mode=sync, the veRL 0.9.1 default",
    }
    renamed = comment(from_verl({"data.val_files": None}, release="0.5.0"), "trainer.trainer_strategy")
    assert renamed == "veRL 0.5.0 default of actor_rollout_ref.actor.strategy"


def comment(done: Done, key: str) -> str:
    """Where a target value is said to come from."""
    return next(line.comment for line in done.conversion.ledger.targets if line.key == key)


def test_h17_a_release_that_cannot_run_ahead_says_so() -> None:
    done = from_trinity({"synchronizer.sync_offset": 4}, to="0.8.0")
    assert done.line("synchronizer.sync_offset").state is State.NARROWED
    assert "trainer.v1.trainer_mode" not in done.out


def test_h18_evaluation_lags_by_a_period() -> None:
    assert "H18" in from_verl().notes
    assert "H18" not in from_verl({"trainer.test_freq": "-1"}).notes


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


def test_h21_nor_is_a_share_that_engines_had_to_themselves() -> None:
    key = "explorer.rollout_model.gpu_memory_utilization"
    done = from_trinity({key: 0.9})
    assert done.out[ROLLOUT + "gpu_memory_utilization"] == 0.5
    assert done.line(key).state is State.NARROWED


@pytest.mark.parametrize(("rollout", "legal"), [(6, False), (8, True), (12, True)])
def test_h22_trainers_take_whole_nodes(rollout: int, legal: bool) -> None:
    changes: dict[str, str | None] = {"trainer.nnodes": "2", ROLLOUT + "tensor_model_parallel_size": "1"}
    if legal:
        assert from_verl(changes, rollout_gpus=rollout).out["explorer.rollout_model.engine_num"] == rollout
        return
    with pytest.raises(RefusedError, match="H22"):
        from_verl(changes, rollout_gpus=rollout)


def test_h22_before_041_no_node_holds_engines_and_trainer() -> None:
    changes: dict[str, str | None] = {"trainer.nnodes": "2", ROLLOUT + "tensor_model_parallel_size": "1"}
    assert from_verl(changes, rollout_gpus=12, to="0.4.1").out["explorer.rollout_model.engine_num"] == 12
    with pytest.raises(RefusedError, match="beside engines on nodes of 8"):
        from_verl(changes, rollout_gpus=12, to="0.3.3")
    assert from_verl(changes, to="0.3.3").out["explorer.rollout_model.engine_num"] == 8


def test_h22_a_trainer_of_broken_nodes_is_not_copied() -> None:
    """16 GPUs, 6 of them engines: 10 are neither a node nor whole nodes."""
    changes = {"cluster.node_num": 2, "explorer.rollout_model.engine_num": 6, "synchronizer.sync_offset": 4,
               "explorer.rollout_model.tensor_parallel_size": 1}  # fmt: skip
    done = from_trinity(changes)
    assert picked(done.out, "trainer.nnodes", "trainer.n_gpus_per_node", ROLLOUT + "n_gpus_per_node") == [1, 8, 6]
    assert any("10 ranks" in decision.why for decision in done.conversion.ledger.decisions)


def test_h24_several_updates_a_period_keep_the_engines_log_probabilities() -> None:
    assert from_verl().out["algorithm.bypass_old_logprobs"] is True
    assert "H24" in from_verl().notes
    single = from_verl({ACTOR + "ppo_mini_batch_size": "1024"})
    assert single.out["algorithm.bypass_old_logprobs"] is False
    back = from_trinity({"algorithm.bypass_old_logprobs": False}).line("algorithm.bypass_old_logprobs")
    assert back.state is State.NARROWED
    assert "once per rollout period, not per update" in back.reason


def test_h9_is_said_of_a_trinity_file_whatever_the_target() -> None:
    """Nothing is converted there, and the file would still die at its first step."""
    sentence = "2048 sequences an update cannot be shared by 6 data-parallel ranks"
    assert sentence in from_trinity({"explorer.rollout_model.engine_num": 1}).notes
    assert sentence not in from_trinity({"explorer.rollout_model.engine_num": 2}).notes
    within = convert(from_trinity({"explorer.rollout_model.engine_num": 1}).conversion.loaded.document, "trinity")
    assert any(sentence in note for note in within.ledger.notes)
