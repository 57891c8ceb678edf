"""A run as its memory sees it: roles that train, score or generate, and on how many GPUs."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from rftconf.base.record import record
from rftconf.budget.facts.models import Model
from rftconf.budget.roles.micro_batches import Micro, scoring, updating
from rftconf.budget.roles.runtimes import runtime_of
from rftconf.budget.terms.engine import Engine
from rftconf.budget.terms.training_job import Training


@record
class TrainerRole:
    """A role that trains or scores. What is `parked` waits in host memory while other roles work, and gradients of one that
    `sleeps`.

    `micro` and `infer` are the micro-batches of updates and of forwards; a role is `flexible` when theirs are sequences
    without padding, because nobody knows beforehand how long they are. Parts that are `unsure` may be
    less, because the trainer splits them in a way that the account does not follow.
    """

    name: str
    job: Training
    scoring: Training
    parked_weights: bool = False
    parked_optimizer: bool = False
    sleeps: bool = False
    flexible: bool = False
    unsure: frozenset[str] = frozenset()
    micro: Micro | None = None
    infer: Micro | None = None

    def parks(self, part: str) -> bool:
        """True where that part of its states waits in host memory between its turns."""
        if part == "optimizer":
            return self.parked_optimizer
        return self.parked_weights or (self.sleeps and part == "gradients")

    def on(self, gpus: int) -> TrainerRole:
        """The same role on another number of GPUs; what each rank gets of an update changes with it."""
        shard = gpus if self.job.shard in (0, self.job.gpus) else min(self.job.shard, gpus)
        job, scored = (replace(job, gpus=gpus, shard=shard) for job in (self.job, self.scoring))
        return replace(self, job=job, scoring=scored).cut()

    def cut(self) -> TrainerRole:
        """The role with its jobs as its micro-batches say."""
        job = updating(self.job, self.micro) if self.micro else self.job
        return replace(self, job=job, scoring=scoring(self.scoring, self.infer) if self.infer else self.scoring)

    def sized(self, path: str, size: int) -> TrainerRole:
        """The role with another size of the micro-batch that the plan has at `path`."""
        micro, infer = (micro.of(size) if micro and micro.path == path else micro for micro in (self.micro, self.infer))
        return replace(self, micro=micro, infer=infer).cut()


@record
class EngineRole:
    """Engine replicas of one model on `gpus` GPUs, or a `scorer` that answers with a forward and has no engine.

    `beside`: with whom it shares them where it has none of its own; empty means with everyone. `answer` tokens are what
    a scorer writes, 0 where it gives a number; a `parked` one waits in host memory between its turns. `path` is where the
    plan has it, `rows` are the sequences of a scorer's pass.
    """

    name: str
    engine: Engine
    gpus: int
    own_pool: bool = False
    beside: tuple[str, ...] = ()
    scorer: Training | None = None
    answer: int = 0
    parked: bool = False
    path: str = ""
    rows: int = 1

    def taking(self, fraction: float) -> EngineRole:
        """The same with another share of the GPU for its engine."""
        return replace(self, engine=replace(self.engine, fraction=fraction))

    def passing(self, rows: int) -> EngineRole:
        """The scorer with another number of sequences in a pass."""
        if self.scorer is None:
            return self
        return replace(self, rows=rows, scorer=replace(self.scorer, tokens=self.scorer.tokens // self.rows * rows))


@record
class Setup:
    """A whole run as its memory sees it. `notes` say what was assumed; `pads` that uneven batches are topped up."""

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
    pads: bool = False
    notes: tuple[str, ...] = ()
    unpriced: int = 0
    """GPUs of further models whose memory nobody knows."""
    trainer_answers: int = 0
    """Answers that each process of the trainer writes at once where the run has no engine."""
    rollouts: bool = True
    """False for runs on answers that exist already: nobody scores the policy's own answers before an update."""

    @property
    def together(self) -> bool:
        """True where models that answer stay awake beside each other."""
        return runtime_of(self.framework).judges_meanwhile

    @property
    def processes(self) -> bool:
        """True where every role is a process of its own on its GPUs, with a context and communicators of its own."""
        return runtime_of(self.framework).processes

    @property
    def total(self) -> int:
        """All GPUs of the cluster."""
        return self.nodes * self.gpus_per_node

    @property
    def served(self) -> tuple[EngineRole, ...]:
        """The roles that an engine serves."""
        return tuple(role for role in self.engines if role.scorer is None)

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

    def with_micro(self, path: str, size: int) -> Setup:
        """The same run with another size of the micro-batch at `path`, for every role that follows it."""
        return replace(self, trainers=tuple(role.sized(path, size) for role in self.trainers))

    def with_engine(self, changed: EngineRole) -> Setup:
        """The same run with another engine or scorer of that name."""
        return replace(self, engines=tuple(changed if role.name == changed.name else role for role in self.engines))

    def with_rollout(self, **changes: Any) -> Setup:
        """The same run with other values of the rollout engine."""
        changed = tuple(
            replace(role, engine=replace(role.engine, **changes)) if role.name == "rollout" else role
            for role in self.engines
        )
        return replace(self, engines=changed)
