"""Sequences over two ranks teach what they teach on one: loss, gradient, log-probs and values."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

pytest.importorskip("vllm", reason="needs the runner's environment (make runner-env)")
import torch
from rftconf_runner import losses
from rftconf_runner.critic import Critic
from rftconf_runner.job import Micro, Offload
from rftconf_runner.micro_batching import micro_batches
from rftconf_runner.offload import States
from rftconf_runner.policy import Policy
from rftconf_runner.sequences import mask_of
from rftconf_runner.ulysses import Sequences
from torch import distributed as dist
from torch import multiprocessing

from tests.runner.with_vllm.test_packing import PACKED, PADDED, job, lessons

RANKS = 2


def tiny(kind: str, kv_heads: int) -> Any:
    """A random model in 64 bits, the same on every rank. `windowed` is a policy, one of whose layers sees 5 tokens back."""
    from transformers import LlamaConfig, LlamaForCausalLM, LlamaForTokenClassification, Qwen2Config, Qwen2ForCausalLM

    torch.manual_seed(0)
    sizes = {
        "vocab_size": 96, "hidden_size": 32, "intermediate_size": 48, "num_hidden_layers": 2, "num_attention_heads": 4,
        "num_key_value_heads": kv_heads,
    }  # fmt: skip
    if kind == "windowed":
        layers = ["sliding_attention", "full_attention"]
        return Qwen2ForCausalLM(
            Qwen2Config(**sizes, use_sliding_window=True, sliding_window=5, layer_types=layers)
        ).double()
    config = LlamaConfig(**sizes, num_labels=1, classifier_dropout=0.0)
    result = LlamaForCausalLM(config) if kind == "policy" else LlamaForTokenClassification(config)
    return result.double()


def learned(kind: str, micro: Micro, kv_heads: int, spread: Sequences, *, recomputes: bool = False) -> dict[str, Any]:
    """Compute the loss of one update's share, this rank's gradients, and a number for each token."""
    model = spread.ready(tiny(kind, kv_heads)).train()
    if recomputes:
        model.gradient_checkpointing_enable({"use_reentrant": False})
    actor: Any = Critic if kind == "critic" else Policy
    rank = object.__new__(actor)
    states = States(model, None, Offload(), "cpu")
    rank.job, rank.rank, rank.spread = job(micro), 0, spread
    rank.learner = SimpleNamespace(model=model, states=states)
    rank.critic = SimpleNamespace(micro=micro, infer=micro, clip=0.2, aggregation="token-mean")
    divisor, loss = losses.denominator(mask_of([lesson.sample for lesson in lessons()]), "token-mean"), 0.0
    for part in [part for micro_batch in micro_batches(lessons(), micro) for _, part in micro_batch.passes]:
        result = rank._loss(part, divisor)
        result = result[0] if isinstance(result, tuple) else result
        result.backward()
        loss += float(result.detach())
    samples = [lesson.sample for lesson in lessons()]
    rows = rank.values(samples) if kind == "critic" else rank._log_probs(states, samples)
    gradients = [parameter.grad.clone() for parameter in model.parameters()]
    return {"loss": loss, "gradients": gradients, "rows": [number for row in rows for number in row]}


def on_a_rank(rank: int, folder: str, *arguments: Any) -> None:
    dist.init_process_group("gloo", store=dist.FileStore(f"{folder}/store", RANKS), rank=rank, world_size=RANKS)
    kind, micro, kv_heads, recomputes = arguments
    values = learned(kind, micro, kv_heads, Sequences(rank, RANKS, RANKS), recomputes=recomputes)
    torch.save(values, f"{folder}/{rank}.pt")
    dist.destroy_process_group()


@pytest.mark.parametrize(
    ("kind", "micro", "kv_heads", "recomputes"),
    [
        ("policy", PADDED, 2, False),
        ("policy", PACKED, 2, True),
        ("policy", PACKED, 1, False),
        ("critic", PADDED, 2, False),
        ("windowed", PADDED, 2, False),
        ("windowed", PACKED, 2, True),
    ],
)
def test_two_ranks_learn_what_one_does(
    tmp_path: Path, kind: str, micro: Micro, kv_heads: int, recomputes: bool
) -> None:
    """FSDP adds up what each rank's part of the sequences gives; numbers of tokens are whole on the first."""
    alone = learned(kind, micro, kv_heads, Sequences(0, 1, 1))
    multiprocessing.spawn(on_a_rank, (str(tmp_path), kind, micro, kv_heads, recomputes), nprocs=RANKS)
    first, second = (torch.load(tmp_path / f"{rank}.pt") for rank in range(RANKS))
    assert first["loss"] == pytest.approx(alone["loss"], abs=1e-6)
    assert second["loss"] == pytest.approx(alone["loss"], abs=1e-6)
    assert first["rows"] == pytest.approx(alone["rows"], abs=1e-6)
    assert second["rows"] == [], "the first rank speaks for both"
    assert max(float(gradient.abs().max()) for gradient in alone["gradients"]) > 1e-3
    for mine, theirs, whole in zip(first["gradients"], second["gradients"], alone["gradients"], strict=True):
        assert torch.allclose(mine + theirs, whole, atol=1e-6)


def test_which_ranks_share_which_update() -> None:
    alone = [Sequences(rank, 4, 1) for rank in range(4)]
    assert [(part.share, part.shares, part.first) for part in alone] == [(index, 4, True) for index in range(4)]


def test_heads_that_nobody_shares_are_named() -> None:
    new_job = replace(job(PADDED), sp=3)
    from rftconf_runner.architectures import _of_sequences

    assert [*_of_sequences({"num_attention_heads": 4}, new_job.sp)] == [
        "has 4 attention heads, which 3 ranks (stage.placement.actor.sp) do not share"
    ]
    assert [*_of_sequences({"num_attention_heads": 4}, 2)] == []
