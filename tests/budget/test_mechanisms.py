"""What torch, FSDP and the trainers allocate, derived by hand for shapes that no measured row has."""

from __future__ import annotations

from dataclasses import replace

import pytest

from rftconf.budget.facts.implementations import VERL
from rftconf.budget.facts.models import resolve
from rftconf.budget.terms import activations
from rftconf.budget.terms import fsdp_phases as trainer
from rftconf.budget.terms import fsdp_sharding as sharding
from rftconf.budget.terms import lm_head as head
from rftconf.budget.terms.term import Term
from rftconf.budget.terms.training_job import Adapter, Training

TOKENS = 8192


def job(model: str, **changes: object) -> Training:
    plain = Training(resolve(model).architecture, VERL[-1], gpus=8, tokens=TOKENS)
    return replace(plain, **changes)  # type: ignore[arg-type]


def of(terms: list[Term], part: str) -> int:
    return sum(term.size for term in terms if term.part == part)


def test_states_that_live_in_host_memory_do_not_come_back_for_the_step() -> None:
    """FSDP2's CPUOffloadPolicy: sharded parameters, gradients and so the optimizer are CPU tensors."""
    streamed = job("Qwen/Qwen3-8B", offload_parameters=True, offload_gradients=True, offload_optimizer=True)
    for part in ("weights", "gradients", "optimizer"):
        assert of(trainer.at_step(streamed), part) == 0, part
    parked = job("Qwen/Qwen3-8B", offload_optimizer=True)
    assert of(trainer.at_step(parked), "optimizer") == 12 * parked.architecture.parameters / 8


@pytest.mark.parametrize(("model", "each"), [("google/gemma-2-9b-it", 6), ("google/gemma-7b", 4), ("Qwen/Qwen3-8B", 4)])
def test_a_soft_cap_keeps_the_result_of_its_tanh(model: str, each: int) -> None:
    """Gemma2ForCausalLM: logits / 30, tanh, x 30; autograd keeps the tanh, and the logits and their gradient follow."""
    new_job = job(model)
    assert head.logits(new_job).size == each * TOKENS * new_job.architecture.vocabulary
    assert head.logits(new_job, backward=False).size == 6 * TOKENS * new_job.architecture.vocabulary


def test_a_mixture_layer_is_gathered_with_all_its_experts() -> None:
    """Qwen3-30B-A3B: 128 experts of 3 x 2048 x 768, router, 32 + 2 x 4 + 32 heads of 128, four norms."""
    layer = 128 * 3 * 2048 * 768 + 2048 * 128 + 2 * 2048 * 4096 + 2 * 2048 * 512 + 2 * 2048 + 2 * 128
    two, outer = sharding.gathered(job("Qwen/Qwen3-30B-A3B"))
    assert two.size == 2 * 2 * layer
    assert outer.size == 2 * (151_936 * 2048 + 2048)


@pytest.mark.parametrize("sp", [2, 4])
def test_ulysses_divides_checkpoints_and_logits(sp: int) -> None:
    new_job = job("Qwen/Qwen3-8B", sp=sp, tokens=131_072)
    assert activations.checkpoints(new_job).size == 2 * 4096 * 36 * 131_072 // sp
    assert head.logits(new_job).size == 4 * 131_072 // sp * 151_936


def test_ulysses_repeats_key_value_heads_where_there_are_fewer_than_ranks() -> None:
    """verl: models/transformers/monkey_patch.py repeats them sp // heads times before the exchange."""
    few, many = (activations.saved_activations(job("Qwen/Qwen3-30B-A3B", sp=sp)).size * sp for sp in (4, 8))
    assert many - few == 2 * 2 * 4 * 128 * 48 * TOKENS


def test_tied_heads_are_one_group() -> None:
    """Qwen3-0.6B has one matrix of 151936 x 1024 for both ends: nothing else is gathered at the end of backward."""
    tied = job("Qwen/Qwen3-0.6B")
    names = [term.name for term in sharding.reducing_outer(tied)]
    assert "head, still gathered" not in names
    assert tied.architecture.outside == 151_936 * 1024 + 1024


def test_an_adapter_has_gradients_and_moments_and_the_base_has_none() -> None:
    """Llama-3.1-8B, rank 64 on all seven matrices of 32 layers."""
    rank, hidden, kv, inner = 64, 4096, 1024, 14336
    own = 32 * rank * (2 * (hidden + hidden) + 2 * (hidden + kv) + 3 * (hidden + inner))
    new_job = job("meta-llama/Llama-3.1-8B", adapter=Adapter(rank, experts=False))
    step = trainer.at_step(new_job)
    assert of(step, "gradients") == 4 * own / 8
    assert of(step, "optimizer") == 12 * own / 8
    assert of(step, "weights") == 4 * new_job.architecture.parameters / 8 + 4 * own / 8
