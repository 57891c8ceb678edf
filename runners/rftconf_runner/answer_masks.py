"""Masks of whole answers: ROLL leaves some of a period's answers out of what is learned, after rewards are normalized over all of them.

`get_sample_level_mask` (roll/utils/functionals.py) has them, alike in every release: a masked answer has no advantages, and is in no
number that a loss is divided by.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from rftconf.plan.model import Plan

ROLL = "roll"
CUT, DIFFICULT, WRONG = "max_len_mask", "difficulty_mask", "error_max_len_clip"
SWITCHES = (CUT, DIFFICULT, WRONG)
BOUNDS = {"difficulty_low_threshold": 0.0, "difficulty_high_threshold": 1.0, "error_max_len_threshold": 9_999_999_999}
"""Their numbers, and what these are where a config does not say (roll/pipeline/rlvr/rlvr_config.py)."""


@dataclass(frozen=True, slots=True)
class AnswerMasks:
    """Answers that teach nothing: those that are as long as the limit where `cut` is true, groups whose mean score is not `between` two
    numbers, and of an answer that is wrong all but those shorter than `wrong_below` tokens; None masks nothing."""

    cut: bool = False
    between: tuple[float, float] | None = None
    wrong_below: float | None = None

    def teaching(self, scores: Sequence[float], lengths: Sequence[int], limit: int, group: int) -> list[bool]:
        """Return for each answer whether it teaches. `lengths` and `limit` are in tokens; `group` answers in a row belong to one prompt."""
        means = [_mean(scores[index - index % group :][:group]) for index in range(len(scores))]
        return [
            not (self.cut and length == limit)
            and (self.between is None or group < 2 or self.between[0] < mean < self.between[1])
            and (self.wrong_below is None or score == 1 or (score == 0 and length < self.wrong_below))
            for score, length, mean in zip(scores, lengths, means, strict=True)
        ]


def _mean(scores: Sequence[float]) -> float:
    return sum(scores) / len(scores)


def masks_of(words: Mapping[str, Any]) -> AnswerMasks | None:
    """Return the masks that a config's words switch on; None where they switch on none."""
    if not any(words.get(switch) for switch in SWITCHES):
        return None
    low, high, below = (words.get(name, usual) for name, usual in BOUNDS.items())
    return AnswerMasks(
        words.get(CUT) is True,
        (low, high) if words.get(DIFFICULT) else None,
        below if words.get(WRONG) else None,
    )


def of_masks(plan: Plan) -> Iterator[tuple[str, str]]:
    """Refuse masks beside what ROLL computes over masked answers too."""
    switches = [name for name in SWITCHES if plan.extensions.get(ROLL, {}).get(name) is True and name not in plan.idle]
    algorithm = plan.stages[0].algorithm
    others = {
        "a critic, which learns from masked answers too": algorithm.critic.enabled is True,
        "an entropy term, which counts masked answers too": algorithm.entropy_coef not in (0, None),
    }
    for name in switches:
        for what, present in others.items():
            if present:
                yield f"extensions.{ROLL}.{name}", f"masks answers beside {what}; the runner masks all terms alike"
