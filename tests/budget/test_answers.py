"""Inverse questions: every answer is checked by the forward account, and a little more would not fit."""

from __future__ import annotations

import itertools

import pytest

from rftconf.budget.advice.cluster_search import cheapest_cluster, fewest_gpus, resized, sizes
from rftconf.budget.advice.inverse_questions import answers, fits, front, highest_fraction, most_tokens
from rftconf.budget.facts.gpus import gpu_named
from rftconf.budget.price import price
from tests.budget.runs import apart, colocated, golden, setup

H100 = gpu_named("h100-80g")


def test_the_largest_micro_batch_fits_and_a_larger_one_does_not() -> None:
    run = setup()
    number = most_tokens(run, H100)
    assert number is not None
    assert fits(run.with_actor(tokens=number), H100)
    assert not fits(run.with_actor(tokens=number + 1024), H100)


def test_nothing_is_answered_where_not_one_sequence_fits() -> None:
    assert most_tokens(setup(), gpu_named("t4")) is None
    (first, *_) = answers(setup(), gpu_named("t4"))
    assert "not even one sequence" in first.text
    assert first.changes == ()


@pytest.mark.parametrize("name", ["grpo-guide", "ppo-guide", "lora", "multi-node", "grpo-guide-back", "megatron-moe"])
@pytest.mark.parametrize("gpu", ["h100-80g", "a100-40g"])
def test_answers_are_proved_by_the_forward_account(name: str, gpu: str) -> None:
    new_answers = answers(setup(golden(name)), gpu_named(gpu))
    assert new_answers
    for answer in new_answers:
        if answer.budget is not None and answer.question != "what to turn on first":
            assert answer.budget.verdict == "fits", answer


def test_the_share_of_the_engine_cannot_grow_further() -> None:
    run = setup()
    (answer,) = (a for a in answers(run, H100) if "share" in a.question)
    best = answer.changes[0].new
    assert fits(run.with_rollout(fraction=best), H100)
    assert best == 0.95 or not fits(run.with_rollout(fraction=best + 0.01), H100)


@pytest.mark.parametrize("gpu", ["RTX-4090", "A100-40GB", "H100-80GB"])
@pytest.mark.parametrize("spare", [0.0, 0.1])
def test_no_larger_share_of_the_engine_holds(gpu: str, spare: float) -> None:
    card = gpu_named(gpu)
    for run in (setup(), setup(apart()), setup(golden("ppo-guide"))):
        tried = [(n / 100, price(run.with_rollout(fraction=n / 100), card)) for n in range(5, 96)]
        sound = [
            share for share, budget in tried if budget.verdict == "fits" and budget.headroom >= spare * card.usable
        ]
        answer = highest_fraction(run, card, spare)
        assert answer is not None
        assert [change.new for change in answer.changes] == sound[-1:]


def test_offloads_are_named_only_where_they_help() -> None:
    plan = colocated("actor_rollout_ref.rollout.gpu_memory_utilization=0.8", "trainer.n_gpus_per_node=4")
    run = setup(plan)
    assert price(run, H100).verdict != "fits"
    (answer,) = (a for a in answers(run, H100) if a.question == "what to turn on first")
    assert answer.changes[0].path == "stage.placement.actor.offload.optimizer"
    assert answer.budget is not None
    assert answer.budget.deciding.deciding.size < price(run, H100).deciding.deciding.size


def test_the_fewest_gpus() -> None:
    run = setup()
    (answer,) = (a for a in answers(run, H100) if a.question.startswith("fewest"))
    assert answer.budget is not None
    chosen = answer.budget.setup.total
    for fewer in (n for n in sizes(run) if n < chosen):
        smaller = resized(run, fewer)
        assert smaller is None or not fits(smaller, H100) or price(smaller, H100).problems


def test_a_resized_run_keeps_its_ratio() -> None:
    run = resized(setup(apart(nodes=2, engines=4)), 8)
    assert run is not None
    assert run.actor is not None
    assert (run.actor.job.gpus, run.engines[0].gpus) == (4, 4)


def test_the_cheapest_cluster_is_the_cheapest_of_the_smallest() -> None:
    run, gpus = setup(), (H100, gpu_named("a100-80g"), gpu_named("h20-96g"))
    answer = cheapest_cluster(run, gpus)
    assert answer.budget is not None
    assert answer.budget.verdict == "fits"
    fewest = [(gpu, fewest_gpus(run, gpu)) for gpu in gpus]
    rents = [a.budget.setup.total * gpu.price for gpu, a in fewest if a is not None and a.budget is not None]
    assert answer.budget.setup.total * answer.budget.gpu.price == min(rents)


def test_the_micro_batch_of_megatron_has_an_answer_too() -> None:
    (answer, *_) = answers(setup(golden("megatron-moe")), H100)
    assert answer.changes[0].path.startswith("stage.batch.micro.")
    assert answer.budget is not None
    assert answer.budget.verdict == "fits"


def test_the_front_is_a_front() -> None:
    points = [p for p in front(setup(), (H100, gpu_named("h200"))) if p.efficient]
    assert points
    ordered = sorted(points, key=lambda p: p.price)
    assert all(a.price < b.price and (a.tokens or 0) < (b.tokens or 0) for a, b in itertools.pairwise(ordered))


def test_a_micro_batch_of_sequences_stays_one() -> None:
    plan = colocated(
        "actor_rollout_ref.actor.use_dynamic_bsz=False",
        "actor_rollout_ref.actor.ppo_micro_batch_size_per_gpu=2",
        "actor_rollout_ref.rollout.log_prob_use_dynamic_bsz=False",
        "actor_rollout_ref.rollout.log_prob_micro_batch_size_per_gpu=2",
    )
    (answer, *_) = answers(setup(plan), H100)
    (change,) = answer.changes
    assert (change.path, change.old) == ("stage.batch.micro.sequences_per_rank", 2)
    assert change.new > 2
    assert answer.budget is not None
    assert answer.budget.verdict == "fits"


def test_lengths_that_nobody_knows_open_the_interval_downwards() -> None:
    changes = (
        "actor_rollout_ref.actor.use_dynamic_bsz=False",
        "actor_rollout_ref.actor.ppo_micro_batch_size_per_gpu=64",
        "actor_rollout_ref.rollout.log_prob_use_dynamic_bsz=False",
        "actor_rollout_ref.rollout.log_prob_micro_batch_size_per_gpu=8",
    )
    full = price(setup(colocated(*changes)), H100)
    assert full.headroom < 0
    assert full.verdict == "too close to tell"
    assert any("--mean-tokens" in note for note in full.setup.notes)
    short = price(setup(colocated(*changes), mean_tokens=300), H100)
    assert short.verdict == "fits"
