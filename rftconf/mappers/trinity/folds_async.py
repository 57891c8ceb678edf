"""Trinity's fully asynchronous style: how old an experience may be, and what the style refuses (H23)."""

from __future__ import annotations

from math import ceil
from typing import Any

from rftconf.base.ledger import State
from rftconf.base.symbols import Expr, arith
from rftconf.mappers.context import ReadContext, WriteContext
from rftconf.mappers.outcomes import Outcome
from rftconf.mappers.shapes import only_written
from rftconf.plan.origin import Kind

AHEAD = "stage.sync.run_ahead_rollouts"
STRATEGY, OLDEST = "algorithm.sample_strategy", "algorithm.sample_strategy_args.max_staleness"
EVALS = "buffer.explorer_input.eval_tasksets"
SINCE = "0.6.0"


def read_ahead(r: ReadContext, interval: Any) -> None:
    """Read how many periods old an experience may be: what staleness_control lets through, without a bound otherwise.

    An experience of version v is taken up to train step v + max_staleness + 1; a period has `interval` train steps.
    """
    oldest = r.native(OLDEST) if r.native(STRATEGY) == "staleness_control" else None
    if oldest is None:
        r.note("fully_async without sample_strategy staleness_control: nothing bounds how old an experience may be")
        r.set(AHEAD, None, STRATEGY)
        return
    periods = arith("/", arith("+", oldest, 1), interval)
    ahead = periods - 1
    how = "(max_staleness + 1) / trainer sync interval - 1"
    r.set(AHEAD, ahead if isinstance(ahead, Expr) else max(0, ahead), STRATEGY, OLDEST, how=how)


def write_ahead(w: WriteContext, ahead: Any, interval: Any) -> None:
    """The same bound: an engine that runs ahead fills train steps of the next period."""
    if ahead is None:
        w.lose(AHEAD, State.DEFAULT, "no bound")
        return
    steps = arith("*", arith("+", 1, ahead), interval)
    how = "how old an experience may be: (1 + run-ahead) x trainer sync interval - 1 train steps (H23)"
    w.put(STRATEGY, "staleness_control", AHEAD, state=State.DERIVED, always=True)
    if isinstance(steps, Expr):
        w.put(OLDEST, steps - 1, AHEAD, state=State.DERIVED, always=True)
        return
    whole = ceil(round(float(steps), 9))
    note = "" if whole == steps else f"{float(ahead):g} periods ahead end within a train step; wrote the whole step"
    state = State.ROUNDED if note else State.DERIVED
    w.put(OLDEST, whole - 1, AHEAD, state=state, note=note, always=True, how=how)


def _refuse_evaluation(w: WriteContext) -> None:
    """Trinity stops when a fully asynchronous run names evaluation sets: they are left out, and said."""
    style = w.out.get("synchronizer.sync_style")
    if w.same_framework or style is None or style.value != "fully_async":
        return
    named = [key for key in w.out if key.startswith(f"{EVALS}[")]
    if not named:
        return
    why = "fully_async refuses evaluation sets"
    choices = ("evaluate the checkpoints in a run of their own, mode: bench", "or set synchronizer.sync_style: fixed")
    w.decisions[:] = [decision for decision in w.decisions if not decision.key.startswith(f"{EVALS}[")]
    w.decide(EVALS, f"{why}; they are left out", *choices)
    for key in (*named, "explorer.eval_interval", "explorer.eval_on_startup"):
        out = w.out.pop(key, None)
        for path in out.plans if out is not None else ():
            _settle(w, path, why)
    for path in w.values:
        if path.startswith("stage.data.eval["):
            _settle(w, path, why)


def _settle(w: WriteContext, path: str, why: str) -> None:
    """Record what somebody wrote, and when to evaluate, as lost; other defaults have nothing to act on any more."""
    origin = w.origins.get(path)
    written = path.startswith("stage.cadence.") or (origin is not None and origin.kind is Kind.WRITTEN)
    w.outcomes[path] = Outcome(State.NO_COUNTERPART if written else State.DEFAULT, (), why)


WITHOUT_EVALUATION = only_written(_refuse_evaluation, why="config_validator: ExplorerInputConfigValidator")
