"""Megatron's options that change what a stage holds: layouts, selective and partial recomputation, dense first layers."""

from __future__ import annotations

from dataclasses import replace

import pytest

from rftconf.budget.facts.implementations import MEGATRON
from rftconf.budget.facts.models import resolve
from rftconf.budget.roles.layout_rules import problems
from rftconf.budget.roles.megatron_sizes import layers_per_virtual_stage, megatron_sizes
from rftconf.budget.roles.symbolic_values import Values
from rftconf.budget.terms import megatron
from rftconf.budget.terms.fsdp_sharding import adapter_parameters
from rftconf.budget.terms.term import total
from rftconf.budget.terms.training_job import Adapter, MegatronSizes, Training
from rftconf.plan.model import Megatron, Worker
from tests.budget.runs import setup

MIXTURE = resolve("Qwen/Qwen3-30B-A3B").architecture
DEEPSEEK = resolve("deepseek-ai/DeepSeek-V3").architecture


def job(**sizes: object) -> Training:
    actor = setup().actor
    assert actor is not None
    chosen = MegatronSizes(**sizes)  # type: ignore[arg-type]
    return replace(
        actor.job, backend="megatron", implementation=MEGATRON[-1], gpus=64, architecture=MIXTURE, megatron=chosen
    )


def waits(**sizes: object) -> int:
    return total(megatron.stage_activations(job(**sizes), 0))


@pytest.mark.parametrize(
    ("layout", "stages", "counts"),
    [
        ("E|(tt|)*30,L", 16, (0, *[2] * 30, 0)),
        ("Ettt|(tt|)*29,m|L", 8, (3, *[2] * 29, 0, 0)),
        ("Et*3|t*3L", 2, (3, 3)),
        ("Ett|tt|L", 2, ()),  # three stages over two
        ("Ett|x", 1, ()),
        ("E" + "(t)*99999" * 30, 1, ()),
        (None, 4, ()),
    ],
)
def test_layouts(layout: str | None, stages: int, counts: tuple[int, ...]) -> None:
    assert layers_per_virtual_stage(layout, stages) == counts


def test_virtual_stages_of_a_layout_are_dealt_out_in_turns() -> None:
    sizes = MegatronSizes(pp=16, vpp=2, chunks=layers_per_virtual_stage("E|(tt|)*30,L", 16))
    layers = megatron.stage_layers(MIXTURE, sizes)
    assert layers == (2, *[4] * 14, 2)
    assert sum(layers) == 60


def test_a_layout_for_another_depth_is_a_problem() -> None:
    run = setup().with_actor(
        backend="megatron", gpus=16, megatron=MegatronSizes(pp=16, vpp=2, chunks=(0, *[2] * 30, 0))
    )
    assert any("the pipeline layout places 60 layers, the model has 28" in p.message for p in problems(run))
    fits = layers_per_virtual_stage("E|(t|)*28L|", 31)
    other_setup = setup().with_actor(backend="megatron", gpus=31, megatron=MegatronSizes(pp=31, chunks=fits))
    assert not any("layers" in p.message for p in problems(other_setup))


def test_the_dense_layers_of_a_mixture_stand_in_its_first_stage() -> None:
    sizes = MegatronSizes(pp=4, first_stage_layers=16, last_stage_layers=13)
    layers_by_stage = [megatron.held_layers(DEEPSEEK, sizes, stage) for stage in range(4)]
    assert [count for _, count in layers_by_stage[0]] == [3, 13]
    assert [[count for _, count in stage] for stage in layers_by_stage[1:]] == [[0, 16], [0, 16], [0, 13]]
    whole = [megatron.stage_parameters(replace(job(), architecture=DEEPSEEK, megatron=sizes), s) for s in range(4)]
    assert sum(dense + experts for dense, experts in whole) == pytest.approx(DEEPSEEK.parameters, rel=1e-3)


@pytest.mark.parametrize("module", ["layernorm", "moe_act", "moe"])
def test_selective_recomputation_gives_back_its_modules(module: str) -> None:
    assert waits(recompute="selective", recompute_modules=frozenset({module})) < waits(recompute="selective")


def test_selective_recomputation_needs_its_granularity() -> None:
    assert waits(recompute_modules=frozenset({"moe"})) == waits()
    assert waits(recompute="selective", recompute_modules=frozenset({"core_attn"})) == waits()


def test_a_recomputed_mixture_waits_with_its_attention_only() -> None:
    modules = frozenset({"moe", "layernorm"})
    (term, again) = megatron.stage_activations(job(recompute="selective", recompute_modules=modules), 0)
    mixer = MIXTURE.layers[0].mixer
    # queries, keys, values and output, queries and keys before their norms, and the sum between the two parts: 2 B each
    each = 2 * (3 * mixer.query + 3 * mixer.key) + 2 * MIXTURE.hidden
    assert term.size == each * job().tokens * MIXTURE.depth
    assert again.size > 0


def test_some_recomputed_layers_and_units_of_several() -> None:
    full = waits(recompute="full")
    assert full < waits(recompute="full", recompute_block=24) < waits()
    assert megatron.stage_activations(job(recompute="full", recompute_unit=4), 0)[0].size < full


def test_options_are_read_as_frameworks_write_them() -> None:
    def read(**overrides: object) -> MegatronSizes:
        worker = Worker(megatron=Megatron(tp=2, pp=4, transformer_overrides=overrides))
        return megatron_sizes(worker, worker, 48, Values())

    assert read(recompute_granularity="selective", recompute_modules="moe, layernorm").recompute_modules == {
        "moe",
        "layernorm",
    }
    assert read(recompute_granularity="selective", recompute_modules=["mlp"]).recompute_modules == {"mlp"}
    old = read(moe_layer_recompute=True)
    assert old.recompute == "selective"
    assert old.recompute_modules == {"moe"}
    assert read(recompute_granularity="full", recompute_method="block", recompute_num_layers=3).recompute_block == 3
    assert read(recompute_granularity="full", recompute_method="uniform", recompute_num_layers=3).recompute_unit == 3
    for wrong in (False, True, 0, -1, "3"):
        assert (
            read(recompute_granularity="full", recompute_method="uniform", recompute_num_layers=wrong).recompute_unit
            == 1
        )
    assert read(pipeline_model_parallel_layout="Et*12|t*12|t*12|t*12L").chunks == (12, 12, 12, 12)


def test_frozen_weights_have_no_gradient_buffers_and_no_optimizer() -> None:
    """Megatron's DDP and distributed optimizer hold what requires a gradient: adapters alone."""
    full = setup().with_actor(backend="megatron", gpus=8, megatron=MegatronSizes(tp=2, pp=2)).actor
    assert full is not None
    tuned = replace(full.job, adapter=Adapter(rank=32, experts=False))
    parts: dict[str, int] = {}
    for term in megatron.states(tuned, 0):
        parts[term.part] = parts.get(term.part, 0) + term.size
    own = adapter_parameters(tuned) / 2 / 2
    base = sum(t.size for t in megatron.states(full.job, 0) if t.part == "weights")
    assert parts["weights"] == pytest.approx(base + 2 * own, rel=1e-6)
    assert parts["gradients"] == pytest.approx(4 * own, rel=1e-6)
    assert parts["optimizer"] == pytest.approx(12 * own / 2, rel=1e-6)
