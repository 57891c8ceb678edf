"""veRL's trainer modes and resource pools: who trains, who generates, on which GPUs, how far ahead."""

from __future__ import annotations

from math import gcd
from typing import Any

from rftconf.base.ledger import State
from rftconf.base.symbols import Expr, ShellOnly, arith, formula, names_in
from rftconf.mappers.context import ReadContext, WriteContext
from rftconf.mappers.rates import settle_unbounded
from rftconf.mappers.value_errors import unusable_value
from rftconf.mappers.verl.conditions import v1_trainer
from rftconf.mappers.verl.folds_recipes import ENGINE_POOL, read_recipe, recipe_of, write_recipe
from rftconf.mappers.verl.forks import MINI_BATCH
from rftconf.mappers.verl.reward_pool import pool_gpus, shape, teacher
from rftconf.mappers.verl.teachers import follows_teacher
from rftconf.plan.origin import Kind
from rftconf.plan.units import Unit

MODE, V1 = "trainer.v1.trainer_mode", "trainer.use_v1"
MODES = ("sync", "colocate_async", "separate_async")
TRAINER_POOL = ("trainer.nnodes", "trainer.n_gpus_per_node")
REWARD_POOL = ("reward.reward_model.nnodes", "reward.reward_model.n_gpus_per_node")
TEACHER_POOL = ("distillation.nnodes", "distillation.n_gpus_per_node")
ROLLOUT_POOL = ("actor_rollout_ref.rollout.nnodes", "actor_rollout_ref.rollout.n_gpus_per_node")
AGE = "trainer.v1.sampler.max_off_policy_threshold"
NODES, PER_NODE = "cluster.nodes", "cluster.gpus_per_node"
S, P = "stage.sync.", "stage.placement."
NODE_GPUS = 8
"""Two pools that fit a node of this size together are taken to share their nodes."""


def read_mode(r: ReadContext) -> None:
    """Read which trainer runs, on which pools, and how far rollouts may run ahead."""
    if recipe_of(r):
        _read_pools(r, ENGINE_POOL)
        why = "this program has a trainer of its own, with engines on GPUs of their own"
        r.inactive.update(dict.fromkeys((MODE, V1, *ROLLOUT_POOL), why))
        read_recipe(r)
        return
    mode = r.native(MODE, "sync") if v1_trainer(r) else "sync"
    if isinstance(mode, Expr):
        binds = " ".join(f"--set {name}=…" for name in sorted(names_in(mode)))
        raise unusable_value(r, MODE, f"who trains where depends on it, and the source does not tell it: pass {binds}")
    if mode not in MODES:
        raise unusable_value(r, MODE, f"one of {', '.join(MODES)} is expected")
    r.facts.trainer_mode = mode
    block = f"trainer.v1.{mode}."
    if r.since("0.9.0") and not v1_trainer(r):
        r.inactive["trainer.v1"] = "trainer.use_v1 is False: the older trainer runs, which does not read it"
    elif v1_trainer(r):
        unread = (other for other in MODES if other != mode)
        r.inactive.update({f"trainer.v1.{other}": f"only {MODE}={other} reads it" for other in unread})
    r.facts.parameter_sync_step = r.native(block + "parameter_sync_step", 1) if v1_trainer(r) else 1
    own_pool = mode == "separate_async"
    lendable = own_pool and r.native("actor_rollout_ref.hybrid_engine", True) is not False
    layout = "colocated" if not own_pool else "lendable" if lendable else "disaggregated"
    r.set(P + "layout", layout, MODE, V1, *(["actor_rollout_ref.hybrid_engine"] if own_pool else []))
    if not own_pool:
        only = "only separate_async reads it; veRL before 0.9 refuses False (H71)"
        r.inactive["actor_rollout_ref.hybrid_engine"] = only
        r.inactive.update(dict.fromkeys(ROLLOUT_POOL, "only separate_async has a rollout pool of its own"))
    _read_pools(r, ROLLOUT_POOL if own_pool else None)
    ahead = 0 if mode == "sync" else r.native(block + "num_warmup_batches", 1)
    r.set(S + "run_ahead_rollouts", ahead, MODE, block + "num_warmup_batches")
    r.set(S + "in_flight", "finish" if mode == "sync" else "interrupt", MODE)
    r.set(S + "driver", "lockstep", MODE)
    _check_step(r, mode, block + "parameter_sync_step")
    if mode != "sync":
        _note_age(r)
    r.set(S + "every_rollouts", 1, MODE, block + "parameter_sync_step")


def _check_step(r: ReadContext, mode: str, key: str) -> None:
    """separate_async demands that a period is a whole number of updates between two syncs."""
    step, prompts = r.facts.parameter_sync_step, r.plan("stage.batch.prompts_per_rollout")
    mini = r.native("actor_rollout_ref.actor.ppo_mini_batch_size")
    known = not any(isinstance(v, Expr) or v is None for v in (step, prompts, mini))
    fits = known and step * mini == prompts
    r.facts.single_ticks = mode == "separate_async" or (fits and step > 1)
    if mode == "separate_async" and known and not fits:
        product = f"parameter_sync_step {step} x ppo_mini_batch_size {mini}"
        r.narrowed[key] = f"veRL stops: train_batch_size {prompts} is not {product}"
        r.note(r.narrowed[key])


def _note_age(r: ReadContext) -> None:
    """The asynchronous modes drop what is too old unless told otherwise (H69)."""
    oldest, strategy = r.native(AGE, 8), r.native("trainer.v1.sampler.max_off_policy_strategy", "drop")
    if oldest is not None and strategy == "drop":
        r.note(f"groups more than {formula(oldest)} versions old are dropped and sampled again (H69)")


def _read_pools(r: ReadContext, own: tuple[str, str] | None) -> None:
    """The plan's cluster holds all pools; trainer.nnodes x n_gpus_per_node is only the trainer's."""
    nodes, size = (r.native(key) for key in TRAINER_POOL)
    trainer = _product(nodes, size)
    r.set(P + "actor.gpus", trainer, *TRAINER_POOL, how="nnodes x n_gpus_per_node")
    pools = [("trainer", nodes, size)]
    if own is None:
        r.set(P + "rollout.gpus", trainer, *TRAINER_POOL, how="nnodes x n_gpus_per_node")
    else:
        more, each = (r.native(key) for key in own)
        r.set(P + "rollout.gpus", _product(more, each), *own, how="nnodes x n_gpus_per_node")
        pools.append(("rollout", more, each))
    keys = [TRAINER_POOL, *([own] if own else [])]
    if follows_teacher(r):
        pools.append(("teacher", *(r.native(key) for key in TEACHER_POOL)))
        keys.append(TEACHER_POOL)
    if r.plan(P + "auxiliary[0].own_pool") is True and r.plan(P + "auxiliary[0].role") != "teacher":
        pools.append(("reward model", *(r.native(key) for key in REWARD_POOL)))
        keys.append(REWARD_POOL)
    _set_cluster(r, pools, keys)


def _set_cluster(r: ReadContext, pools: list[tuple[str, Any, Any]], keys: list[tuple[str, str]]) -> None:
    whole = pools[0][1:]
    for _, nodes, size in pools[1:]:
        whole = _cluster(*whole, nodes, size)
    parts = " + ".join(f"{name} {formula(nodes)} x {formula(size)}" for name, nodes, size in pools)
    how = f"{parts} GPUs" if len(pools) > 1 else ""
    for index, path in enumerate((NODES, PER_NODE)):
        r.set(path, whole[index], *(pool[index] for pool in keys), how=how, kind=Kind.DERIVED if how else None)


def _product(nodes: Any, size: Any) -> Any:
    return nodes * size if _counted(nodes, size) else None


def _counted(*sizes: Any) -> bool:
    """True when all of them are numbers, known or not: older releases do not say of every key that it is one."""
    return all(isinstance(size, (int, Expr)) for size in sizes)


def _cluster(nodes: Any, size: Any, more: Any, own: Any) -> tuple[Any, Any]:
    """Nodes and GPUs a node that hold both pools: side by side on the same nodes, else one pool after the other."""
    parts = (nodes, size, more, own)
    if not _counted(*parts):
        return nodes, size
    if any(isinstance(part, Expr) for part in parts):
        return (nodes + more, size) if size == own else (None, None)
    if nodes == more and size + own <= NODE_GPUS:
        return nodes, size + own
    if size == own:
        return nodes + more, size
    total, node = nodes * size + more * own, max(size, own)
    node = node if total % node == 0 else gcd(size, own)
    return total // node, node


IN_FLIGHT = {
    True: "veRL's synchronous trainer finishes every answer before it updates the weights",
    False: "veRL's asynchronous trainers interrupt running answers at a weight update and go on with the new weights",
}


def write_mode(w: WriteContext) -> None:
    """Colocated lock-step is `sync`; running ahead or an own pool needs the asynchronous trainers of 0.9."""
    if recipe_of(w):
        write_recipe(w)
        return
    layout, ahead = w.plan(P + "layout"), w.plan(S + "run_ahead_rollouts") or 0
    mode = "separate_async" if layout != "colocated" else "colocate_async" if ahead else "sync"
    if mode != "sync" and not w.since("0.9.0"):
        came = "the asynchronous trainers came with 0.9"
        w.lose(S + "run_ahead_rollouts", State.NARROWED, f"veRL {w.release} cannot run ahead; {came}")
        w.lose(P + "layout", State.NARROWED, f"veRL {w.release} shares all GPUs between trainer and engines")
        mode = "sync"
    if w.since("0.9.0"):
        w.put(V1, True, always=True, how="the trainer of veRL 0.9, which reads trainer.v1.trainer_mode")
        w.put(MODE, mode, P + "layout", S + "driver", S + "in_flight", always=True)
    if mode != "sync":
        w.put(f"trainer.v1.{mode}.num_warmup_batches", ahead, S + "run_ahead_rollouts", always=True)
    if mode == "separate_async":
        _write_own_pool(w, layout)
    else:
        _write_shared_pool(w)
    _settle_sync(w, mode)
    if mode != "sync" and not w.same_framework:
        w.note(f"veRL drops groups more than 8 versions old and samples new ones; {AGE}=null keeps them (H69)")


def _write_shared_pool(w: WriteContext) -> None:
    """The whole cluster, but for what the reward model has to itself."""
    nodes, size, own = w.plan(NODES), w.plan(PER_NODE), pool_gpus(w)
    if not own:
        _write_pool(w, TRAINER_POOL, (nodes, size), NODES, PER_NODE)
        return
    sharing = [w.plan(P + "actor.gpus"), w.plan(P + "rollout.gpus")]
    known = [gpus for gpus in sharing if isinstance(gpus, int)]
    gpus = max(known) if known else next((count for count in sharing if count is not None), None)
    how = f"the {formula(own)} GPUs of {'the teacher' if teacher(w) else 'the reward model'} are a pool of their own"
    _write_pool(w, TRAINER_POOL, shape(gpus, size), P + "actor.gpus", NODES, how=how)
    w.lose(PER_NODE, State.DERIVED, "split into the pools")


SYNCED = ("run_ahead_rollouts", "in_flight", "every_rollouts", "driver")
SETTLED = (P + "actor.gpus", P + "layout", *(S + name for name in SYNCED), P + "rollout.gpus")


def _settle_sync(w: WriteContext, mode: str) -> None:
    """Settle what the chosen trainer fixes: it is the same as in the source, or the difference is said."""
    if (w.plan(S + "every_rollouts") or 1) != 1:
        w.lose(S + "every_rollouts", State.NARROWED, "veRL syncs weights after every rollout period")
    settle_unbounded(w)
    if w.plan(S + "driver") not in ("lockstep", None):
        w.lose(S + "driver", State.NARROWED, "veRL's trainers move in lock-step")
    in_flight = w.plan(S + "in_flight")
    if in_flight is not None and in_flight != ("finish" if mode == "sync" else "interrupt"):
        w.lose(S + "in_flight", State.NARROWED, IN_FLIGHT[mode == "sync"])
    if mode != "separate_async" and w.chosen(P + "rollout.gpus"):
        why = (
            "engines take turns with the trainer on all GPUs; their number follows from the tensor parallel size (H21)"
        )
        w.lose(P + "rollout.gpus", State.NARROWED, why)
    whole = _product(*(w.effective(key) for key in TRAINER_POOL))
    for path in (P + "actor.gpus", P + "rollout.gpus") if mode != "separate_async" else ():
        if isinstance(whole, int) and isinstance(w.plan(path), int) and w.plan(path) != whole:
            w.lose(path, State.NARROWED, f"trainer and engines all use the {whole} GPUs of the pool")
    for path in SETTLED:
        if path not in w.outcomes:
            w.lose(path, State.DEFAULT, "the synchronous trainer behaves so")


def _write_own_pool(w: WriteContext, layout: str) -> None:
    # veRL demands B = step x the mini-batch, in whole prompts as written
    prompts, update = w.plan("stage.batch.prompts_per_rollout"), w.plan("stage.batch.sequences_per_update")
    known = prompts is not None and update is not None
    step = arith("/", prompts, MINI_BATCH.put(update, w, Unit.SEQUENCES).value) if known else ShellOnly("???")
    # the learning rate ticks once per local update here, so rows that count ticks must know (H62)
    w.facts.parameter_sync_step = step
    w.facts.single_ticks = True
    w.put("actor_rollout_ref.hybrid_engine", layout == "lendable", P + "layout", always=True)
    w.put("trainer.v1.separate_async.parameter_sync_step", step if known else "???", always=True, how="B x n / G")
    engine = "actor_rollout_ref.rollout.checkpoint_engine.backend"
    w.put(engine, "nccl", always=True, how="separate_async refuses naive")
    source = w.facts.source
    for pool, role, words in ((TRAINER_POOL, "actor", "trainer"), (ROLLOUT_POOL, "rollout", "rollout")):
        own = shape(w.plan(f"{P}{role}.gpus"), w.plan(PER_NODE))
        sizes = own if source is None else (source.value(pool[0]), source.value(pool[1]))
        how = f"{words} pool of {formula(w.plan(f'{P}{role}.gpus'))} GPUs"
        _write_pool(w, pool, sizes, f"{P}{role}.gpus", NODES if role == "actor" else "", how=how)
    w.lose(PER_NODE, State.DERIVED, "split into the pools")


def _write_pool(w: WriteContext, pool: tuple[str, str], shape: tuple[Any, Any], *paths: str, how: str = "") -> None:
    state = State.DERIVED if how else State.EXACT
    for key, value, path in zip(pool, shape, paths if not how else (paths[0], paths[0]), strict=True):
        if value is not None:
            w.put(key, value, path, state=state, how=how, always=True)
    if how and paths[1]:
        w.lose(paths[1], State.DERIVED, "split into the pools")
