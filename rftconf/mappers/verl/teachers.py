"""veRL's on-policy distillation: whether a run follows a teacher alone, and the keys that say so."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from rftconf.base.ledger import State
from rftconf.mappers.codecs import NO_DUAL_CLIP, Put, SameType, unbounded
from rftconf.mappers.context import Context, When

if TYPE_CHECKING:
    from rftconf.plan.units import Unit


LOSS = "distillation.distillation_loss."
SWITCH, REWARDS = "distillation.enabled", LOSS + "use_task_rewards"
ALONE = "no effect: without distillation.distillation_loss.use_task_rewards the loss is the teacher's alone"
OWN_DUAL_CLIP = 3.0
"""What core_algos takes where a loss config has no clip_ratio_c, as the teacher's has none."""


def follows_teacher(c: Context) -> bool:
    """True where nothing but a teacher is learned from."""
    if c.writes:
        return bool(c.plan("stage.kind") == "distill")
    return c.effective(SWITCH) is True and c.effective(REWARDS) is False


REWARDED = When(lambda c: not follows_teacher(c), ALONE)
TAUGHT = When(follows_teacher, "no effect without a teacher that is followed alone")


ONE_CLIP = ("gspo", "cispo", "sapo", "geo_mean", "clip_cov", "kl_cov", "gpg", "dro")
"""Losses of core_algos that never look at clip_ratio_c, from 0.4.1 on."""
DUAL_CLIP = When(
    lambda c: c.plan("stage.algorithm.policy_loss.family") not in ONE_CLIP,
    "core_algos: only the vanilla loss is clipped twice, and dppo_tv and dppo_kl read it; this loss never does",
)


class BesideTeacher(SameType):
    """A value that a run without task rewards never uses: read as `idle` there."""

    def __init__(self, idle: Any) -> None:
        self.idle = idle

    def get(self, value: Any, context: Any, unit: Unit | None) -> Any:
        return self.idle if follows_teacher(context) else value

    def put(self, value: Any, context: Any, unit: Unit | None) -> Put:
        if not follows_teacher(context) or context.same_framework or value == self.idle:
            return Put(value)
        why = "without task rewards veRL's loss is the teacher's alone: no such term, and one dual clip of 3"
        return Put(self.idle, State.NARROWED, why)


class DualClip(BesideTeacher):
    """The dual clip is always on: a bound that no ratio reaches stands for none."""

    def get(self, value: Any, context: Any, unit: Unit | None) -> Any:
        got = super().get(value, context, unit)
        return None if got == NO_DUAL_CLIP else got

    def put(self, value: Any, context: Any, unit: Unit | None) -> Put:
        if value is None and not follows_teacher(context) and unbounded(context):
            return Put(NO_DUAL_CLIP, State.EXACT, "", "none in the source: a bound that no ratio reaches (H32)")
        return super().put(value, context, unit)
