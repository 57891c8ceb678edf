"""veRL's run length and learning-rate schedule."""

from __future__ import annotations

from sys import maxsize
from typing import Any

from rftconf.base.errors import RefusedError
from rftconf.base.ledger import State
from rftconf.base.symbols import Expr, Value, arith, formula
from rftconf.mappers.context import Context, ReadContext, WriteContext
from rftconf.mappers.rates import periods_of_epochs, rows_of_run, sequences_per_period
from rftconf.mappers.rows import Fold
from rftconf.mappers.schedules import put_share
from rftconf.mappers.shapes import Behaves, leave_open, settle
from rftconf.mappers.verl.conditions import local_updates
from rftconf.mappers.verl.folds_recipes import PROMPTS_IN_ALL, REQUIRE, TRIGGER, fully_async, keep_limits, recipe_of
from rftconf.mappers.verl.folds_recipes import B as PERIOD
from rftconf.plan.origin import Kind
from rftconf.plan.units import Unit

STEPS_ASKED = "trainer.total_training_steps"
ENDLESS = 10**12
"""More updates than any run has: a share of sys.maxsize steps."""

ALL_STEPS = "0.3.0"
"""The first release that makes all steps: 0.2.0's ray_trainer.fit counts up before it asks whether the run is at its end."""


LAST_BATCH = Behaves(
    "stage.run_length.last_partial", "drop", "the loader drops the last incomplete batch of an epoch",
    "veRL drops the last incomplete batch of each epoch (H12)", as_here="as veRL does",
)  # fmt: skip


def read_run_length(r: ReadContext) -> None:
    """Epochs and rollout periods; whichever ends first (H68). Periods follow from epochs once the rows are known."""
    if fully_async(r):
        _read_streamed_length(r)
        return
    epochs, steps = r.native("trainer.total_epochs"), r.native("trainer.total_training_steps")
    r.set("stage.run_length.epochs", epochs, "trainer.total_epochs")
    LAST_BATCH.read(r)
    rows, prompts = r.rows(), sequences_per_period(r)
    bound = None
    if isinstance(rows, int) and isinstance(prompts, int) and isinstance(epochs, int):
        bound = rows // prompts * epochs
    if not r.since(ALL_STEPS):
        steps = None if steps is None else _without_last(steps)
        bound = None if bound is None else max(bound - 1, 1)
        r.note(f"veRL {r.source.release} leaves the last step of a run out")
    if steps is None and bound is not None:
        r.set("stage.run_length.rollouts", bound, "trainer.total_epochs", "data.train_batch_size",
              how=f"floor({rows} rows / {prompts}) x {epochs} epochs", kind=Kind.DERIVED)  # fmt: skip
    elif steps is not None and bound is not None and isinstance(steps, int) and steps > bound:
        reached = f"{epochs} epochs end after {bound} rollout periods (H68)"
        r.note(f"total_training_steps={steps} is never reached: {reached}")
        both = ("trainer.total_training_steps", "trainer.total_epochs")
        r.set("stage.run_length.rollouts", bound, *both, kind=Kind.DERIVED)
    else:
        if steps is not None and bound is None and r.written("trainer.total_epochs"):
            r.note("total_epochs can end the run before total_training_steps does; --rows N tells (H68)")
        r.set("stage.run_length.rollouts", steps, "trainer.total_training_steps")


def _without_last(count: int | Expr) -> Value:
    """The steps that a release before ALL_STEPS makes of so many; a single one is made."""
    return max(count - 1, 1) if isinstance(count, int) else arith("-", count, 1)


def _read_streamed_length(r: ReadContext) -> None:
    """The streaming program stops after so many prompts, or after its epochs; whole periods count."""
    epochs, limit, prompts = r.native("trainer.total_epochs"), r.native(PROMPTS_IN_ALL), r.plan(PERIOD)
    r.inactive["trainer.total_training_steps"] = f"the fully asynchronous program stops after {PROMPTS_IN_ALL} prompts"
    r.set("stage.run_length.epochs", epochs, "trainer.total_epochs")
    how = "prompts stream over the end of an epoch; what is left of the last period is not trained"
    r.set("stage.run_length.last_partial", "carry", kind=Kind.DEFAULT, how=how)
    rows = r.rows()
    known = isinstance(rows, int) and isinstance(epochs, int)
    whole = rows * epochs if known else None
    if isinstance(limit, int) and isinstance(whole, int) and whole < limit:
        r.note(f"{PROMPTS_IN_ALL}={limit} is never reached: {epochs} epochs end after {whole} prompts (H68)")
        limit = whole
    keys = (PROMPTS_IN_ALL, TRIGGER, REQUIRE) if limit is not whole else ("trainer.total_epochs", TRIGGER, REQUIRE)
    limit = whole if limit is None else limit
    rollouts = None if limit is None or prompts is None else arith("//", limit, prompts)
    r.set("stage.run_length.rollouts", rollouts, *keys, how=f"{formula(limit)} prompts // {formula(prompts)} a period")


def write_run_length(w: WriteContext) -> None:
    """Write both limits of the run, in agreement with each other."""
    if fully_async(w):
        keep_limits(w)
        return
    epochs, rollouts = w.plan("stage.run_length.epochs"), w.plan("stage.run_length.rollouts")
    derived = w.origins.get("stage.run_length.rollouts")
    if rollouts is not None:
        explicit = not (w.same_framework and derived is not None and derived.kind is Kind.DERIVED)
        if explicit:
            steps = rollouts if w.since(ALL_STEPS) else arith("+", rollouts, 1)
            w.put("trainer.total_training_steps", steps, "stage.run_length.rollouts")
        else:
            w.lose("stage.run_length.rollouts", State.DERIVED, "follows from epochs and rows")
    _write_epochs(w, epochs, rollouts)
    LAST_BATCH.write(w)


RUN_LENGTH = Fold(
    ("trainer.total_epochs", "trainer.total_training_steps", PROMPTS_IN_ALL),
    ("stage.run_length.epochs", "stage.run_length.rollouts", "stage.run_length.last_partial"),
    read_run_length,
    write_run_length,
    "trainer: _create_dataloader and fit; H12, H68",
)


def _write_epochs(w: WriteContext, epochs: Any, rollouts: Any) -> None:
    """Epochs must not end a run that its step limit is meant to end (H68)."""
    path, key = "stage.run_length.epochs", "trainer.total_epochs"
    supervised = w.plan("stage.kind") == "sft"
    carried = w.plan("stage.run_length.last_partial") in ("carry", "cycle")
    # the steps are a limit beside the epochs, unless the rows tell that they are the whole run
    rows, prompts = w.facts.rows, sequences_per_period(w)
    whole = rows // prompts if isinstance(rows, int) and isinstance(prompts, int) and prompts > 0 else 0
    # a source that trains on the rows that are left of an epoch too has more periods in as many epochs
    short = isinstance(epochs, int) and isinstance(rollouts, int) and bool(whole) and epochs * whole < rollouts
    ends = epochs is None or (carried and isinstance(rows, int)) or (short and not w.same_framework)
    if rollouts is not None and ends:
        if not whole and isinstance(rows, int) and isinstance(prompts, int) and not w.same_framework:
            raise RefusedError(
                f"{rows} rows are less than one batch of {prompts} prompts: veRL drops incomplete batches, so it would have none",
                choices=(f"at least {prompts} rows", f"at most {rows} prompts a rollout period"),
            )
        enough = arith("//", arith("+", rollouts, whole - 1), whole) if whole else rollouts
        named = "updates" if supervised else "rollout periods"
        how = f"enough for {formula(rollouts)} {named}, which end the run (H68)"
        w.put(key, enough, path, state=State.DERIVED, always=True, how=how)
    elif epochs is not None:
        w.put(key, epochs, path, always=True)


def periods(context: Context) -> Any:
    """Return the number of rollout periods of the run; an expression where nobody says how many rows there are."""
    known = context.plan("stage.run_length.rollouts")
    return periods_of_epochs(context, rows_of_run(context), drops=True) if known is None else known


def schedule_fold(role: str, block: str) -> Fold:
    """Warm-up in updates from explicit ticks or from a ratio of the run's length (H44, H45)."""
    steps, share, total = f"{block}.lr_warmup_steps", f"{block}.lr_warmup_steps_ratio", f"{block}.total_training_steps"
    warmup = f"stage.optim.{role}.warmup_updates"

    def read(r: ReadContext) -> None:
        if role == "critic" and r.plan("stage.algorithm.critic.enabled") is False:
            r.inactive.update(dict.fromkeys((steps, share, total), "there is no critic in this run"))
            return
        r.inactive[total] = "the trainer overwrites it with the length of the run"
        ticks, ratio = r.native(steps, -1), r.native(share, 0.0)
        if r.backend == "veomni":
            r.inactive[steps] = _SHARE_ONLY
            ticks = -1
        uses_steps = isinstance(ticks, Expr) or (ticks is not None and (ticks > 0 or (ticks == 0 and _zero_counts(r))))
        if uses_steps:
            r.inactive[share] = f"{steps} is set and wins"
            r.set(warmup, r.convert(ticks, Unit.LR_TICKS, Unit.UPDATES), steps, how=f"{formula(ticks)} scheduler ticks")
            return
        own = own_length(r, role)
        of = "the run" if own is None else f"{formula(own)} ticks"
        r.set(warmup, share_of_length(r, role, ratio), share, how=f"{formula(ratio)} of {of}")

    def write(w: WriteContext) -> None:
        floor = w.plan(f"stage.optim.{role}.min_lr")
        if role == "critic" and w.backend != "megatron" and floor is not None:
            note = "the critic's floor is a share of its rate here: min_lr_ratio"
            settle(w, f"stage.optim.{role}.min_lr", floor == 0, note, state=State.NO_COUNTERPART)
        if role == "critic" and w.plan("stage.algorithm.critic.enabled") is False:
            return
        if w.backend == "veomni":
            _write_share(w, warmup, share)
        else:
            write_warmup(w, warmup, steps, share)
        if w.backend in ("megatron", "veomni") and floor is not None:
            w.lose(f"stage.optim.{role}.min_lr_ratio", State.DERIVED, "this trainer takes the lowest rate as a number")

    why = "optimizer config: steps win over the ratio; one tick per update_actor call"
    return Fold((steps, share, total), (warmup,), read, write, why)


def _zero_counts(r: ReadContext) -> bool:
    """FSDP workers up to 0.7 take the ratio only for negative steps; the engine takes it for zero too."""
    return not r.since("0.8.0") and r.backend == "fsdp"


_SHARE_ONLY = "VeOmni's engine warms up over lr_warmup_steps_ratio of the run, whatever the steps say"


def _write_share(w: WriteContext, warmup: str, share: str) -> None:
    """The warm-up as a share of the run, of which VeOmni's engine takes nothing else."""
    updates, whole = w.plan(warmup), periods(w)
    if updates is None:
        return
    if updates == 0:
        w.lose(warmup, State.DEFAULT, "no warm-up")
        return
    ticks = w.convert(updates, Unit.UPDATES, Unit.LR_TICKS)
    part = arith("/", ticks, whole) if whole is not None else None
    if part is None or isinstance(part, Expr):
        note = f"{_SHARE_ONLY}; how long the run is, nobody tells"
        leave_open(w, share, note, warmup)
        return
    how = f"{formula(updates)} updates of the run"
    w.put(share, round(float(part), 6), warmup, state=State.DERIVED, how=how, always=True)


LENGTHS = {"actor": "actor_rollout_ref.actor.optim.lr_decay_steps", "critic": "critic.optim.lr_decay_steps"}
"""Role to the key that Megatron's scheduler reads in place of the run's length (megatron_utils: lr_decay_steps)."""


def horizon(r: ReadContext) -> Any:
    """The rollout periods that schedules are planned for: the steps asked for, reached or not (H68), else the run's."""
    steps = None if fully_async(r) or r.plan("stage.kind") == "sft" else r.native(STEPS_ASKED)
    return periods(r) if steps is None else steps


def from_ratio(r: ReadContext, ratio: Any) -> Any:
    """A share of the run as updates, rounded down as veRL does; an expression while the length is not known."""
    if ratio in (0, 0.0, None):
        return 0
    rollouts = horizon(r)
    if rollouts is None:
        return None
    # the horizon counts local updates (H62), except in the recipes, whose trainers set it to the periods
    whole = rollouts if recipe_of(r) else arith("*", rollouts, local_updates(r))
    ticks = arith("//", arith("*", ratio, whole), 1)
    return r.convert(ticks if isinstance(ticks, Expr) else int(ticks), Unit.LR_TICKS, Unit.UPDATES)


def own_length(r: ReadContext, role: str) -> Any:
    """The ticks that Megatron's scheduler is given in place of the run's length; None where it takes the run's."""
    return r.native(LENGTHS[role]) if r.backend == "megatron" and r.written(LENGTHS[role]) else None


def share_of_length(r: ReadContext, role: str, ratio: Any) -> Any:
    """A share of the run in updates, or of the length that Megatron's scheduler is given."""
    length = own_length(r, role)
    if length is None or ratio in (0, 0.0, None):
        return from_ratio(r, ratio)
    ticks = arith("//", arith("*", ratio, length), 1)
    return r.convert(ticks if isinstance(ticks, Expr) else int(ticks), Unit.LR_TICKS, Unit.UPDATES)


def write_warmup(w: WriteContext, warmup: str, steps: str, share: str) -> None:
    """Explicit steps; a share only for a warm-up that never ends."""
    updates = w.plan(warmup)
    if updates is None:
        return
    if not isinstance(updates, Expr) and updates > ENDLESS:
        part = round(updates / maxsize, 6)
        note = f"the source's warm-up never ends ({part:g} of sys.maxsize steps); veRL takes {part:g} of the run's length (H45)"
        how = "of the run, not of sys.maxsize (H45)"
        w.put(share, part, warmup, state=State.NARROWED, note=note, always=True, how=how)
        w.decide(share, note, "give lr_warmup_steps", "or keep the share of the run")
        return
    ticks = w.convert(updates, Unit.UPDATES, Unit.LR_TICKS)
    if put_share(w, share, warmup, ticks, _whole_run(w), up=False):
        return
    if updates == 0:
        w.lose(warmup, State.DEFAULT, "no warm-up")
    elif isinstance(ticks, (int, Expr)):
        how = f"{formula(updates)} updates as scheduler ticks"
        w.put(steps, ticks, warmup, state=State.DERIVED, how=how, always=True)
    else:
        rounded = -(-ticks.numerator // ticks.denominator)
        note = f"{updates} updates are {float(ticks):g} scheduler ticks of veRL (one per rollout period); wrote {rounded} (H44)"
        w.put(steps, rounded, warmup, state=State.ROUNDED, note=note, always=True)


def _whole_run(w: WriteContext) -> Any:
    """The scheduler ticks of the whole run; None where nobody tells how it ends."""
    rollouts = periods(w)
    return None if rollouts is None else w.convert(rollouts, Unit.ROLLOUTS, Unit.LR_TICKS)
