"""Measures of what advantages are divided by: the deviation of rewards, and what is added to it."""

from __future__ import annotations

from math import log2, sqrt

from rftconf.base.symbols import Expr
from rftconf.diff.measured_difference import L, Measured, Pair, Tier, factor, is_number, lead_of, sides

CLIP, N = "stage.optim.actor.grad_clip", "stage.batch.responses_per_prompt"


def deviation(pair: Pair) -> Measured:
    """Measure a difference in the deviation by which advantages are divided."""
    scope, ddof = pair.both(L + "std_scope"), pair.both(L + "std_ddof")
    n = pair.b.get(N)
    if scope[0] == scope[1] and set(ddof) == {0, 1} and isinstance(n, int) and n > 1:
        times = sqrt(n / (n - 1)) if ddof[1] == 0 else sqrt((n - 1) / n)
        which = "the group's own deviation" if ddof[1] == 0 else "the deviation of a sample"
        says = f"Advantages ×{times:.3g}: they are divided by {which} {pair.names[1]}"
        return Measured(Tier.SCALE, says, abs(log2(times)), _step_remedy(pair, times), whole=True)
    if scope[0] != scope[1]:
        what = "Advantages are divided by the deviation of"
        return Measured(Tier.SCALE, sides(pair, what, *scope, L + "std_scope"), None)
    return Measured(Tier.SCALE, sides(pair, "How advantages are scaled", *lead_of(pair)), None)


def guard(pair: Pair) -> Measured:
    """Measure a difference in what is added to the deviation: it weighs the less, the more the rewards differ."""
    mine, theirs = pair.both(L + "std_guard")
    says = sides(pair, "What is added to the deviation of rewards", mine, theirs)
    if not (isinstance(mine, (int, float)) and isinstance(theirs, (int, float))) or theirs == -1:
        return Measured(Tier.SCALE, says, None)
    share = (mine - theirs) / (1 + theirs)
    change = f"{100 * abs(share):.2g} % {'larger' if share > 0 else 'smaller'}"
    _, doublings = factor(1 + theirs, 1 + mine)
    return Measured(Tier.SCALE, f"{says}; advantages are {change} where rewards deviate by 1", doublings, whole=True)


def _step_remedy(pair: Pair, times: float) -> str:
    clip, key = pair.a.get(CLIP), pair.key(CLIP)
    if not key or not is_number(clip) or isinstance(clip, Expr) or not clip:
        return "Adam's own steps stay as they are"
    return f"{key}={clip * times:.4g} clips alike; Adam's own steps stay as they are"
