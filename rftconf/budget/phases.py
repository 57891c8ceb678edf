"""The phases of a step on the GPUs of one pool: what is awake, what waits, and how sure each part is."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from rftconf.base.record import record
from rftconf.budget.facts.gpus import Gpu
from rftconf.budget.roles import scoring_models as scorers
from rftconf.budget.roles.pools import Pool
from rftconf.budget.roles.roles import EngineRole, Setup, TrainerRole
from rftconf.budget.terms import data_parallel, megatron
from rftconf.budget.terms import engine as engines
from rftconf.budget.terms import fsdp_phases as trainer
from rftconf.budget.terms import fsdp_sharding as sharding
from rftconf.budget.terms.engine import CONTEXT, NCCL
from rftconf.budget.terms.term import Part, Term, grouped, term, total
from rftconf.budget.terms.training_job import Training

DOUBT: dict[Part, float] = {
    "weights": 0.01,
    "gradients": 0.01,
    "optimizer": 0.01,
    "unsharded": 0.10,
    "activations": 0.12,
    "logits": 0.15,
    "kv_cache": 0.0,
    "residue": 0.5,
    "context": 0.4,
    "slack": 0.2,
}
"""Half width of each part's interval, as a share, for a trainer that was measured. Sharded states are arithmetic; what
code keeps alive is counted; what sleeping engines keep was measured from 2.4 to 7.4 GiB at one TP size."""
UNMEASURED = 1.5
"""How much wider the interval is for trainers that nobody has published measurements of."""


@record
class Phase:
    """The worst moment of one phase on one GPU of a pool; `moment` names it.

    `open_end` bytes may not be needed, which widens the interval downwards: slack, and what depends on how long sequences
    are where nobody knows that beforehand. `at_work` are the roles whose phase it is.
    """

    name: str
    moment: str
    terms: tuple[Term, ...]
    doubt: int
    open_end: int = 0
    at_work: tuple[str, ...] = ()

    @property
    def size(self) -> int:
        """Bytes: the exact sum of the terms."""
        return total(self.terms)

    @property
    def low(self) -> int:
        """The lower end of the interval."""
        return max(self.size - self.doubt - self.open_end, 0)

    @property
    def high(self) -> int:
        """The upper end of the interval."""
        return self.size + self.doubt

    def parts(self) -> dict[Part, int]:
        """Bytes by part, in the order of the terms."""
        sizes: dict[Part, int] = {}
        for entry in self.terms:
            sizes[entry.part] = sizes.get(entry.part, 0) + entry.size
        return sizes


def phases(pool: Pool, setup: Setup, gpu: Gpu) -> tuple[Phase, ...]:
    """Every phase that this pool goes through, in the order of a step."""
    return tuple(_Step(pool, setup, gpu).phases())


@record
class _Step:
    """One pool of a run on one kind of GPU."""

    pool: Pool
    setup: Setup
    gpu: Gpu

    def phases(self) -> Iterator[Phase]:
        asleep = [_owned(_waiting(role, self.gpu), role.name) for role in self.pool.engines]
        resident = [t for role in self.pool.trainers for t in _between(role)]
        yield self._loading(resident, asleep)
        yield from self._answering(resident, asleep)
        yield from self._writing()
        quiet = [t for terms in asleep for t in terms] if self.pool.trainers else []
        if self.pool.trainers and any(role.name == "rollout" for role in self.pool.engines):
            colocated = tuple(name for name in ("actor", "rollout") if name in self.pool.roles)
            yield self._phase(
                "sync", "weights go to the engine", _syncing(self.pool), resident, quiet, at_work=colocated
            )
        for role in self.pool.trainers:
            if role.job.trains and not self.setup.rollouts:
                continue
            scored = _owned(_scored(role), role.name)
            others = self._others(role)
            yield self._phase(*_scoring_name(role), scored, others, quiet, flexible=role, at_work=(role.name,))
        for role in self.pool.trainers:
            if role.job.trains:
                moment, terms = _updated(role.job)
                updated = _owned(terms, role.name)
                name, others = f"{role.name} update", self._others(role)
                yield self._phase(name, moment, updated, others, quiet, flexible=role, at_work=(role.name,))
        if self.setup.actor is not None and any(role.job.trains for role in self.pool.trainers):
            saving = _saving(self.setup.actor.job)
            yield self._phase("save", "largest tensor gathered", saving, resident, quiet, at_work=("actor",))

    def _others(self, busy: TrainerRole) -> list[Term]:
        """Return the memory that the pool's other trainers keep on the GPU meanwhile."""
        return [t for role in self.pool.trainers if role is not busy for t in _between(role)]

    def _loading(self, resident: list[Term], asleep: list[list[Term]]) -> Phase:
        """The worse of a trainer that takes its weights in and the first engine that profiles itself."""
        phases = []
        if self.pool.trainers:
            last = self.pool.trainers[-1]
            taken = _owned(_taken_in(last.job), last.name)
            moment = f"{last.name} takes its weights in"
            phases.append(self._phase("load", moment, taken, self._others(last), at_work=(last.name,)))
        if self.pool.engines:
            first = self.pool.engines[0].name
            awake = _owned(_awake(self.pool.engines[0], self.gpu), first)
            weights = [t for t in resident if t.part == "weights"]
            others = [t for terms in asleep[1:] for t in terms]
            moment = "engine starts and profiles itself"
            phases.append(self._phase("load", moment, awake, weights, others, at_work=(first,)))
        return max(phases, key=lambda phase: phase.size)

    def _answering(self, resident: list[Term], asleep: list[list[Term]]) -> Iterator[Phase]:
        """Models that answer: one after the other, or all at once where they stay awake beside each other."""
        serving = self.pool.engines
        awake = [_owned(_awake(role, self.gpu), role.name) for role in serving]
        if self.setup.together and len(serving) > 1:
            name = "rollout" if any(role.name == "rollout" for role in serving) else f"{serving[0].name} answers"
            names = tuple(role.name for role in serving)
            yield self._phase(name, f"{len(serving)} models answer at once", *awake, resident, at_work=names)
            return
        for index, role in enumerate(serving):
            others = [t for number, terms in enumerate(asleep) if number != index for t in terms]
            name = "rollout" if role.name == "rollout" else f"{role.name} answers"
            moment = "engine generates" if role.scorer is None else "forward without gradients"
            yield self._phase(name, moment, awake[index], resident, others, at_work=(role.name,))

    def _writing(self) -> Iterator[Phase]:
        """The trainer's own model writes the answers, where the run has no engine."""
        actor = next((role for role in self.pool.trainers if role.name == "actor"), None)
        if actor is None or not self.setup.trainer_answers:
            return
        tokens = self.setup.trainer_answers * self.setup.longest
        written = _owned(data_parallel.generating(actor.job, tokens, scorers.cached(actor.job)), actor.name)
        yield self._phase("rollout", "the trainer's model generates", written, self._others(actor), at_work=("actor",))

    def _phase(
        self,
        name: str,
        moment: str,
        *parts: list[Term],
        at_work: tuple[str, ...],
        flexible: TrainerRole | None = None,
    ) -> Phase:
        terms = tuple(t for part in (*parts, self._contexts()) for t in part)
        open_end = sum(t.size for t in terms if t.part == "slack")
        if flexible is not None and flexible.flexible:
            open_end += sum(t.size for t in terms if t.owner == flexible.name and t.part in ("activations", "logits"))
        for role in self.pool.trainers:
            counted = {"activations", "logits"} if flexible is role and role.flexible else set()
            open_end += sum(t.size for t in terms if t.owner == role.name and t.part in role.unsure - counted)
        return Phase(name, moment, terms, _doubt(terms, wide=_wide(self.pool)), open_end, at_work)

    def _contexts(self) -> list[Term]:
        """A context and communicators for each process: one for all trainers, or one for each role."""
        roles = self.pool.trainers if self.setup.processes else self.pool.trainers[:1]
        terms = []
        for role in roles:
            who = role.name if self.setup.processes else "trainer"
            terms.append(term("context", f"{who}'s CUDA context", CONTEXT, f"{CONTEXT >> 20} MiB", role.name))
            if role.job.gpus > 1:
                terms.append(term("context", f"{who} NCCL", NCCL, f"{NCCL >> 20} MiB", role.name))
        for guest in self.pool.engines:
            if guest.scorer is not None and (self.setup.processes or not roles):
                who = f"{guest.name}'s CUDA context"
                terms.append(term("context", who, CONTEXT, f"{CONTEXT >> 20} MiB", guest.name))
        return terms


def _awake(role: EngineRole, gpu: Gpu) -> list[Term]:
    return engines.awake(role.engine, gpu) if role.scorer is None else scorers.scoring(role.scorer, role.answer)


def _waiting(role: EngineRole, gpu: Gpu) -> list[Term]:
    """A model that answers while others work; one that cannot sleep keeps everything."""
    if role.scorer is not None:
        return [] if role.parked else scorers.resident(role.scorer)
    return engines.asleep(role.engine) if role.engine.sleeps or role.own_pool else engines.awake(role.engine, gpu)


def _taken_in(job: Training) -> list[Term]:
    """Weights as they come: sharded ones, and one more group whole in the master type; Megatron's with their buffers."""
    if job.backend == "megatron":
        return [t for t in megatron.states(job, job.megatron.pp - 1) if t.part != "optimizer"]
    if job.backend in data_parallel.BACK_ENDS:
        return data_parallel.weights(job)
    group = max(sharding.outer_group(job), sharding.largest_block(job))
    formula = f"{job.master_bytes} B × {grouped(group)} parameters"
    return [*sharding.weights(job), term("unsharded", "largest group taken in", job.master_bytes * group, formula)]


def _scoring_name(role: TrainerRole) -> tuple[str, str]:
    names = {"actor": "old log-probs", "reference": "reference log-probs", "critic": "values"}
    return names.get(role.name, f"{role.name} forward"), "forward without gradients"


def _updated(job: Training) -> tuple[str, list[Term]]:
    if job.backend == "megatron":
        return megatron.update(job)
    return data_parallel.update(job) if job.backend in data_parallel.BACK_ENDS else trainer.update(job)


def _scored(role: TrainerRole) -> list[Term]:
    """A forward: a parked optimizer stays away; Megatron's gradient buffers stay unless the weights are parked too."""
    job = role.scoring
    if job.backend != "megatron":
        terms = (data_parallel if job.backend in data_parallel.BACK_ENDS else trainer).scoring(job)
    else:
        terms = megatron.scoring(job)
        if job.trains and not role.parked_weights:
            terms += [t for t in megatron.states(job, job.megatron.pp - 1) if t.part == "gradients"]
    return [_away(t) if t.part == "optimizer" and role.parked_optimizer else t for t in terms]


def _away(entry: Term) -> Term:
    """The term with nothing of it on the GPU."""
    return replace(entry, size=0, formula=f"0 B; {entry.formula} waits in host memory") if entry.size else entry


def _between(role: TrainerRole) -> list[Term]:
    """Return a role's states on the GPU while others work: all but gradients, unless they wait in host memory."""
    if role.job.backend == "megatron":
        last = role.job.megatron.pp - 1
        states = [t for t in megatron.states(role.job, last) if t.part != "gradients" or not role.parked_weights]
    elif role.job.backend in data_parallel.BACK_ENDS:
        states = data_parallel.states(role.job)
    else:
        states = sharding.weights(role.job)
        if role.job.trains:
            states.append(sharding.optimizer(role.job))
    return _owned([_away(entry) if role.parks(entry.part) else entry for entry in states], role.name)


def _syncing(pool: Pool) -> list[Term]:
    """The engine's weights come back while the trainer gathers one tensor after another and sends them in buckets."""
    role = next(role for role in pool.engines if role.name == "rollout")
    actor = next((role for role in pool.trainers if role.name == "actor"), None)
    awake = not role.engine.sleeps and not role.own_pool  # its weights are among what waits
    terms = [] if awake else _owned([engines.weights(role.engine)], role.name)
    if actor is None:
        return terms
    job, size = actor.job, sharding.largest_tensor(actor.job)
    terms.append(term("unsharded", "largest tensor gathered", 2 * size, f"2 B × {grouped(size)}", "actor"))
    if bucket := job.implementation.bucket:
        terms.append(term("unsharded", "weights on their way", 2 * bucket, f"2 × {bucket >> 20} MiB", "actor"))
    if actor.parked_weights and job.backend != "megatron":
        terms += _owned(sharding.weights(job), "actor")
    return terms


def _saving(job: Training) -> list[Term]:
    size = sharding.largest_tensor(job)
    return [
        term("unsharded", "largest tensor gathered", job.master_bytes * size, f"{job.master_bytes} B × {grouped(size)}")
    ]


def _owned(terms: list[Term], owner: str) -> list[Term]:
    return [entry if entry.owner else Term(entry.part, entry.name, entry.size, entry.formula, owner) for entry in terms]


def _wide(pool: Pool) -> float:
    measured = all(role.job.implementation.measured for role in pool.trainers)
    return 1.0 if measured else UNMEASURED


def _doubt(terms: tuple[Term, ...], *, wide: float) -> int:
    """Half width: parts are wrong in the same direction at worst, so their doubts are added."""
    sure = {"kv_cache"}
    return round(sum(entry.size * DOUBT[entry.part] * (1 if entry.part in sure else wide) for entry in terms))
