"""Switches that save memory on the GPUs at hand, what costs least speed first."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any

from rftconf.budget.roles.roles import Setup, TrainerRole
from rftconf.budget.terms.data_parallel import BACK_ENDS

P, OPTIONS = "stage.placement.", "stage.model_options."
Step = tuple[str, str, Callable[[Setup], Setup]]
OF_CRITIC = {
    "gradient_checkpointing": "critic_gradient_checkpointing",
    "activation_offload": "critic_activation_offload",
}
"""A critic has switches of its own for these; the others are the actor's alone."""


def steps(setup: Setup) -> Iterator[Step]:
    """Ways to save memory, what costs least speed first."""
    yield from _parking(setup)
    trained = [role for role in setup.trainers if role.job.trains]
    for role in trained:
        if not role.job.checkpointing and role.job.backend != "megatron":
            words = f"{role.name}'s layers are recomputed in backward"
            yield _option(role, "gradient_checkpointing"), words, _with(role.name, checkpointing=True)
    for role in trained:
        if role.name == "actor" and role.job.backend != "megatron" and not role.job.fused_head:
            words = "logits are fused with the loss"
            yield _option(role, "fused_kernels"), words, _with(role.name, fused_head=True)
    for role in trained:
        if role.job.backend not in ("megatron", *BACK_ENDS) and not role.job.offload_activations:
            words = f"{role.name}'s checkpoints wait in host memory"
            yield _option(role, "activation_offload"), words, _with(role.name, offload_activations=True)
    for role in trained:
        if role.job.backend == "fsdp2" and not role.job.offload_parameters:
            words = f"{role.name}'s states live in host memory and are streamed"
            streamed = dict.fromkeys(("offload_parameters", "offload_gradients", "offload_optimizer"), True)
            yield f"{P}{role.name}.offload_policy", words, _with(role.name, **streamed)


def _option(role: TrainerRole, name: str) -> str:
    return OPTIONS + (OF_CRITIC[name] if role.name == "critic" else name)


def _changed(name: str, change: Callable[[TrainerRole], TrainerRole]) -> Callable[[Setup], Setup]:
    return lambda s: replace(s, trainers=tuple(change(r) if r.name == name else r for r in s.trainers))


def _with(name: str, **values: Any) -> Callable[[Setup], Setup]:
    """The role with other values in its updates and in its forwards."""
    return _changed(name, lambda r: replace(r, job=replace(r.job, **values), scoring=replace(r.scoring, **values)))


def _parking(setup: Setup) -> Iterator[Step]:
    """States that can wait in host memory while other roles work; none of those that DDP or DeepSpeed keeps."""
    trainers = [role for role in setup.trainers if role.job.backend not in BACK_ENDS]
    for role in trainers:
        if role.name == "reference" and not role.parked_weights:
            words = "reference weights wait in host memory"
            yield f"{P}reference.offload.param", words, _changed("reference", _park_weights)
    trained = [role for role in trainers if role.job.trains and setup.layout == "colocated"]
    for role in trained:
        if not role.parked_optimizer:
            words = f"{role.name}'s optimizer waits in host memory"
            yield f"{P}{role.name}.offload.optimizer", words, _changed(role.name, _park_adam)
    for role in trained:
        if not role.parked_weights:
            words = f"{role.name}'s weights wait in host memory"
            yield f"{P}{role.name}.offload.param", words, _changed(role.name, _park_weights)


def _park_weights(role: TrainerRole) -> TrainerRole:
    if role.job.trains or role.job.backend == "megatron":
        return replace(role, parked_weights=True)
    job, scoring = (replace(job, offload_parameters=True) for job in (role.job, role.scoring))
    return replace(role, parked_weights=True, job=job, scoring=scoring)


def _park_adam(role: TrainerRole) -> TrainerRole:
    return replace(role, parked_optimizer=True)


def savings_without_field(setup: Setup) -> Iterator[Step]:
    """Yield options that save memory and have no field in this plan: their names, words, and the run with them."""
    yield from _sharding(setup)
    for role in setup.trainers:
        if not role.job.trains:
            continue
        if role.job.backend == "fsdp":
            streamed = dict.fromkeys(("offload_parameters", "offload_gradients", "offload_optimizer"), True)
            words = f"{role.name} under FSDP2 with its states in host memory"
            yield "strategy fsdp2 and offload_policy", words, _with(role.name, backend="fsdp2", **streamed)
        if role.job.backend != "megatron":
            continue
        full = replace(role.job.megatron, recompute="full")
        if role.job.megatron.recompute != "full":
            yield "recompute_granularity", f"{role.name} with full recomputation", _with(role.name, megatron=full)
        if not role.job.offload_optimizer:
            words = f"{role.name} with full recomputation and its optimizer on the CPU"
            with_both = _with(role.name, megatron=full, offload_optimizer=True)
            yield "optimizer_cpu_offload", words, with_both


def _sharding(setup: Setup) -> Iterator[Step]:
    """DeepSpeed's stage 3 for models that are whole on each GPU, and its optimizer on the CPU."""
    whole = [role.name for role in setup.trainers if role.job.backend in BACK_ENDS]
    if not whole:
        return
    sharded: dict[str, Any] = {"backend": "zero", "zero_stage": 3, "master_bytes": 2, "stream_bytes": 2}
    if any(role.job.backend == "ddp" or role.job.zero_stage < 3 for role in setup.trainers if role.name in whole):
        words = "every trainer under DeepSpeed's stage 3, which shards weights, gradients and optimizer"
        yield "accelerate_config zero3", words, _with_all(whole, **sharded)
    words = "every trainer under DeepSpeed's stage 3 with its optimizer on the CPU"
    yield (
        "accelerate_config zero3 and offload_optimizer_device cpu",
        words,
        _with_all(whole, **sharded, offload_optimizer=True),
    )


def _with_all(names: list[str], **values: Any) -> Callable[[Setup], Setup]:
    def changed(setup: Setup) -> Setup:
        for name in names:
            setup = _with(name, **values)(setup)
        return setup

    return changed
