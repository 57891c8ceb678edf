"""Trinity's old log-probabilities and the correction for the engine's mismatch (H24)."""

from __future__ import annotations

from typing import Any

from rftconf.base.ledger import State
from rftconf.mappers.context import ReadContext, WriteContext
from rftconf.mappers.rates import one_update
from rftconf.mappers.shapes import settle

BYPASS = "algorithm.bypass_old_logprobs"
"""The key of 0.6; the back end before has `bypass_mode` beside the correction (schemas/trinity/versions.py)."""
OLD = "trainer.trainer_config.algorithm.rollout_correction"
OLD_FIELDS = ("rollout_is", "rollout_is_threshold", "rollout_is_batch_normalize", "rollout_rs", "rollout_rs_threshold")
"""What the back end before 0.6 obeys while it recomputes."""
KEYS = (BYPASS, *(f"{OLD}.{name}" for name in OLD_FIELDS))
SOURCE, CORRECTION = "stage.sync.old_logprob", "stage.algorithm.rollout_correction"


def read_old_logprob(r: ReadContext) -> None:
    """The engine's log-probabilities by default; else recomputed inside each train step."""
    bypass = r.native(BYPASS, True)
    r.set(SOURCE, "recompute_at_update" if bypass is False else "rollout_engine", BYPASS)
    if not r.since("0.6.0"):
        _read_correction(r, bypass)
        return
    r.inactive[OLD] = "acts with back ends before 0.8 only; Trinity 0.6 reads algorithm.bypass_old_logprobs"
    r.set(CORRECTION, None, BYPASS)


def _read_correction(r: ReadContext, bypass: Any) -> None:
    keys = [f"{OLD}.{name}" for name in OLD_FIELDS]
    if bypass is not False:
        r.inactive.update(dict.fromkeys(keys, "corrects recomputed log-probabilities only: bypass_mode is true"))
        r.set(CORRECTION, None, BYPASS)
        return
    tree = {name: r.native(key) for name, key in zip(OLD_FIELDS, keys, strict=True)}
    acts = tree["rollout_is"] is not None or tree["rollout_rs"] is not None
    r.set(CORRECTION, {name: value for name, value in tree.items() if value is not None} if acts else None, *keys)


def write_old_logprob(w: WriteContext) -> None:
    """Keep the engine's for several updates a period: recomputing would follow the changing weights."""
    source, single = w.plan(SOURCE), one_update(w)
    if not w.since("0.4.1"):
        known = source in ("rollout_engine", None)
        note = f"Trinity {w.release} always takes the engine's log-probabilities"
        settle(w, SOURCE, known, note)
    elif w.since("0.5.2") and not w.since("0.6.0") and source in ("recompute_at_rollout", "current"):
        note = f"Trinity {w.release} weighs recomputed log-probabilities by rollout_is; it keeps the engine's"
        w.put(BYPASS, True, SOURCE, state=State.NARROWED, note=note)
    elif source in ("recompute_at_update", "current") or (source == "recompute_at_rollout" and single):
        how = "one update a period: recomputing is the same" if single else ""
        w.put(BYPASS, False, SOURCE, state=State.DERIVED, always=True, how=how)
    elif source == "recompute_at_rollout":
        note = "Trinity would recompute after each update; the engine's log-probabilities belong to the period's first policy (H24)"
        w.put(BYPASS, True, SOURCE, state=State.NARROWED, note=note, always=w.since("0.6.0"))
    elif source is not None:
        w.put(BYPASS, True, SOURCE, always=w.since("0.6.0"))
    _write_correction(w)


def _write_correction(w: WriteContext) -> None:
    rest = w.plan(CORRECTION)
    if not isinstance(rest, dict):
        return
    if w.since("0.6.0") or w.plan(SOURCE) != "recompute_at_update":
        w.lose(CORRECTION, State.NO_COUNTERPART, "no release of Trinity's corrects like this; 0.6 does not at all")
        return
    for name, value in rest.items():
        w.put(f"{OLD}.{name}", value, CORRECTION)
