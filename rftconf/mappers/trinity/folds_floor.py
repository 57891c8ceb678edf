"""Trinity's warm-up begins, with Megatron, at the floor of the learning rate and not at 0 (trainer/verl/config)."""

from __future__ import annotations

from rftconf.base.symbols import Expr, formula
from rftconf.mappers.context import ReadContext, WriteContext

FLOOR, RATE = "algorithm.optimizer.min_lr_ratio", "algorithm.optimizer.lr"
SINCE = "0.4.1"


def _begins(ratio: object, rate: object) -> str:
    """The first learning rate in words; empty where it is 0 or not known."""
    if isinstance(ratio, Expr) or not isinstance(ratio, (int, float)) or not ratio:
        return ""
    number = f" = {ratio * rate:g}" if isinstance(rate, (int, float)) else ""
    return f"min_lr_ratio x lr{number}"


def say_start(r: ReadContext) -> None:
    """Record at its key that the warm-up begins above 0: no field of the plan says it."""
    warmup, backend = r.plan("stage.optim.actor.warmup_updates"), r.plan("stage.placement.actor.backend")
    begins = _begins(r.native(FLOOR), r.native(RATE))
    if backend != "megatron" or not warmup or not r.since(SINCE) or not begins:
        return
    sentence = f"with Megatron the warm-up begins at {begins}, not at 0 as elsewhere (lr_warmup_init)"
    r.plan("stage.optim.actor.min_lr_ratio")  # the row that would call the key idle
    r.inactive.pop(FLOOR, None)
    r.narrowed[FLOOR] = sentence
    r.note(sentence)


def start_of(w: WriteContext) -> str:
    """Tell how a warm-up of the source's begins otherwise here; a constant rate needs no floor, so it gets none."""
    if w.same_framework or w.plan("stage.placement.actor.backend") != "megatron" or not w.since(SINCE):
        return ""
    if w.plan("stage.optim.actor.schedule") in ("constant", None):
        w.put(FLOOR, 0.0, always=True, how="with Megatron the warm-up begins at min_lr_ratio x lr")
        return ""
    ratio = w.plan("stage.optim.actor.min_lr_ratio")
    begins = _begins(w.defaults(FLOOR) if ratio is None else ratio, w.plan("stage.optim.actor.lr"))
    formula_of = formula(w.plan("stage.optim.actor.warmup_updates"))
    return f"with Megatron the {formula_of} updates of warm-up begin at {begins}, the source's at 0" if begins else ""
