"""Out of veRL 0.3.0: what it did without saying so is written out for a release that would do something else."""

from __future__ import annotations

from tests.migrate.texts import migrated, script


def test_what_0_3_0_did_without_a_key_is_written_out() -> None:
    """veRL 0.3.0: ray_trainer.fit takes the KL off the rewards, core_algos.compute_policy_loss has no dual clip."""
    done = migrated(script("algorithm.kl_ctrl.kl_coef=0.002"), "0.3.0", "0.9.1")
    pins = {pin.key: pin.value for pin in done.pins}
    assert pins["algorithm.use_kl_in_reward"] is True
    assert pins["actor_rollout_ref.actor.clip_ratio_c"] == 1.0e9
    assert pins["actor_rollout_ref.actor.entropy_coeff"] == 0.001


def test_kl_in_the_loss_stays_out_of_the_rewards() -> None:
    done = migrated(script("actor_rollout_ref.actor.use_kl_loss=True"), "0.3.0", "0.9.1")
    assert "algorithm.use_kl_in_reward" not in {pin.key for pin in done.pins}


def test_back_to_0_3_0_a_key_that_it_lacks_is_lost_by_name() -> None:
    done = migrated(script("actor_rollout_ref.actor.loss_agg_mode=seq-mean-token-sum"), "0.9.1", "0.3.0")
    assert any(leftover.name == "stage.algorithm.loss_agg" for run in done.runs for leftover in run.unlike)


def test_what_an_early_release_asks_for_is_written_beside_what_it_repeats() -> None:
    """veRL 0.2.0, ray_trainer._validate_config stops without the reference's micro-batches."""
    sizes = ("actor.ppo_micro_batch_size_per_gpu=4", "rollout.log_prob_micro_batch_size_per_gpu=8")
    done = migrated(script(*(f"actor_rollout_ref.{size}" for size in sizes)), "0.9.1", "0.2.0")
    assert "actor_rollout_ref.ref.log_prob_micro_batch_size_per_gpu=8" in done.text
    assert "algorithm.kl_ctrl.kl_coef=0" in done.text


def test_names_that_an_early_release_has_not_are_said_by_key() -> None:
    text = script("actor_rollout_ref.actor.ppo_micro_batch_size_per_gpu=4", "reward.reward_manager.name=dapo").replace(
        "rollout.name=vllm", "rollout.name=sglang"
    )
    unsaid = {edit.leaf.key: edit.why for edit in migrated(text, "0.9.1", "0.2.0").keys_that_stay_wrong}
    assert "has no sglang" in unsaid["actor_rollout_ref.rollout.name"]
    assert "has no dapo" in unsaid["reward.reward_manager.name"]
    assert "actor_rollout_ref.rollout.name" not in {
        edit.leaf.key for edit in migrated(text, "0.9.1", "0.3.0").keys_that_stay_wrong
    }


def test_a_key_that_the_code_asks_for_is_added_and_not_lost() -> None:
    """veRL 0.3.0, ray_trainer.fit: `config.trainer.get('val_before_train', True)`; its YAML has no such key."""
    done = migrated(script("trainer.val_before_train=False"), "0.9.1", "0.3.0")
    assert "+trainer.val_before_train=False" in done.text
    assert not [edit for edit in done.edits if edit.leaf.key == "trainer.val_before_train" and edit.lossy]
