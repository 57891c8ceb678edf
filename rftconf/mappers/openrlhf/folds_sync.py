"""OpenRLHF's engines run ahead of its trainer by a queue of rollouts, or take turns with it."""

from __future__ import annotations

from rftconf.base.ledger import State
from rftconf.base.symbols import Expr
from rftconf.mappers.context import ReadContext, WriteContext
from rftconf.mappers.openrlhf.folds_places import ASYNC, Y
from rftconf.mappers.shapes import leave_open, lose_known, settle_known

AHEAD, QUEUE, PARTIAL = Y + "run_ahead_rollouts", "train.async_queue_size", "train.partial_rollout_enable"
SYNC = (AHEAD, Y + "in_flight", Y + "driver")


def read_sync(r: ReadContext) -> None:
    """Engines and trainer take turns, or a queue of so many rollouts stands between them (ppo_trainer_async.py)."""
    on, queue, partial = r.native(ASYNC), r.native(QUEUE), r.native(PARTIAL)
    if on is False:
        r.inactive.update(dict.fromkeys((QUEUE, PARTIAL), f"{ASYNC} is off"))
    r.set(AHEAD, queue if on is not False else 0, ASYNC, QUEUE)
    cuts = on is not False and partial is not False
    r.set(Y + "in_flight", "interrupt" if cuts else "finish", PARTIAL)
    r.set(Y + "driver", "lockstep" if on is False else "trainer", ASYNC)


def write_sync(w: WriteContext) -> None:
    """A queue where the source runs ahead; a part of a rollout ahead is one whole here."""
    ahead, flight, driver = (w.plan(path) for path in SYNC)
    if isinstance(ahead, Expr):
        leave_open(w, ASYNC, "how far engines run ahead depends on a value the source does not tell", AHEAD)
    elif ahead:
        whole = max(1, int(ahead))
        exact = whole == ahead
        w.put(ASYNC, True, AHEAD, always=True)
        w.put(
            QUEUE,
            whole,
            AHEAD,
            state=State.EXACT if exact else State.ROUNDED,
            note="" if exact else f"{ahead:g} rollouts ahead; wrote {whole}",
        )
        if flight == "interrupt":
            w.put(PARTIAL, True, Y + "in_flight", always=True)
        else:
            settle_known(w, Y + "in_flight", flight == "finish", "answers are finished before the weights change")
        settle_known(
            w,
            Y + "driver",
            driver == "trainer",
            "the trainer takes from a queue",
            "the trainer takes from a queue, which holds so many rollouts",
        )
        return
    else:
        lose_known(w, State.DEFAULT, "engines and trainer take turns", AHEAD)
    turns = "engines and trainer take turns"
    settle_known(w, Y + "in_flight", flight == "finish", turns)
    settle_known(w, Y + "driver", driver == "lockstep", turns)
