"""The GPUs of OpenRLHF's roles, and who shares them."""

from __future__ import annotations

from typing import Any

from rftconf.base.errors import RefusedError
from rftconf.base.ledger import State
from rftconf.base.symbols import MISSING, Expr, arith, formula
from rftconf.mappers.context import ReadContext, WriteContext
from rftconf.mappers.openrlhf.conditions import CRITIC, KL, penalised
from rftconf.mappers.rates import divisor_of
from rftconf.mappers.shapes import leave_open, lose_known, settle_known
from rftconf.plan.origin import Kind
from rftconf.plan.units import exact_quotient

P, Y = "stage.placement.", "stage.sync."
BACKEND = P + "actor.backend"
NODES, EACH = "cluster.nodes", "cluster.gpus_per_node"
SHARED, WITH_REF, WITH_REWARD, ASYNC = (
    f"train.{name}" for name in ("colocate_all", "colocate_actor_ref", "colocate_critic_reward", "async_enable")
)
ENGINES, TP = "vllm.num_engines", "vllm.tensor_parallel_size"
ROLES = {"actor": "actor", "reference": "ref", "critic": "critic"}
SIZES = {name: (f"{name}.num_nodes", f"{name}.num_gpus_per_node") for name in ("actor", "ref", "critic", "reward")}
PLACES = (*(key for pair in SIZES.values() for key in pair), SHARED, WITH_REF, WITH_REWARD, ENGINES, TP)
GPUS = tuple(f"{P}{role}.gpus" for role in (*ROLES, "rollout"))
PLANS = (NODES, EACH, P + "layout", *GPUS, P + "rollout.tp")
MODEL, URL, AGENT = "reward.model_name_or_path", "reward.remote_url", "train.agent_func_path"


def gpus_of(r: ReadContext, name: str) -> Any:
    """Multiply nodes and GPUs of each of a role."""
    nodes, each = (r.native(key) for key in SIZES[name])
    return arith("*", nodes, each)


def _has(r: ReadContext, name: str) -> bool:
    """True where a run has the role at all (train_ppo_ray: train)."""
    if name == "ref":
        coef = r.native(KL)
        return isinstance(coef, Expr) or coef > 0
    if name == "critic":
        return r.plan("stage.algorithm.critic.enabled") is not False
    return name == "actor" or (r.native(URL) is None and r.native(AGENT) is None)


def read_places(r: ReadContext) -> None:
    """Each role has nodes and GPUs of its own, unless a switch lets it share those of another."""
    separate = r.native(SHARED) is not True or r.native(ASYNC) is True
    for role, name in ROLES.items():
        present = _has(r, name)
        r.set(f"{P}{role}.gpus", gpus_of(r, name) if present else None, *SIZES[name])
        if not present:
            r.inactive.update(dict.fromkeys(SIZES[name], _absent(name)))
    if not _has(r, "reward"):
        r.inactive.update(
            dict.fromkeys(SIZES["reward"], "no reward model is loaded: a function, a service or an agent scores")
        )
    count, tp = r.native(ENGINES), r.native(TP)
    engines = None if count is None else arith("*", count, tp)
    r.set(P + "rollout.tp", tp, TP)
    r.set(P + "rollout.gpus", engines, ENGINES, TP)
    r.set(P + "layout", "disaggregated" if separate else "colocated", SHARED, ASYNC)
    if count in (None, 0):
        r.note(f"{ENGINES} is not written: nothing generates, and train_ppo_ray stops")
    _read_cluster(r, _total(r, engines), separate=separate)
    _note_idle(r)


def _read_cluster(r: ReadContext, total: Any, *, separate: bool) -> None:
    own_nodes, mine = (r.native(key) for key in SIZES["actor"])
    known, each = _share_nodes(total, mine)
    nodes = known if known is not None else arith("//", total, each) if separate else own_nodes
    if each == mine:
        r.set(EACH, each, SIZES["actor"][1], how="GPUs of a node that the actor takes")
    else:
        r.set(EACH, each, *PLACES, kind=Kind.DERIVED, how=f"{total} GPUs in all, and the actor takes {mine} of a node")
    how = f"{formula(total)} GPUs in all, {formula(each)} a node"
    r.set(NODES, nodes, *PLACES, kind=Kind.DERIVED, how=how)


def _share_nodes(total: Any, each: Any) -> tuple[int | None, Any]:
    """Nodes with GPUs of each that hold all roles and no GPU more, where that many nodes can share them evenly.

    No flag says how large a node is: `each` is what the actor takes of one. The nodes are None where a number is not known.
    """
    if not isinstance(total, int) or not isinstance(each, int) or each <= 0:
        return None, each
    nodes = max(1, -(-total // each))
    return nodes, each if total % nodes or not total else total // nodes


def _absent(name: str) -> str:
    return f"{KL} is 0: no reference is loaded" if name == "ref" else "only gae trains a critic"


def _note_idle(r: ReadContext) -> None:
    if r.native(SHARED) is True:
        r.inactive[WITH_REF] = f"{SHARED} lets all models share GPUs"
        if _critic_apart(r):
            r.narrowed[WITH_REWARD] = "critic and reward model share GPUs of their own, beside those of all others"
        elif r.native(WITH_REWARD) is True:
            r.inactive[WITH_REWARD] = "only gae trains a critic"
        return
    shares = "two models share GPUs here; elsewhere all of a trainer's models do, or each says its own"
    for key, present, absent in (
        (WITH_REF, _has(r, "ref"), _absent("ref")),
        (WITH_REWARD, _has(r, "critic"), "only gae trains a critic"),
    ):
        if not present:
            r.inactive[key] = absent
        elif r.native(key) is True:
            r.narrowed[key] = shares


def _total(r: ReadContext, engines: Any) -> Any:
    """GPUs of all groups: roles that share are counted once (train_ppo_ray: placement groups)."""
    total, everything = gpus_of(r, "actor"), r.native(SHARED) is True
    engines = 0 if engines is None else engines
    if everything:
        total = arith("+", total, gpus_of(r, "critic")) if _critic_apart(r) else total
        return arith("+", total, engines) if r.native(ASYNC) is True else total
    parts = [engines]
    if _has(r, "ref") and r.native(WITH_REF) is not True:
        parts.append(gpus_of(r, "ref"))
    if _has(r, "critic"):
        parts.append(gpus_of(r, "critic"))
    if _has(r, "reward") and not (_has(r, "critic") and r.native(WITH_REWARD) is True):
        parts.append(gpus_of(r, "reward"))
    for part in parts:
        total = arith("+", total, part)
    return total


def _critic_apart(r: ReadContext) -> bool:
    """True where critic and reward model get a group of their own beside all others (train_ppo_ray: train)."""
    return r.native(WITH_REWARD) is True and _has(r, "critic")


def write_places(w: WriteContext) -> None:
    """All models on the trainer's GPUs, with the engines or beside them. Raises RefusedError for what cannot be placed."""
    gpus, nodes, each, layout = (w.plan(path) for path in (GPUS[0], NODES, EACH, P + "layout"))
    if gpus is None:
        return
    if gpus == 0 and not isinstance(gpus, Expr):
        raise RefusedError("the engines leave the trainer no GPU", choices=("fewer engines", "more nodes"))
    count, per, state, note = nodes_for(gpus, nodes, each)
    names = ["actor", *(["ref"] if penalised(w) else []), *(["critic"] if CRITIC.test(w) else [])]
    names += ["reward"] if MODEL in w.out else []
    own = {name: [f"{P}{role}.gpus"] for role, name in ROLES.items()}
    for name in names:
        paths = [
            path for path in own.get(name, []) if w.plan(path) is not None and (name == "actor" or w.plan(path) == gpus)
        ]
        for key, size in zip(SIZES[name], (count, per), strict=True):
            w.put(key, size, *paths, state=state, note=note, always=True)
    for role in ("reference", "critic"):
        path, other = f"{P}{role}.gpus", "models share the trainer's GPUs here"
        if ROLES[role] not in names:
            lose_known(w, State.DEFAULT, _absent(ROLES[role]), path)
            continue
        alone = f"{other}, and not {formula(w.plan(path))}"
        settle_known(w, path, w.plan(path) == gpus, other, alone, alike=State.DERIVED)
    _write_layout(w, layout)
    _write_engines(w, gpus, layout)
    _settle_cluster(w, gpus, (count, per), [name for name in names if name in ("critic", "reward")])


def _settle_cluster(w: WriteContext, gpus: Any, group: tuple[Any, Any], roles: list[str]) -> None:
    """Record the cluster that the groups of GPUs make: Ray finds nodes for them, and no flag says how large one is."""
    (count, per), copies, total = group, w.effective(ENGINES), gpus
    engines = None if copies in (None, MISSING) else arith("*", copies, w.effective(TP))
    shared, nodes, each = w.effective(SHARED) is True, w.plan(NODES), w.plan(EACH)
    beside = not shared or w.effective(ASYNC) is True
    for more in ([engines] if beside and engines is not None else []) + [gpus] * (0 if shared else len(roles)):
        total = arith("+", total, more)
    whole, per = _share_nodes(total, per)
    mine = whole if whole is not None else arith("//", total, per) if beside else count
    note = "groups of GPUs are asked for here, and Ray finds nodes for them: {} x {} GPUs"
    for path, value, number in ((NODES, nodes, mine), (EACH, each, per)):
        settle_known(
            w,
            path,
            value == number,
            "the GPUs of all roles",
            note.format(formula(mine), formula(per)),
            alike=State.DERIVED,
        )


LARGEST_NODE = 1024
"""GPUs of a node that are thought of; no node has more."""


def nodes_for(gpus: Any, nodes: Any, each: Any) -> tuple[Any, Any, State, str]:
    """Nodes and GPUs of each for the trainer, with what that costs."""
    if isinstance(each, int) and isinstance(gpus, int) and each > 0 and gpus > 0:
        per = next(size for size in range(min(each, gpus, LARGEST_NODE), 0, -1) if gpus % size == 0)
        count = gpus // per
        exact = count == nodes and per == each
        note = "" if exact else f"the trainer's {gpus} GPUs are {per} on each of {count} nodes"
        return count, per, State.EXACT if exact else State.DERIVED, note
    if nodes is not None and each is not None and arith("*", nodes, each) == gpus:
        return nodes, each, State.EXACT, ""
    if each is None or isinstance(gpus, int):
        return 1, gpus, State.DERIVED, "one node, unless you say otherwise"
    return arith("//", gpus, each), each, State.DERIVED, ""


def _write_layout(w: WriteContext, layout: Any) -> None:
    if isinstance(layout, Expr):
        leave_open(w, SHARED, "where the engines are depends on a value the source does not tell", P + "layout")
        return
    if layout is None:
        return
    separate = layout in ("disaggregated", "lendable")
    ahead = w.plan(Y + "run_ahead_rollouts") not in (0, None)
    note = "engines keep their GPUs here, which the source lends to the trainer" if layout == "lendable" else ""
    if ahead:
        beside = "engines that run ahead have GPUs of their own; the models alone share the trainer's"
        own_gpus = "" if separate else beside
        both = "; ".join(filter(None, (note, own_gpus)))
        w.put(SHARED, True, P + "layout", note=both, always=True, how=beside)
        return
    if not separate:
        w.put(SHARED, True, P + "layout", always=True)
        if not w.same_framework:
            w.put("vllm.enable_sleep", True, always=True, how="engines give their memory back while the trainer runs")
        return
    if "ref.num_nodes" in w.out:
        w.put(WITH_REF, True, always=True, how="the reference stands on the actor's GPUs")
    critic = w.plan("stage.algorithm.critic.enabled") is True
    beside = (
        "the critic takes GPUs of its own beside the actor's, unless engines share with all models" if critic else ""
    )
    both = "; ".join(filter(None, (note, beside)))
    w.lose(
        P + "layout",
        State.NARROWED if both else State.DEFAULT,
        both or f"without {SHARED} engines have GPUs of their own",
    )


def _write_engines(w: WriteContext, gpus: Any, layout: Any) -> None:
    tp, engines = w.plan(P + "rollout.tp"), w.plan(P + "rollout.gpus")
    shares = layout == "colocated" and w.effective(ASYNC) is not True
    mine = gpus if shares or (engines is None and layout == "colocated") else engines
    tp = 1 if tp is None else tp
    if mine is None:
        leave_open(
            w,
            ENGINES,
            "the source does not tell how many GPUs generate",
            *([P + "rollout.gpus"] if engines is not None else []),
        )
        return
    fits = divisor_of(mine, tp)
    note = f"{formula(tp)} does not divide {formula(mine)} GPUs" if fits != tp else ""
    paths = [P + "rollout.tp"] if w.plan(P + "rollout.tp") is not None else []
    w.put(TP, fits, *paths, state=State.ROUNDED if note else State.EXACT, note=note, always=True)
    number: Any = exact_quotient(mine, fits)
    fewer = f"engines take all {formula(mine)} GPUs of the trainer (train_ppo_ray asserts it)"
    same = engines is None or engines == mine
    paths = [P + "rollout.gpus"] if engines is not None else []
    w.put(
        ENGINES,
        number,
        *paths,
        state=State.DERIVED if same else State.NARROWED,
        note="" if same else fewer,
        always=True,
    )
