"""Which release a fork's config is read as."""

from __future__ import annotations

from pathlib import Path

from rftconf.base.ledger import State
from tests.dialects.test_forks import SEARCH, launch, ledger_of, read, states


def test_a_fork_may_have_a_program_of_a_later_release(tmp_path: Path) -> None:
    """LUFFY stands on veRL 0.2.0, a descendant of it took over the asynchronous recipe of 0.6."""
    config = (
        "defaults: [ppo_trainer, _self_]\nasync_training: {staleness_threshold: 0.1, require_batches: 1}\n"
        "rollout: {nnodes: 1, n_gpus_per_node: 8, total_rollout_steps: 100}\n"
        "actor_rollout_ref: {actor: {use_off_policy_loss: true}, model: {path: /m/q}}\n"
    )
    loaded = read(tmp_path, config, "run.yaml")
    assert (loaded.guess.dialect, loaded.guess.trainer) == ("luffy", "fully_async")
    assert loaded.guess.release != "0.2.0"
    assert loaded.guess.confidence != "the release that its fork stands on"


def test_a_descendant_may_stand_on_a_later_release(tmp_path: Path) -> None:
    """LUFFY stands on 0.2.0; three keys that came later, and that Hydra would refuse there, show a later checkout."""
    keys = ("actor_rollout_ref.rollout.n_prefix=1", "algorithm.adv_estimator=grpo")
    later = ("data.filter_overlong_prompts=True", "algorithm.use_kl_in_reward=False", "trainer.rollout_data_dir=out")
    old = read(tmp_path, launch("verl.trainer.main_ppo", *keys, later[0]))
    assert (old.guess.dialect, old.release) == ("luffy", "0.2.0")
    new = read(tmp_path, launch("verl.trainer.main_ppo", *keys, *later))
    assert new.guess.dialect == "luffy"
    assert new.release != "0.2.0"
    assert any(f"here on {new.release}, which has more of its keys" in reason for reason in new.guess.reasons)
    assert State.UNKNOWN not in {states(ledger_of(new))[key.partition("=")[0]] for key in later}


FULLY_ASYNC = (
    "data.train_batch_size=0",
    "data.gen_batch_size=1",
    "actor_rollout_ref.hybrid_engine=False",
    "actor_rollout_ref.actor.ppo_mini_batch_size=32",
    "rollout.nnodes=1",
    "rollout.n_gpus_per_node=4",
    "rollout.total_rollout_steps=1000",
    "async_training.staleness_threshold=0.5",
)


def test_names_between_two_releases_are_the_framework_s_own(tmp_path: Path) -> None:
    """The recipe before it became a program of a release: its keys have other names there, and it is no fork's."""
    keys = ("rollout.test_freq=20", "rollout.total_epochs=3", "async_training.compute_prox_log_prob=True")
    loaded = read(tmp_path, launch("recipe.fully_async_policy.fully_async_main", *FULLY_ASYNC, *keys))
    assert loaded.fork == ""
    values = loaded.stages[0].values
    assert values["stage.cadence.eval_rollouts"] == 20
    assert values["stage.run_length.epochs"] == 3
    new_states = states(ledger_of(loaded))
    assert State.UNKNOWN not in {new_states[key.partition("=")[0]] for key in keys}
    assert new_states["data.train_batch_size"] is State.DEAD_IN_SOURCE


def test_search_r1_makes_one_update_of_a_period_that_is_smaller(tmp_path: Path) -> None:
    """Its dp_actor splits the batch as veRL 0.2.0 does, and nothing compares the two: 16 prompts x 4 are one update."""
    keys = [key for key in SEARCH if "train_batch_size" not in key]
    values = read(tmp_path, launch("verl.trainer.main_ppo", "data.train_batch_size=16", *keys)).stages[0].values
    assert values["stage.batch.sequences_per_update"] == 64
