"""What the law of totals (tests/laws/test_totals.py) has found, each as a case of its own."""

from __future__ import annotations

from fractions import Fraction

import pytest

from rftconf.base.errors import RefusedError
from rftconf.base.ledger import State
from rftconf.convert.convert import convert
from rftconf.load.load import load
from rftconf.text.read.read import read
from rftconf.text.source import Source
from tests.laws.flip_bases import BASES
from tests.laws.round_trips import document
from tests.mappers.hazard_runs import ACTOR, VERL, from_trinity, from_verl, picked
from tests.mappers.roll_runs import ROLL, from_roll, to_roll

COSINE = {
    ACTOR + "optim.lr_scheduler_type": "cosine",
    "trainer.total_epochs": "30",
    "trainer.total_training_steps": "500",
}
DECAY, WARMUP = "stage.optim.actor.decay_updates", "stage.optim.actor.warmup_updates"


def test_h68_the_rate_is_planned_for_steps_that_never_come() -> None:
    """30 epochs of 7 periods end after 210; the cosine, and a share of the run, count 500."""
    done = from_verl({**COSINE, ACTOR + "optim.lr_warmup_steps_ratio": "0.1"}, rows=7473)
    assert (done.plan("stage.run_length.rollouts"), done.plan(DECAY), done.plan(WARMUP)) == (210, 2000, 200)
    assert done.out["algorithm.optimizer.lr_warmup_steps"] == 200
    assert done.line("trainer.total_training_steps").state is State.NO_COUNTERPART


def test_h68_a_constant_rate_ends_nowhere() -> None:
    assert from_verl({**COSINE, ACTOR + "optim.lr_scheduler_type": "constant"}, rows=7473).plan(DECAY) is None
    assert from_verl({**COSINE, "trainer.total_training_steps": "100"}, rows=7473).plan(DECAY) is None


def test_row_5_9_trinity_decays_over_the_trainers_limit_whoever_ends_the_run() -> None:
    changes = {"algorithm.optimizer.lr_scheduler_type": "cosine", "buffer.total_steps": 200, "trainer.total_steps": 420}
    done = from_trinity(changes)
    assert (done.plan("stage.run_length.rollouts"), done.plan(DECAY)) == (50, 420)
    assert done.line("trainer.total_steps").state is State.NO_COUNTERPART
    assert "420 updates" in done.line("trainer.total_steps").reason
    assert from_trinity({**changes, "buffer.total_steps": 420}).plan(DECAY) is None


def test_h9_whole_prompts_an_update_are_also_shared_by_all_ranks() -> None:
    """1600 of 12 answers are 133 1/3 prompts; 16 ranks share 136 x 12 and neither 134 x 12 nor 135 x 12."""
    counts = {"buffer.batch_size": 800, "algorithm.repeat_times": 12, "buffer.train_batch_size": 1600}
    intervals = {"synchronizer.explorer_sync_interval": 1, "synchronizer.trainer_sync_interval": 6}
    eight = {"cluster.node_num": 2, "explorer.rollout_model.engine_num": 4}
    done = from_trinity({**counts, **intervals, **eight})
    assert done.out[ACTOR + "ppo_mini_batch_size"] == 136
    assert done.out["trainer.nnodes"] * done.out["trainer.n_gpus_per_node"] == 16
    assert done.line("buffer.train_batch_size").state is State.ROUNDED


def test_row_15_2_separate_async_counts_updates_of_the_mini_batch_as_written() -> None:
    """4 of 16 answers are a quarter of a prompt: one prompt is one update, so one local update and not four."""
    changes = {
        "buffer.batch_size": 1, "algorithm.repeat_times": 16, "buffer.train_batch_size": 4, "synchronizer.sync_offset": 2,
        "synchronizer.explorer_sync_interval": 1, "synchronizer.trainer_sync_interval": 4, "cluster.gpu_per_node": 8,
    }  # fmt: skip
    out = from_trinity(changes).out
    keys = ("data.train_batch_size", ACTOR + "ppo_mini_batch_size", "trainer.v1.separate_async.parameter_sync_step")
    assert picked(out, *keys) == [1, 1, 1]


def test_row_15_2_what_no_whole_number_of_prompts_can_cut_is_refused() -> None:
    """5 prompts of 3 answers, updates of 10. Two ranks share 4 prompts or 6, and none cuts 5."""
    free = {"algorithm.sample_strategy": "staleness_control", "algorithm.sample_strategy_args.max_staleness": 1}
    changes = {
        "buffer.batch_size": 5, "algorithm.repeat_times": 3, "buffer.train_batch_size": 10, "synchronizer.sync_interval": 1,
        "synchronizer.sync_style": "fully_async", "explorer.rollout_model.engine_num": 3, **free,
    }  # fmt: skip
    with pytest.raises(RefusedError, match="counts whole prompts"):
        from_trinity(changes)


@pytest.mark.parametrize("release", ["0.5.2", "0.4.1"])
def test_row_2_5_one_interval_for_both_sides_is_form_a(release: str) -> None:
    """Form B before 0.6 would lose the trainer's interval and starve one side."""
    changes = {ACTOR + "ppo_mini_batch_size": "1", "data.train_batch_size": "4"}
    out = from_verl(changes, to=release).out
    assert picked(out, "buffer.batch_size", "synchronizer.sync_interval") == [1, 4]
    with pytest.raises(RefusedError, match=r"form B came with 0\.6\.0"):
        from_verl(to=release, form="B")


def test_row_10_1_fewer_rows_than_a_batch_is_no_run_of_verl() -> None:
    with pytest.raises(RefusedError, match="500 rows are less than one batch of 1024 prompts"):
        from_trinity(rows=500)


def test_row_5_7_a_share_of_the_run_keeps_fractions_of_updates() -> None:
    """10 periods of 1024 / 400 updates: veRL 0.9 fills the last mini-batch of each up."""
    flat = {**VERL, ACTOR + "ppo_mini_batch_size": "400", ACTOR + "optim.lr_warmup_steps_ratio": "0.1"}
    script = "python3 -m verl.trainer.main_ppo " + " ".join(f"'{key}={value}'" for key, value in flat.items())
    loaded = load(read(Source("input.sh", script)), framework="verl", release="0.9.1")
    assert loaded.stages[-1].values[WARMUP] == Fraction(1024, 400) * 10


def test_h11_a_roll_target_says_that_it_saves_a_period_late() -> None:
    assert "saves one period later" in to_roll().notes
    assert "saves one period later" not in to_roll({"trainer.save_freq": "-1"}).notes


def test_h38_a_roll_source_divides_by_the_deviation_of_a_sample() -> None:
    done = from_roll(to="chatlearn")
    assert done.plan("stage.algorithm.std_ddof") == 1
    assert "H38" in done.notes
    assert "H38" not in from_roll().notes + from_roll(to="trinity").notes


def test_row_7_6_chatlearn_says_which_of_weight_tag_and_reward_is_lost() -> None:
    share = "actor_train.data_args.domain_interleave_probs.math_rule"
    done = from_roll({share: 0.5}, to="chatlearn")
    reasons = {key: done.line(key).reason for key in ROLL if key.startswith("rewards.") or "interleave" in key}
    assert "no key weighs them" in reasons["actor_train.data_args.domain_interleave_probs.math_rule"]
    assert "not by a tag" in reasons["rewards.math_rule.tag_included"]
    assert "chooses by data_source" in reasons["rewards.math_rule.worker_cls"]


def test_a_folder_that_nobody_named_is_not_pointed_to() -> None:
    """OmegaConf stops at an interpolation of a value that must still be given."""
    done = convert(document("trinity", BASES["trinity"][0].flat, ""), "chatlearn", framework="trinity", release="0.6.0")
    out = {line.key: line.value for line in done.ledger.targets}
    assert picked(out, "runtime_args.output_dir", "runtime_args.data_checkpoint_path") == ["???", "???"]


def test_h68_epochs_that_might_end_a_run_earlier_are_said_where_nobody_counted_rows() -> None:
    changes = {"trainer.total_epochs": "3"}
    assert to_roll(changes).line("trainer.total_epochs").state is State.NARROWED
    assert "--rows N" in to_roll(changes).line("trainer.total_epochs").reason
    assert to_roll(changes, rows=7473).out["max_steps"] == 21
    assert to_roll({"trainer.total_epochs": "30"}, rows=7473).line("trainer.total_epochs").state is State.DERIVED
