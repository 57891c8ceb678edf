"""What becomes of the characters."""

from __future__ import annotations

import pytest

from rftconf.base.errors import RefusedError
from rftconf.migrate.differences_left import Nature
from tests.migrate.texts import migrated, script, without_pins


def test_a_renamed_key_keeps_the_text_of_its_value() -> None:
    text = script("trainer.profile_steps='[1,2]'", "ray_init.num_cpus=$CPUS")
    done = migrated(text, "0.5.0", "0.6.1")
    assert "global_profiler.steps='[1,2]' \\\n" in done.text
    assert "ray_kwargs.ray_init.num_cpus=$CPUS \\\n" in done.text
    assert "global_profiler.tool=nsys" in done.text  # 0.5.0 knows no other


def test_everything_else_stays() -> None:
    text = script("custom_reward_function.path=$MINE")
    done = migrated(text, "0.8.0", "0.9.1")
    assert without_pins(done) == text.replace("custom_reward_function.path", "reward.custom_reward_function.path")


def test_a_split_key_stands_beside_itself_with_the_same_text() -> None:
    done = migrated(script("actor_rollout_ref.profiler.all_ranks=$ALL"), "0.5.0", "0.6.1")
    assert "    actor_rollout_ref.ref.profiler.all_ranks=$ALL \\\n" in done.text
    assert "    actor_rollout_ref.actor.profiler.all_ranks=$ALL \\\n" in done.text


def test_a_removed_key_goes_with_its_line_and_the_reason_is_said() -> None:
    text = script("trainer.use_legacy_worker_impl=auto")
    done = migrated(text, "0.7.1", "0.8.0")
    assert "use_legacy" not in done.text
    assert "\\\n\n" not in done.text
    assert any(edit.why.startswith("0.8.0 has the engine workers only") for edit in done.edits)


def test_what_the_release_takes_and_never_reads_is_moved() -> None:
    done = migrated(script("reward_model.reward_manager=dapo"), "0.6.1", "0.9.1")
    assert "reward.reward_manager.name=dapo" in done.text
    assert "reward_model." not in done.text


def test_a_manager_that_went_is_the_one_that_scores_the_same_and_the_rest_is_said() -> None:
    done = migrated(script("reward_model.reward_manager=prime"), "0.5.0", "0.9.1")
    assert "reward.reward_manager.name=naive" in done.text
    assert not done.faithful
    assert "was 0 with prime" in done.keys_that_stay_wrong[0].why


def test_a_plus_that_would_now_be_refused_goes() -> None:
    done = migrated(script("+actor_rollout_ref.actor.fsdp_config.model_dtype=bfloat16"), "0.5.0", "0.9.1")
    assert "    actor_rollout_ref.actor.fsdp_config.model_dtype=bfloat16 \\\n" in done.text
    assert done.faithful


def test_a_default_that_changed_is_pinned_where_it_mattered() -> None:
    done = migrated(script(), "0.5.0", "0.9.1")
    assert "actor_rollout_ref.rollout.enforce_eager=True" in done.text
    assert done.faithful
    migration = migrated(script("actor_rollout_ref.rollout.enforce_eager=False"), "0.5.0", "0.9.1")
    assert migration.text.count("enforce_eager") == 1


STATIC = ("actor_rollout_ref.actor.use_dynamic_bsz=False", "actor_rollout_ref.rollout.n=4")


def test_a_micro_batch_over_all_ranks_becomes_the_one_per_rank() -> None:
    old = (*STATIC, "actor_rollout_ref.actor.ppo_micro_batch_size=36", "trainer.experiment_name=$X")
    sharded = "actor_rollout_ref.actor.ulysses_sequence_parallel_size=2"
    done = migrated(script(*old, "actor_rollout_ref.rollout.log_prob_micro_batch_size=160", sharded), "0.5.0", "0.9.1")
    assert "    actor_rollout_ref.actor.ppo_micro_batch_size_per_gpu=9 \\\n" in done.text  # 36 // (8 GPUs / 2)
    assert "    actor_rollout_ref.rollout.log_prob_micro_batch_size_per_gpu=40 \\\n" in done.text
    assert done.faithful
    assert not [leftover for leftover in done.unlike if "micro" in leftover.name]


def test_a_micro_batch_over_ranks_that_nobody_counts_is_left_and_said() -> None:
    text = script(*STATIC, "actor_rollout_ref.rollout.log_prob_micro_batch_size=160")
    done = migrated(text.replace("n_gpus_per_node=8", "n_gpus_per_node=$GPUS"), "0.5.0", "0.9.1")
    assert "log_prob_micro_batch_size=160" in done.text
    assert not done.faithful
    assert (
        "write actor_rollout_ref.rollout.log_prob_micro_batch_size_per_gpu by hand" in done.keys_that_stay_wrong[0].why
    )


def test_the_megatron_reference_is_sharded_as_the_actor_was() -> None:
    text = script(
        "actor_rollout_ref.actor.use_kl_loss=True", "actor_rollout_ref.actor.megatron.tensor_model_parallel_size=4"
    ).replace("main_ppo", "main_ppo --config-name=ppo_megatron_trainer")
    done = migrated(text, "0.5.0", "0.9.1")
    assert "ref.megatron.tensor_model_parallel_size" not in done.text
    second = "actor_rollout_ref.ref.megatron.tensor_model_parallel_size=2"
    done = migrated(text.replace("trainer.n_gpus", f"{second} trainer.n_gpus"), "0.5.0", "0.9.1")
    assert "ref.megatron.tensor_model_parallel_size" not in done.text  # it never acted, and would in 0.9.1
    assert "stage.placement.reference.megatron.tp" not in {leftover.name for leftover in done.unlike}


def test_what_acted_and_is_ignored_now_goes_and_is_said() -> None:
    done = migrated(script("data.truncation=left"), "0.5.0", "0.9.1")
    assert "truncation" not in done.text
    assert not done.faithful
    assert "nothing reads it" in next(leftover.why for leftover in done.unlike if leftover.name == "data.truncation")
    idle = script("data.truncation=left", "data.filter_overlong_prompts=True")
    assert "data.truncation=left" in migrated(idle, "0.5.0", "0.9.1").text


def test_no_default_is_written_over_a_config_that_is_not_given() -> None:
    text = script("trainer.profile_steps='[1,2]'").replace("main_ppo", "main_ppo --config-path=$DIR --config-name=mine")
    done = migrated(text, "0.5.0", "0.9.1")
    assert done.faithful
    assert done.text == text.replace("trainer.profile_steps", "global_profiler.steps").replace(
        "    global", "    global_profiler.tool=nsys \\\n    global"
    )
    assert any("mine.yaml says it: migrate that as well" in leftover.why for leftover in done.unlike)


def test_a_second_migration_changes_nothing() -> None:
    done = migrated(script("reward_model.reward_manager=dapo"), "0.5.0", "0.9.1")
    again = migrated(done.text, "0.9.1", "0.9.1")
    assert again.text == done.text
    assert again.faithful


def test_keys_in_an_array_are_edited_where_they_stand() -> None:
    text = (
        'REWARD=(\n  custom_reward_function.path="$HOME/r.py"  # mine\n  trainer.n_gpus_per_node=8\n)\n'
        "python3 -m verl.trainer.main_ppo data.train_files=t.parquet data.train_batch_size=64 "
        'actor_rollout_ref.actor.ppo_mini_batch_size=64 actor_rollout_ref.rollout.name=vllm "${REWARD[@]}"\n'
    )
    done = migrated(text, "0.8.0", "0.9.1")
    assert without_pins(done) == text.replace("  custom_reward", "  reward.custom_reward")


def test_a_key_in_an_arm_that_is_not_taken_is_renamed_too() -> None:
    arm = 'EXTRA=()\nif [ "$MINE" = yes ]; then\n  EXTRA=(custom_reward_function.path=r.py)\nfi\n'
    text = "MINE=no\n" + arm + script().replace('"$@"', '"${EXTRA[@]}"')
    done = migrated(text, "0.8.0", "0.9.1")
    assert "EXTRA=(reward.custom_reward_function.path=r.py)" in done.text


def test_launches_that_share_an_array_are_edited_once() -> None:
    shared = "ARGS=(\n  custom_reward_function.path=r.py\n  data.train_files=t.parquet\n  data.train_batch_size=64\n)\n"
    launch = "python3 -m verl.trainer.main_ppo ${ARGS[@]} actor_rollout_ref.rollout.name=vllm trainer.nnodes=%d\n"
    done = migrated(shared + launch % 1 + launch % 2, "0.8.0", "0.9.1")
    assert done.text.count("reward.custom_reward_function.path=r.py") == 1
    assert len(done.runs) == 2
    assert done.faithful


def test_a_key_put_together_from_a_variable_is_refused_by_name() -> None:
    text = "SECTION=custom_reward_function\n" + script("$SECTION.path=r.py")
    with pytest.raises(
        RefusedError, match=r"custom_reward_function\.path becomes reward\.custom_reward_function\.path"
    ):
        migrated(text, "0.8.0", "0.9.1")


def test_what_is_lost_is_named() -> None:
    done = migrated(script("trainer.balance_batch=False"), "0.7.1", "0.9.1")
    assert not done.faithful
    lost = [leftover for leftover in done.unlike if leftover.nature is Nature.LOST]
    assert [leftover.name for leftover in lost] == ["stage.batch.balance_ranks"]
    assert "always balances" in lost[0].why


def test_what_the_release_does_by_itself_is_no_loss() -> None:
    done = migrated(script(), "0.5.0", "0.9.1")
    natures = {leftover.name: leftover.nature for leftover in done.unlike}
    assert natures["stage.algorithm.loss_norm_scope"] is Nature.RELEASE
    assert "stage.batch.balance_ranks" not in natures  # on by default in 0.5, and always on in 0.9


def test_down_again_restores_the_names() -> None:
    text = script("trainer.profile_steps='[1,2]'")
    up = migrated(text, "0.5.0", "0.6.1")
    down = migrated(up.text, "0.6.1", "0.5.0")
    assert "trainer.profile_steps='[1,2]'" in down.text
    assert "global_profiler" not in down.text
    assert down.faithful


TRINITY = """\
# the run
project: p
algorithm:
  algorithm_type: grpo
  repeat_times: 8
  optimizer:
    lr: 1e-6
    warmup_style: cosine  # slowly
trainer:
  trainer_type: verl
  trainer_config:
    actor_rollout_ref:
      model:
        use_remove_padding: true
      actor:
        ppo_micro_batch_size_per_gpu: 4
"""


def test_yaml_keys_move_with_their_comments() -> None:
    done = migrated(TRINITY, "0.3.3", "0.6.0", "run.yaml", "trinity")
    assert "    lr_scheduler_type: cosine  # slowly\n" in done.text
    assert "  use_remove_padding: true\n" in done.text
    assert "      model:\n" not in done.text
    assert done.text.startswith("# the run\nproject: p\n")
    assert done.faithful


def test_a_default_that_the_release_would_refuse_is_not_pinned() -> None:
    megatron = script("actor_rollout_ref.rollout.n=2").replace(
        "main_ppo", "main_ppo --config-name=ppo_megatron_trainer"
    )
    done = migrated(megatron, "0.5.0", "0.9.1")
    assert "use_mbridge" not in done.text
    natures = {leftover.name: leftover.nature for leftover in done.unlike}
    assert natures["stage.placement.actor.megatron.use_mbridge"] is Nature.RELEASE
    migration = migrated(
        megatron.replace("actor_rollout_ref.rollout.n=2", "actor_rollout_ref.actor.megatron.use_mbridge=False"),
        "0.5.0",
        "0.9.1",
    )
    assert not migration.faithful


def test_a_name_that_is_registered_no_more_is_said() -> None:
    text = TRINITY + "buffer:\n  explorer_input:\n    default_workflow_type: toolcall_workflow\n"
    done = migrated(text, "0.3.3", "0.6.0", "run.yaml", "trinity")
    assert not done.faithful
    assert "has no toolcall_workflow" in done.keys_that_stay_wrong[0].why
    assert "default_workflow_type: toolcall_workflow" in done.text


def test_dpo_gets_the_micro_batch_that_the_trainer_asks_for() -> None:
    text = "algorithm:\n  algorithm_type: dpo\ntrainer:\n  use_dynamic_bsz: false\n"
    done = migrated(text, "0.3.3", "0.6.0", "run.yaml", "trinity")
    assert "      rollout:\n        log_prob_micro_batch_size_per_gpu:" in done.text
    assert "rollout:" not in migrated(text.replace("false", "true"), "0.3.3", "0.6.0", "run.yaml", "trinity").text


def test_down_to_a_release_that_wants_a_micro_batch_for_the_reward_model() -> None:
    text = script("reward.reward_model.enable=True", "reward.reward_model.model_path=/m")
    done = migrated(text, "0.9.1", "0.5.0")
    assert "    reward_model.micro_batch_size_per_gpu=1 \\\n" in done.text
    assert done.faithful
    dynamic = migrated(script("reward.reward_model.enable=True", "critic.use_dynamic_bsz=True"), "0.9.1", "0.5.0")
    assert "reward_model.micro_batch_size" not in dynamic.text
    assert "micro_batch_size" not in migrated(script("reward.reward_model.enable=False"), "0.9.1", "0.5.0").text


@pytest.mark.parametrize("release", ["0.4.1", "0.5.0"])
def test_down_to_a_release_whose_code_asks_for_what_its_own_config_lacks(release: str) -> None:
    migration = migrated(script("actor_rollout_ref.rollout.seed=7"), "0.9.1", release)
    assert "    +actor_rollout_ref.rollout.seed=7 \\\n" in migration.text
    assert migration.faithful
    assert "+actor_rollout_ref.rollout.seed=42" in migrated(script(), "0.9.1", release).text


def test_a_default_that_the_release_has_no_key_for_is_told_and_not_lost() -> None:
    done = migrated(script(), "0.9.1", "0.6.1")  # its RolloutConfig takes no such key
    assert done.faithful
    (seed,) = [leftover for leftover in done.unlike if leftover.name == "stage.placement.rollout.seed"]
    assert (seed.a, seed.b, seed.nature) == (42, 0, Nature.RELEASE)
    assert seed.why == "veRL 0.6.1 has no key for it"
    assert not migrated(script("actor_rollout_ref.rollout.seed=7"), "0.9.1", "0.6.1").faithful


def test_down_to_a_release_whose_default_says_more_than_nothing() -> None:
    text = "project: p\nname: n\nalgorithm:\n  algorithm_type: grpo\n  repeat_times: 8\nmodel:\n  model_path: /m\n"
    done = migrated(text, "0.6.0", "0.3.3", "run.yaml", "trinity")
    assert "min_response_tokens: 0\n" in done.text  # 1 where 0.3.3 is told nothing
    assert not [leftover for leftover in done.unlike if leftover.name == "stage.length.response_min_tokens"]


@pytest.mark.parametrize(
    ("to", "engine", "lossy"), [("0.5.0", "megatron", True), ("0.7.1", "megatron", True), ("0.5.0", "dp", False)]
)
def test_a_word_that_chooses_the_engine_is_no_word_of_older_releases(to: str, engine: str, lossy: bool) -> None:
    """It stayed, the release did not start, and the migration called nothing lost."""
    done = migrated(script(f"model_engine={engine}"), "0.9.1", to)
    (edit,) = (edit for edit in done.edits if edit.was == "model_engine")
    assert edit.lossy is lossy
    assert ("--config-name=ppo_megatron_trainer" in edit.why) is lossy
    assert "model_engine" not in done.text


@pytest.mark.parametrize(("to", "engine"), [("0.8.0", "megatron"), ("0.7.1", "dp")])
def test_a_word_that_the_release_has_stays(to: str, engine: str) -> None:
    assert f"model_engine={engine}" in migrated(script(f"model_engine={engine}"), "0.9.1", to).text
