"""A shape for weights that correct the engine's probabilities by the trainer's: cut, left out, or as they are."""

from __future__ import annotations

from typing import Any, ClassVar

from rftconf.base.ledger import State
from rftconf.base.record import record
from rftconf.base.symbols import Expr, formula
from rftconf.mappers.context import ReadContext, WriteContext
from rftconf.mappers.shapes import lose_known

WEIGHTS = "stage.algorithm.rollout_correction"
UNREACHED = 1.0e9
"""A bound of the ratio above all that a ratio gets to."""
LEAST = "1e-09"
"""A lower bound that no weight is below, where a band has none: its logarithm is taken elsewhere."""
BY_ANSWER = "seq_mean_k1"
"""The plan's word for answers that are left out by the mean of their tokens' log-ratio, engine over trainer."""
COUNTED = "an answer outside of the band adds nothing to the loss and is counted in its mean here; elsewhere its tokens are left out of the mean"


@record
class EngineCorrection:
    """A switch for weights, a key for what becomes of them, and their bounds; the words for a cut, for weights of 0 outside of
    both bounds, and for whole answers that are left out.

    `sequences` is a switch with which a weight is that of a whole answer. `title` is how sentences call the framework.
    """

    title: str
    switch: str
    treats: str
    most: str
    least: str
    sequences: str
    cut: str = "tis"
    outside: str = "icepop"
    answers: str = "seq-mask-tis"
    plans: ClassVar[tuple[str, ...]] = (WEIGHTS,)

    @property
    def natives(self) -> tuple[str, ...]:
        """Return the switch, the word and both bounds."""
        return (self.switch, self.treats, self.most, self.least)

    def read(self, r: ReadContext) -> None:
        """Set the weights as the plan words them; none where the switch is off."""
        on, word, most, least = (r.native(key) for key in self.natives)
        if on is not True and not isinstance(on, Expr):
            r.set(WEIGHTS, None, self.switch)
            idle = f"{self.switch} is off: nothing is corrected"
            r.inactive.update(dict.fromkeys((self.treats, self.most, self.least), idle))
            return
        level = "sequence" if r.native(self.sequences) is True else "token"
        weights: dict[str, Any] = {"rollout_is": level, "rollout_is_threshold": UNREACHED}
        if most is None:
            r.inactive.update(dict.fromkeys((self.treats, self.least), f"{self.most} is null: no weight is bounded"))
        elif word == self.answers:
            weights |= {"rollout_rs": BY_ANSWER, "rollout_rs_threshold": _inverse(least, most)}
            r.narrowed[self.treats] = COUNTED
        elif word == self.outside:
            weights["rollout_is_threshold"] = f"{least or LEAST}_{formula(most)}"
        else:
            weights["rollout_is_threshold"] = most
            if word not in (self.cut, None):
                r.narrowed[self.treats] = f"{self.title} has no {formula(word)}: the run stops"
            if least:
                r.narrowed[self.least] = (
                    f"weights below {formula(least)} are lifted to it as well; the plan has no such bound"
                )
        r.set(WEIGHTS, weights, *self.natives)

    def write(self, w: WriteContext) -> None:
        """Write weights of tokens or of answers that are cut at a bound, or left out outside of two."""
        has = w.plan(WEIGHTS)
        weights = has if isinstance(has, dict) else {}
        if not weights:
            lose_known(w, State.NO_COUNTERPART, f"{self.title} has no such correction", WEIGHTS)
            return
        level, most, answers = (weights.get(name) for name in ("rollout_is", "rollout_is_threshold", "rollout_rs"))
        known = {"rollout_is", "rollout_is_threshold"}
        word = self.cut
        band: tuple[Any, Any] = (None, most)
        if answers == BY_ANSWER and most == UNREACHED:
            word, band = self.answers, _turned(weights.get("rollout_rs_threshold"))
            known |= {"rollout_rs", "rollout_rs_threshold"}
        elif isinstance(most, str):
            word, band = self.outside, _bounds(most)
        if level not in ("token", "sequence") or band[1] is None:
            lose_known(w, State.NO_COUNTERPART, f"{self.title} weighs tokens or answers by the ratio alone", WEIGHTS)
            return
        more = [f"{self.title} has no {name}" for name in sorted(weights.keys() - known)]
        if level == "sequence" and w.effective(self.sequences) is not True:
            more.append(f"weights are those of tokens here, unless {self.sequences} is on")
        w.put(
            self.switch, True, WEIGHTS, state=State.NARROWED if more else State.EXACT, note="; ".join(more), always=True
        )
        if band[1] == UNREACHED:
            return
        w.put(self.treats, word, WEIGHTS, always=True)
        w.put(self.most, band[1], WEIGHTS, always=True)
        if band[0] is not None:
            w.put(self.least, band[0], WEIGHTS, always=True)


def _inverse(least: Any, most: Any) -> Any:
    """A band of one ratio as the band of its inverse."""
    if any(isinstance(bound, Expr) for bound in (least, most)):
        return None
    return f"{1 / most:.12g}_{1 / (least or float(LEAST)):.12g}"


def _bounds(threshold: Any) -> tuple[Any, Any]:
    """Both bounds of `lower_upper`; none for another text."""
    lower, _, upper = str(threshold).partition("_")
    try:
        return (float(lower), float(upper))
    except ValueError:
        return None, None


def _turned(threshold: Any) -> tuple[Any, Any]:
    """The band of the inverse of a ratio."""
    lower, upper = _bounds(threshold)
    return (round(1 / upper, 9), round(1 / lower, 9)) if lower and upper else (None, None)
