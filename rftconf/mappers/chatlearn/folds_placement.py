"""ChatLearn places a run by a number of GPUs for each model, and by one list of models that share them."""

from __future__ import annotations

from typing import Any

from rftconf.base.errors import RefusedError
from rftconf.base.ledger import State
from rftconf.base.symbols import Expr, Var, arith, formula
from rftconf.mappers.chatlearn.conditions import worth
from rftconf.mappers.context import ReadContext, WriteContext
from rftconf.mappers.rates import PERIOD, refuse_torn_ranks
from rftconf.mappers.shapes import leave_open
from rftconf.plan.origin import Kind
from rftconf.plan.units import Unit

P, B = "stage.placement.", "stage.batch."
COLOCATION = "runtime_args.colocation"
TRAINER, REF, POLICY = (f"models.{name}.num_gpu" for name in ("policy_trainer", "ref_policy", "policy"))
NUMBERS = {"policy": POLICY, "policy_trainer": TRAINER, "ref_policy": REF}
SHARED = ("policy", "policy_trainer", "ref_policy")
NODE_GPUS = 8
"""No key says how many GPUs a node has; whole multiples of this are taken for nodes of that size."""


def read_placement(r: ReadContext) -> None:
    """Models in the list share GPUs; the others have their own."""
    groups = r.native(COLOCATION)
    together = {str(name) for name in groups} if isinstance(groups, list) else set()
    shares = {"policy", "policy_trainer"} <= together
    r.set(P + "layout", "colocated" if shares else "disaggregated", COLOCATION)
    trainer, ref, policy = (r.native(key) for key in (TRAINER, REF, POLICY))
    for role, value, key in (("actor", trainer, TRAINER), ("reference", ref, REF), ("rollout", policy, POLICY)):
        r.set(f"{P}{role}.gpus", value, key)
    _differing(r, together)
    _read_cluster(r, [_most([policy, trainer])] if shares else [policy, trainer])


def _differing(r: ReadContext, together: set[str]) -> None:
    """Models that share GPUs with a larger one: elsewhere all that share use all of them."""
    shared = {key: r.native(key) for name, key in NUMBERS.items() if name in together and name != "ref_policy"}
    plain = [size for size in shared.values() if isinstance(size, int)]
    for key, size in shared.items():
        if isinstance(size, int) and size != max(plain):
            uses = f"shares {max(plain)} GPUs with other models and uses {size} of them"
            r.narrowed[key] = f"{uses}; elsewhere all that share use all"
    if r.native(REF) != r.native(TRAINER) or ("ref_policy" in together) != ("policy_trainer" in together):
        r.narrowed[REF] = "a reference on GPUs of its own; elsewhere it shares the trainer's"


def _most(sizes: list[Any]) -> Any:
    """The largest of the models that share; equal expressions are one size."""
    plain = [size for size in sizes if isinstance(size, int)]
    symbolic = list(dict.fromkeys(map(formula, (s for s in sizes if isinstance(s, Expr)))))
    if not symbolic:
        return max(plain) if plain else None
    return next(s for s in sizes if isinstance(s, Expr)) if len(symbolic) == 1 else None


def _read_cluster(r: ReadContext, parts: list[Any]) -> None:
    """The whole is known, its cut into nodes is not: the launcher's Ray cluster has it."""
    if any(part is None for part in parts):
        return
    total: Any = sum(parts[1:], parts[0])
    keys = (TRAINER, POLICY, REF)
    nodes: Any
    size: Any
    if isinstance(total, Expr):
        size = Var("GPUS_PER_NODE")
        nodes, how = arith("/", total, size), "no key says how many GPUs a node has"
    elif total > NODE_GPUS and total % NODE_GPUS == 0:
        nodes, size = total // NODE_GPUS, NODE_GPUS
        how = f"{total} GPUs as nodes of {NODE_GPUS}: no key says how many a node has"
    else:
        nodes, size, how = 1, total, f"{total} GPUs as one node: no key says how many a node has"
    for path, value in (("cluster.nodes", nodes), ("cluster.gpus_per_node", size)):
        r.set(path, value, *keys, how=how, kind=Kind.DERIVED)
    if how.startswith(f"{total} GPUs as nodes"):
        r.note(how)


def write_placement(w: WriteContext) -> None:
    """Colocated models in one list with the same number of GPUs; else each has its own."""
    layout = w.plan(P + "layout")
    trainer, rollout = w.plan(P + "actor.gpus"), w.plan(P + "rollout.gpus")
    whole = _cluster(w)
    if layout == "colocated":
        trainer = trainer if trainer is not None else whole
        rollout = rollout if rollout is not None else trainer
    shared = list(SHARED) if layout == "colocated" else ["policy_trainer", "ref_policy"]
    lends = "trainer GPUs never serve rollouts here; the source lends them while they are idle"
    note = lends if layout == "lendable" else ""
    w.put(COLOCATION, shared, P + "layout", note=note, always=True)
    for key, value, path in ((TRAINER, trainer, P + "actor.gpus"), (POLICY, rollout, P + "rollout.gpus")):
        if value is None:
            leave_open(w, key, "the source does not tell how many GPUs", path)
        else:
            w.put(key, value, path, always=True, chosen=w.chosen(path))
    _write_reference(w, trainer)
    for name in ("nodes", "gpus_per_node"):
        note = "ChatLearn takes the Ray cluster as it is; num_gpu says how much of it"
        w.lose(f"cluster.{name}", State.DERIVED, note)
    _check(w, trainer, rollout)
    _free_shared_memory(w, layout)
    w.put("models.policy.free_gpu_memory.offload_weights", layout == "colocated",
          how="engines give their memory back while the trainer runs" if layout == "colocated" else "")  # fmt: skip


FREED = {
    "models.policy_trainer.free_gpu_memory.offload_weights": P + "actor.offload.param",
    "models.policy_trainer.free_gpu_memory.offload_optimizer_states": P + "actor.offload.optimizer",
    "models.ref_policy.free_gpu_memory.offload_weights": P + "reference.offload.param",
}


def _free_shared_memory(w: WriteContext, layout: Any) -> None:
    """Let models that share GPUs and wait do so in host memory, unless somebody asked otherwise."""
    for key, path in FREED.items() if layout == "colocated" and not w.same_framework else ():
        origin = w.origins.get(path)
        if origin is None or origin.kind is Kind.DEFAULT or w.plan(path) is None:
            how = "waits in host memory while the others run, as in ChatLearn's examples"
            known = w.plan(path) is not None
            w.put(key, True, *([path] if known else []), state=State.NARROWED if known else State.EXACT, note=how if known else "",
                  always=True, chosen=True, how=how)  # fmt: skip


def _write_reference(w: WriteContext, trainer: Any) -> None:
    """The reference always exists here, on the trainer's GPUs."""
    own = w.plan(P + "reference.gpus")
    value = own if own is not None else trainer
    how = "" if own is not None else "the reference always exists here, on the trainer's GPUs"
    w.put(REF, "???" if value is None else value, P + "reference.gpus", always=True, how=how)


def _cluster(w: WriteContext) -> Any:
    nodes, size = w.plan("cluster.nodes"), w.plan("cluster.gpus_per_node")
    return None if nodes is None or size is None else nodes * size


def _check(w: WriteContext, trainer: Any, rollout: Any) -> None:
    """Refuse a run that ChatLearn's own assertions stop before it starts."""
    if w.same_framework:
        return
    prompts, n, update = (w.plan(path) for path in PERIOD)
    if all(isinstance(value, int) for value in (prompts, n, update)) and prompts * n % update:
        raise RefusedError(
            f"{prompts} prompts x {n} answers are {prompts * n} samples, not a multiple of {update} samples an update (H7)",
            choices=tuple(f"{d} samples an update" for d in _divisors(prompts * n, near=update)),
        )
    tp = w.plan(P + "rollout.tp") or 1
    if isinstance(rollout, int) and isinstance(tp, int) and rollout % tp:
        raise RefusedError(f"{rollout} rollout GPUs are not a whole number of engines of {tp} GPUs")
    _check_ranks(w, trainer, update, prompts * n if isinstance(prompts, int) and isinstance(n, int) else None)


def _check_ranks(w: WriteContext, trainer: Any, update: Any, samples: Any) -> None:
    if not isinstance(trainer, int):
        return
    ranks = worth(w, Unit.SEQUENCES_PER_RANK)
    if isinstance(ranks, Expr):
        return
    refuse_torn_ranks(w, trainer, ranks)
    for what, value in (("update", update), ("episode", samples)):
        if isinstance(value, int) and value % int(ranks):
            raise RefusedError(
                f"{value} samples an {what} cannot be shared by {ranks} data-parallel ranks",
                choices=tuple(f"{d} ranks" for d in _divisors(value, near=int(ranks))),
            )


def _divisors(value: int, near: int) -> list[int]:
    """The divisors of `value` closest to `near`, at most four."""
    divisors = [d for d in range(1, value + 1) if value % d == 0]
    return sorted(sorted(divisors, key=lambda d: abs(d - near))[:4])
