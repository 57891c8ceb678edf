"""Splits GPUs where a target cannot place a run as its source does: proposes the best split, lists the others, refuses."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

from rftconf.base.choices import divisor_of_choices
from rftconf.base.errors import RefusedError
from rftconf.base.ledger import Decision
from rftconf.base.symbols import Expr, Var, formula
from rftconf.plan.auxiliary import own_pools, place_auxiliary, sharing
from rftconf.plan.origin import Kind, Origin
from rftconf.plan.ranks import ENGINE, P, expert_gpus, product, rank_gpus
from rftconf.plan.splits import Demand, Rules, Split, feasible_splits, feeds_all_ranks, on_whole_nodes, ways_out

ANY = Rules()
"""Engines of all sizes, on nodes that may hold both."""
NOT_WHOLE = "not a whole number of engines"


def disaggregate(
    values: dict[str, Any], origins: dict[str, Origin], rollout_gpus: int | None, rules: Rules = ANY
) -> list[Decision]:
    """Give rollout engines GPUs of their own. Changes `values` in place; returns what a person should decide.

    Raises RefusedError when no split is legal, or when the asked one is not.
    """
    auxiliary = place_auxiliary(values, origins, rules.sizes)
    nodes, size = values.get("cluster.nodes"), values.get("cluster.gpus_per_node")
    engine = product(values, "rollout", rules.sizes)
    if nodes is None or size is None or any(isinstance(v, Expr) for v in (nodes, size, engine, auxiliary)):
        return _undecided(values, origins, rollout_gpus, nodes, size, engine)
    if nodes * size == 1 and engine == 1 and not auxiliary:
        return []
    demand = _demand(values, nodes, size, engine, auxiliary, rules)
    demand, narrowed = (demand, []) if rollout_gpus is not None else _narrowed(values, origins, demand)
    splits = feasible_splits(demand)
    chosen = _choose(splits, demand, rollout_gpus)
    _set(values, origins, P + "rollout.gpus", chosen.rollout, str(chosen))
    _set(values, origins, P + "actor.gpus", chosen.trainer, str(chosen))
    _set(values, origins, P + "layout", "disaggregated", "engines have GPUs of their own")
    others = tuple(f"--rollout-gpus {s.rollout}: {s}" for s in splits if s != chosen)
    why = f"the source shares {sharing(values, demand.total)}; here each has its own (H21)"
    return [*narrowed, Decision(P + "rollout.gpus", why, others, str(chosen))]


def _demand(values: dict[str, Any], nodes: int, size: int, engine: int, auxiliary: int, rules: Rules) -> Demand:
    """Return what a split of these GPUs has to do for the run's updates."""
    update = values.get("stage.batch.sequences_per_update")
    ranks = rank_gpus(values), expert_gpus(values)
    several = isinstance(update, Expr)
    return Demand(
        nodes, size, engine, auxiliary, divisor_of_choices(update), *ranks, rules.node_of_both, of_choices=several
    )


NARROWER = (
    (P + "rollout.tp", "tensor parallel size", "each engine holds the model on fewer GPUs"),
    (P + "actor.sp", "sequence parallel size", "each GPU of the trainer holds longer parts of a sequence"),
)
"""Sizes that say where something is computed, not what; and what becomes of them where they are smaller."""


def _narrowed(values: dict[str, Any], origins: dict[str, Origin], demand: Demand) -> tuple[Demand, list[Decision]]:
    """Take smaller engines, else a trainer with smaller ranks too, where the source's leave one another no legal GPUs.

    Tried with the source's ranks first. Changes `values` in place. The demand and the values stay as they are where no smaller sizes would do.
    """
    if feasible_splits(demand):
        return demand, []
    engines, ranks = (_smaller_sizes(values, path) for path, _, _ in NARROWER)
    if values.get(P + "actor.backend") == "megatron":
        ranks = ranks[:1]
    for rank in ranks:
        for engine in engines:
            fits = replace(
                demand,
                engine_gpus=demand.engine_gpus * engine // engines[0],
                rank_gpus=demand.rank_gpus * rank // ranks[0],
            )
            if feasible_splits(fits):
                return fits, _narrow(values, origins, (engine, rank), demand.total)
    return demand, []


def _smaller_sizes(values: dict[str, Any], path: str) -> list[int]:
    """Return the size at `path` and its divisors, largest first."""
    size = values.get(path)
    return [s for s in range(size, 0, -1) if size % s == 0] if isinstance(size, int) and size > 0 else [1]


def _narrow(values: dict[str, Any], origins: dict[str, Origin], sizes: tuple[int, int], total: int) -> list[Decision]:
    decisions = []
    for (path, name, effect), size in zip(NARROWER, sizes, strict=True):
        before = values.get(path)
        if before in (None, size):
            continue
        _set(values, origins, path, size, f"{size} instead of {before}: engines and trainer have GPUs of their own")
        why = f"a {name} of {before} leaves no legal split of {total} GPUs between engines and trainer; with {size} {effect}"
        decisions.append(Decision(path, why, (f"more GPUs, and {before} as in the source",), f"{name} {size}"))
    return decisions


def _set(values: dict[str, Any], origins: dict[str, Origin], path: str, value: Any, how: str) -> None:
    old = origins.get(path)
    values[path] = value
    origins[path] = Origin(Kind.CHOSEN, old.keys if old else (), how)


def separate(values: dict[str, Any], origins: dict[str, Origin]) -> list[Decision]:
    """Keep engines and trainer apart as the source has them, with a trainer that every rank of can be fed (H9).

    Changes `values` in place. Raises RefusedError when not even one rank can be.
    """
    update, gpus = values.get("stage.batch.sequences_per_update"), values.get(P + "actor.gpus")
    rank = rank_gpus(values)
    if not isinstance(update, int) or not isinstance(gpus, int):
        return []
    experts = expert_gpus(values)
    fed = [w for w in range(gpus, 0, -1) if w % rank == 0 and w % experts == 0 and update % (w // rank) == 0]
    if not fed:
        raise RefusedError(f"{gpus} trainer GPUs hold no rank of {rank} GPUs")
    if fed[0] == gpus:
        return []
    _set(values, origins, P + "actor.gpus", fed[0], f"{fed[0]} of {gpus} trainer GPUs")
    why = f"{update} sequences an update cannot be shared by {gpus // rank} ranks; {fed[0] // rank} can (H9)"
    others = tuple(f"{w} trainer GPUs" for w in fed[1:])
    return [Decision(P + "actor.gpus", why, others, f"{fed[0]} trainer GPUs")]


def keep_apart(values: dict[str, Any], origins: dict[str, Origin], rules: Rules = ANY) -> list[Decision]:
    """Take a trainer and engines apart as they are; models without GPUs of their own get some of the trainer's.

    Where no such target would start with these numbers (H9, H22), the nearest split of the same GPUs is taken. Changes
    `values` in place. Raises RefusedError where there is none.
    """
    nodes, size = values.get("cluster.nodes"), values.get("cluster.gpus_per_node")
    trainer = values.get(P + "actor.gpus")
    auxiliary = place_auxiliary(values, origins, rules.sizes)
    engine, rollout = product(values, "rollout", rules.sizes), values.get(P + "rollout.gpus")
    known = [v for v in (nodes, size, trainer, rollout, engine, auxiliary) if isinstance(v, int)]
    if len(known) < 6:
        return []
    nodes, size, trainer, rollout, engine, auxiliary = known
    demand = _demand(values, nodes, size, engine, auxiliary, rules)
    if demand.total - rollout - auxiliary > trainer and rollout >= 1 and rollout % engine == 0:
        idle = demand.total - rollout - auxiliary - trainer
        why = f"the source uses {demand.total - idle} of {demand.total} GPUs; here the trainer gets all that the engines leave"
        return _nearest(values, origins, demand, Split(trainer, rollout, auxiliary, 0), why)
    free_gpus = demand.total - rollout - auxiliary
    if rollout % engine or rollout < 1:
        splits = feasible_splits(demand)
        raise RefusedError(_why_not(rollout, demand), choices=tuple(f"{s}" for s in splits) or ways_out(demand))
    if free_gpus < 1 or not on_whole_nodes(free_gpus, demand) or not feeds_all_ranks(free_gpus, demand):
        return _nearest(values, origins, demand, Split(trainer, rollout, auxiliary, 0), _why_not(rollout, demand))
    if free_gpus == trainer:
        return []
    why = f"auxiliary models share the trainer's GPUs in the source; here {auxiliary} of {trainer} are theirs"
    _set(values, origins, P + "actor.gpus", free_gpus, f"{free_gpus} GPUs instead of {trainer}")
    return [Decision(P + "actor.gpus", why, (), f"{free_gpus} trainer GPUs")]


def _nearest(
    values: dict[str, Any], origins: dict[str, Origin], demand: Demand, source: Split, why: str
) -> list[Decision]:
    """The legal split that moves the fewest GPUs from what the source has."""
    splits = feasible_splits(demand)
    if not splits:
        raise RefusedError(_why_not(source.rollout, demand), choices=ways_out(demand))
    chosen = min(splits, key=lambda s: (abs(s.trainer - source.trainer), abs(s.rollout - source.rollout)))
    for path, gpus in ((P + "rollout.gpus", chosen.rollout), (P + "actor.gpus", chosen.trainer)):
        if values[path] != gpus:
            _set(values, origins, path, gpus, str(chosen))
    return [
        Decision(
            P + "rollout.gpus", f"{why}; taken: {chosen}", tuple(f"{s}" for s in splits if s != chosen), str(chosen)
        )
    ]


def _undecided(
    values: dict[str, Any], origins: dict[str, Origin], rollout_gpus: int | None, nodes: Any, size: Any, engine: Any
) -> list[Decision]:
    path = P + "rollout.gpus"
    _set(values, origins, P + "layout", "disaggregated", "engines have GPUs of their own")
    if rollout_gpus is not None:
        if isinstance(engine, int) and rollout_gpus % engine:
            why = f"{rollout_gpus} rollout GPUs are {NOT_WHOLE} of {engine} GPUs"
            raise RefusedError(why, choices=(f"--rollout-gpus {engine}",))
        _set(values, origins, path, rollout_gpus, "--rollout-gpus")
        return []
    _set(values, origins, path, Var("ROLLOUT_GPUS"), "not known")
    why = f"the cluster is {formula(nodes)} x {formula(size)} GPUs with engines of {formula(engine)}: the split cannot be computed"
    return [Decision(path, why, ("pass --rollout-gpus N", "or --set the variables that size the cluster"))]


def _choose(splits: list[Split], demand: Demand, rollout_gpus: int | None) -> Split:
    if rollout_gpus is not None:
        split = next((s for s in splits if s.rollout == rollout_gpus), None)
        if split is None:
            raise RefusedError(
                _why_not(rollout_gpus, demand), choices=tuple(f"--rollout-gpus {s.rollout}: {s}" for s in splits)
            )
        return split
    if splits:
        return splits[0]
    if demand.engine_gpus > demand.total:
        raise RefusedError(
            f"the source's engines of {demand.engine_gpus} GPUs are larger than its {demand.nodes} x {demand.gpus_per_node} GPUs",
            choices=ways_out(demand),
        )
    raise RefusedError(
        f"no split of {demand.nodes} x {demand.gpus_per_node} GPUs between engines of {demand.engine_gpus}"
        f"{f', {demand.auxiliary_gpus} auxiliary GPUs' if demand.auxiliary_gpus else ''} and a trainer"
        f"{f' with ranks of {demand.rank_gpus} GPUs' if demand.rank_gpus > 1 else ''} feeds every rank"
        f"{'' if demand.update is None else f' with {demand.sequences}'}"
        f"{f' and holds whole copies of its experts ({demand.expert_gpus} GPUs each)' if demand.rank_gpus % demand.expert_gpus else ''}"
        f"{'' if demand.node_of_both or demand.nodes == 1 else ', on nodes that hold either engines or trainer (H22)'}",
        choices=ways_out(demand),
    )


def _why_not(rollout: int, demand: Demand) -> str:
    trainer = demand.total - rollout - demand.auxiliary_gpus
    if rollout < 1:
        return "engines apart from the trainer need GPUs of their own, and there are none for them"
    if rollout % demand.engine_gpus:
        return f"{rollout} rollout GPUs are {NOT_WHOLE} of {demand.engine_gpus} GPUs"
    if trainer <= 0:
        return (
            f"{rollout} rollout and {demand.auxiliary_gpus} auxiliary GPUs leave none of {demand.total} for the trainer"
        )
    if not on_whole_nodes(trainer, demand):
        more = "more than a node of" if demand.node_of_both else "beside engines on nodes of"
        return f"{trainer} trainer GPUs are {more} {demand.gpus_per_node} and not whole nodes (H22)"
    if trainer % demand.expert_gpus:
        return f"{trainer} trainer GPUs are no whole number of copies of the experts ({demand.expert_gpus} GPUs each)"
    return f"{demand.sequences} cannot be shared by {trainer} trainer GPUs ({demand.rank_gpus} a rank) (H9)"


def _shareable(values: dict[str, Any]) -> Callable[[int], bool]:
    """Return a test of whether GPUs can be engines and trainer in turns: whole engines, whole ranks, work for each."""
    update = values.get("stage.batch.sequences_per_update")
    prompts, n = values.get("stage.batch.prompts_per_rollout"), values.get("stage.batch.responses_per_prompt")
    engine = product(values, "rollout", ENGINE)
    whole = prompts * n if isinstance(prompts, int) and isinstance(n, int) else None
    rank, experts = rank_gpus(values), expert_gpus(values)

    def works(gpus: int) -> bool:
        if gpus % rank or gpus % experts or (isinstance(engine, int) and gpus % engine):
            return False
        fits = update is None or isinstance(update, Expr) or update % (gpus // rank) == 0
        return fits and (whole is None or whole % gpus == 0)

    return works


def colocate(values: dict[str, Any], origins: dict[str, Origin]) -> list[Decision]:
    """Let engines and trainer take turns on the same GPUs; fewer GPUs where all of them cannot be fed."""
    nodes, size = values.get("cluster.nodes"), values.get("cluster.gpus_per_node")
    _set(values, origins, P + "layout", "colocated", "engines and trainer take turns on the same GPUs")
    if nodes is None or size is None or isinstance(nodes, Expr) or isinstance(size, Expr):
        return (
            [Decision("cluster", "the size of the cluster is not known", ("--set the variables that size it",))]
            if nodes is None
            else []
        )
    if nodes * size < 1:
        raise RefusedError("the source gives its roles no GPUs")
    update, works = values.get("stage.batch.sequences_per_update"), _shareable(values)
    extra = own_pools(values)
    cuts = [(m, s) for m in range(nodes, 0, -1) for s in ([size] if m > 1 else range(size, 0, -1))]
    options = [(m, s) for m, s in cuts if m * s <= nodes * size - extra and works(m * s)]
    if not options:
        raise RefusedError(
            f"no part of {nodes} x {size} GPUs can share {update} sequences an update over ranks of {rank_gpus(values)} GPUs"
        )
    used = max(options, key=lambda o: (o[0] * o[1], o[0]))
    total = used[0] * used[1]
    for path in (P + "actor.gpus", P + "rollout.gpus"):
        _set(values, origins, path, total, f"all {total} GPUs in turns")
    if used == (nodes, size) or (extra and total == nodes * size - extra):
        return []
    others = tuple(f"{m} x {s} GPUs" for m, s in options if (m, s) != used)[:6]
    if extra:  # the cluster holds their GPUs, too
        why = f"the source's engines and trainer have {nodes * size - extra} GPUs beside further models; {total} of them can share {update} sequences an update"
        return [Decision(P + "actor.gpus", why, others, f"{used[0]} x {used[1]}")]
    _set(values, origins, "cluster.nodes", used[0], f"{used[0]} of {nodes} nodes")
    _set(values, origins, "cluster.gpus_per_node", used[1], f"{used[1]} of {size} GPUs a node")
    why = f"{update} sequences an update cannot be shared by all {nodes * size} GPUs; {used[0]} x {used[1]} can"
    return [Decision("cluster", why, others, f"{used[0]} x {used[1]}")]
