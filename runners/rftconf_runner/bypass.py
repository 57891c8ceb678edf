"""This module reads veRL's bypass mode: the ratio is of the engine's log-probs, and what corrects looks at the weights that learn.

veRL then has a policy loss of its own, whatever else a config names (core_algos.compute_policy_loss_bypass_mode, since 0.7): PPO's, or
the likelihood with importance weights; both without the tokens that rejections take out.
"""

from __future__ import annotations

from collections.abc import Iterator

from rftconf.plan.model import Stage
from rftconf.plan.provenance import Source
from rftconf_runner.rejections import rejections_of
from rftconf_runner.scores.table import numbers
from rftconf_runner.value_text import render_plan_value

PATH = "algorithm.rollout_correction"
SINCE = (0, 7)
WORDS = {
    "rollout_is",
    "rollout_is_threshold",
    "rollout_is_batch_normalize",
    "rollout_rs",
    "rollout_rs_threshold",
    "loss_type",
}
LIKELIHOOD, CLIPPED = "reinforce", "ppo_clip"


def bypasses(stage: Stage, source: Source) -> bool:
    """True where the plan is of a release that has this loss, and the ratio is of the engine's log-probs."""
    known = source.framework == "verl" and numbers(str(source.release)) >= SINCE
    return known and stage.sync.old_logprob == "rollout_engine"


def learns_likelihood(stage: Stage) -> bool:
    """True where the policy's loss is a weighted likelihood instead of PPO's."""
    block = stage.algorithm.rollout_correction or {}
    return stage.sync.old_logprob == "rollout_engine" and block.get("loss_type") == LIKELIHOOD


def of_bypass(stage: Stage) -> Iterator[tuple[str, str]]:
    """Refuse what of this mode is not executed."""
    algorithm = stage.algorithm
    block = algorithm.rollout_correction or {}
    loss, strange = block.get("loss_type", CLIPPED), sorted({*block} - WORDS)
    if strange:
        yield PATH, f"has {', '.join(strange)}, which the runner does not read"
    if loss not in (CLIPPED, LIKELIHOOD):
        yield PATH, f"has loss_type {render_plan_value(loss)}; the runner executes {CLIPPED}, {LIKELIHOOD}"
    try:
        rejects = bool(rejections_of(block))
    except ValueError as error:
        yield PATH, f"has rollout_rs {render_plan_value(block['rollout_rs'])}: {error}"
        return
    if (rejects or loss == LIKELIHOOD) and algorithm.policy_loss.family != "ppo":
        family = render_plan_value(algorithm.policy_loss.family)
        yield "algorithm.policy_loss.family", f"is {family}, of which veRL's bypass mode makes another loss"
    if rejects and (algorithm.loss_agg, algorithm.loss_norm_scope) != ("token-mean", "update"):
        how = f"{render_plan_value(algorithm.loss_agg)} over {render_plan_value(algorithm.loss_norm_scope)}"
        yield "algorithm.loss_agg", f"is {how}; the runner rejects tokens of token-mean over the update"
    if (
        loss == LIKELIHOOD
        and block.get("rollout_is")
        and block.get("rollout_is_batch_normalize") is True
        and not _at_once(stage)
    ):
        why = "veRL divides weights by their mean over micro-batches of all ranks, and the runner over whole updates"
        yield PATH, f"has rollout_is_batch_normalize, and an update is several micro-batches: {why}"


def _at_once(stage: Stage) -> bool:
    """True where all ranks' micro-batches of one number are the whole update."""
    micro, ranks, update = stage.batch.micro, stage.placement.actor.gpus, stage.batch.sequences_per_update
    sizes = (micro.sequences_per_rank, ranks, update)
    if (
        micro.dynamic is True
        or stage.placement.actor.sp not in (1, None)
        or not all(isinstance(size, int) for size in sizes)
    ):
        return False
    return bool(micro.sequences_per_rank * ranks >= update)  # type: ignore[operator]
