"""ROLL's optimizers: betas, schedule, warm-up and the bound of gradients."""

from __future__ import annotations

from math import ceil
from typing import Any

from rftconf.base.ledger import State
from rftconf.base.symbols import Expr, arith, formula
from rftconf.mappers.context import Context, ReadContext, WriteContext
from rftconf.mappers.rates import data_parallel, periods_of_epochs, ratio, rows_of_run
from rftconf.mappers.roll.conditions import CRITIC, trained
from rftconf.mappers.rows import Fold
from rftconf.mappers.schedules import put_share
from rftconf.mappers.shapes import settle_known, take
from rftconf.mappers.supposing import may_hold
from rftconf.plan.kinds import WITH_ROLLOUTS
from rftconf.plan.units import Unit

SCHEDULES = {"constant": "constant", "constant_with_warmup": "constant", "cosine": "cosine", "linear": "linear",
             "inverse_sqrt": "inv_sqrt", "warmup_stable_decay": "wsd"}  # fmt: skip
SCHEDULE_OF = {plan: native for native, plan in reversed(SCHEDULES.items())}

MEGATRON_COSINES = {"cosine_with_min_lr": "0.1.1", "cosine_warmup_with_min_lr": "0.2.1"}
"""Names of transformers for a cosine with a floor, and since when mcore_adapter takes them for Megatron's cosine, with a
floor of 0 unless lr_scheduler_kwargs of the strategy_config names one. With the other strategies transformers stops
without a floor, and ROLL hands it none.
"""
DECAYING = ("cosine", "linear")
EARLY = "the DPO pipeline divides max_steps by the data-parallel ranks before it makes the schedule, so the rate reaches its end early"


def optimizer_fold(role: str, roles: tuple[str, ...]) -> Fold:
    """Betas, schedule, warm-up and the bound of gradients of one optimizer."""
    names = ("adam_beta1", "adam_beta2", "lr_scheduler_type", "warmup_steps", "warmup_ratio")
    to = f"stage.optim.{role}."

    def _section(c: Context) -> str:
        return ("critic" if role == "critic" else trained(c)) + ".training_args."

    def read(r: ReadContext) -> None:
        if role == "critic" and not may_hold(CRITIC, r):
            return
        section = _section(r)
        pair = (section + "adam_beta1", section + "adam_beta2")
        r.set(to + "betas", [r.native(key) for key in pair], *pair)
        kind = _schedule(r, section, role)
        r.set(
            to + "schedule", SCHEDULES.get(kind, kind) if isinstance(kind, str) else kind, section + "lr_scheduler_type"
        )
        r.set(to + "min_lr_ratio", 0.0 if kind in DECAYING else None, section + "lr_scheduler_type")
        if r.trainer == "dpo" and kind in DECAYING:
            _read_early_end(r, section, to, kind)
        take(r, "max_grad_norm", to + "grad_clip", 1.0)
        r.set(to + "warmup_updates", *_warmup(r, section, role), how="optimizer updates")

    def write(w: WriteContext) -> None:
        if role == "critic" and not CRITIC.test(w):
            asleep = (to + f for f in ("betas", "schedule", "grad_clip", "warmup_updates", "min_lr_ratio"))
            w.asleep.update(dict.fromkeys(asleep, CRITIC.otherwise))
            return
        _write_optimizer(w, _section(w), to, role)

    natives = ("max_grad_norm", *(f"{where}.training_args.{name}" for where in roles for name in names))
    own = ("decay_updates",) if role == "actor" else ()
    plans = tuple(to + f for f in ("betas", "schedule", "min_lr_ratio", "grad_clip", "warmup_updates", *own))
    return Fold(natives, plans, read, write, "training_args; transformers.get_scheduler, one tick an update")


def _schedule(r: ReadContext, section: str, role: str) -> Any:
    """The schedule's name in ROLL's usual words: of two names that Megatron's strategy takes for one, the plain one."""
    kind = r.native(section + "lr_scheduler_type")
    floor = f"{section.removesuffix('training_args.')}strategy_args.strategy_config.lr_scheduler_kwargs.min_lr"
    since = MEGATRON_COSINES.get(kind) if isinstance(kind, str) else None
    same = since is not None and r.since(since) and not r.written(floor)
    return "cosine" if same and r.plan(f"stage.placement.{role}.backend") == "megatron" else kind


def _warmup(r: ReadContext, section: str, role: str) -> tuple[Any, str]:
    """Explicit steps win over the ratio; a plain constant rate ignores both with FSDP."""
    steps, share, kind = (
        r.native(section + "warmup_steps", 0),
        r.native(section + "warmup_ratio", 0.0),
        section + "lr_scheduler_type",
    )
    if r.native(kind) == "constant" and r.plan(f"stage.placement.{role}.backend") != "megatron":
        why = "lr_scheduler_type constant has no warm-up: constant_with_warmup has"
        r.inactive.update(dict.fromkeys((section + "warmup_steps", section + "warmup_ratio"), why))
        return 0, kind
    if isinstance(steps, Expr) or steps > 0:
        r.inactive[section + "warmup_ratio"] = "warmup_steps is set and wins"
        return steps, section + "warmup_steps"
    total = _updates(r) if share else 0
    if share and (total is None or isinstance(total, Expr) or isinstance(share, Expr)):
        return (None if total is None else arith("*", share, total)), section + "warmup_ratio"
    return (ceil(total * share) if share else 0), section + "warmup_ratio"


def _updates(c: Context) -> Any:
    """Return the number of updates in the whole run."""
    rollouts, epochs = c.plan("stage.run_length.rollouts"), c.plan("stage.run_length.epochs")
    update = c.plan("stage.batch.sequences_per_update")
    if c.plan("stage.kind") == "dpo":
        return _dpo_horizon(c)
    if c.plan("stage.kind") not in WITH_ROLLOUTS and epochs is not None and update is not None:
        return arith("*", arith("//", rows_of_run(c), update), epochs)
    parts = [
        c.plan(f"stage.batch.{f}")
        for f in ("prompts_per_rollout", "responses_per_prompt", "passes", "sequences_per_update")
    ]
    if rollouts is None or any(p is None for p in parts):
        return None
    whole = rollouts * parts[0] * parts[1] * parts[2]
    if isinstance(whole, Expr) or isinstance(parts[3], Expr):
        return ratio(whole, parts[3])
    return whole // parts[3]


def _whole_run(w: WriteContext) -> Any:
    """Return the updates of the run, also of one that ends after passes over the data, whose periods `max_steps` asks for."""
    updates = _updates(w)
    if updates is not None or w.plan("stage.kind") not in WITH_ROLLOUTS:
        return updates
    periods = periods_of_epochs(w, rows_of_run(w))
    return None if periods is None else w.convert(periods, Unit.ROLLOUTS, Unit.UPDATES)


def _dpo_horizon(c: Context) -> Any:
    """dpo_config: set_max_steps gives the updates of the run, and the strategies divide them by the ranks once more."""
    updates, gpus = c.plan("stage.run_length.rollouts"), c.plan("stage.placement.actor.gpus")
    if updates is None or gpus is None:
        return None
    ranks = data_parallel(c, megatron=c.plan("stage.placement.actor.backend") == "megatron")
    known = not isinstance(updates, Expr) and not isinstance(ranks, Expr)
    return int(updates // ranks) if known else arith("//", updates, ranks)


def _read_early_end(r: ReadContext, section: str, to: str, kind: str) -> None:
    horizon = _dpo_horizon(r)
    r.set(to + "decay_updates", horizon, section + "lr_scheduler_type", how=EARLY)
    ends = f", after {formula(horizon)} updates" if horizon is not None else ""
    r.note(f"{section}lr_scheduler_type={kind}: {EARLY}{ends}")


def _write_optimizer(w: WriteContext, section: str, to: str, role: str) -> None:
    betas = w.plan(to + "betas")
    if isinstance(betas, list) and len(betas) == 2:
        for name, value in zip(("adam_beta1", "adam_beta2"), betas, strict=True):
            w.put(section + name, value, to + "betas")
    kind, warmup = w.plan(to + "schedule"), w.plan(to + "warmup_updates")
    warms = isinstance(warmup, Expr) or (warmup or 0) > 0
    if kind is not None:
        native = SCHEDULE_OF.get(kind, kind) if isinstance(kind, str) else kind
        native = "constant_with_warmup" if kind == "constant" and warms else native
        w.put(section + "lr_scheduler_type", native, to + "schedule", always=True)
    shared = put_share(w, section + "warmup_ratio", to + "warmup_updates", warmup, _whole_run(w), up=True)
    if warmup is not None and not shared:
        whole = warmup if isinstance(warmup, (int, Expr)) else ceil(warmup)
        note = "" if whole == warmup else f"{float(warmup):g} updates of warm-up; wrote {whole}"
        state = State.ROUNDED if note else State.EXACT
        w.put(section + "warmup_steps", whole, to + "warmup_updates", state=state, note=note)
    floor = w.plan(to + "min_lr_ratio")
    other = f"ROLL's {kind} schedule ends at 0, not at {formula(floor)} of the rate (H49)"
    settle_known(w, to + "min_lr_ratio", kind not in DECAYING or floor == 0, "as ROLL does", other)
    if w.trainer == "dpo" and not w.same_framework and kind in DECAYING:
        w.lose(to + "schedule", State.NARROWED, EARLY)
    _write_grad_clip(w, to, role)


def _write_grad_clip(w: WriteContext, to: str, role: str) -> None:
    value, actor = w.plan(to + "grad_clip"), w.plan("stage.optim.actor.grad_clip")
    if value is None:
        return
    if role == "critic" and actor is not None:
        same = value == actor
        w.lose(to + "grad_clip", State.EXACT if same else State.NARROWED,
               "max_grad_norm holds for both" if same else f"ROLL has one max_grad_norm for both models: the actor's {formula(actor)}")  # fmt: skip
        return
    w.put("max_grad_norm", value, to + "grad_clip")
