"""The account of whole runs: exact sums, formulas that compute, and which way each knob moves the peak."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace

import pytest

from rftconf.budget.facts.gpus import gpu_named
from rftconf.budget.price import Budget, price
from rftconf.budget.roles.roles import Setup
from rftconf.budget.terms import fsdp_phases as trainer
from rftconf.budget.terms import megatron
from rftconf.budget.terms.term import GIB, Term, total
from rftconf.budget.terms.training_job import Adapter, MegatronSizes
from tests.budget.runs import apart, colocated, golden, setup

H100 = gpu_named("h100-80g")
RUNS = ("grpo-guide", "ppo-guide", "lora", "megatron-moe", "megatron-back", "multi-node", "separate-async", "dapo")


def priced(name: str) -> Budget:
    return price(setup(golden(name)), H100)


def computed(formula: str) -> float:
    """What a formula's numbers come to; units are words without digits, comments stand behind a semicolon."""
    plain = re.sub(r"(?<=\d),(?=\d{3})", "", formula.split(";")[0])
    plain = plain.replace("MiB", "* 2**20").replace("GiB", "* 2**30").replace("×", "*")
    plain = re.sub(r"\b(?!max\b)[^\W\d][\w-]*", " ", plain)
    return float(eval(plain))


@pytest.mark.parametrize("name", RUNS)
def test_formulas_with_their_numbers_give_the_terms(name: str) -> None:
    for pool in priced(name).pools:
        for phase in pool.phases:
            for term in phase.terms:
                assert computed(term.formula) == pytest.approx(term.size, rel=2e-3, abs=2), term


@pytest.mark.parametrize("name", RUNS)
def test_terms_add_up_to_the_phase_exactly(name: str) -> None:
    for pool in priced(name).pools:
        for phase in pool.phases:
            assert phase.size == sum(term.size for term in phase.terms) == sum(phase.parts().values())
            assert all(term.size >= 0 for term in phase.terms)
            assert 0 <= phase.low <= phase.size <= phase.high


def peak(run: Setup) -> int:
    assert run.actor is not None
    job = run.actor.job
    return total((megatron if job.backend == "megatron" else trainer).update(job)[1])


LESS: dict[str, dict[str, object]] = {
    "fewer tokens": {"tokens": 8192},
    "sequence parallel": {"sp": 2},
    "spread over more GPUs": {"gpus": 16, "shard": 16},
    "activations in host memory": {"offload_activations": True},
    "one micro-batch an update": {"micro_batches": 1},
    "a fused head": {"fused_head": True},
    "bf16 parameters": {"master_bytes": 2, "adam_bytes": 4},
    "an adapter": {"adapter": Adapter(16, experts=False)},
}
MORE: dict[str, dict[str, object]] = {
    "entropy": {"entropy": True},
    "no checkpointing": {"checkpointing": False},
    "no resharding": {"reshard_after_forward": False},
    "HSDP": {"shard": 4},
}


@pytest.mark.parametrize("knob", LESS)
def test_what_saves_memory(knob: str) -> None:
    assert peak(setup().with_actor(**LESS[knob])) < peak(setup())


@pytest.mark.parametrize("knob", MORE)
def test_what_costs_memory(knob: str) -> None:
    assert peak(setup().with_actor(**MORE[knob])) > peak(setup())


def stages(**sizes: object) -> Iterator[tuple[int, list[Term]]]:
    run = setup().with_actor(backend="megatron", gpus=64, megatron=MegatronSizes(**sizes))  # type: ignore[arg-type]
    assert run.actor is not None
    for stage in range(run.actor.job.megatron.pp):
        yield stage, [*megatron.states(run.actor.job, stage), *megatron.stage_activations(run.actor.job, stage)]


@pytest.mark.parametrize("knob", [{"tp": 2}, {"pp": 2}, {"cp": 2}, {"recompute": "full"}])
def test_megatron_knobs_save_memory(knob: dict[str, object]) -> None:
    assert max(total(t) for _, t in stages(**knob)) < max(total(t) for _, t in stages())


def test_megatron_states_are_18_bytes_or_6_and_12_over_the_replicas() -> None:
    run = setup().with_actor(backend="megatron", gpus=8, megatron=MegatronSizes(distributed_optimizer=False))
    assert run.actor is not None
    count = run.actor.job.architecture.parameters
    assert total(megatron.states(run.actor.job, 0)) == pytest.approx(18 * count, rel=1e-6)
    spread = run.with_actor(megatron=MegatronSizes()).actor
    assert spread is not None
    assert total(megatron.states(spread.job, 0)) == pytest.approx((6 + 12 / 8) * count, rel=1e-6)


def test_the_first_stage_waits_for_all_the_last_for_one() -> None:
    sizes = MegatronSizes(pp=4)
    assert [megatron.in_flight(stage, sizes, 16) for stage in range(4)] == [4, 3, 2, 1]
    assert megatron.in_flight(0, sizes, 2) == 2
    assert megatron.in_flight(0, replace(sizes, vpp=2), 16) == 4 * (1 + 3 / 8)


def test_uneven_stages() -> None:
    arch = setup().model.architecture  # 28 layers
    assert megatron.stage_layers(arch, MegatronSizes(pp=4)) == (7, 7, 7, 7)
    assert megatron.stage_layers(arch, MegatronSizes(pp=4, first_stage_layers=5, last_stage_layers=5)) == (5, 9, 9, 5)


def test_engine_and_trainer_take_turns_where_they_share() -> None:
    shared = price(setup(), H100)
    names = [phase.name for phase in shared.pools[0].phases]
    assert names == ["load", "rollout", "sync", "old log-probs", "actor update", "save"]
    by_name = {phase.name: phase for phase in shared.pools[0].phases}
    assert "kv_cache" in by_name["rollout"].parts()
    assert "kv_cache" not in by_name["actor update"].parts()
    assert by_name["actor update"].parts()["residue"] == int(2.4 * GIB)  # measured at TP2


def test_offloaded_states_leave_the_gpu_while_the_engine_generates() -> None:
    key = "actor_rollout_ref.actor.fsdp_config"
    plain = price(setup(), H100)
    parked = price(setup(colocated(f"{key}.param_offload=True", f"{key}.optimizer_offload=True")), H100)
    rollout = [next(p for p in b.pools[0].phases if p.name == "rollout") for b in (plain, parked)]
    assert rollout[0].size - rollout[1].size == pytest.approx(12 * plain.setup.model.architecture.parameters / 8, abs=9)


def test_the_reference_exists_with_a_kl_term_and_streams_its_offloaded_weights() -> None:
    plan = colocated("actor_rollout_ref.actor.use_kl_loss=True", "actor_rollout_ref.ref.fsdp_config.param_offload=True")
    budget = price(setup(plan), H100)
    scored = next(p for p in budget.pools[0].phases if p.name == "reference log-probs")
    assert [t.size for t in scored.terms if t.owner == "reference" and t.part == "weights"] == [0]


def test_pools_apart_are_priced_apart() -> None:
    budget = price(setup(apart()), H100)
    assert [(pool.pool.first, pool.pool.count, pool.pool.roles) for pool in budget.pools] == [
        (0, 2, ("rollout",)),
        (2, 6, ("actor", "reference")),
    ]
    trainer_pool = budget.pools[1]
    assert all("kv_cache" not in phase.parts() for phase in trainer_pool.phases)


@pytest.mark.parametrize(("gpu", "verdict"), [("h100", "fits"), ("rtx-4090", "does not fit")])
def test_verdicts(gpu: str, verdict: str) -> None:
    assert price(setup(), gpu_named(gpu)).verdict == verdict


def test_between_the_ends_of_the_interval_nothing_is_claimed() -> None:
    sure = price(setup(), H100)
    phase = sure.deciding.deciding
    edge = gpu_named(f"edge:{phase.size / GIB:.4f}")
    # The engine's share follows the GPU, so look at the trainer alone.
    alone = replace(sure.setup, engines=())
    small = price(alone, edge)
    exact = gpu_named(f"edge:{small.deciding.deciding.size / GIB:.4f}")
    assert price(alone, exact).verdict == "too close to tell"


def test_an_engine_without_room_for_one_request_does_not_fit() -> None:
    run = setup().with_rollout(max_model_tokens=4_000_000)
    budget = price(run, H100)
    assert budget.starved
    assert budget.verdict == "does not fit"


def test_embedding_and_loss_count_as_layers_where_asked() -> None:
    from rftconf.budget.roles.megatron_sizes import ends

    pair = {"account_for_embedding_in_pipeline_split": True, "account_for_loss_in_pipeline_split": True}
    assert ends(pair, 94, 8) == (11, 11)
    assert ends({"num_layers_in_last_pipeline_stage": 10}, 94, 8) == (None, 10)
    assert ends({}, 94, 8) == (None, None)


def test_an_engine_that_does_not_sleep_keeps_its_cache() -> None:
    awake = price(setup(colocated("actor_rollout_ref.rollout.free_cache_engine=False")), H100)
    update = next(p for p in awake.pools[0].phases if p.name == "actor update")
    assert update.parts()["kv_cache"] > 20 * GIB
