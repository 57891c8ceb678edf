"""Real configs placed anew: the runner has every placement, and what is learned is what the config says."""

from __future__ import annotations

import os
from collections.abc import Iterator

import pytest
from rftconf_runner.acceptance import accepted
from rftconf_runner.job_reader import job_of

from rftconf.base.errors import RftconfError
from rftconf.budget.placing.back_end import SAME_ANSWERS, SAME_MODEL, TRAINERS, Gpus, own_gpus
from rftconf.budget.placing.place import place_plan
from rftconf.load.load import load
from rftconf.plan.identity import math_id
from rftconf.plan.model import Plan
from tests.budget.placing.test_place import config
from tests.corpus import ROWS, corpora
from tests.sources import CORPUS

PER_CORPUS = 12
"""Configs of each corpus in a sample; all of them with RFTCONF_CORPUS_ALL=1."""
SIZES = (Gpus(1, 8), Gpus(1, 1), Gpus(4, 8))
needs_corpus = pytest.mark.skipif(not CORPUS.is_dir(), reason="no corpus of upstream examples beside the project")
KNOWN = ({*TRAINERS, *SAME_MODEL}, {"vllm", *SAME_ANSWERS})


def plans() -> Iterator[tuple[str, Plan]]:
    for group, reals in corpora().items():
        many = len(reals) if os.environ.get("RFTCONF_CORPUS_ALL") else min(PER_CORPUS, len(reals))
        for real in (reals[index * len(reals) // many] for index in range(many)):
            try:
                plan = load(real.document(), framework=real.framework, release=real.release, rows=ROWS).plan
            except RftconfError:
                continue
            if len(plan.stages) == 1 and plan.stages[0].kind == "rl":
                yield f"{group}: {real.name}", plan


@needs_corpus
def test_what_is_learned_stays_and_the_runner_has_the_placement() -> None:
    count_before, second, lacking = 0, list[str](), list[str]()
    for name, plan in plans():
        place = plan.stages[0].placement
        for gpus in (own_gpus(plan) or SIZES[0], *SIZES):
            result = place_plan(plan, gpus)
            count_before += bool(result.reasons)
            if math_id(result.plan) != math_id(plan):
                second.append(f"{name} on {gpus}")
            if place.actor.backend in KNOWN[0] and place.rollout.engine in KNOWN[1] and place.rollout.gpus != 0:
                lacking += [f"{name} on {gpus}: {new_name}" for new_name in _placement(result.plan)]
    assert count_before > 20
    assert second == []
    assert lacking == []


def _placement(plan: Plan) -> Iterator[str]:
    """Refusals of where something is computed, not of what; and sizes that do not divide."""
    words = (".backend", ".engine", ".tp", ".pp", ".dp", ".ep", ".sp", ".gpus")
    for refusal in accepted(plan)[1]:
        own = refusal.path.startswith("stage.placement.") and refusal.path.endswith(words)
        if (own and "external" not in refusal.why) or "whole ones" in refusal.why or "within a node" in refusal.why:
            yield f"{refusal.path}: {refusal.why}"


def test_megatrons_decay_reaches_the_optimizer() -> None:
    plan = place_plan(config(megatron=True, keys={"actor_rollout_ref.actor.optim.weight_decay": "0.1"}), SIZES[0]).plan
    plan.stages[0].reward.function_path, plan.stages[0].reward.function_name = "/r.py", "score"
    assert accepted(plan)[1] == []
    assert (job_of(plan).optimizer.weight_decay, job_of(plan).optimizer.matrices) == (0.1, True)
    assert (job_of(plan).dtype, job_of(plan).stored, job_of(plan).ranks) == ("bfloat16", "float32", 8)
    everywhere = place_plan(config(keys={"actor_rollout_ref.actor.optim.weight_decay": "0.1"}), SIZES[0]).plan
    assert job_of_optimizer(everywhere) is False


def job_of_optimizer(plan: Plan) -> bool:
    plan.stages[0].reward.function_path, plan.stages[0].reward.function_name = "/r.py", "score"
    return job_of(plan).optimizer.matrices


OVERRIDES = "override_transformer_config"


def test_megatrons_mathematics_is_refused_by_name() -> None:
    word = f"+actor_rollout_ref.actor.megatron.{OVERRIDES}.moe_router_dtype=fp64"
    plan = place_plan(config(word, megatron=True), SIZES[0]).plan
    key = "placement.actor.megatron.transformer_overrides.moe_router_dtype"
    (refused,) = [refusal for refusal in accepted(plan)[1] if "moe_router_dtype" in refusal.path]
    assert (
        refused.why
        == f"is 'fp64': changes what is learned, and the plan has no field for it; `--leave-out {key}` runs without it"
    )


@pytest.mark.parametrize(("roles", "routers"), [(("actor",), ("float32", "float32")), (("ref",), ("", "float32"))])
def test_the_type_that_routers_compute_in(roles: tuple[str, ...], routers: tuple[str, str]) -> None:
    words = [f"+actor_rollout_ref.{role}.megatron.{OVERRIDES}.moe_router_dtype=fp32" for role in roles]
    words.append("actor_rollout_ref.actor.use_kl_loss=True")
    plan = place_plan(config(*words, megatron=True), SIZES[0]).plan
    plan.stages[0].reward.function_path, plan.stages[0].reward.function_name = "/r.py", "score"
    assert [refusal for refusal in accepted(plan)[1] if "moe_router_dtype" in refusal.path] == []
    assert job_of(plan).routers == routers


def test_the_type_that_gradients_are_added_up_in() -> None:
    prefix = "+actor_rollout_ref.actor.fsdp_config.mixed_precision"
    plan = config(f"{prefix}.param_dtype=bf16", f"{prefix}.reduce_dtype=bf16", f"{prefix}.buffer_dtype=fp32")
    plan.stages[0].reward.function_path, plan.stages[0].reward.function_name = "/r.py", "score"
    assert [refusal for refusal in accepted(plan)[1] if "mixed_precision" in refusal.path] == []
    assert job_of(place_plan(plan, SIZES[0]).plan).added == "bfloat16"
    second = config(f"{prefix}.param_dtype=fp16")
    assert [refusal.path for refusal in accepted(second)[1] if "mixed_precision" in refusal.path] != []
