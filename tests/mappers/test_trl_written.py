"""Plans as TRL counts and names things: what trl/trainer/grpo_trainer.py and GRPOConfig make of the keys, worked out by hand."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pytest

from rftconf.base.errors import RefusedError
from rftconf.convert.convert import Conversion, Options, convert_stage
from rftconf.load.load import load, main_stage
from rftconf.schemas import catalogue, registry
from rftconf.text.read.read import read
from rftconf.text.source import Source

ACTOR, ROLLOUT = "actor_rollout_ref.actor.", "actor_rollout_ref.rollout."
BASE: dict[str, Any] = {
    "algorithm.adv_estimator": "grpo",
    "data.train_files": "/data/gsm8k/train.parquet",
    "data.val_files": "/data/gsm8k/test.parquet",
    "data.train_batch_size": 64,
    "data.max_prompt_length": 512,
    "data.max_response_length": 1024,
    "actor_rollout_ref.model.path": "base/model",
    ACTOR + "ppo_mini_batch_size": 32,
    ACTOR + "ppo_micro_batch_size_per_gpu": 8,
    ROLLOUT + "name": "vllm",
    ROLLOUT + "n": 8,
    "trainer.n_gpus_per_node": 8,
    "trainer.nnodes": 1,
    "trainer.total_epochs": 2,
}


def conversion(changes: Mapping[str, Any] = {}, release: str | None = None) -> Conversion:
    """Convert a veRL command of ours."""
    settings = {**BASE, **changes}
    words = " ".join(f"{key}={value}" for key, value in settings.items() if value is not None)
    loaded = load(read(Source("run.sh", f"python3 -m verl.trainer.main_ppo {words}\n")))
    return convert_stage(loaded, main_stage(loaded), registry.TRL, Options(to_release=release))


def keys(changes: Mapping[str, Any] = {}, release: str | None = None) -> dict[str, Any]:
    """Return the written keys."""
    return {line.key: line.value for line in conversion(changes, release).ledger.targets}


def with_defaults(changes: Mapping[str, Any]) -> dict[str, Any]:
    """Return what acts: the written keys above the release's defaults of some."""
    known = catalogue.load("trl", None, "")
    names = ("loss_type", "epsilon", "beta", "scale_rewards", "importance_sampling_level", "num_generations")
    return {**{name: known.default(name) for name in names}, **keys(changes)}


def test_batches_by_device_process_and_accumulation() -> None:
    """32 prompts x 8 answers are 256 sequences on 8 processes: 8 a device and 4 of accumulation; 512 are 8 slices of 64."""
    written = keys({})
    assert (written["num_processes"], written["num_machines"]) == (8, 1)
    assert (written.get("per_device_train_batch_size", 8), written["gradient_accumulation_steps"]) == (8, 4)
    assert written["steps_per_generation"] == 8


def test_a_generation_of_one_update_has_no_slices() -> None:
    assert "steps_per_generation" not in keys({ACTOR + "ppo_mini_batch_size": 64})


def test_tokens_of_a_micro_batch_become_as_many_of_the_longest_as_fit() -> None:
    """6144 tokens hold 4 of 512 + 1024; 4 divides the 32 of a rank."""
    written = keys({ACTOR + "use_dynamic_bsz": True, ACTOR + "ppo_max_token_len_per_gpu": 6144})
    assert (written["per_device_train_batch_size"], written["gradient_accumulation_steps"]) == (4, 8)


def test_steps_and_cadence_count_updates() -> None:
    """Two updates a period: 10 periods are 20 steps, saving every 5 is every 10."""
    written = keys({"trainer.total_training_steps": 10, "trainer.save_freq": 5, "trainer.test_freq": -1})
    assert (written["max_steps"], written["save_steps"]) == (20, 10)
    assert "eval_steps" not in written


@pytest.mark.parametrize(
    ("changes", "acts"),
    [
        ({}, {"loss_type": "dapo", "epsilon": 0.2}),
        ({ACTOR + "loss_agg_mode": "seq-mean-token-mean"}, {"loss_type": "grpo"}),
        ({ACTOR + "loss_agg_mode": "seq-mean-token-sum"}, {"loss_type": "luspo"}),
        ({ACTOR + "policy_loss.loss_mode": "gspo"}, {"importance_sampling_level": "sequence", "loss_type": "dapo"}),
        ({ACTOR + "loss_agg_mode": "seq-mean-token-sum-norm"}, {"loss_type": "dr_grpo"}),
        ({ACTOR + "clip_ratio_high": 0.28}, {"epsilon": 0.2, "epsilon_high": 0.28}),
        ({ACTOR + "use_kl_loss": True, ACTOR + "kl_loss_coef": 0.02}, {"beta": 0.02}),
        ({ACTOR + "use_kl_loss": False}, {"beta": 0.0}),
        ({"algorithm.norm_adv_by_std_in_grpo": False}, {"scale_rewards": "none"}),
    ],
)
def test_losses_and_deviations(changes: dict[str, Any], acts: dict[str, Any]) -> None:
    """veRL's vanilla loss by its average is a loss type; a sequence-level ratio is a key of its own."""
    written = with_defaults(changes)
    assert {key: written.get(key) for key in acts} == acts


def test_kl_is_written_off_where_a_release_has_it_on() -> None:
    """beta is 0.04 in 0.18 unless written."""
    assert keys({}, release="0.18.2")["beta"] == 0.0
    assert "beta" not in keys({}, release="1.16.0")


def test_the_engines_are_not_corrected_unless_the_source_corrects_them() -> None:
    """TRL corrects by default since 0.23; veRL does where rollout_is is set."""
    corrected = {
        "algorithm.rollout_correction.rollout_is": "token",
        "algorithm.rollout_correction.rollout_is_threshold": 2.0,
    }
    assert keys({})["vllm_importance_sampling_correction"] is False
    written = keys(corrected)
    assert written.get("vllm_importance_sampling_correction", True) is True
    assert (written["vllm_importance_sampling_mode"], written["vllm_importance_sampling_clip_max"]) == (
        "token_truncate",
        2.0,
    )


def test_weights_of_zero_outside_of_two_bounds_are_a_mask() -> None:
    """veRL 0.8 takes LOWER_UPPER for IcePop (rollout_corr_helper.py: use_icepop), TRL masks both sides since 1.6."""
    block = "algorithm.rollout_correction.rollout_is"
    masked = {block: "token", block + "_threshold": "0.5_4.0"}
    names = [f"vllm_importance_sampling_{name}" for name in ("mode", "clip_min", "clip_max")]
    assert [keys(masked).get(name) for name in names] == ["token_mask", 0.5, 4.0]
    older = keys(masked, release="0.26.2")
    assert (older[names[0]], older["vllm_importance_sampling_cap"]) == ("token_mask", 4.0)


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({ACTOR + "strategy": "fsdp2"}, {"accelerate_config": "fsdp2"}),
        ({ACTOR + "strategy": "fsdp2", ACTOR + "fsdp_config.param_offload": True, ACTOR + "fsdp_config.optimizer_offload": True},
         {"accelerate_config": "fsdp2", "fsdp_offload_params": True}),
        ({ROLLOUT + "tensor_model_parallel_size": 4}, {"vllm_tensor_parallel_size": 4, "vllm_mode": "colocate"}),
        ({ROLLOUT + "gpu_memory_utilization": 0.5}, {"vllm_gpu_memory_utilization": 0.5}),
        ({"actor_rollout_ref.model.lora_rank": 16, "actor_rollout_ref.model.lora_alpha": 32},
         {"use_peft": True, "lora_alpha": 32, "lora_target_modules": ["all-linear"]}),
        ({"trainer.nnodes": 2}, {"num_processes": 16, "num_machines": 2}),
    ],
)  # fmt: skip
def test_what_the_launcher_and_the_engines_are_told(changes: dict[str, Any], words: dict[str, Any]) -> None:
    written = {"vllm_mode": "colocate", **keys(changes)}
    assert {key: written.get(key) for key in words} == words


def test_files_of_one_folder_are_a_data_set_with_splits() -> None:
    written = keys({"trainer.test_freq": 5})
    assert (written["dataset_name"], written["dataset_test_split"]) == ("/data/gsm8k", "test")
    assert written["eval_strategy"] == "steps"
    other = conversion({"data.val_files": "/data/aime/test.parquet"})
    assert any(decision.key == "dataset_name" for decision in other.ledger.decisions)
    assert "eval_strategy" not in {line.key for line in other.ledger.targets}


def test_evaluation_takes_whole_groups_over_all_processes() -> None:
    """8 a device on 8 processes are 64, which 5 answers do not divide: 5 a device are 40."""
    written = keys({"trainer.test_freq": 5, ROLLOUT + "val_kwargs.n": 5, ROLLOUT + "val_kwargs.do_sample": True})
    assert (written["num_generations_eval"], written["per_device_eval_batch_size"]) == (5, 5)


def test_variables_are_left_open_because_its_yaml_is_plain_text() -> None:
    done = conversion({"actor_rollout_ref.model.path": "$MODELS/base"})
    assert "${oc.env" not in done.text
    assert "model_name_or_path: ???" in done.text
    assert any("--set MODELS=" in choice for decision in done.ledger.decisions for choice in decision.choices)


@pytest.mark.parametrize(
    ("changes", "why"),
    [
        ({"algorithm.adv_estimator": "gae"}, "trains a critic"),
        ({ROLLOUT + "n": 1}, "asks for 2 at least"),
        ({ACTOR + "policy_loss.loss_mode": "clip_cov"}, "the source's loss is clip_cov"),
    ],
)
def test_what_grpo_trainer_cannot_compute_is_refused(changes: dict[str, Any], why: str) -> None:
    with pytest.raises(RefusedError, match=why):
        conversion(changes)


@pytest.mark.parametrize(
    ("changes", "first"),
    [
        ({"algorithm.adv_estimator": "rloo"}, ["scale_rewards", "reward_funcs"]),
        ({"algorithm.use_kl_in_reward": True}, ["reward_funcs", "beta"]),
        ({ACTOR + "strategy": "megatron"}, ["reward_funcs", "accelerate_config"]),
    ],
)
def test_what_would_become_plain_grpo_is_asked_first(changes: dict[str, Any], first: list[str]) -> None:
    """Rewards are the one value that stays open, and no run starts without; another estimator is asked even before it."""
    names = [decision.key for decision in conversion(changes).ledger.decisions]
    assert names[:2] == first


def test_what_was_written_is_read_as_the_same_plan() -> None:
    """Batches, losses and rates come back; the engine's limits and the padded passes are TRL's own."""
    done = conversion(
        {ACTOR + "clip_ratio_high": 0.28, ACTOR + "use_kl_loss": True, "trainer.total_training_steps": 20}
    )
    again = load(read(Source("run.yaml", done.text)), framework="trl").stages[0].values
    before = done.loaded.stages[0].values
    same = ("stage.batch.prompts_per_rollout", "stage.batch.sequences_per_update", "stage.batch.micro.sequences_per_rank",
            "stage.batch.passes", "stage.run_length.rollouts", "stage.placement.actor.gpus", "stage.algorithm.loss_agg",
            "stage.algorithm.policy_loss.clip_high", "stage.algorithm.kl_loss.coef", "stage.optim.actor.lr",
            "stage.placement.layout", "stage.placement.actor.backend", "stage.algorithm.std_scope")  # fmt: skip
    assert {path: again.get(path) for path in same} == {path: before.get(path) for path in same}


def test_a_prompt_limit_is_written_for_the_releases_that_have_one() -> None:
    """The trainer reads max_prompt_length up to 0.25."""
    assert keys({}, release="0.24.0").get("max_prompt_length", 512) == 512
    assert keys({"data.max_prompt_length": 300}, release="0.25.1")["max_prompt_length"] == 300
    newest = conversion({"data.max_prompt_length": 300})
    assert "max_prompt_length" not in {line.key for line in newest.ledger.targets}
    (line,) = [line for line in newest.ledger.sources if line.key == "data.max_prompt_length"]
    assert (line.state.value, "since 0.26" in line.reason) == ("no-counterpart", True)


def test_engines_beside_the_trainer_sleep_where_the_release_can() -> None:
    """GRPOConfig has the switch since 0.23; without engines nothing sleeps."""
    assert keys({})["vllm_enable_sleep_mode"] is True
    assert "vllm_enable_sleep_mode" not in keys({}, "0.22.2")
    assert "vllm_enable_sleep_mode" not in keys({ROLLOUT + "name": "hf"})
