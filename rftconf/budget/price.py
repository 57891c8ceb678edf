"""The account of a whole run: every pool, every phase, every term; and whether it fits."""

from __future__ import annotations

from rftconf.base.record import record
from rftconf.budget.facts.gpus import Gpu
from rftconf.budget.phases import Phase, phases
from rftconf.budget.roles.layout_rules import Problem, problems
from rftconf.budget.roles.pools import Pool, pools
from rftconf.budget.roles.roles import EngineRole, Setup
from rftconf.budget.terms import engine as engines
from rftconf.budget.terms.kv_cache import block_bytes, blocks_per_request


@record
class PoolBudget:
    """A pool with its phases; `deciding` is the one that needs most."""

    pool: Pool
    phases: tuple[Phase, ...]

    @property
    def deciding(self) -> Phase:
        """The phase with the highest peak."""
        return max(self.phases, key=lambda phase: phase.size)


@record
class Serving:
    """The requests and tokens that an engine role can hold at once."""

    role: str
    replicas: int
    blocks: int
    requests: float
    tokens: int


@record
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
        return max(self.pools, key=lambda pool_budget: pool_budget.deciding.size)

    @property
    def headroom(self) -> int:
        """Bytes left on the fullest GPU at its peak; negative when it does not fit."""
        return self.gpu.usable - self.deciding.deciding.size

    @property
    def starved(self) -> tuple[Serving, ...]:
        """Engines whose cache cannot hold one request of the greatest length."""
        return tuple(serving for serving in self.serving if serving.requests < 1)

    @property
    def verdict(self) -> str:
        """`fits`, `does not fit`, or `too close to tell`; engines that cannot start do not fit."""
        least, most = self.gpu.range
        if self.starved or any(phase.low > most for pool_budget in self.pools for phase in pool_budget.phases):
            return "does not fit"
        return "fits" if self.holds_in(least) else "too close to tell"

    def holds_in(self, usable: float) -> bool:
        """True where every phase stays within so many bytes of a GPU, by the higher end of its account."""
        return all(phase.high <= usable for pool_budget in self.pools for phase in pool_budget.phases)


def price(setup: Setup, gpu: Gpu) -> Budget:
    """Add it all up."""
    pool_budgets = tuple(PoolBudget(pool, phases(pool, setup, gpu)) for pool in pools(setup))
    serving = tuple(_serving(role, gpu) for role in setup.served)
    return Budget(setup, gpu, pool_budgets, serving, problems(setup))


def _serving(role: EngineRole, gpu: Gpu) -> Serving:
    engine = role.engine
    room = engines.available(engine, gpu)
    requests = engines.requests_at_once(engine, gpu)
    count = next(t for t in engines.awake(engine, gpu) if t.part == "kv_cache").size // block_bytes(engine.shape)
    replicas = max(role.gpus // engine.gpus, 0) * engine.dp
    tokens = int(requests * engine.max_model_tokens) if room > 0 and blocks_per_request(engine.shape) else 0
    return Serving(role.name, replicas, count, requests, tokens)
