"""ROLL's weight sync and old log-probabilities."""

from __future__ import annotations

from rftconf.base.ledger import State
from rftconf.base.symbols import Expr
from rftconf.mappers.context import Context, ReadContext, WriteContext
from rftconf.mappers.rates import settle_unbounded
from rftconf.mappers.shapes import Behaves, Pair, settle, together

B, N, G = (f"stage.batch.{f}" for f in ("prompts_per_rollout", "responses_per_prompt", "sequences_per_update"))
S = "stage.sync."
AHEAD, EVERY = "async_generation_ratio", "actor_train.model_update_frequency"
PERIODS = together(
    Pair(EVERY, S + "every_rollouts", 1),
    Behaves(S + "driver", "lockstep", "one loop generates and trains", "ROLL's pipeline moves in lock-step"),
    why="rlvr_pipeline: run; model_update_group",
)


def read_sync(r: ReadContext) -> None:
    """Read how many periods rollouts run ahead, and how often weights are passed."""
    ahead = r.native(AHEAD, 0)
    r.set(S + "run_ahead_rollouts", ahead, AHEAD)
    PERIODS.read(r)
    waits = not isinstance(ahead, Expr) and not ahead
    cut = "running answers are cut at the update and go on with new weights"
    mine, how = ("finish", "every answer is finished before the update") if waits else ("interrupt", cut)
    r.set(S + "in_flight", mine, AHEAD, how=how)


def write_sync(w: WriteContext) -> None:
    """Ratios between 0 and 1 do not exist (H23)."""
    ahead, path = w.plan(S + "run_ahead_rollouts") or 0, S + "run_ahead_rollouts"
    if isinstance(ahead, Expr) or ahead == 0 or ahead >= 1:
        w.put(AHEAD, ahead, path)
    else:
        note = f"{ahead:g} rollout periods ahead: ROLL takes 0 or at least 1; wrote 1 (H23)"
        w.put(AHEAD, 1, path, state=State.ROUNDED, note=note, always=True)
    settle_unbounded(w)
    PERIODS.write(w)
    mine = "interrupt" if isinstance(ahead, Expr) or ahead else "finish"
    cuts = "ROLL cuts running answers at an update and goes on with new weights"
    other = cuts if mine == "interrupt" else "ROLL finishes every answer first"
    settle(w, S + "in_flight", w.plan(S + "in_flight") in (mine, None), "as ROLL does", other)


RECOMPUTE, DISABLE = "enable_old_logprobs_recompute", "force_disable_old_logprobs_recompute"
OLD = S + "old_logprob"


def _one_update(c: Context) -> bool | None:
    """True when the static formula gives one update a period on each rank; None when it cannot be told."""
    parts = [c.plan(path) for path in (B, N, G)]
    if any(p is None or isinstance(p, Expr) for p in parts):
        return None
    return bool(parts[0] * parts[1] <= parts[2])


def read_old_logprob(r: ReadContext) -> None:
    """Recomputed where an update follows another, where KL is weighed, or when asked (H6)."""
    keys = (RECOMPUTE, DISABLE)
    single = _one_update(r)
    if r.native(DISABLE, False) is True:
        r.inactive[RECOMPUTE] = f"{DISABLE} is true and wins"
        # with one update a period the first forward pass still belongs to the policy that generated
        r.set(OLD, "recompute_at_rollout" if single else "current", *keys)
        return
    how = "one update a period: the first forward pass is the same" if single else ""
    r.set(OLD, "recompute_at_rollout", *keys, how=how)
    if single and r.native("actor_train.use_dynamic_batching_in_train", False) is True and not _asks_for_recomputing(r):
        r.note(
            f"dynamic batching may make several updates of what the static formula counts as one: set {RECOMPUTE}: true (H6)"
        )
        r.set(OLD, "current", *keys)


def _asks_for_recomputing(r: ReadContext) -> bool:
    coef = r.native("init_kl_coef", 0.2)
    return r.native(RECOMPUTE, False) is True or isinstance(coef, Expr) or (coef or 0) > 0


def write_old_logprob(w: WriteContext) -> None:
    """Said explicitly wherever it matters (H6)."""
    if w.plan(OLD) is None:
        return
    source, single = w.plan(OLD), _one_update(w)
    if single:
        note = "one update a period: the first forward pass is the policy that generated"
        settle(w, OLD, source != "rollout_engine", note, "ROLL never takes the engine's own log-probabilities")
    elif source in ("current", "recompute_at_update"):
        how = "the ratio is taken against each update's own start (H24)"
        w.put(DISABLE, True, OLD, state=State.DERIVED, always=True, how=how)
    else:
        narrowed = source == "rollout_engine"
        note = "ROLL recomputes them; it never takes the engine's own" if narrowed else ""
        w.put(RECOMPUTE, True, OLD, note=note, always=True,
              how="" if narrowed else "said explicitly (H6)")  # fmt: skip
