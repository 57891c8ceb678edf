"""Layouts that a framework would refuse, with the nearest legal ones."""

from __future__ import annotations

from collections.abc import Callable

from rftconf.base.record import record
from rftconf.budget.facts.implementations import older
from rftconf.budget.roles.pools import pools
from rftconf.budget.roles.roles import Setup
from rftconf.budget.roles.runtimes import LayoutRule, runtime_of


@record
class Problem:
    """A layout that cannot run: the rule with its numbers, where the rule comes from, and what would be legal.

    Where the model's own sizes decide, `sizes` are the parallel sizes of `role` that do not divide them.
    """

    code: str
    message: str
    source: str
    nearest: tuple[str, ...] = ()
    role: str = ""
    sizes: tuple[str, ...] = ()


def problems(setup: Setup) -> tuple[Problem, ...]:
    """Every rule that the layout breaks, those of all frameworks first."""
    problems: list[Problem] = []
    for rule in (*_COMMON, *(_OF_SOME[name] for name in runtime_of(setup.framework).rules)):
        problems += rule(setup)
    return tuple(problems)


Rule = Callable[[Setup], list[Problem]]


def divisors_near(number: int, size: int, limit: int = 4) -> tuple[int, ...]:
    """Divisors of `number`, those nearest to `size` first."""
    all_of = (d for d in range(1, number + 1) if number % d == 0)
    return tuple(sorted(all_of, key=lambda d: (abs(d - size), d))[:limit])


def _enough(setup: Setup) -> list[Problem]:
    drawn = pools(setup)
    used = max((pool.first + pool.count for pool in drawn), default=0)
    if used <= setup.total:
        return []
    nodes = -(-used // setup.gpus_per_node)
    parts = ", ".join(f"{pool.count} for {'+'.join(pool.roles)}" for pool in drawn)
    message = f"{used} GPUs are asked for ({parts}) and the cluster has {setup.nodes} × {setup.gpus_per_node}"
    return [Problem("GPU", message, "all: resources asked of Ray", (f"--nodes {nodes}",))]


def _replicas(setup: Setup) -> list[Problem]:
    problems = []
    for role in setup.engines:
        size = role.engine.gpus
        if role.gpus % size or role.gpus < size:
            message = f"{role.name}: {role.gpus} GPUs are not a whole number of engines of {size} (TP × PP × DP)"
            legal = tuple(f"engines of {d} GPUs" for d in divisors_near(role.gpus, size))
            problems.append(Problem("GPU", message, "all: engines have equally many GPUs", legal))
    return problems


def _engine_heads(setup: Setup) -> list[Problem]:
    problems = []
    for role in setup.engines:
        arch, tp = role.engine.architecture, role.engine.tp
        if arch.heads % tp:
            legal = tuple(f"TP {d}" for d in divisors_near(arch.heads, tp))
            message = f"{role.name}: {arch.heads} attention heads are not divisible by TP {tp}"
            problems.append(
                Problem("PAR", message, "vLLM and SGLang: heads are split evenly", legal, role.name, ("tp",))
            )
        elif arch.kv_heads % tp and tp % arch.kv_heads:
            legal = tuple(f"TP {d}" for d in divisors_near(arch.kv_heads, tp))
            message = f"{role.name}: {arch.kv_heads} key/value heads neither divide TP {tp} nor are divided by it"
            problems.append(
                Problem("PAR", message, "vLLM: key/value heads are split or repeated", legal, role.name, ("tp",))
            )
    return problems


def _sequence_gpus(setup: Setup) -> list[Problem]:
    """Ranks are split evenly, and heads too unless keys and values go around a ring."""
    problems = []
    rings = runtime_of(setup.framework).rings
    source = "a ring takes whole ranks" if rings else "Ulysses: heads and ranks are split evenly"
    for role in setup.trainers:
        job, heads = role.job, role.job.architecture.heads
        if job.backend == "megatron" or job.sp == 1:
            continue
        split = ((f"{job.gpus} GPUs", job.gpus, ()), (f"{heads} attention heads", heads, ("sp",)))
        for what, number, sizes in split[:1] if rings else split:
            if number % job.sp:
                legal = tuple(f"sequence parallel size {d}" for d in divisors_near(number, job.sp))
                message = f"{role.name}: {what} cannot be divided by a sequence parallel size of {job.sp}"
                problems.append(Problem("PAR", message, source, legal, role.name, sizes))
    return problems


def _megatron(setup: Setup) -> list[Problem]:
    problems = []
    for role in setup.trainers:
        job, m = role.job, role.job.megatron
        if job.backend != "megatron":
            continue
        of_megatron = ("megatron.tp",), ("megatron.ep",), ("megatron.pp", "megatron.vpp")
        uneven = m.first_stage_layers is not None or m.last_stage_layers is not None or m.chunks
        if m.chunks and sum(m.chunks) != job.architecture.depth:
            message = f"{role.name}: the pipeline layout places {sum(m.chunks)} layers, the model has {job.architecture.depth}"
            problems.append(Problem("PAR", message, "Megatron: validate_layer_layout", (), role.name, of_megatron[2]))
        rules: tuple[tuple[int, int, str, str, tuple[str, ...]], ...] = (
            (job.gpus, m.tp * m.pp * m.cp, "TP × PP × CP", "GPUs", ()),
            (job.gpus, m.etp * m.ep * m.pp, "ETP × EP × PP", "GPUs", ()),
            (job.architecture.heads, m.tp, "TP", "attention heads", of_megatron[0]),
            (job.architecture.experts or m.ep, m.ep, "EP", "experts", of_megatron[1]),
        )
        layers = () if uneven else ((job.architecture.depth, m.pp * m.vpp, "PP × VPP", "layers", of_megatron[2]),)
        for number, size, name, what, sizes in (*rules, *layers):
            if number % size:
                legal = tuple(f"{name} {d}" for d in divisors_near(number, size))
                message = f"{role.name}: {number} {what} are not divisible by {name} = {size}"
                problems.append(Problem("PAR", message, "Megatron: initialize_model_parallel", legal, role.name, sizes))
    return problems


def _batch(setup: Setup) -> list[Problem]:
    actor, update = setup.actor, setup.sequences_per_update
    if actor is None or update is None or setup.pads:
        return []
    job = actor.job
    size = job.megatron.tp * job.megatron.pp * job.megatron.cp if job.backend == "megatron" else job.sp
    ranks = job.gpus // size if size and job.gpus % size == 0 else 0
    if not ranks or update % ranks == 0:
        return []
    room = setup.total - (0 if setup.layout == "colocated" else sum(role.engine.gpus for role in setup.engines))
    legal = tuple(f"{d * size} trainer GPUs" for d in divisors_near(update, ranks) if d * size <= room)
    message = f"{update} sequences an update cannot be shared evenly by {ranks} data-parallel ranks"
    return [Problem("BAT", message, "all: every rank gets equally many (H9)", legal)]


def _whole_node_trainer(setup: Setup) -> list[Problem]:
    actor, size = setup.actor, setup.gpus_per_node
    if actor is None or actor.job.gpus % size == 0:
        return []
    have = actor.job.gpus
    alone = setup.nodes > 1 and setup.release is not None and older(setup.release, "0.4.1")
    if have <= size and not alone:
        return []
    legal = tuple(f"{g} trainer GPUs" for g in (have - have % size, have + size - have % size) if 0 < g < setup.total)
    which = f"share a node of {size} with engines" if have < size else f"are more than one node of {size}"
    message = f"{have} trainer GPUs {which} and not whole nodes"
    return [Problem("GPU", message, "Trinity: config_validator.py (H22)", legal)]


def _no_time_sharing(setup: Setup) -> list[Problem]:
    """`mode: colocate` is one GPU, one engine of one GPU, no further models, no sequence parallelism."""
    if setup.layout != "colocated" or not setup.trainers or not setup.engines:
        return []
    source, behaviour = "Trinity: mode colocate", "engines on GPUs of their own"
    problems = []
    if setup.total != 1:
        message = f"engines and trainer share {setup.total} GPUs, which is possible on exactly 1"
        problems.append(Problem("GPU", message, source, ("1 GPU", behaviour)))
    if len(setup.engines) > 1:
        message = f"{len(setup.engines) - 1} further models share the one GPU of engine and trainer"
        problems.append(Problem("GPU", message, source, ("no further models", behaviour)))
    for what, size in [("engines", role.engine.gpus) for role in setup.engines] + [
        ("a sequence parallel size", role.job.sp) for role in setup.trainers
    ]:
        if size > 1:
            problems.append(
                Problem("PAR", f"{what} of {size} on the one GPU of engine and trainer", source, ("1", behaviour))
            )
    return problems


def _engines_over_nodes(setup: Setup) -> list[Problem]:
    problems = []
    for role in setup.engines:
        size, node = role.engine.gpus, setup.gpus_per_node
        if size > node and size % node:
            legal = tuple(f"engines of {g} GPUs" for g in (size - size % node, size + node - size % node))
            message = f"{role.name}: engines of {size} GPUs are more than a node of {node} and not whole nodes"
            problems.append(Problem("GPU", message, "Trinity: multi-node inference", legal))
    return problems


def _replica_in_node(setup: Setup) -> list[Problem]:
    problems = []
    for role in setup.engines:
        size, inside = role.engine.gpus, min(setup.gpus_per_node, role.engine.gpus)
        if size % inside:
            legal = tuple(f"engines of {d} GPUs" for d in divisors_near(setup.gpus_per_node, size))
            message = f"{role.name}: engines of {size} GPUs do not fill nodes of {setup.gpus_per_node} evenly"
            problems.append(Problem("GPU", message, "veRL: rollout/replica.py", legal))
    return problems


def _policy_serves_plainly(setup: Setup) -> list[Problem]:
    engine = next((role.engine for role in setup.engines if role.name == "rollout"), None)
    if engine is None or (engine.ep == 1 and engine.pp == 1):
        return []
    message = f"rollout with EP {engine.ep} and PP {engine.pp}, where both must be 1"
    return [Problem("PAR", message, "ChatLearn: policy_config.py", ("EP 1, PP 1",))]


def _whole_cluster(setup: Setup) -> list[Problem]:
    used = sum(pool.count for pool in pools(setup))
    if setup.nodes == 1 or used % setup.gpus_per_node == 0:
        return []
    message = f"{used} GPUs over nodes of {setup.gpus_per_node} are not whole nodes"
    nearest = used - used % setup.gpus_per_node
    return [
        Problem(
            "GPU", message, "ChatLearn: resource manager", (f"{nearest} GPUs", f"{nearest + setup.gpus_per_node} GPUs")
        )
    ]


_COMMON: tuple[Rule, ...] = (_enough, _replicas, _engine_heads, _sequence_gpus, _megatron, _batch)
_OF_SOME: dict[LayoutRule, Rule] = {
    "whole replicas in a node": _replica_in_node,
    "whole nodes for the trainer": _whole_node_trainer,
    "no taking turns": _no_time_sharing,
    "engines over whole nodes": _engines_over_nodes,
    "engines by tensor alone": _policy_serves_plainly,
    "whole nodes in all": _whole_cluster,
}


def whole_and_split(setup: Setup, gpus: int) -> tuple[int, int] | None:
    """GPUs for trainer and rollout out of `gpus`, or None where engines or ranks cannot be whole.

    Models with GPUs of their own keep them. Of the rest, shared GPUs are all the trainer's, and the rollout's as far as
    they are now; otherwise the rollout gets its present share, in whole engines, at least one.
    """
    rollout, actor = next((role for role in setup.engines if role.name == "rollout"), None), setup.actor
    separate = setup.layout != "colocated"
    remaining = gpus - sum(role.gpus for role in setup.engines if role.own_pool and role is not rollout)
    engine = rollout.engine.gpus if rollout else 1
    rank = 1
    if actor is not None:
        m = actor.job.megatron
        rank = m.tp * m.pp * m.cp if actor.job.backend == "megatron" else actor.job.sp
    if not separate or rollout is None or actor is None:
        share = scaled(rollout.gpus, shared_gpus(setup), remaining, engine) if rollout else remaining
        return (remaining, share) if share and remaining > 0 and remaining % rank == 0 else None
    share = max(round(remaining * rollout.gpus / (rollout.gpus + actor.job.gpus) / engine), 1) * engine
    left_over = remaining - share
    return (left_over, share) if left_over > 0 and left_over % rank == 0 else None


def scaled(gpus: int, of: int, remaining: int, engine: int) -> int | None:
    """`gpus` out of `of` as the same part of `remaining`, in whole engines; None where they are not."""
    share, odd = divmod(gpus * remaining, of)
    return share if not odd and share and share % engine == 0 else None


def shared_gpus(setup: Setup) -> int:
    """GPUs that trainer and engines share."""
    trainers = max((role.job.gpus for role in setup.trainers), default=0)
    return max([trainers, *(role.gpus for role in setup.engines if not role.own_pool)], default=setup.total)
