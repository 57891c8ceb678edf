"""TRL's GRPO in the plan's terms: batches by device, losses by name and release, what the launcher says.

Expected values are worked out from trl/trainer/grpo_config.py (`__post_init__`) and trl/trainer/grpo_trainer.py.
"""

from __future__ import annotations

from typing import Any

import pytest

from rftconf.base.errors import RefusedError
from rftconf.base.symbols import Var, arith
from rftconf.load.load import load
from rftconf.text.read.read import read
from rftconf.text.source import Source
from tests.mappers.trl_runs import BASE, A, B, P, loaded, plan


def test_a_device_counts_completions() -> None:
    """8 completions a device x 4 processes x 2 accumulation steps = 64 = 8 prompts x 8."""
    values = plan(per_device_train_batch_size=8, gradient_accumulation_steps=2)
    assert values[B + "sequences_per_update"] == 64
    assert values[B + "prompts_per_rollout"] == 8
    assert values[B + "micro.sequences_per_rank"] == 8
    assert (values["cluster.nodes"], values["cluster.gpus_per_node"], values[P + "actor.gpus"]) == (1, 4, 4)


@pytest.mark.parametrize(
    ("keys", "prompts", "update"),
    [
        ({"steps_per_generation": 8}, 32, 64),
        ({"generation_batch_size": 128}, 16, 64),
        ({"steps_per_generation": 8, "num_iterations": 3}, 32, 64),
        ({"steps_per_generation": 1}, 8, 64),
    ],
)
def test_a_generation_is_cut_into_slices(keys: dict[str, Any], prompts: int, update: int) -> None:
    """Slices of 32; fewer than an update accumulates are generated under the same weights, so the update is the period."""
    values = plan(per_device_train_batch_size=8, gradient_accumulation_steps=2, **keys)
    assert (values[B + "prompts_per_rollout"], values[B + "sequences_per_update"]) == (prompts, update)


@pytest.mark.parametrize(
    ("keys", "why"),
    [
        ({"steps_per_generation": 2, "generation_batch_size": 64}, "both set"),
        ({"num_generations": 5}, "whole groups"),
        ({"num_generations": 1}, "at least 2"),
        ({"steps_per_generation": 3}, "mix generations"),
        ({"steps_per_generation": 1, "num_iterations": 2}, "mix generations"),
    ],
)
def test_what_grpo_config_stops_at_is_refused(keys: dict[str, Any], why: str) -> None:
    with pytest.raises(RefusedError, match=why):
        plan(per_device_train_batch_size=8, gradient_accumulation_steps=2, **keys)


def test_processes_that_nobody_tells_stay_open() -> None:
    loading = loaded(num_processes="-", per_device_train_batch_size=8)
    assert loading.stages[0].values[P + "actor.gpus"] == Var("WORLD_SIZE")
    assert loading.stages[0].values[B + "sequences_per_update"] == arith("*", 8, Var("WORLD_SIZE"))
    assert any("how many GPUs train" in note for note in loading.stages[0].reading.notes)


@pytest.mark.parametrize(
    ("keys", "gpus", "backend"),
    [
        ({"num_processes": 16, "num_machines": 2}, (2, 8), "ddp"),
        ({"num_processes": "-", "accelerate_config": "zero2"}, (1, 8), "deepspeed"),
        ({"num_processes": 4, "accelerate_config": "fsdp2"}, (1, 4), "fsdp2"),
        ({"num_processes": "-", "accelerate_config": "single_gpu"}, (1, 1), "ddp"),
        ({"distributed_type": "FSDP"}, (1, 4), "fsdp"),
        ({"deepspeed": "ds.json"}, (1, 4), "deepspeed"),
    ],
)
def test_the_launchers_words(keys: dict[str, Any], gpus: tuple[int, int], backend: str) -> None:
    values = plan(**keys)
    assert (values["cluster.nodes"], values["cluster.gpus_per_node"]) == gpus
    assert values[P + "actor.backend"] == backend


@pytest.mark.parametrize("key", ["config_file", "accelerate_config"])
@pytest.mark.parametrize("name", [["zero3", "b"], {"zero3": 1}, None])
def test_a_launchers_file_that_is_no_text_says_nothing(key: str, name: Any) -> None:
    keys: dict[str, Any] = {key: "null" if name is None else name}
    assert plan(None, None, **keys)["cluster.gpus_per_node"] == BASE["num_processes"]


def test_torchrun_counts_processes_of_a_node() -> None:
    text = "torchrun --nnodes 2 --nproc_per_node 8 grpo.py --num_generations 8 --max_completion_length 64\n"
    values = load(read(Source("a.sh", text))).stages[0].values
    assert (values["cluster.nodes"], values["cluster.gpus_per_node"], values[P + "actor.gpus"]) == (2, 8, 16)


@pytest.mark.parametrize(
    ("release", "agg", "scope"),
    [("0.21.0", "token-mean", "micro_batch_mean"), ("0.22.2", "token-mean", "update")],
)
def test_the_loss_that_nobody_names_is_the_releases(release: str, agg: str, scope: str) -> None:
    """bnpo up to 0.21, dapo since 0.22: the one is a mean by micro-batch, the other over all tokens."""
    values = plan(release)
    assert (values[A + "loss_agg"], values[A + "loss_norm_scope"]) == (agg, scope)


@pytest.mark.parametrize(
    ("loss", "family", "agg", "scope"),
    [
        ("grpo", "ppo", "seq-mean-token-mean", "update"),
        ("bnpo", "ppo", "token-mean", "micro_batch_mean"),
        ("dr_grpo", "ppo", "seq-mean-sum-over-len", "update"),
        ("dapo", "ppo", "token-mean", "update"),
        ("luspo", "ppo", "seq-mean-token-sum", "update"),
        ("cispo", "cispo", "token-mean", "update"),
        ("sapo", "sapo", "seq-mean-token-mean", "update"),
        ("vespo", "vespo", "token-mean", "update"),
    ],
)
def test_losses_by_name(loss: str, family: str, agg: str, scope: str) -> None:
    values = plan(loss_type=loss, max_completion_length=100)
    assert values[A + "policy_loss.family"] == family
    assert (values[A + "loss_agg"], values[A + "loss_norm_scope"]) == (agg, scope)
    assert values[A + "loss_agg_tokens"] == (100 if loss == "dr_grpo" else None)


def test_the_ratio_of_a_sequence_is_gspo() -> None:
    assert plan(loss_type="grpo", importance_sampling_level="sequence")[A + "policy_loss.family"] == "gspo"


def test_clip_ranges() -> None:
    """epsilon_high is epsilon unless written; cispo caps the ratio at epsilon_high itself, which is 4 above 1 for 5.0."""
    assert plan(epsilon=0.1)[A + "policy_loss.clip_high"] == 0.1
    assert plan(epsilon_high=0.28)[A + "policy_loss.clip_high"] == 0.28
    cispo = plan(loss_type="cispo", epsilon_high=5.0)
    assert (cispo[A + "policy_loss.clip_low"], cispo[A + "policy_loss.clip_high"]) == (None, 4.0)
    assert plan(delta=4.0)[A + "policy_loss.dual_clip_c"] == 4.0


def test_the_mean_over_a_whole_generation_is_said() -> None:
    """Up to 1.8 dapo divides by the tokens of all slices: with two updates a generation each gradient is half as large."""
    keys: dict[str, Any] = {
        "per_device_train_batch_size": 8,
        "gradient_accumulation_steps": 2,
        "steps_per_generation": 4,
    }
    assert "2 times smaller" in loaded("1.8.0", **keys).stages[0].reading.narrowed["loss_type"]
    assert "loss_type" not in loaded("1.10.0", **keys).stages[0].reading.narrowed


def test_kl_by_release() -> None:
    """beta is 0.04 in 0.18 and 0 since 0.19; k3 is weighted with the ratio since 1.10 unless told otherwise."""
    old, new, weighted = plan("0.18.2"), plan("1.8.0"), plan("1.16.0", beta=0.01)
    assert (old[A + "kl_loss.enabled"], old[A + "kl_loss.coef"], old[A + "kl_loss.estimator"]) == (True, 0.04, "k3")
    assert (new[A + "kl_loss.enabled"], new[A + "kl_loss.coef"]) == (False, None)
    assert new[P + "reference.gpus"] is None
    assert weighted[A + "kl_loss.estimator"] == "corrected_k3"
    assert weighted[P + "reference.gpus"] == 4


@pytest.mark.parametrize(
    ("release", "keys", "advantage", "scope"),
    [
        ("0.21.0", {"scale_rewards": "false"}, "grpo_mean_only", "none"),
        ("0.21.0", {}, "grpo", "group"),
        ("1.16.0", {"scale_rewards": "batch"}, "grpo", "batch"),
        ("1.16.0", {"scale_rewards": "false"}, "grpo_mean_only", "none"),
        ("1.16.0", {"multi_objective_aggregation": "normalize_then_sum"}, "gdpo", "batch"),
    ],
)
def test_deviations(release: str, keys: dict[str, Any], advantage: str, scope: str) -> None:
    values = plan(release, **keys)
    assert (values[A + "advantage"], values[A + "std_scope"], values[A + "std_ddof"]) == (advantage, scope, 1)
    assert values.get(A + "std_guard") == (None if scope == "none" else 1e-4)


@pytest.mark.parametrize(
    ("release", "correction"),
    [
        ("0.22.2", None),
        ("0.24.0", {"rollout_is": "token", "rollout_is_threshold": 2.0}),
        ("1.16.0", {"rollout_is": "sequence", "rollout_is_threshold": "1e-09_3.0"}),
    ],
)
def test_the_engines_log_probabilities_are_corrected_since_0_23(release: str, correction: object) -> None:
    """Truncated by token at 2.0 in 0.23 to 0.25, masked by sequence at 3.0 since 0.26: weights of 0 outside of both bounds."""
    assert plan(release, use_vllm="true")[A + "rollout_correction"] == correction
    assert plan(release)[A + "rollout_correction"] is None


@pytest.mark.parametrize(("release", "layout"), [("0.29.1", "disaggregated"), ("1.0.0", "colocated")])
def test_where_the_engines_are_unless_written(release: str, layout: str) -> None:
    """vllm_mode is server up to 0.29, colocate since 1.0."""
    values = plan(release, use_vllm="true")
    assert values[P + "layout"] == layout
    assert values[P + "rollout.gpus"] == (Var("VLLM_SERVER_GPUS") if layout == "disaggregated" else 4)


def test_an_engine_in_the_trainers_processes() -> None:
    """max_num_seqs = per device x tensor-parallel x slices (trl/trainer/grpo_trainer.py: VLLMGeneration)."""
    values = plan(
        use_vllm="true", vllm_tensor_parallel_size=2, gradient_accumulation_steps=3, per_device_train_batch_size=8
    )
    assert (values[P + "rollout.engine"], values[P + "rollout.tp"], values[P + "rollout.max_num_seqs"]) == (
        "vllm",
        2,
        48,
    )
    assert plan()[P + "rollout.engine"] == "hf"


@pytest.mark.parametrize(
    ("release", "keys", "stored", "computed"),
    [
        ("0.18.2", {}, "fp32", "fp32"),
        ("0.18.2", {"accelerate_config": "zero2"}, "fp32", "bfloat16"),
        ("1.16.0", {"bf16": "false", "mixed_precision": "fp16"}, "fp32", "float16"),
        ("0.19.1", {}, "fp32", "bfloat16"),
        ("0.24.0", {"torch_dtype": "bfloat16"}, "bfloat16", "bfloat16"),
        ("1.16.0", {"fp16": "true"}, "fp32", "float16"),
    ],
)
def test_number_types(release: str, keys: dict[str, Any], stored: str, computed: str) -> None:
    """bf16 is off in 0.18, and on unless fp16 is since 0.19."""
    values = plan(release, **keys)
    assert (values[P + "actor.model_dtype"], values[P + "actor.compute_dtype"]) == (stored, computed)


def test_adapters_need_their_switch() -> None:
    assert plan(lora_r=32)["stage.model_options.lora.rank"] is None
    adapted = plan(lora_r=32, use_peft="true", lora_target_modules="[all-linear]")
    assert (adapted["stage.model_options.lora.rank"], adapted["stage.model_options.lora.targets"]) == (32, "all-linear")


def test_a_mixture_of_data_sets_wins() -> None:
    mixture = plan(dataset_name="other", datasets="[{path: a, split: test}, {path: b, name: c}]")
    assert [mixture[f"stage.data.train[{i}].uri"] for i in range(2)] == ["a", "b"]
    assert mixture["stage.data.train[1].subset"] == "c"
    single = plan(dataset_name="a", eval_strategy="steps")
    assert (single["stage.data.train[0].split"], single["stage.data.eval[0].split"]) == ("train", "test")
    assert "stage.data.eval[0].uri" not in plan(dataset_name="a")
