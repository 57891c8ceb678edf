"""The account of a whole run: every pool, every phase, every term; how sure it is; and whether it fits."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

from rftconf.budget import engine as engines
from rftconf.budget import megatron, sharding, trainer
from rftconf.budget.allocation import Problem, problems
from rftconf.budget.engine import CONTEXT, NCCL
from rftconf.budget.gpus import Gpu
from rftconf.budget.kv_cache import block_bytes, blocks_per_request
from rftconf.budget.pools import Pool, pools
from rftconf.budget.recipe import Training
from rftconf.budget.roles import EngineRole, Setup, TrainerRole
from rftconf.budget.term import Part, Term, grouped, term, total

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


@dataclass(frozen=True, slots=True)
class Phase:
    """The worst moment of one phase on one GPU of a pool; `moment` names it.

    `open_end` bytes may not be needed, which widens the interval downwards: slack, and what depends on how long sequences
    are where nobody knows that beforehand.
    """

    name: str
    moment: str
    terms: tuple[Term, ...]
    doubt: int
    open_end: int = 0

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
        found: dict[Part, int] = {}
        for one in self.terms:
            found[one.part] = found.get(one.part, 0) + one.size
        return found


@dataclass(frozen=True, slots=True)
class PoolBudget:
    """A pool with its phases; `deciding` is the one that needs most."""

    pool: Pool
    phases: tuple[Phase, ...]

    @property
    def deciding(self) -> Phase:
        """The phase with the highest peak."""
        return max(self.phases, key=lambda phase: phase.size)


@dataclass(frozen=True, slots=True)
class Serving:
    """What an engine role can hold at once."""

    role: str
    replicas: int
    blocks: int
    requests: float
    tokens: int


@dataclass(frozen=True, slots=True)
class Budget:
    """The whole answer."""

    setup: Setup
    gpu: Gpu
    pools: tuple[PoolBudget, ...]
    serving: tuple[Serving, ...]
    problems: tuple[Problem, ...]

    @property
    def deciding(self) -> PoolBudget:
        """The pool with the least headroom."""
        return max(self.pools, key=lambda one: one.deciding.size)

    @property
    def headroom(self) -> int:
        """Bytes left on the fullest GPU at its peak; negative when it does not fit."""
        return self.gpu.usable - self.deciding.deciding.size

    @property
    def starved(self) -> tuple[Serving, ...]:
        """Engines whose cache cannot hold one request of the greatest length."""
        return tuple(one for one in self.serving if one.requests < 1)

    @property
    def verdict(self) -> str:
        """`fits`, `does not fit`, or `too close to tell`; engines that cannot start do not fit."""
        worst = self.deciding.deciding
        if self.starved or worst.low > self.gpu.usable:
            return "does not fit"
        return "fits" if max(one.deciding.high for one in self.pools) <= self.gpu.usable else "too close to tell"


def price(setup: Setup, gpu: Gpu) -> Budget:
    """Add it all up."""
    found = tuple(PoolBudget(pool, _phases(pool, setup, gpu)) for pool in pools(setup))
    serving = tuple(_serving(role, gpu) for role in setup.engines)
    return Budget(setup, gpu, found, serving, problems(setup))


def _serving(role: EngineRole, gpu: Gpu) -> Serving:
    engine = role.engine
    room = engines.available(engine, gpu)
    requests = engines.requests_at_once(engine, gpu)
    count = next(t for t in engines.awake(engine, gpu) if t.part == "kv_cache").size // block_bytes(engine.shape)
    replicas = max(role.gpus // engine.gpus, 0) * engine.dp
    tokens = int(requests * engine.max_model_tokens) if room > 0 and blocks_per_request(engine.shape) else 0
    return Serving(role.name, replicas, count, requests, tokens)


def _phases(pool: Pool, setup: Setup, gpu: Gpu) -> tuple[Phase, ...]:
    """Every phase that this pool goes through, in the order of a step."""
    asleep = [_owned(_waiting(role, gpu), role.name) for role in pool.engines]
    resident = [t for role in pool.trainers for t in _between(role)]
    found = list(_generating(pool, gpu, resident, asleep))
    quiet = asleep if pool.trainers else []
    if pool.trainers and any(role.name == "rollout" for role in pool.engines):
        found.append(_phase(pool, "sync", "weights go to the engine", _syncing(pool), resident, *asleep))
    for role in pool.trainers:
        others = [t for other in pool.trainers if other is not role for t in _between(other)]
        scored = _owned(_scored(role.scoring), role.name)
        found.append(_phase(pool, *_scoring_name(role), scored, others, *quiet, flexible=role))
    for role in pool.trainers:
        if role.job.trains:
            others = [t for other in pool.trainers if other is not role for t in _between(other)]
            moment, terms = _updated(role.job)
            updated = _owned(terms, role.name)
            found.append(_phase(pool, f"{role.name} update", moment, updated, others, *quiet, flexible=role))
    if setup.actor is not None and any(role.job.trains for role in pool.trainers):
        saved = _saving(setup.actor.job)
        found.append(_phase(pool, "save", "largest layer gathered", saved, resident, *quiet))
    return tuple(found)


def _waiting(role: EngineRole, gpu: Gpu) -> list[Term]:
    """An engine while others work; one that cannot sleep keeps everything."""
    return engines.asleep(role.engine) if role.engine.sleeps or role.own_pool else engines.awake(role.engine, gpu)


def _generating(pool: Pool, gpu: Gpu, resident: list[Term], asleep: list[list[Term]]) -> Iterator[Phase]:
    """Engines awake: one after the other where they share GPUs with each other or with a trainer."""
    weights = [t for t in resident if t.part == "weights"]
    for index, role in enumerate(pool.engines):
        awake = _owned(engines.awake(role.engine, gpu), role.name)
        others = [terms for other, terms in enumerate(asleep) if other != index]
        name = "rollout" if role.name == "rollout" else f"{role.name} answers"
        if index == 0:
            yield _phase(pool, "load", "engine starts and profiles itself", awake, weights, *others)
        yield _phase(pool, name, "engine generates", awake, resident, *others)


def _phase(pool: Pool, name: str, moment: str, *parts: list[Term], flexible: TrainerRole | None = None) -> Phase:
    terms = tuple(t for part in (*parts, _contexts(pool)) for t in part)
    open_end = sum(t.size for t in terms if t.part == "slack")
    if flexible is not None and flexible.flexible:
        open_end += sum(t.size for t in terms if t.owner == flexible.name and t.part in ("activations", "logits"))
    return Phase(name, moment, terms, _doubt(terms, wide=_wide(pool)), open_end)


def _scoring_name(role: TrainerRole) -> tuple[str, str]:
    names = {"actor": "old log-probs", "reference": "reference log-probs", "critic": "values"}
    return names.get(role.name, f"{role.name} forward"), "forward without gradients"


def _updated(job: Training) -> tuple[str, list[Term]]:
    return megatron.update(job) if job.backend == "megatron" else trainer.update(job)


def _scored(job: Training) -> list[Term]:
    return megatron.scoring(job) if job.backend == "megatron" else trainer.scoring(job)


def _between(role: TrainerRole) -> list[Term]:
    """What a role keeps on the GPU while others work: all states but gradients, unless they wait in host memory."""
    if role.job.backend == "megatron":
        last = role.job.megatron.pp - 1
        kept = [t for t in megatron.states(role.job, last) if t.part != "gradients" or not role.parked_weights]
    else:
        kept = sharding.weights(role.job)
        if role.job.trains:
            kept.append(sharding.optimizer(role.job))
    found = []
    for one in kept:
        parked = role.parked_optimizer if one.part == "optimizer" else role.parked_weights
        waiting = replace(one, size=0, formula=f"0 B; {one.formula} waits in host memory")
        found.append(waiting if parked and one.size else one)
    return _owned(found, role.name)


def _syncing(pool: Pool) -> list[Term]:
    """The engine's weights come back while the trainer gathers one tensor after another and sends them in buckets."""
    role = next(one for one in pool.engines if one.name == "rollout")
    actor = next((one for one in pool.trainers if one.name == "actor"), None)
    found = _owned([engines.weights(role.engine)], role.name)
    if actor is None:
        return found
    job = actor.job
    largest = max(job.architecture.embedding, sharding.largest_block(job))
    found.append(term("unsharded", "largest tensor gathered", 2 * largest, f"2 B × {grouped(largest)}", "actor"))
    if actor.parked_weights and job.backend != "megatron":
        found += _owned(sharding.weights(job), "actor")
    return found


def _saving(job: Training) -> list[Term]:
    size = max(job.architecture.embedding, sharding.largest_block(job))
    return [
        term("unsharded", "largest layer gathered", job.master_bytes * size, f"{job.master_bytes} B × {grouped(size)}")
    ]


def _contexts(pool: Pool) -> list[Term]:
    if not pool.trainers:
        return []
    found = [term("context", "trainer's CUDA context", CONTEXT, f"{CONTEXT >> 20} MiB", "actor")]
    if any(role.job.gpus > 1 for role in pool.trainers):
        found.append(term("context", "trainer NCCL", NCCL, f"{NCCL >> 20} MiB", "actor"))
    return found


def _owned(terms: list[Term], owner: str) -> list[Term]:
    return [one if one.owner else replace(one, owner=owner) for one in terms]


def _wide(pool: Pool) -> float:
    measured = all(role.job.implementation.measured for role in pool.trainers)
    return 1.0 if measured else UNMEASURED


def _doubt(terms: tuple[Term, ...], *, wide: float) -> int:
    """Half width: parts are wrong in the same direction at worst, so their doubts are added."""
    sure = {"kv_cache"}
    return round(sum(one.size * DOUBT[one.part] * (1 if one.part in sure else wide) for one in terms))
