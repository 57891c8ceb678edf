"""Losses and advantages that are refused: another framework means something else by the name, or the plan's other parts do not fit."""

from __future__ import annotations

from collections.abc import Iterator

from rftconf.plan.model import Algorithm, Stage
from rftconf.plan.provenance import Source
from rftconf_runner.aggregations import CLIPPED_TWICE, FAMILIES, OF_SEQUENCES
from rftconf_runner.job import OPTIMAL_BASELINE
from rftconf_runner.value_text import render_plan_value

OF_TRINITY = {"opmd", "topr", "sppo", "rec"}
"""Losses that are judged by Trinity's functions; ROLL has others of these names."""
OF_ROLL = {"topr_by_reward", "tis", "kimi15"}
"""Variants of ROLL's own worker class, by which the runner's are judged."""


def of_losses(stage: Stage, source: Source) -> Iterator[tuple[str, str]]:
    """Refuse what a name means elsewhere, a second clip of losses that have one, and what does not go with a mean over sequences."""
    algorithm, framework = stage.algorithm, str(source.framework)
    name, dual = str(algorithm.policy_loss.family), algorithm.policy_loss.dual_clip_c
    if name in OF_TRINITY and framework != "trinity":
        yield (
            "algorithm.policy_loss.family",
            f"is {render_plan_value(name)} of {framework}; the runner executes Trinity's",
        )
    if name in OF_ROLL and framework != "roll":
        yield "algorithm.policy_loss.family", f"is {render_plan_value(name)} of {framework}; the runner executes ROLL's"
    of_others = {"reinforce", "rec"} - ({"reinforce"} if framework == "roll" else set())
    if algorithm.advantage in of_others and framework != "trinity":
        yield (
            "algorithm.advantage",
            f"is {render_plan_value(algorithm.advantage)} of {framework}; the runner executes Trinity's",
        )
    if algorithm.advantage == OPTIMAL_BASELINE:
        yield from _of_token_baseline(stage, framework)
    if algorithm.advantage == "rec" and stage.batch.responses_per_prompt == 1:
        yield "algorithm.advantage", "is 'rec' of one answer a prompt, for which Trinity's function has no number"
    if name == "gspo" and framework == "roll" and _differs_within(algorithm):
        yield (
            "algorithm.policy_loss.family",
            "is 'gspo' beside advantages that differ within an answer, which ROLL averages in its gradient and the runner does not",
        )
    twice = CLIPPED_TWICE | ({"gspo"} if framework == "roll" else set())
    if name in FAMILIES - twice and dual is not None:
        yield (
            "algorithm.policy_loss.dual_clip_c",
            f"is {render_plan_value(dual)}; the runner clips the {name} loss once",
        )
    if name == "sapo" and framework != "verl":
        yield "algorithm.policy_loss.family", f"is {render_plan_value(name)} of {framework}; the runner executes veRL's"
    elif name == "sapo" and algorithm.loss_agg != "seq-mean-token-mean":
        yield (
            "algorithm.loss_agg",
            f"is {render_plan_value(algorithm.loss_agg)}; veRL takes seq-mean-token-mean of sapo, whatever it is told, and of other terms what it is told",
        )
    if name in OF_SEQUENCES:
        yield from _of_sequences(stage, name)


def _of_token_baseline(stage: Stage, framework: str) -> Iterator[tuple[str, str]]:
    """Refuse what veRL's function has further words for, or no numbers."""
    name = f"is {OPTIMAL_BASELINE!r}"
    if framework != "verl":
        yield "algorithm.advantage", f"{name} of {framework}; the runner executes veRL's"
    if (stage.algorithm.rollout_correction or {}).get("rollout_is"):
        yield "algorithm.advantage", f"{name} beside importance weights, which the runner's does not weigh by"
    if stage.sync.old_logprob == "rollout_engine":
        yield "algorithm.advantage", f"{name} of the engine's log-probs, for which veRL has no sums of squares"


def _differs_within(algorithm: Algorithm) -> bool:
    """True where tokens of an answer have advantages of their own."""
    return algorithm.kl_reward.enabled is True or algorithm.advantage == "gae" or algorithm.gamma not in (1, None)


def _of_sequences(stage: Stage, name: str) -> Iterator[tuple[str, str]]:
    algorithm, scope = stage.algorithm, stage.algorithm.loss_norm_scope
    others = algorithm.kl_loss.enabled is True or algorithm.entropy_coef not in (0, None)
    if scope not in ("micro_batch_mean", "update") or (others and scope == "update"):
        terms = " and other terms of the loss are means over the update" if others and scope == "update" else ""
        yield (
            "algorithm.loss_norm_scope",
            f"is {render_plan_value(scope)}; veRL takes means of {name} over micro-batches{terms}, and the runner divides all terms alike",
        )
    if others and algorithm.loss_agg != OF_SEQUENCES[name]:
        yield (
            "algorithm.loss_agg",
            f"is {render_plan_value(algorithm.loss_agg)} for a KL or entropy term, and {name} is a mean over sequences",
        )
    if (algorithm.rollout_correction or {}).get("rollout_is"):
        yield "algorithm.rollout_correction", f"has rollout_is; the runner weighs no sequences of {name}"
