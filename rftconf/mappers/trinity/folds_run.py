"""Trinity keys that only make sense together: GPUs, run length, warm-up, expert parallelism."""

from __future__ import annotations

import sys
from fractions import Fraction
from typing import Any

from rftconf.base.errors import RefusedError
from rftconf.base.ledger import State
from rftconf.base.symbols import Expr, arith, formula
from rftconf.mappers.context import Context, ReadContext, WriteContext
from rftconf.mappers.products import SpreadExperts
from rftconf.mappers.rates import (
    data_parallel,
    length_that_is_open,
    periods_of_epochs,
    rows_of_run,
    sequences_per_period,
    torn_ranks,
)
from rftconf.mappers.rows import Fold
from rftconf.mappers.shapes import carry, settle, take, together
from rftconf.mappers.trinity.conditions import CRITIC_MEGATRON
from rftconf.mappers.trinity.folds_floor import say_start, start_of
from rftconf.mappers.trinity.folds_helpers import engine_gpus, read_helpers, write_helpers
from rftconf.plan.kinds import WITH_ROLLOUTS
from rftconf.plan.origin import Kind
from rftconf.plan.units import Unit

B = "stage.batch.prompts_per_rollout"
P, RUN = "stage.placement.", "stage.run_length."
EXPLORED, TRAINED, EPOCHS = "buffer.total_steps", "trainer.total_steps", "buffer.total_epochs"


def read_gpus(r: ReadContext) -> None:
    """Engines take their GPUs first, the trainer gets the rest."""
    sizes = [r.native(f"explorer.rollout_model.{k}_parallel_size", 1) or 1 for k in ("tensor", "data", "pipeline")]
    engines = r.native("explorer.rollout_model.engine_num", 1)
    rollout = engines
    for size in sizes:
        rollout = rollout * size
    how = f"{formula(engines)} engines of {' x '.join(map(formula, sizes))} GPUs"
    r.set(P + "rollout.gpus", rollout, "explorer.rollout_model.engine_num", how=how)
    helpers = read_helpers(r)
    mode = r.native("mode", "both")
    r.set(P + "layout", "colocated" if mode == "colocate" else "disaggregated", "mode")
    nodes, size = r.plan("cluster.nodes"), r.plan("cluster.gpus_per_node")
    total = None if nodes is None or size is None else nodes * size
    alone = mode in ("colocate", "train")  # a trainer on its own starts no engines
    trainer = total if alone or total is None else total - rollout - helpers
    pool = ("cluster.node_num", "cluster.gpu_per_node")
    r.set(P + "actor.gpus", trainer, *pool, kind=Kind.DERIVED, how="all GPUs - rollout - auxiliary")
    _say_uneven(r)


def _say_uneven(r: ReadContext) -> None:
    """Since 0.6 nothing checks it up front: the first batch is rolled out, and then the trainer stops (H9)."""
    update, gpus = r.plan("stage.batch.sequences_per_update"), r.plan(P + "actor.gpus")
    if r.native("mode", "both") != "both" or not isinstance(update, int) or not isinstance(gpus, int) or gpus <= 0:
        return
    ranks = data_parallel(r, megatron=r.plan(P + "actor.backend") == "megatron")
    if not isinstance(ranks, Expr) and (torn := torn_ranks(r, gpus, ranks)):
        r.note(f"{torn}; Trinity stops when it starts")
    elif not isinstance(ranks, Expr) and update % int(ranks):
        shared = f"{update} sequences an update cannot be shared by {int(ranks)} data-parallel ranks"
        r.note(f"{shared}: Trinity stops at its first update (H9)")


def write_gpus(w: WriteContext) -> None:
    """Numbers of engines; the split itself was decided before (plan/placement.py)."""
    gpus = w.plan(P + "rollout.gpus")
    if w.plan("stage.kind") in WITH_ROLLOUTS:
        _write_mode(w, w.plan(P + "layout"))
    if gpus is not None:
        size = engine_gpus(w, P + "rollout")
        how = f"{formula(gpus)} rollout GPUs / {formula(size)} an engine"
        chosen = w.chosen(P + "rollout.gpus")
        key = "explorer.rollout_model.engine_num"
        w.put(key, arith("/", gpus, size), P + "rollout.gpus", state=State.DERIVED, always=True, chosen=chosen, how=how)
    write_helpers(w)
    known = w.plan("cluster.nodes") is not None and w.plan("cluster.gpus_per_node") is not None
    note = "the GPUs that the explorer leaves" if known else "how many GPUs there are in all, the source does not tell"
    w.lose(P + "actor.gpus", State.DERIVED if known else State.UNRESOLVED, note)


def _write_mode(w: WriteContext, layout: str | None) -> None:
    shared = layout == "colocated"
    if shared and not w.since("0.5.2"):
        raise RefusedError(
            f"Trinity {w.release} cannot share one GPU between engine and trainer; mode colocate came with 0.5.2",
            choices=("--to-release 0.6.0", "a cluster of at least 2 GPUs"),
        )
    w.put("mode", "colocate" if shared else "both", P + "layout", always=shared, default="both")
    if layout == "lendable":
        note = "Trinity's trainer GPUs never serve rollouts; the source lends them while they are idle"
        w.lose(P + "layout", State.NARROWED, note)


def read_length(r: ReadContext) -> None:
    """Explore steps, else epochs, for the explorer; train steps for the trainer; whichever ends first."""
    explore, train = r.native(EXPLORED), r.native(TRAINED)
    limits = []
    if explore is not None:
        limits.append((r.convert(explore, Unit.EXPLORE_STEPS, Unit.ROLLOUTS), EXPLORED))
        r.inactive[EPOCHS] = f"{EXPLORED} is set and wins"
    else:
        take(r, EPOCHS, RUN + "epochs", 1)
    if train is not None:
        limits.append((r.convert(train, Unit.TRAIN_STEPS, Unit.ROLLOUTS), TRAINED))
    else:
        _without_a_horizon(r)
    r.set(RUN + "last_partial", "carry", kind=Kind.DEFAULT, how="the rest of an epoch opens the next one (H12)")
    keys = tuple(key for _, key in limits) or (EXPLORED, TRAINED)
    plain = [v for v, _ in limits if not isinstance(v, Expr)]
    value = min(plain) if plain else limits[0][0] if limits else None
    bound, how = _periods_of_epochs(r) if explore is None else None, ""
    if bound is not None and (value is None or (not isinstance(value, Expr) and bound < value)):
        if value is not None:
            r.note(f"{TRAINED}={train} is never reached: the epochs end after {bound} rollout periods (H68)")
        keys = (EPOCHS, "buffer.batch_size", *(key for _, key in limits))
        value, how = bound, f"floor(epochs x {r.facts.rows} rows / B)"
    elif bound is None and explore is None and train is not None:
        r.note(f"{EPOCHS} can end the run before {TRAINED} does; --rows N tells (H68)")
    if isinstance(value, Fraction):
        r.note(f"total steps are {float(value):g} rollout periods; the last one is cut short")
        value = -(-value.numerator // value.denominator)
    r.set(RUN + "rollouts", value, *keys, how=how, kind=Kind.DERIVED if how else None)


def _without_a_horizon(r: ReadContext) -> None:
    """A schedule that decays over sys.maxsize steps stays flat."""
    key, schedule = "algorithm.optimizer.lr_scheduler_type", r.plan("stage.optim.actor.schedule")
    if schedule == "constant" or isinstance(schedule, Expr):
        return
    sentence = f"{schedule} without trainer.total_steps: Trinity decays over sys.maxsize steps, so the rate stays flat"
    r.note(sentence)
    r.narrowed[key] = f"{sentence}; elsewhere it decays over the run"


def _periods_of_epochs(r: ReadContext) -> Any:
    """Return the number of rollout periods that the epochs last; None where nobody tells."""
    epochs, prompts, rows = r.native(EPOCHS, 1), sequences_per_period(r), r.rows()
    if isinstance(epochs, int) and isinstance(prompts, int) and isinstance(rows, int):
        return epochs * rows // prompts
    return None


def periods(w: Context) -> Any:
    """Return the number of rollout periods of the run; an expression where nobody says how many rows there are."""
    known = w.plan("stage.run_length.rollouts")
    return periods_of_epochs(w, rows_of_run(w)) if known is None else known


def write_length(w: WriteContext) -> None:
    """Explicit step limits, because epochs end elsewhere here (H12); `???` only where a schedule needs the number."""
    epochs, path, last = (f"stage.run_length.{name}" for name in ("epochs", "rollouts", "last_partial"))
    carry(w, "buffer.total_epochs", epochs, always=True)
    total = periods(w)
    if total is None:
        return
    steps, how = w.convert(total, Unit.ROLLOUTS, Unit.TRAIN_STEPS), f"{formula(total)} rollout periods"
    known = w.plan(path) is not None
    if known:
        explore = w.convert(total, Unit.ROLLOUTS, Unit.EXPLORE_STEPS)
        w.put("buffer.total_steps", explore, path, state=State.DERIVED, always=True, how=how)
        w.put("trainer.total_steps", steps, path, state=State.DERIVED, always=True, how=f"{how} as train steps")
    elif w.plan("stage.optim.actor.schedule") not in ("constant", None):
        note = f"the schedule decays over the run, whose length {length_that_is_open(total)}"
        w.put("trainer.total_steps", steps, epochs, state=State.UNRESOLVED, always=True, note=note)
    else:
        why = f"{formula(steps)}: epochs end elsewhere in Trinity, which carries incomplete batches over (H12)"
        w.decide("trainer.total_steps", why, "pass --rows N for an explicit limit", "or keep buffer.total_epochs")
    reason = "the step limit is explicit" if known else "as Trinity does"
    other = "Trinity carries the incomplete batch of an epoch into the next (H12)"
    settle(w, last, w.plan(last) == "carry" or known, reason, other)


FLOOR_OF_CRITIC = "stage.optim.critic.min_lr"


def warmup_fold(role: str, block: str, default: Any) -> Fold:
    """Warm-up in updates; a ratio here multiplies trainer.total_steps or sys.maxsize (H45)."""
    steps, share = f"{block}.lr_warmup_steps", f"{block}.lr_warmup_steps_ratio"
    warmup = f"stage.optim.{role}.warmup_updates"
    critic = role == "critic"

    def read(r: ReadContext) -> None:
        if critic and r.plan("stage.algorithm.critic.enabled") is False:
            r.inactive.update(dict.fromkeys((steps, share), "there is no critic in this run"))
            return
        ticks, ratio = r.native(steps, -1), r.native(share, 0.0)
        ticks = -1 if ticks is None else ticks
        if isinstance(ticks, Expr) or ticks > 0:
            r.inactive[share] = f"{steps} is set and wins"
            r.set(warmup, _whole(r.convert(ticks, Unit.LR_TICKS, Unit.UPDATES)), steps)
        else:
            r.set(warmup, _from_ratio(r, ratio), share)
        if not critic:
            say_start(r)

    def write(w: WriteContext) -> None:
        updates = w.plan(warmup)
        floor = w.plan(FLOOR_OF_CRITIC)
        if critic and floor is not None and not CRITIC_MEGATRON.test(w):
            _write_critic_floor(w, floor)
        if updates is None or (critic and w.plan("stage.algorithm.critic.enabled") is False):
            return
        if updates == 0:
            w.lose(warmup, State.DEFAULT, "no warm-up")
            return
        ticks = w.convert(updates, Unit.UPDATES, Unit.LR_TICKS)
        exact = isinstance(ticks, (int, Expr))
        value = ticks if exact else -(-ticks.numerator // ticks.denominator)
        state = State.DERIVED if exact else State.ROUNDED
        start = "" if critic else start_of(w)
        note = start if exact else f"{formula(updates)} updates are {float(ticks):g} train steps; wrote {value}"
        state = State.NARROWED if start and exact else state
        how = f"{formula(updates)} updates; Trinity's scheduler ticks every train step (H44)"
        w.put(steps, value, warmup, state=state, note=note, how=how, always=True, default=default)

    return Fold((steps, share), (warmup,), read, write, "trainer/verl/config: _build_optimizer_config")


def _write_critic_floor(w: WriteContext, floor: Any) -> None:
    """FSDP's critic takes its lowest rate as a share of the rate, 0.01 by default: a source on Megatron has a number."""
    rate = w.plan("stage.optim.critic.lr")
    if w.plan("stage.optim.critic.schedule") in ("constant", None):
        settle(w, FLOOR_OF_CRITIC, floor == 0, "FSDP's floor is a share: min_lr_ratio", state=State.NO_COUNTERPART)
    elif isinstance(floor, (int, float)) and isinstance(rate, (int, float)) and rate:
        share = "trainer.trainer_config.critic.optim.min_lr_ratio"
        w.lose("stage.optim.critic.min_lr_ratio", State.DERIVED, "the source has the lowest rate as a number: min_lr")
        w.put(
            share,
            float(f"{floor / rate:.12g}"),
            FLOOR_OF_CRITIC,
            state=State.DERIVED,
            how="min_lr / lr",
            always=True,
            default=0.01,
        )
    else:
        w.lose(FLOOR_OF_CRITIC, State.NO_COUNTERPART, "FSDP's floor is a share: min_lr_ratio")


def _whole(value: Any) -> Any:
    return value if isinstance(value, (int, Expr)) else round(value)


def _from_ratio(r: ReadContext, ratio: Any) -> Any:
    if ratio in (0, 0.0, None):
        return 0
    total = r.native("trainer.total_steps")
    if total is None:
        endless = "the warm-up never ends and the learning rate stays near 0 (H45)"
        r.note(f"lr_warmup_steps_ratio without trainer.total_steps: {endless}")
        total = sys.maxsize
    ticks = arith("*", ratio, total)
    return ticks if isinstance(ticks, Expr) else _whole(r.convert(int(ticks), Unit.LR_TICKS, Unit.UPDATES))


EXPERTS = together(
    SpreadExperts(
        "explorer.rollout_model.enable_expert_parallel",
        lambda c: (c.plan(P + "rollout.tp") or 1) * (c.plan(P + "rollout.dp") or 1),
    ),
    why="vLLM",
)
