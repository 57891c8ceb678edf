"""Two runs side by side in memory: which roles differ, and which setting alone makes how much of it."""

from __future__ import annotations

from dataclasses import replace

import pytest

from rftconf.budget.comparison import RoleMemory, compare_memory, memory_by_role
from rftconf.budget.facts.gpus import gpu_named
from rftconf.budget.memory_settings import OF_ENGINES, OF_RUNS, OF_TRAINERS, value_at
from rftconf.budget.price import price
from rftconf.budget.roles.roles import Setup
from rftconf.budget.roles.setup import BudgetRequest, setup_of
from tests.budget.runs import colocated

GPU = gpu_named("h100-80g")


def setup(*changes: str) -> Setup:
    return setup_of(colocated(*changes), BudgetRequest())


def test_a_run_is_not_apart_from_itself() -> None:
    assert compare_memory(setup(), setup(), GPU).differences == ()


def test_states_that_wait_in_host_memory_are_the_cause_of_what_is_held_meanwhile() -> None:
    parked = setup(
        "actor_rollout_ref.actor.fsdp_config.param_offload=True",
        "actor_rollout_ref.actor.fsdp_config.optimizer_offload=True",
    )
    (actor,) = compare_memory(setup(), parked, GPU).differences
    assert [effect.setting.name for effect in actor.effects] == [
        "optimizer between its turns",
        "weights between its turns",
    ]
    assert {effect.values for effect in actor.effects} == {("on the GPU", "in host memory")}
    assert actor.memory_a is not None
    assert actor.memory_b is not None
    saved = sum(actor.memory_a.while_others_work - effect.memory.while_others_work for effect in actor.effects)
    assert saved == actor.memory_a.while_others_work - actor.memory_b.while_others_work > 0


@pytest.mark.parametrize(
    ("change", "role", "cause", "says"),
    [
        ("actor_rollout_ref.rollout.gpu_memory_utilization=0.8", "rollout", "share of the GPU", ("0.5", "0.8")),
        ("actor_rollout_ref.rollout.tensor_model_parallel_size=4", "rollout", "parallel sizes", ("TP2", "TP4")),
        ("actor_rollout_ref.model.enable_gradient_checkpointing=False", "actor", "recompute", ("every layer", "none")),
        ("actor_rollout_ref.model.lora_rank=32", "actor", "adapter", ("none", "rank 32")),
        ("actor_rollout_ref.actor.ppo_max_token_len_per_gpu=32768", "actor", "micro-batch of an update",
         ("16,384 tokens", "32,768 tokens")),
        ("actor_rollout_ref.actor.fsdp_config.fsdp_size=4", "actor", "GPUs", ("8", "8, states over 4")),
    ],
)  # fmt: skip
def test_the_setting_that_was_changed_is_the_first_cause(
    change: str, role: str, cause: str, says: tuple[str, str]
) -> None:
    (difference,) = (
        difference for difference in compare_memory(setup(), setup(change), GPU).differences if difference.name == role
    )
    assert (difference.effects[0].setting.name, difference.effects[0].values) == (cause, says)


def test_a_role_of_one_run_only_has_no_figure_in_the_other() -> None:
    (reference,) = compare_memory(setup(), setup("actor_rollout_ref.actor.use_kl_loss=True"), GPU).differences
    assert (reference.name, reference.memory_a) == ("reference", None)
    assert reference.memory_b is not None
    assert reference.memory_b.at_work > 0


def test_every_difference_counts_where_the_verdicts_differ() -> None:
    run = setup()
    (rollout,) = run.engines
    slightly = next(
        run.with_rollout(fraction=share / 1000)
        for share in range(500, 1000)
        if price(run.with_rollout(fraction=share / 1000), GPU).verdict != price(run, GPU).verdict
    )
    within = slightly.with_rollout(fraction=next(role.engine.fraction for role in slightly.engines) - 0.01)
    comparison = compare_memory(within, slightly, GPU)
    assert comparison.a.verdict != comparison.b.verdict
    assert [difference.name for difference in comparison.differences] == [rollout.name]


def test_figures_within_five_percent_are_alike() -> None:
    gib = 1 << 30
    assert RoleMemory(100 * gib).is_close_to(RoleMemory(96 * gib))
    assert not RoleMemory(100 * gib).is_close_to(RoleMemory(94 * gib))
    assert not RoleMemory(100 * gib, 2 * gib).is_close_to(RoleMemory(100 * gib, 3 * gib))


def test_each_part_of_a_cause_is_one_of_a_role_or_a_run() -> None:
    run = setup("actor_rollout_ref.model.lora_rank=32")
    for causes, whole in ((OF_TRAINERS, run.trainers[0]), (OF_ENGINES, run.engines[0]), (OF_RUNS, run)):
        for cause in causes:
            assert cause.says(whole)
            for part in cause.parts:
                above, _, last = part.rpartition(".")
                assert hasattr(value_at(whole, above) if above else whole, last), part


def test_a_role_holds_what_its_terms_say() -> None:
    budget = price(replace(setup(), engines=()), GPU)
    (pool,) = budget.pools
    actor = [sum(t.size for t in phase.terms if t.owner == "actor") for phase in pool.phases]
    assert memory_by_role(budget)["actor"].at_work == max(actor)
