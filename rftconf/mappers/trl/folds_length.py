"""A TRL run ends after steps or epochs, and its learning rate follows a schedule over that length."""

from __future__ import annotations

import json
from contextlib import suppress
from fractions import Fraction
from math import ceil
from typing import Any

from rftconf.base.ledger import State
from rftconf.base.symbols import Expr, arith, formula
from rftconf.mappers.context import Context, ReadContext, WriteContext
from rftconf.mappers.horizons import Horizon
from rftconf.mappers.precedence import Until
from rftconf.mappers.rates import beside_a_length, rows_of_run
from rftconf.mappers.schedules import put_share
from rftconf.mappers.shapes import leave_open, lose_known, settle_known
from rftconf.mappers.trl.folds_batch import joins_periods
from rftconf.plan.origin import Kind
from rftconf.plan.units import Unit

STEPS, EPOCHS = "max_steps", "num_train_epochs"
PROMPTS = "stage.batch.prompts_per_rollout"
LENGTH, PASSES, LAST = (f"stage.run_length.{name}" for name in ("rollouts", "epochs", "last_partial"))


def read_length(r: ReadContext) -> None:
    """Updates, where max_steps is above 0, else epochs of whole generation batches (trl/trainer/utils.py: RepeatSampler)."""
    steps, epochs = r.native(STEPS), r.native(EPOCHS)
    r.set(LAST, "drop", kind=Kind.DEFAULT, how="RepeatSampler leaves out what fills no generation batch")
    if isinstance(steps, Expr) or steps > 0:
        r.inactive[EPOCHS] = f"{STEPS} ends the run, over as many epochs as that takes"
        r.set(PASSES, None)
        r.set(LENGTH, _whole(r, r.convert(steps, Unit.UPDATES, Unit.ROLLOUTS)), STEPS, how=f"{formula(steps)} updates")
        return
    prompts, rows = r.plan(PROMPTS), r.rows()
    whole = not isinstance(epochs, float) or epochs.is_integer()
    r.set(PASSES, int(epochs) if isinstance(epochs, float) and whole else epochs if whole else None, EPOCHS)
    if isinstance(rows, int) and isinstance(prompts, int) and not isinstance(epochs, Expr):
        how = f"floor({rows} rows / {prompts}) x {epochs:g} epochs"
        r.set(LENGTH, ceil(rows // prompts * Fraction(str(epochs))), EPOCHS, kind=Kind.DERIVED, how=how)
    elif not whole:
        rows = rows_of_run(r)
        how = f"{epochs:g} epochs of {formula(rows)} rows"
        r.set(LENGTH, arith("*", epochs, arith("//", rows, prompts)), EPOCHS, how=how)
    else:
        r.set(LENGTH, None)


def _whole(r: ReadContext, count: Any) -> Any:
    """A count of periods; one that ends within a period is rounded up, and that is said."""
    if isinstance(count, Fraction):
        r.note(f"{STEPS} ends within a generation batch, after {float(count):g} of them")
        return ceil(count)
    return count


def write_length(w: WriteContext) -> None:
    """Updates where the plan has a number of periods, else epochs."""
    periods, epochs = w.plan(LENGTH), w.plan(PASSES)
    if periods is not None:
        updates = w.convert(periods, Unit.ROLLOUTS, Unit.UPDATES)
        w.put(STEPS, updates, LENGTH, always=True, how=f"{formula(periods)} rollout periods", **counted(w))
        if epochs is not None:
            w.lose(PASSES, *beside_a_length(w))
    elif epochs is not None:
        w.put(EPOCHS, epochs, PASSES, always=True)
    elif not w.same_framework:
        leave_open(w, STEPS, "the source does not tell how long it trains")
    same = w.plan(LAST) == "drop" or epochs is None
    settle_known(w, LAST, same, "rows that fill no generation batch are left out")


def counted(w: WriteContext, state: State = State.DERIVED) -> dict[str, Any]:
    """Return how much of a number of periods is kept: the same updates, but fewer periods where one here is several of the source."""
    if not joins_periods(w):
        return {"state": state}
    return {"state": State.NARROWED, "note": "the same updates, in fewer periods: one here is several of the source"}


def _horizon(r: ReadContext) -> int | None:
    """The updates that end a run within a generation batch: the rate falls over these, and not over whole periods."""
    steps = r.native(STEPS)
    counts = isinstance(steps, int) and steps > 0
    ends_within = counts and isinstance(r.convert(steps, Unit.UPDATES, Unit.ROLLOUTS), Fraction)
    return steps if ends_within else None


HORIZON = Horizon(STEPS, _horizon, Unit.UPDATES, "; here it decays over the whole run")
PROMPT = Until(
    "max_prompt_length",
    "stage.length.prompt_max_tokens",
    "0.26.2",
    "TRL cuts no prompt since 0.26: leave long ones out of the data",
    "no prompt is cut there, so name a length that none of yours exceeds",
    lambda tokens: f"prompts of more than {formula(tokens)} tokens lose their beginning in this release",
)
KIND, MORE, WARMUP = "lr_scheduler_type", "lr_scheduler_kwargs", "warmup_steps"
FLOORS = {"cosine_with_min_lr": "cosine", "cosine_warmup_with_min_lr": "cosine"}
FLAT = ("constant", "constant_with_warmup")
RATE = SCHEDULE, LEAST, SHARE, WARMED = tuple(
    f"stage.optim.actor.{name}" for name in ("schedule", "min_lr", "min_lr_ratio", "warmup_updates")
)


def read_schedule(r: ReadContext) -> None:
    """A schedule over the updates of the run; those with a lowest rate have it among their arguments."""
    kind, arguments = r.native(KIND), _arguments(r.native(MORE))
    for name in arguments.keys() - {"min_lr", "min_lr_rate"}:
        r.narrowed[f"{MORE}.{name}"] = "an argument of the schedule that no field of the plan holds"
    known = isinstance(kind, str)
    r.set(SCHEDULE, "constant" if kind in FLAT else FLOORS.get(kind, kind) if known else kind, KIND)
    floor = kind in FLOORS if known else False
    r.set(LEAST, arguments.get("min_lr") if floor else None, MORE)
    r.set(SHARE, arguments.get("min_lr_rate") if floor else None if kind in FLAT else 0.0, MORE)
    r.set(WARMED, _warmup(r) if kind != "constant" else 0, WARMUP)
    if kind == "constant":
        r.inactive[WARMUP] = f"{KIND}=constant has no warm-up; constant_with_warmup has"


def _arguments(more: Any) -> dict[str, Any]:
    """The schedule's arguments; a command line gives them as JSON (transformers TrainingArguments.__post_init__)."""
    if isinstance(more, str):
        with suppress(ValueError):
            more = json.loads(more)
    return more if isinstance(more, dict) else {}


def _warmup(r: ReadContext) -> Any:
    """Updates, or below 1 a share of the run's (transformers TrainingArguments.get_warmup_steps)."""
    warmup = r.native(WARMUP)
    if warmup is None or isinstance(warmup, Expr) or warmup >= 1 or warmup == 0:
        return warmup if isinstance(warmup, Expr) else int(warmup or 0)
    steps = r.native(STEPS)
    if isinstance(steps, int) and steps > 0:
        return ceil(steps * Fraction(str(warmup)))
    updates, share = _whole_run(r), Fraction(str(warmup))
    if updates is None:
        return None
    if not isinstance(updates, Expr):
        return ceil(updates * share)
    # rounded up in whole numbers: a scheduler takes no part of an update
    above = share.denominator - 1
    return arith("//", arith("+", arith("*", share.numerator, updates), above), share.denominator)


def _whole_run(c: Context) -> Any:
    """Updates of the whole run, by its rollout periods or by its passes over the data."""
    periods, passes, prompts = c.plan(LENGTH), c.plan(PASSES), c.plan(PROMPTS)
    if periods is None and (passes is None or prompts is None):
        return None
    if periods is None:
        periods = arith("*", passes, arith("//", rows_of_run(c), prompts))
    return c.convert(periods, Unit.ROLLOUTS, Unit.UPDATES)


def write_schedule(w: WriteContext) -> None:
    """A word for the schedule; one with a lowest rate has it among its arguments, and a constant one its warm-up in the word."""
    schedule, warmup = w.plan(SCHEDULE), w.plan(WARMED)
    if isinstance(schedule, Expr):
        leave_open(w, KIND, "the schedule depends on a value the source does not tell", SCHEDULE)
    elif schedule == "constant":
        w.put(KIND, "constant" if warmup in (0, None) else "constant_with_warmup", SCHEDULE, always=True)
        lose_known(w, State.DEFAULT, "a constant rate has no lowest one", LEAST, SHARE)
    elif schedule is not None:
        _write_falling(w, schedule)
    if warmup is not None and not put_share(w, WARMUP, WARMED, warmup, _whole_run(w), up=True):
        w.put(WARMUP, warmup, WARMED, always=warmup != 0)


def _write_falling(w: WriteContext, schedule: str) -> None:
    """Write a schedule whose rate falls, to 0 or to a lowest one."""
    least, share = w.plan(LEAST), w.plan(SHARE)
    rated = share not in (0, 0.0, None)
    lowest = rated or least not in (0, 0.0, None)
    if schedule == "cosine" and lowest:
        w.put(KIND, next(iter(FLOORS)), SCHEDULE, always=True)
        name, path, other = ("min_lr_rate", SHARE, LEAST) if rated else ("min_lr", LEAST, SHARE)
        w.put(MORE, {name: w.plan(path)}, path, always=True)
        state = State.DERIVED if least and rated else State.DEFAULT
        lose_known(w, state, f"the same lowest rate, which {name} says", other)
        return
    w.put(KIND, schedule, SCHEDULE, always=True)
    falls = (
        f"{KIND}={schedule} falls to 0, where the source's rate falls to {formula(share if least is None else least)}"
    )
    state, note = (State.NARROWED, falls) if lowest else (State.DEFAULT, "the rate falls to 0")
    lose_known(w, state, note, LEAST, SHARE)
