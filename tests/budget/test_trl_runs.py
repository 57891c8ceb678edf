"""Runs of TRL are priced as their launcher shards them and as their engines share the GPUs."""

from __future__ import annotations

import pytest

from rftconf.base.errors import UsageError
from rftconf.budget.advice.memory_savers import savings_without_field, steps
from rftconf.budget.comparison import compare_memory
from rftconf.budget.facts.gpus import gpu_named
from rftconf.budget.price import Budget, price
from rftconf.budget.roles.roles import Setup
from rftconf.budget.roles.setup import BudgetRequest, setup_of
from rftconf.load.load import load
from rftconf.text.read.read import read
from rftconf.text.source import from_bytes

RUN = {
    "model_name_or_path": "Qwen/Qwen2.5-7B-Instruct",
    "dataset_name": "trl-lib/DeepMath-103K",
    "reward_funcs": "accuracy_reward",
    "per_device_train_batch_size": "8",
    "gradient_accumulation_steps": "2",
    "num_generations": "8",
    "max_completion_length": "1024",
    "max_prompt_length": "512",
    "use_vllm": "true",
    "vllm_mode": "colocate",
    "num_processes": "8",
    "accelerate_config": "zero3",
}


def setup(release: str = "0.24.0", /, **changes: str) -> Setup:
    text = "".join(f"{key}: {value}\n" for key, value in {**RUN, **changes}.items() if value)
    plan = load(read(from_bytes("grpo.yaml", text.encode())), framework="trl", release=release).plan
    return setup_of(plan, BudgetRequest())


def budget_of(**changes: str) -> Budget:
    return price(setup(**changes), gpu_named("H100"))


def bytes_in(priced: Budget, phase: str, *names: str) -> int:
    """The bytes of the actor's terms of these names in a phase."""
    return sum(
        entry.size
        for pool in priced.pools
        for phase_ in pool.phases
        if phase_.name == phase
        for entry in phase_.terms
        if entry.owner == "actor" and entry.name in names
    )


@pytest.mark.parametrize(("stage", "shards"), [("0", 1), ("1", 1), ("2", 1), ("3", 8)])
def test_weights_are_whole_below_stage_3(stage: str, shards: int) -> None:
    priced = budget_of(zero_stage=stage)
    assert bytes_in(priced, "actor update", "weights") == round(2 * 7_615_616_512 / shards)


def test_ddp_holds_everything_in_fp32_and_does_not_fit() -> None:
    priced = budget_of(accelerate_config="multi_gpu")
    parameters = 7_615_616_512
    assert bytes_in(priced, "actor update", "weights", "Adam states", "DDP's buckets") == (4 + 8 + 4) * parameters
    assert priced.verdict == "does not fit"


def test_engines_stay_awake_unless_sleep_is_asked_for() -> None:
    awake, asleep = budget_of(), budget_of(vllm_enable_sleep_mode="true")
    assert awake.deciding.deciding.size - asleep.deciding.deciding.size > 10 << 30


def test_without_engines_the_trainer_writes_the_answers() -> None:
    """16 answers of a process, 1,536 tokens each; 28 layers keep 4 heads of 128 numbers twice, 2 bytes each."""
    priced = budget_of(use_vllm="false", vllm_mode="server")
    assert bytes_in(priced, "rollout", "keys and values") == 16 * 1536 * 28 * 2 * 4 * 128 * 2


def test_what_deepspeed_moves_to_the_cpu_never_comes_back() -> None:
    config = {"offload_optimizer_device": "cpu", "offload_param_device": "cpu"}
    assert bytes_in(budget_of(**config), "actor update", "weights", "fp32 weights and Adam states") == 0


def test_a_model_that_is_whole_on_each_gpu_is_to_be_sharded() -> None:
    """The launcher's file is no field of the plan, and nothing that only FSDP has is offered."""
    whole = setup(accelerate_config="multi_gpu")
    assert not any("offload" in path for path, _, _ in steps(whole))
    option, _, change = next(savings_without_field(whole))
    assert option == "accelerate_config zero3"
    assert price(change(whole), gpu_named("H100")).deciding.deciding.size == budget_of().deciding.deciding.size


def test_a_comparison_names_the_stage() -> None:
    differences = compare_memory(setup(accelerate_config="zero2"), setup(), gpu_named("H100")).differences
    actor = next(role for role in differences if role.name == "actor")
    assert [effect.values for effect in actor.effects] == [("DeepSpeed's stage 2", "DeepSpeed's stage 3")]


def test_the_engines_context_bounds_a_sequence_whose_prompt_nobody_bounds() -> None:
    """No key cuts prompts since 0.27; an engine refuses a prompt that its context does not hold."""
    assert setup("1.16.0", max_prompt_length="", vllm_max_model_length="2048").longest == 2048
    with pytest.raises(UsageError, match="max_prompt_length"):
        setup("1.16.0", max_prompt_length="")
