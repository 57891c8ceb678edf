"""Roles that hold a trained or scoring model, as a plan has them."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

from rftconf.budget.implementations import MEGATRON, Implementation, implementation
from rftconf.budget.models import Model, find
from rftconf.budget.recipe import Adapter, MegatronSizes, Training
from rftconf.budget.roles import TrainerRole
from rftconf.budget.values import DTYPE_BYTES, Values, shared_size
from rftconf.plan.model import MicroBatch, Stage, Worker

TRAINERS = {"verl": "verl", "trinity": "verl", "roll": "verl", "chatlearn": "verl"}
"""Whose loss and optimizer code a framework runs under FSDP; none is measured but one, and the interval says so."""


def trainer_roles(
    stage: Stage, model: Model, framework: str, when: str | None, longest: int, total: int, layout: str, values: Values
) -> tuple[TrainerRole, ...]:
    """Actor, reference (where a KL term needs one and no adapter stands in for it) and critic."""
    if stage.kind in ("eval", "generate"):
        return ()
    place, critic = stage.placement, stage.algorithm.critic.enabled is True
    gpus = values.count(shared_size(place.actor.gpus, layout), "actor.gpus", needed=False)
    if gpus is None and layout == "colocated":
        gpus = total
    elif gpus is None:
        rollout = values.count(place.rollout.gpus, "rollout.gpus", needed=False) or 0
        gpus = max(total - rollout, 1)
    name = TRAINERS.get(framework, framework)
    reader = _Trainer(stage, name, when, longest, gpus, layout, values)
    found = [reader.role("actor", place.actor, model, stage.batch.micro, stage.batch.log_prob, trains=True)]
    losses = stage.algorithm
    reference = losses.kl_loss.enabled is True or losses.kl_reward.enabled is True or stage.kind in ("dpo", "distill")
    if reference and found[0].job.adapter is None:
        micro = stage.batch.reference
        found.append(reader.role("reference", place.reference, model, micro, micro, trains=False))
    if critic:
        own = values.spelled(stage.model.critic_path)
        value_model = (find(own) if own else None) or model
        job = reader.role(
            "critic", place.critic, value_model, stage.batch.critic, stage.batch.critic_infer, trains=True
        )
        found.append(job)
    return tuple(found)


@dataclass(frozen=True, slots=True)
class _Trainer:
    stage: Stage
    name: str
    when: str | None
    longest: int
    gpus: int
    layout: str
    values: Values

    def role(
        self, name: str, worker: Worker, model: Model, micro: MicroBatch, infer: MicroBatch, *, trains: bool
    ) -> TrainerRole:
        """One role with its sizes; what the worker leaves open follows the actor."""
        v, actor = self.values, self.stage.placement.actor
        backend = v.text(worker.backend) or v.text(actor.backend) or "fsdp"
        gpus = v.count(shared_size(worker.gpus, self.layout), f"{name}.gpus", needed=False) or self.gpus
        tokens = self._tokens(micro, name)
        megatron = self._megatron(worker if worker.megatron.tp is not None else actor, worker)
        options, critic = self.stage.model_options, name == "critic"
        checkpointing = options.critic_gradient_checkpointing if critic else options.gradient_checkpointing
        offloads = options.critic_activation_offload if critic else options.activation_offload
        weights_wait, optimizer_waits = worker.offload.param is True, worker.offload.optimizer is True
        streams = worker.offload_policy is True or (not trains and weights_wait and backend != "megatron")
        job = Training(
            architecture=model.architecture,
            implementation=self._implementation(backend),
            gpus=gpus,
            tokens=tokens,
            shard=v.count(worker.fsdp_shard_gpus, f"{name}.fsdp_shard_gpus", needed=False) or gpus,
            sp=v.count(worker.sp, f"{name}.sp", needed=False) or v.count(actor.sp, "actor.sp", needed=False) or 1,
            backend="megatron" if backend == "megatron" else "fsdp2" if backend == "fsdp2" else "fsdp",
            trains=trains,
            value_head=critic,
            master_bytes=self._master_bytes(worker, trains=trains),
            offload_parameters=streams,
            offload_gradients=worker.offload_policy is True,
            offload_optimizer=worker.offload_policy is True,
            checkpointing=checkpointing is not False,
            offload_activations=offloads is True,
            reshard_after_forward=worker.reshard_after_forward is not False,
            entropy=self._entropy() and not critic,
            fused_head=options.fused_kernels is True,
            adapter=self._adapter(critic=critic),
            megatron=megatron,
        )
        scoring = replace(job, tokens=self._tokens(infer if _given(infer) else micro, name))
        return TrainerRole(name, job, scoring, weights_wait, optimizer_waits or worker.offload_policy is True)

    def _implementation(self, backend: str) -> Implementation:
        return MEGATRON[-1] if backend == "megatron" else implementation(self.name, self.when)

    def _tokens(self, micro: MicroBatch, name: str) -> int:
        """Tokens of a micro-batch on one data-parallel rank; dynamic ones hold at least one whole sequence."""
        v = self.values
        if micro.dynamic is True or (micro.dynamic is None and micro.tokens_per_rank is not None):
            given = v.count(micro.tokens_per_rank, f"{name}.tokens_per_rank", needed=False)
            return max(given or 0, self.longest)
        rows = v.count(micro.sequences_per_rank, f"{name}.sequences_per_rank", needed=False)
        if rows is None:
            main = self.stage.batch.micro
            if micro is not main and _given(main):
                return self._tokens(main, name)
            v.note(f"{name}: the config gives no micro-batch; taken as one sequence of {self.longest} tokens")
        return (rows or 1) * self.longest

    def _master_bytes(self, worker: Worker, *, trains: bool) -> int:
        given = DTYPE_BYTES.get(str(self.values.text(worker.model_dtype) or "").lower())
        return given or (4 if trains else 2)

    def _entropy(self) -> bool:
        """Entropy logits are held where the loss has an entropy term; veRL computes it without a gradient otherwise."""
        coefficient = self.stage.algorithm.entropy_coef
        return isinstance(coefficient, (int, float)) and coefficient != 0

    def _adapter(self, *, critic: bool) -> Adapter | None:
        rank = self.values.count(self.stage.model_options.lora.rank, "lora.rank", needed=False)
        return Adapter(rank, experts=False) if rank and not critic else None

    def _megatron(self, sizes: Worker, own: Worker) -> MegatronSizes:
        v, m = self.values, sizes.megatron

        def size(value: Any, name: str) -> int:
            return v.count(value, f"megatron.{name}", needed=False) or 1

        overrides = own.megatron.transformer_overrides or m.transformer_overrides or {}
        return MegatronSizes(
            tp=size(m.tp, "tp"),
            pp=size(m.pp, "pp"),
            vpp=size(m.vpp, "vpp"),
            cp=size(m.cp, "cp"),
            ep=size(m.ep, "ep"),
            etp=size(m.tp if m.etp is None else m.etp, "etp"),
            sequence_parallel=m.sequence_parallel is not False,
            distributed_optimizer=m.distributed_optimizer is not False,
            recompute=str(overrides.get("recompute_granularity") or "none"),
            first_stage_layers=_layers_of(overrides, "first"),
            last_stage_layers=_layers_of(overrides, "last"),
        )


def _layers_of(overrides: dict[str, Any], end: str) -> int | None:
    value = overrides.get(f"num_layers_in_{end}_pipeline_stage")
    return value if isinstance(value, int) and value > 0 else None


def _given(micro: MicroBatch) -> bool:
    return micro.tokens_per_rank is not None or micro.sequences_per_rank is not None
