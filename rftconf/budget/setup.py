"""From a plan to what its memory depends on: which role trains, scores or generates what, on how many GPUs."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

from rftconf.budget.engine import Engine
from rftconf.budget.implementations import MEGATRON, Implementation, implementation
from rftconf.budget.models import Model, find, resolve
from rftconf.budget.recipe import Adapter, MegatronSizes, Training
from rftconf.budget.values import Values
from rftconf.errors import UsageError
from rftconf.plan.model import MicroBatch, Plan, Stage, Worker
from rftconf.plan.symbols import Expr

DTYPE_BYTES = {"fp32": 4, "float32": 4, "float": 4, "bf16": 2, "bfloat16": 2, "fp16": 2, "float16": 2, "half": 2, "fp8": 1}
TRAINERS = {"verl": "verl", "trinity": "verl", "roll": "verl", "chatlearn": "verl"}
"""Whose loss and optimizer code a framework runs under FSDP; none is measured but one, and the interval says so."""


@dataclass(frozen=True, slots=True)
class TrainerRole:
    """A role that trains or scores. What is `parked` waits in host memory while other roles work."""

    name: str
    job: Training
    scoring: Training
    parked_weights: bool = False
    parked_optimizer: bool = False


@dataclass(frozen=True, slots=True)
class EngineRole:
    """Engine replicas of one model on `gpus` GPUs."""

    name: str
    engine: Engine
    gpus: int
    own_pool: bool = False


@dataclass(frozen=True, slots=True)
class Setup:
    """A whole run as its memory sees it. `notes` say what was assumed and where it comes from."""

    framework: str
    release: str | None
    nodes: int
    gpus_per_node: int
    layout: str
    model: Model
    trainers: tuple[TrainerRole, ...]
    engines: tuple[EngineRole, ...]
    longest: int
    sequences_per_update: int | None = None
    notes: tuple[str, ...] = ()

    @property
    def total(self) -> int:
        """All GPUs of the cluster."""
        return self.nodes * self.gpus_per_node

    @property
    def actor(self) -> TrainerRole | None:
        """The trained policy, where the run trains one."""
        return next((role for role in self.trainers if role.name == "actor"), None)

    def with_actor(self, **changes: Any) -> Setup:
        """The same run with other values of the actor's job."""
        changed = tuple(
            replace(role, job=replace(role.job, **changes)) if role.name == "actor" else role for role in self.trainers
        )
        return replace(self, trainers=changed)

    def with_rollout(self, **changes: Any) -> Setup:
        """The same run with other values of the rollout engine."""
        changed = tuple(
            replace(role, engine=replace(role.engine, **changes)) if role.name == "rollout" else role
            for role in self.engines
        )
        return replace(self, engines=changed)


@dataclass(frozen=True, slots=True)
class Asked:
    """What the command line adds to a plan."""

    nodes: int | None = None
    gpus_per_node: int | None = None
    model: str | None = None
    date: str | None = None


def setup_of(plan: Plan, asked: Asked = Asked()) -> Setup:  # noqa: B008 -- frozen
    """Read a plan. Raises UsageError for what is missing or symbolic, with the option that gives it."""
    stage = next((s for s in reversed(plan.stages) if s.kind == "rl"), plan.stages[-1])
    values = Values()
    nodes, per_node = _cluster(plan, stage, asked, values)
    longest = _longest(stage, values)
    model = _model(stage, asked, values)
    framework = str(values.text(plan.source.framework) or "")
    release = values.text(plan.source.release)
    layout = str(stage.placement.layout or "colocated")
    trainers = _trainers(stage, model, framework, asked.date or release, longest, nodes * per_node, layout, values)
    engines = _engines(stage, model, longest, nodes * per_node, layout, trainers, values)
    values.refuse_unknown()
    update = values.count(stage.batch.sequences_per_update, "sequences_per_update", needed=False)
    notes = (*([model.note] if model.note else []), *values.notes)
    return Setup(
        framework, release, nodes, per_node, layout, model, trainers, engines, longest, update, tuple(dict.fromkeys(notes))
    )


def _cluster(plan: Plan, stage: Stage, asked: Asked, values: Values) -> tuple[int, int]:
    nodes = asked.nodes or values.count(plan.cluster.nodes, "nodes", option="--nodes")
    per_node = asked.gpus_per_node or values.count(plan.cluster.gpus_per_node, "gpus_per_node", option="--gpus-per-node")
    if not nodes or not per_node:
        roles = [stage.placement.actor.gpus, stage.placement.rollout.gpus]
        known = [gpus for gpus in roles if isinstance(gpus, int)]
        if len(known) == len(roles) and not values.unknown:
            total = max(known) if stage.placement.layout == "colocated" else sum(known)
            per_node = per_node or min(total, 8)
            return nodes or -(-total // per_node), per_node
    values.refuse_unknown()
    if not nodes or not per_node:
        raise UsageError("the plan does not say how large the cluster is: pass --nodes and --gpus-per-node")
    return nodes, per_node


def _longest(stage: Stage, values: Values) -> int:
    length = stage.length
    whole = values.count(length.model_max_tokens, "model_max_tokens", needed=False)
    prompt = values.count(length.prompt_max_tokens, "prompt_max_tokens", needed=False)
    response = values.count(length.response_max_tokens, "response_max_tokens", needed=False)
    if prompt and response:
        return prompt + response
    if whole:
        return whole
    values.refuse_unknown()
    raise UsageError("the plan does not say how long a sequence may be (prompt and response, or the whole context)")


def _model(stage: Stage, asked: Asked, values: Values) -> Model:
    if asked.model:
        return resolve(asked.model)
    path = values.spelled(stage.model.path)
    if not path:
        raise UsageError("the config names no model: pass --model with a name, or a folder that holds its config.json")
    return find(path) or resolve(path)


def _trainers(
    stage: Stage, model: Model, framework: str, when: str | None, longest: int, total: int, layout: str, values: Values
) -> tuple[TrainerRole, ...]:
    if stage.kind in ("eval", "generate"):
        return ()
    place, critic = stage.placement, stage.algorithm.critic.enabled is True
    gpus = values.count(_own(place.actor.gpus, layout), "actor.gpus", needed=False)
    if gpus is None:
        rollout = values.count(place.rollout.gpus, "rollout.gpus", needed=False) or 0
        gpus = total if layout == "colocated" else max(total - rollout, 1)
    name = TRAINERS.get(framework, framework)
    reader = _Trainer(stage, framework, name, when, longest, gpus, values)
    found = [reader.role("actor", place.actor, model, stage.batch.micro, stage.batch.log_prob, trains=True)]
    losses = stage.algorithm
    reference = losses.kl_loss.enabled is True or losses.kl_reward.enabled is True or stage.kind in ("dpo", "distill")
    if reference and found[0].job.adapter is None:
        micro = stage.batch.reference
        found.append(reader.role("reference", place.reference, model, micro, micro, trains=False))
    if critic:
        own = values.spelled(stage.model.critic_path)
        value_model = (find(own) if own else None) or model
        job = reader.role("critic", place.critic, value_model, stage.batch.critic, stage.batch.critic_infer, trains=True)
        found.append(job)
    return tuple(found)


def _own(gpus: Any, layout: str) -> Any:
    """A role's GPUs; where all share the cluster, a symbol for them is the cluster's size again."""
    return None if layout == "colocated" and isinstance(gpus, Expr) else gpus


@dataclass(frozen=True, slots=True)
class _Trainer:
    stage: Stage
    framework: str
    name: str
    when: str | None
    longest: int
    gpus: int
    values: Values

    def role(
        self, name: str, worker: Worker, model: Model, micro: MicroBatch, infer: MicroBatch, *, trains: bool
    ) -> TrainerRole:
        """One role with its sizes; what the worker leaves open follows the actor."""
        v, actor = self.values, self.stage.placement.actor
        backend = v.text(worker.backend) or v.text(actor.backend) or "fsdp"
        gpus = v.count(worker.gpus, f"{name}.gpus", needed=False) or self.gpus
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
            *(size(getattr(m, key), key) for key in ("tp", "pp", "vpp", "cp", "ep")),
            etp=size(m.etp if m.etp is not None else m.tp, "etp") if size(m.ep, "ep") > 1 or m.etp is not None else size(m.tp, "tp"),
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


def _engines(
    stage: Stage, model: Model, longest: int, total: int, layout: str, trainers: tuple[TrainerRole, ...], values: Values
) -> tuple[EngineRole, ...]:
    rollout = stage.placement.rollout
    if stage.kind in ("sft", "dpo"):
        return ()
    sizes = {key: values.count(getattr(rollout, key), f"rollout.{key}", needed=False) or 1 for key in ("tp", "dp", "pp", "ep")}
    fraction = rollout.gpu_memory_fraction
    engine = Engine(
        model.architecture,
        **sizes,
        name=str(values.text(rollout.engine) or "vllm"),
        fraction=float(fraction) if isinstance(fraction, (int, float)) else 0.9,
        dtype_bytes=DTYPE_BYTES.get(str(values.text(rollout.dtype) or "bfloat16").lower(), 2),
        max_model_tokens=values.count(stage.length.model_max_tokens, "model_max_tokens", needed=False) or longest,
        max_batched_tokens=values.count(rollout.max_batched_tokens, "rollout.max_batched_tokens", needed=False) or 8192,
        max_num_seqs=values.count(rollout.max_num_seqs, "rollout.max_num_seqs", needed=False) or 256,
        eager=rollout.enforce_eager is True,
        sleeps=layout == "colocated",
    )
    if not isinstance(fraction, (int, float)):
        values.note("rollout: no memory fraction known, taken as the engine's own default 0.9")
    gpus = values.count(_own(rollout.gpus, layout), "rollout.gpus", needed=False)
    if gpus is None:
        gpus = total if layout == "colocated" or not trainers else max(total - trainers[0].job.gpus, engine.gpus)
    found = [EngineRole("rollout", engine, gpus)]
    for index, extra in enumerate(stage.placement.auxiliary):
        path = values.spelled(extra.path)
        own = find(path) if path else None
        label = values.text(extra.name) or f"{extra.role or 'auxiliary'}{index if len(stage.placement.auxiliary) > 1 else ''}"
        if own is None:
            values.note(f"{label}: model {path or 'not named'} is not in the table and is left out of the account")
            continue
        share = extra.gpu_memory_fraction
        second = replace(
            engine,
            architecture=own.architecture,
            tp=values.count(extra.tp, f"{label}.tp", needed=False) or 1,
            dp=values.count(extra.dp, f"{label}.dp", needed=False) or 1,
            pp=values.count(extra.pp, f"{label}.pp", needed=False) or 1,
            fraction=float(share) if isinstance(share, (int, float)) else engine.fraction,
        )
        apart = extra.own_pool is True or layout != "colocated"
        count = values.count(extra.gpus, f"{label}.gpus", needed=False) or (second.gpus if apart else gpus)
        found.append(EngineRole(label, second, count, apart))
    return tuple(found)
