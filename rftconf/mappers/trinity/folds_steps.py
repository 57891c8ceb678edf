"""Counters of a trainer on its own: the run's length and its checkpoints, in train steps."""

from __future__ import annotations

from fractions import Fraction
from math import ceil
from typing import Any

from rftconf.base.ledger import State
from rftconf.base.record import record
from rftconf.base.symbols import Expr
from rftconf.mappers.context import ReadContext, WriteContext
from rftconf.mappers.rates import length_that_is_open
from rftconf.mappers.rows import Fold
from rftconf.mappers.shapes import OneSided, carry, settle, take, together
from rftconf.mappers.statements import Every, Means, Narrows
from rftconf.mappers.trinity.folds_run import periods
from rftconf.plan.origin import Kind
from rftconf.plan.units import Unit

SAVED = "stage.cadence.save_rollouts"


def trainer_alone(kind: str, *, why: str) -> Fold:
    """Make the fold of a kind of run that the trainer does alone, on answers that exist already."""
    mode, algorithm = "mode", "algorithm.algorithm_type"
    return together(
        Means("stage.kind", kind, {mode: "train", algorithm: kind}, state=State.DERIVED, told_by_all=True),
        Narrows(
            algorithm,
            lambda r: r.native(algorithm) == "cpt",
            "cpt trains on every token of a text, sft on answers only",
        ),
        SavesAtAll(),
        why=why,
    )


@record
class SavesAtAll(OneSided):
    """The mode wants an interval above 0: the end of the run, where the source saves at its end or never."""

    def write(self, w: WriteContext) -> None:
        """Write an interval for a plan that has none."""
        if w.plan(SAVED) or w.same_framework:
            return
        updates = periods(w)
        total = None if updates is None else whole(w.convert(updates, Unit.ROLLOUTS, Unit.TRAIN_STEPS))
        value = total if isinstance(total, int) else 100
        how = "the interval must be positive; the last step is saved anyway"
        w.put("trainer.save_interval", value, SAVED, always=True, chosen=not isinstance(total, int), how=how)


def read_length(r: ReadContext) -> None:
    """Epochs of the data, steps of the data, steps of the trainer; whichever ends first."""
    fed, steps = r.native("buffer.total_steps"), r.native("trainer.total_steps")
    if fed is None:
        take(r, "buffer.total_epochs", "stage.run_length.epochs", 1)
    opens = "the rest of an epoch opens the next one (H12)"
    r.set("stage.run_length.last_partial", "carry", kind=Kind.DEFAULT, how=opens)
    limits = [
        (r.convert(value, Unit.TRAIN_STEPS, Unit.ROLLOUTS), key)
        for value, key in ((steps, "trainer.total_steps"), (fed, "buffer.total_steps"))
        if value is not None
    ]
    if fed is not None:
        r.inactive["buffer.total_epochs"] = "buffer.total_steps is set and wins"
    plain = [value for value, _ in limits if not isinstance(value, Expr)]
    total = whole(min(plain)) if plain else limits[0][0] if limits else None
    rows, size = r.rows(), r.native("buffer.train_batch_size")
    epochs = r.native("buffer.total_epochs", 1)
    if fed is None and isinstance(rows, int) and isinstance(size, int) and isinstance(epochs, int):
        bound = r.convert(rows * epochs // size, Unit.TRAIN_STEPS, Unit.ROLLOUTS)
        total = whole(bound) if total is None or (isinstance(total, int) and bound < total) else total
    keys = tuple(key for _, key in limits) or ("buffer.total_epochs",)
    r.set("stage.run_length.rollouts", total, *keys, how="updates")


def write_length(w: WriteContext) -> None:
    """Epochs bound the data, steps the trainer: the run ends with the first, as in the plan."""
    epochs, updates = w.plan("stage.run_length.epochs"), periods(w)
    steps = None if updates is None else w.convert(updates, Unit.ROLLOUTS, Unit.TRAIN_STEPS)
    total = whole(steps)
    carry(w, "buffer.total_epochs", "stage.run_length.epochs", always=True)
    known = w.plan("stage.run_length.rollouts") is not None
    uneven = isinstance(steps, Fraction) and steps.denominator != 1
    state, note = (
        (State.NARROWED, f"{updates} updates are no whole number of train steps") if uneven else (State.EXACT, "")
    )
    outcome: dict[str, Any] = {"always": True, "state": state, "note": note}
    if known and epochs is None:
        w.put("buffer.total_steps", total, "stage.run_length.rollouts", how="the data last as long", **outcome)
    if known:
        w.put("trainer.total_steps", total, "stage.run_length.rollouts", how="updates", **outcome)
    elif total is not None and w.plan("stage.optim.actor.schedule") not in ("constant", None):
        note = f"the schedule decays over the run, whose length {length_that_is_open(updates)}"
        w.put("trainer.total_steps", total, "stage.run_length.epochs", state=State.UNRESOLVED, always=True, note=note)
    carried = w.plan("stage.run_length.last_partial") in ("carry", None) or known
    note = "Trinity carries the incomplete batch of an epoch into the next (H12)"
    settle(w, "stage.run_length.last_partial", carried, note)


def whole(value: Any) -> Any:
    """A whole number of steps, the last one begun counting; an expression stays one."""
    return ceil(value) if isinstance(value, Fraction) else value


LENGTH = Fold(
    ("buffer.total_epochs", "buffer.total_steps", "trainer.total_steps"),
    ("stage.run_length.epochs", "stage.run_length.rollouts", "stage.run_length.last_partial"),
    read_length,
    write_length,
    "the data end, or the trainer stops",
)
INTERVAL = together(
    Every("trainer.save_interval", SAVED, Unit.TRAIN_STEPS),
    why="SFTAlgorithm, DPOAlgorithm: sync_interval = save_interval",
)
"""Saved every so many train steps; the weights go nowhere else."""
