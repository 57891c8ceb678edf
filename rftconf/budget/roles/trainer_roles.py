"""Roles that hold a trained or scoring model, as a plan has them."""

from __future__ import annotations

from dataclasses import replace
from math import prod
from typing import TYPE_CHECKING

from rftconf.base.record import record
from rftconf.budget.facts.implementations import MEGATRON, Implementation, implementation
from rftconf.budget.facts.models import Model, find
from rftconf.budget.roles.megatron_sizes import megatron_sizes
from rftconf.budget.roles.micro_batches import Micro, ranks_of
from rftconf.budget.roles.roles import TrainerRole
from rftconf.budget.roles.symbolic_values import DTYPE_BYTES, Values, shared_size
from rftconf.budget.terms.training_job import Adapter, Training

if TYPE_CHECKING:
    from rftconf.plan.model import MicroBatch, Stage, Worker

_STATES = frozenset({"weights", "gradients", "optimizer"})
_PARTS = _STATES | {"unsharded", "activations", "logits"}
_PRICED_AS = {
    "megatron": "megatron",
    **dict.fromkeys(("fsdp2", "veomni", "torchtitan"), "fsdp2"),
    **dict.fromkeys(("fsdp", "deepspeed", "hf"), "fsdp"),
    "ddp": "ddp",
}
"""Back end to the account that prices it: VeOmni and TorchTitan stand on FSDP2; DeepSpeed of an unknown stage is priced as FSDP."""


@record
class Frame:
    """The facts that all roles of a run share. `mean` tokens of a sequence are what users say of their data, None for
    full length.

    `cpu_optimizer`: the optimizer works in host memory and never comes to the GPU. `leaves`: every role waits in host
    memory between its turns, whatever its own switches say. `sleeps`: optimizers and gradients wait there between the turns
    of what trains, and weights stay. `pads`: sequences are padded where nobody asks for packing.
    `scores`: the reference is there even where no loss asks for it. `head_share`: the share of a sequence's tokens whose
    logits the trainer computes.
    """

    trainer: str
    when: str | None
    longest: int
    mean: int | None
    total: int
    layout: str
    cpu_optimizer: bool = False
    leaves: bool = False
    sleeps: bool = False
    pads: bool = False
    scores: bool = False
    head_share: float = 1.0


def trainer_roles(stage: Stage, model: Model, frame: Frame, values: Values) -> tuple[TrainerRole, ...]:
    """Actor, reference (where a KL term needs one and no adapter stands in for it) and critic."""
    if stage.kind in ("eval", "generate"):
        return ()
    place, critic = stage.placement, stage.algorithm.critic.enabled is True
    gpus = values.count(shared_size(place.actor.gpus, frame.layout), "actor.gpus", needed=False)
    if gpus is None and frame.layout == "colocated":
        gpus = frame.total
    elif gpus is None:
        rollout = values.count(place.rollout.gpus, "rollout.gpus", needed=False) or 0
        gpus = max(frame.total - rollout, 1)
    reader = _Trainer(stage, frame, gpus, values)
    roles = [reader.role("actor", place.actor, model, "micro", "log_prob", trains=True)]
    losses = stage.algorithm
    reference = losses.kl_loss.enabled is True or losses.kl_reward.enabled is True or stage.kind in ("dpo", "distill")
    reference = reference or frame.scores
    if reference and roles[0].job.adapter is None:
        roles.append(reader.role("reference", place.reference, model, "reference", "reference", trains=False))
    if critic:
        own = values.spelled(stage.model.critic_path)
        value_model = (find(own) if own else None) or model
        roles.append(reader.role("critic", place.critic, value_model, "critic", "critic_infer", trains=True))
    return tuple(roles)


@record
class _Trainer:
    stage: Stage
    frame: Frame
    gpus: int
    values: Values

    def role(self, name: str, worker: Worker, model: Model, micro: str, infer: str, *, trains: bool) -> TrainerRole:
        """One role with its sizes; what the worker leaves open follows the actor. `micro` and `infer` are its sections."""
        v, actor = self.values, self.stage.placement.actor
        backend = v.text(worker.backend) or v.text(actor.backend) or "fsdp"
        gpus = v.count(shared_size(worker.gpus, self.frame.layout), f"{name}.gpus", needed=False) or self.gpus
        sized = worker if worker.megatron.tp is not None else actor
        options, critic = self.stage.model_options, name == "critic"
        checkpointing, offloads = self._recomputes(critic=critic)
        priced_as, zero_stage = self._priced_as(name, worker, backend)
        weight_bytes = self._master_bytes(worker, priced_as, trains=trains)
        streams, cpu_steps = self._on_cpu(worker, priced_as, trains=trains)
        job = Training(
            architecture=model.architecture,
            implementation=self._implementation(backend),
            gpus=gpus,
            tokens=self.frame.longest,
            shard=self._shard(name, worker, gpus),
            sp=self._sequence_gpus(name, worker),
            ep=v.count(worker.mesh.ep, f"{name}.mesh.ep", needed=False) or 1,
            backend=priced_as,
            zero_stage=zero_stage,
            stream_bytes=weight_bytes if priced_as == "ddp" else 2,
            head_share=self.frame.head_share,
            trains=trains,
            value_head=critic,
            master_bytes=weight_bytes,
            offload_parameters=streams,
            offload_gradients=worker.offload_policy is True,
            offload_optimizer=cpu_steps,
            checkpointing=checkpointing,
            offload_activations=offloads,
            reshard_after_forward=worker.reshard_after_forward is not False,
            entropy=self._entropy() and not critic,
            fused_head=options.fused_kernels is True,
            adapter=self._adapter(critic=critic),
            megatron=megatron_sizes(sized, worker, model.architecture.depth, v),
        )
        role = self._between_turns(name, worker, job)
        cut = self._cut(role, micro, infer if _is_sized(getattr(self.stage.batch, infer)) else micro)
        return replace(cut, unsure=self._unsure(name, worker, backend))

    def _between_turns(self, name: str, worker: Worker, job: Training) -> TrainerRole:
        """The role with what waits in host memory while others work."""
        leaves, sleeps = self.frame.leaves, job.trains and self.frame.sleeps
        weights_leave = leaves or (worker.offload.param is True and not sleeps)
        optimizer_leaves = leaves or sleeps or worker.offload.optimizer is True or job.offload_optimizer
        return TrainerRole(name, job, job, weights_leave, optimizer_leaves, sleeps=sleeps)

    def _on_cpu(self, worker: Worker, priced_as: str, *, trains: bool) -> tuple[bool, bool]:
        """Tell whether weights come from host memory layer by layer, and whether the optimizer works there.

        DeepSpeed's offloads stay there, unless a trainer sleeps; elsewhere what is offloaded comes back for its role's turn.
        """
        if trains and self.frame.sleeps:
            return False, False
        weights_wait, optimizer_waits = worker.offload.param is True, worker.offload.optimizer is True
        if worker.offload_policy is True:
            return True, True
        if priced_as == "zero":
            return weights_wait, trains and optimizer_waits
        return not trains and weights_wait and priced_as != "megatron", trains and self.frame.cpu_optimizer

    def _recomputes(self, *, critic: bool) -> tuple[bool, bool]:
        """Tell whether layers are recomputed, and whether their inputs wait in host memory."""
        options = self.stage.model_options
        checkpointing = options.critic_gradient_checkpointing if critic else options.gradient_checkpointing
        offloads = options.critic_activation_offload if critic else options.activation_offload
        return checkpointing is not False, offloads is True

    def _priced_as(self, name: str, worker: Worker, backend: str) -> tuple[str, int]:
        """The back end's account and DeepSpeed's stage: the worker's own, or the actor's."""
        actor = self.stage.placement.actor
        stage = actor.zero_stage if worker.zero_stage is None else worker.zero_stage
        self.values.count(stage, f"{name}.zero_stage", needed=False)  # remembers a symbol
        if backend == "deepspeed" and isinstance(stage, int) and 0 <= stage <= 3:
            return "zero", stage
        return _PRICED_AS.get(backend, "fsdp"), 3

    def _mesh(self, name: str, worker: Worker) -> dict[str, int]:
        """The sizes of the mesh of a trainer that splits more than data and sequences."""
        mesh = worker.mesh
        sizes = {"tp": mesh.tp, "pp": mesh.pp, "cp": mesh.cp}
        return {k: self.values.count(v, f"{name}.mesh.{k}", needed=False) or 1 for k, v in sizes.items()}

    def _shard(self, name: str, worker: Worker, gpus: int) -> int:
        """Over how many GPUs each parameter is spread: FSDP's group, times what tensors and layers are split over."""
        group = self.values.count(worker.fsdp_shard_gpus, f"{name}.fsdp_shard_gpus", needed=False)
        return min(group * prod(self._mesh(name, worker).values()), gpus) if group else gpus

    def _sequence_gpus(self, name: str, worker: Worker) -> int:
        """Over how many GPUs the tokens of one sequence are spread."""
        v, actor = self.values, self.stage.placement.actor
        own = v.count(worker.sp, f"{name}.sp", needed=False) or v.count(actor.sp, "actor.sp", needed=False) or 1
        return own * self._mesh(name, worker)["cp"]

    def _unsure(self, name: str, worker: Worker, backend: str) -> frozenset[str]:
        """Parts that may be less: of a mesh that splits layers or tensors all but the states, of an unknown engine all."""
        if backend not in _PRICED_AS:
            self.values.note(f"{name}: nobody accounted for {backend}; priced as FSDP, so that it may be less")
            return _PARTS
        sizes = self._mesh(name, worker)
        if sizes["tp"] * sizes["pp"] == 1:
            return frozenset()
        sizes_text = " x ".join(f"{k.upper()} {size}" for k, size in sizes.items() if size > 1)
        self.values.note(
            f"{name}: {sizes_text} on FSDP2 is priced from above; how much of a layer one GPU gathers and keeps is not accounted"
        )
        return _PARTS - _STATES

    def _cut(self, role: TrainerRole, micro: str, infer: str) -> TrainerRole:
        """The role with its micro-batches, of updates and of scoring."""
        own = self._micro(micro, role.name)
        scored = own if infer == micro else self._micro(infer, f"{role.name}'s forwards")
        packs = self.stage.model_options.remove_padding
        padded = packs is False or (packs is None and self.frame.pads)
        sized = replace(role, micro=own, infer=scored).cut()
        open_end = self.frame.mean is None and not padded and self._open(own, ranks_of(role.job), role.name)
        return replace(sized, flexible=open_end)

    def _open(self, micro: Micro, ranks: int, name: str) -> bool:
        """True where nobody knows how full a micro-batch is: a number of sequences, or one that few updates fill."""
        if micro.rows is not None:
            return True
        tokens = micro.tokens(ranks)
        if not micro.update or tokens <= self.frame.longest:
            return False
        fills = tokens * ranks / micro.update
        if 2 * fills <= self.frame.longest:
            return False
        self.values.note(
            f"{name}: micro-batches are full where sequences have {fills:,.0f} tokens in the mean; priced so"
        )
        return True

    def _implementation(self, backend: str) -> Implementation:
        return MEGATRON[-1] if backend == "megatron" else implementation(self.frame.trainer, self.frame.when)

    def _micro(self, section: str, name: str) -> Micro:
        """A micro-batch as the plan has it; one that says nothing is the actor's, or one sequence."""
        v, batch = self.values, self.stage.batch
        micro = getattr(batch, section)
        if not _dynamic(micro) and micro.sequences_per_rank is None and _is_sized(batch.micro):
            section, micro = "micro", batch.micro
        each = min(self.frame.mean or self.frame.longest, self.frame.longest)
        update = v.count(batch.sequences_per_update, "sequences_per_update", needed=False)
        micro_batch = Micro(f"stage.batch.{section}", self.frame.longest, each, update=update)
        if _dynamic(micro):
            return replace(micro_batch, limit=v.count(micro.tokens_per_rank, f"{name}.tokens_per_rank", needed=False))
        rows = v.count(micro.sequences_per_rank, f"{name}.sequences_per_rank", needed=False)
        if rows is None:
            v.note(f"{name}: the config gives no micro-batch; taken as one sequence of {self.frame.longest} tokens")
        elif self.frame.mean is None and rows > 1:
            v.note(
                f"{name}: micro-batches of {rows} sequences, priced at full length; --mean-tokens says how long they are"
            )
        return replace(micro_batch, rows=rows or 1)

    def _master_bytes(self, worker: Worker, priced_as: str, *, trains: bool) -> int:
        """Bytes of a weight between steps; DeepSpeed's are those that it computes with."""
        if priced_as == "zero":
            return 2
        dtype_bytes = DTYPE_BYTES.get(str(self.values.text(worker.model_dtype) or "").lower())
        return dtype_bytes or (4 if trains else 2)

    def _entropy(self) -> bool:
        """Entropy logits are held where the loss has an entropy term; veRL computes it without a gradient otherwise."""
        coefficient = self.stage.algorithm.entropy_coef
        return isinstance(coefficient, (int, float)) and coefficient != 0

    def _adapter(self, *, critic: bool) -> Adapter | None:
        rank = self.values.count(self.stage.model_options.lora.rank, "lora.rank", needed=False)
        return Adapter(rank, experts=False) if rank and not critic else None


def _is_sized(micro: MicroBatch) -> bool:
    return micro.tokens_per_rank is not None or micro.sequences_per_rank is not None


def _dynamic(micro: MicroBatch) -> bool:
    return micro.dynamic is True or (micro.dynamic is None and micro.tokens_per_rank is not None)
