"""Length of the run, rates, what is saved and evaluated when, resuming and number types, as TRL writes them."""

from __future__ import annotations

from math import gcd
from typing import Any

from rftconf.base.ledger import State
from rftconf.base.symbols import Expr, formula
from rftconf.mappers.context import WriteContext
from rftconf.mappers.rates import beside_a_length
from rftconf.mappers.shapes import leave_open, lose_known, settle
from rftconf.mappers.trl.folds_batch_write import joins_periods
from rftconf.mappers.trl.folds_run import (
    AT_START,
    BETAS,
    BF16,
    CADENCE,
    DTYPE,
    EPOCHS,
    EVALUATE_EVERY,
    EVALUATES,
    FLOORS,
    FP16,
    KIND,
    LAUNCHED,
    MORE,
    OPTIM,
    RESUMES,
    SAVE_EVERY,
    SAVES,
    STEPS,
    WARMUP,
    R,
)
from rftconf.plan.units import Unit

LENGTH, LAST = R + "rollouts", R + "last_partial"


def write_length(w: WriteContext) -> None:
    """Updates where the plan has a number of periods, else epochs."""
    periods, epochs = w.plan(LENGTH), w.plan(R + "epochs")
    if periods is not None:
        updates = w.convert(periods, Unit.ROLLOUTS, Unit.UPDATES)
        w.put(STEPS, updates, LENGTH, always=True, how=f"{formula(periods)} rollout periods", **_counted(w))
        if epochs is not None:
            w.lose(R + "epochs", *beside_a_length(w))
    elif epochs is not None:
        w.put(EPOCHS, epochs, R + "epochs", always=True)
    elif not w.same_framework:
        leave_open(w, STEPS, "the source does not tell how long it trains")
    last = w.plan(LAST)
    if last is not None:
        settle(w, LAST, last == "drop" or epochs is None, "rows that fill no generation batch are left out")


def _counted(w: WriteContext, kept: State = State.DERIVED) -> dict[str, Any]:
    """Return how much of a number of periods is kept: the same updates, but fewer periods where one here is several of the source."""
    if not joins_periods(w):
        return {"state": kept}
    return {"state": State.NARROWED, "note": "the same updates, in fewer periods: one here is several of the source"}


def write_schedule(w: WriteContext) -> None:
    """A word for the schedule; one with a lowest rate has it among its arguments, and a constant one its warm-up in the word."""
    schedule, least, share, warmup = (
        w.plan(OPTIM + field) for field in ("schedule", "min_lr", "min_lr_ratio", "warmup_updates")
    )
    if isinstance(schedule, Expr):
        leave_open(w, KIND, "the schedule depends on a value the source does not tell", OPTIM + "schedule")
    elif schedule is not None:
        _write_kind(w, schedule, least, share, warmup)
    if warmup is not None:
        w.put(WARMUP, warmup, OPTIM + "warmup_updates", always=warmup != 0)


def _write_kind(w: WriteContext, schedule: str, least: Any, share: Any, warmup: Any) -> None:
    floor = [path for path in (OPTIM + "min_lr", OPTIM + "min_lr_ratio") if w.plan(path) is not None]
    if schedule == "constant":
        w.put(KIND, "constant" if warmup in (0, None) else "constant_with_warmup", OPTIM + "schedule", always=True)
        lose_known(w, State.DEFAULT, "a constant rate has no lowest one", *floor)
        return
    lowest = share not in (0, 0.0, None) or least not in (0, 0.0, None)
    if schedule == "cosine" and lowest:
        w.put(KIND, next(iter(FLOORS)), OPTIM + "schedule", always=True)
        rated = share not in (0, 0.0, None)
        name, field, value = ("min_lr_rate", "min_lr_ratio", share) if rated else ("min_lr", "min_lr", least)
        w.put(MORE, {name: value}, OPTIM + field, always=True)
        other = [path for path in floor if path != OPTIM + field]
        lose_known(
            w, State.DERIVED if least and rated else State.DEFAULT, f"the same lowest rate, which {name} says", *other
        )
        return
    w.put(KIND, schedule, OPTIM + "schedule", always=True)
    note = (
        f"{KIND}={schedule} falls to 0, where the source's rate falls to {formula(share if least is None else least)}"
    )
    lose_known(w, State.NARROWED if lowest else State.DEFAULT, note if lowest else "the rate falls to 0", *floor)


def write_cadence(w: WriteContext) -> None:
    """Saving and evaluating count updates, or are off by their strategy."""
    _write_every(w, CADENCE + "save_rollouts", SAVES, SAVE_EVERY)
    nothing = not w.items("stage.data.eval") or (TEST not in w.out and not w.same_framework)
    every, start = CADENCE + "eval_rollouts", CADENCE + "eval_at_start"
    if nothing and not w.same_framework:
        lose_known(w, State.DEAD_IN_TARGET, "there is no data set to evaluate on", every, start)
        return
    _write_every(w, every, EVALUATES, EVALUATE_EVERY)
    if w.plan(every) is not None:
        _write_eval_batch(w)
    if w.plan(start) is not None and w.plan(every) is not None:
        w.put(AT_START, w.plan(start), start)
    elif w.plan(start) is not None:
        settle(w, start, not w.plan(start), "nothing is evaluated", state=State.DEAD_IN_TARGET)


TEST, EVAL_BATCH, OWN_ANSWERS = "dataset_test_split", "per_device_eval_batch_size", "0.26.2"
"""The last is the first catalogued release whose evaluation has a number of answers of its own."""


def _write_every(w: WriteContext, path: str, strategy: str, key: str) -> None:
    if path not in w.values:
        return
    periods = w.plan(path)
    if periods is None:
        w.put(strategy, "no", always=True, how="the source does not do so")
        return
    updates = w.convert(periods, Unit.ROLLOUTS, Unit.UPDATES)
    w.put(strategy, "steps", path, always=strategy != SAVES, **_counted(w, State.EXACT))
    w.put(key, updates, path, always=True, how=f"{formula(periods)} rollout periods", **_counted(w))


def _write_eval_batch(w: WriteContext) -> None:
    """Evaluation takes whole groups over all devices, which GRPOConfig stops at otherwise."""
    gpus, n = w.plan("stage.placement.actor.gpus"), w.plan("stage.sampling.eval.responses")
    n = w.plan("stage.batch.responses_per_prompt") if n is None or not w.since(OWN_ANSWERS) else n
    size = w.defaults(EVAL_BATCH)
    if w.same_framework or not all(isinstance(number, int) and number > 0 for number in (gpus, n, size)):
        return
    if size * gpus % n:
        w.put(
            EVAL_BATCH,
            n // gcd(n, gpus),
            always=True,
            how=f"over {gpus} processes a multiple of {n} answers to a prompt",
        )


def write_resume(w: WriteContext) -> None:
    """A checkpoint by its folder; the newest one only where there is one, which a first start has not."""
    word, path = w.plan("identity.resume"), w.plan("identity.resume_path")
    if word == "path":
        w.put(RESUMES, path, "identity.resume", *(["identity.resume_path"] if path is not None else []), always=True)
    elif word == "auto" and w.same_framework:
        w.put(RESUMES, True, "identity.resume", always=True)
    elif word is not None:
        on = word != "never"
        note = f"the first start has no checkpoint, and stops where it is asked for one: {RESUMES}: true goes on from the newest later"
        w.lose("identity.resume", State.NARROWED if on else State.DEFAULT, note if on else "a run starts anew")
        lose_known(w, State.DEFAULT, "a run starts anew", "identity.resume_path")


KNOWN = ("wandb", "tensorboard", "swanlab", "mlflow", "trackio", "comet_ml", "clearml", "neptune", "dvclive")


def write_loggers(w: WriteContext) -> None:
    """Trackers by name; the console is always there."""
    path = "identity.loggers"
    named = w.plan(path)
    if named is None:
        return
    if isinstance(named, Expr) or any(isinstance(name, Expr) for name in named):
        leave_open(w, "report_to", "which tracker is a value the source does not tell", path)
        return
    trackers = [name for name in ([named] if isinstance(named, str) else named) if name != "console"]
    lost = [name for name in trackers if name not in KNOWN]
    note = f"transformers has no tracker {', '.join(lost)}" if lost else ""
    kept = [name for name in trackers if name in KNOWN]
    w.put("report_to", kept or "none", path, state=State.NARROWED if lost else State.EXACT, note=note, always=True)


STORED, MEGATRON = {"fp32": "float32"}, "stage.placement.actor.megatron.dtype"


def write_dtypes(w: WriteContext) -> None:
    """One type for weights of policy and reference, and a switch for each type that is computed with."""
    stored, computed = (w.plan(f"stage.placement.actor.{field}") for field in ("model_dtype", "compute_dtype"))
    if stored is not None:
        w.put(
            DTYPE,
            stored if isinstance(stored, Expr) else STORED.get(stored, stored),
            "stage.placement.actor.model_dtype",
        )
    path = "stage.placement.actor.compute_dtype"
    if computed is None and w.plan(MEGATRON) is not None:
        path, computed = MEGATRON, w.plan(MEGATRON)
    cost: dict[str, Any] = {}
    if path == MEGATRON:
        cost = {"state": State.NARROWED, "note": "Megatron's type of weights is the type that TRL computes in"}
    if computed in ("bfloat16", "float16"):
        w.put(BF16, computed == "bfloat16", path, always=True, **cost)
        w.put(FP16, computed == "float16", path, **cost)
    elif computed in ("fp32", "float32"):
        w.put(BF16, False, path, always=True, **cost)
        w.put(LAUNCHED, "no", path, always=True, **cost)
    elif computed is not None:
        leave_open(
            w,
            BF16,
            f"TRL computes in bfloat16, float16 or single precision, and the source in {formula(computed)}",
            path,
        )
    for field, mine in (("model_dtype", stored), ("compute_dtype", computed)):
        own = w.plan(f"stage.placement.reference.{field}")
        if own is not None:
            settle(w, f"stage.placement.reference.{field}", own == mine, "the reference has the policy's types")


def write_betas(w: WriteContext) -> None:
    """Both numbers of the pair."""
    pair, path = w.plan(OPTIM + "betas"), OPTIM + "betas"
    if isinstance(pair, list) and len(pair) == 2:
        for key, beta in zip(BETAS, pair, strict=True):
            w.put(key, beta, path)
    elif pair is not None:
        w.lose(path, State.UNRESOLVED, "the betas are a value the source does not tell")


def write_eval_responses(w: WriteContext) -> None:
    """A number of its own, where evaluation draws otherwise than training."""
    path = "stage.sampling.eval.responses"
    answers = w.plan(path)
    if answers is None:
        return
    if answers == w.plan("stage.batch.responses_per_prompt"):
        w.lose(path, State.DERIVED, "evaluation draws as many answers as training")
    else:
        w.put("num_generations_eval", answers, path)
