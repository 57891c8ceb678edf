"""Refusals of runs that TRL's GRPO cannot compute, and questions about settings that its config has no key for."""

from __future__ import annotations

from typing import Any

from rftconf.base.errors import RefusedError
from rftconf.base.ledger import Decision
from rftconf.base.symbols import formula
from rftconf.mappers.context import WriteContext
from rftconf.mappers.placing import Target
from rftconf.mappers.shapes import leave_open
from rftconf.plan.origin import Kind

A, SCALE, BETA, REWARDS = "stage.algorithm.", "scale_rewards", "beta", "reward_funcs"
TARGET = Target(True, 0.3, "the engine shares its GPUs with the trainer; TRL's default", either=True)
GROUPED = ("grpo", "grpo_mean_only", "gdpo", None)
"""Estimators that GRPOTrainer has."""
KEEP = "or keep the source's framework"
HERE = "TRL's GRPOTrainer compares answers to one prompt with their mean"


def weigh_algorithm(w: WriteContext) -> None:
    """Ask about each term of the source that GRPOTrainer has not. Raises RefusedError for a critic: nothing here is near it."""
    if w.same_framework:
        return
    name = w.plan(A + "advantage")
    if w.plan(A + "critic.enabled") is True or name == "gae":
        raise RefusedError(
            f"the source trains a critic ({formula(name)}); {HERE}, and has none",
            choices=("change the source to a group estimator (grpo) first",),
        )
    _weigh_estimator(w, name)
    ahead = w.plan("stage.sync.run_ahead_rollouts")
    if ahead not in (0, None):
        why = f"the source's engines run {formula(ahead)} periods ahead; TRL generates and trains in turns"
        w.decide("vllm_mode", why, "accept turns", KEEP)
    _weigh_roles(w)


def _weigh_estimator(w: WriteContext, name: Any) -> None:
    if name not in GROUPED:
        why = f"{HERE}; the source's estimator ({formula(name)}) has another gradient"
        w.decide(SCALE, why, "accept GRPO", KEEP, leads=True)
    filters = [w.plan(f"{A}filters[{i}].kind") for i in range(w.items(A + "filters"))]
    if filters:
        named = ", ".join(map(formula, filters))
        why = f"TRL drops no group of answers and draws none again: {named} is lost, and groups without a signal stay"
        w.decide("num_generations", why, "accept batches with such groups", KEEP)
    if w.plan(A + "kl_reward.enabled") is True:
        why = (
            "the source takes the KL penalty off the reward, and TRL has one in the loss alone: none is written for it"
        )
        w.decide(BETA, why, "train without", "give a coefficient for the loss")


def _weigh_roles(w: WriteContext) -> None:
    prefixes = [f"stage.placement.auxiliary[{i}]." for i in range(w.items("stage.placement.auxiliary"))]
    models = [w.model_beside(prefix) for prefix in prefixes]
    if models:
        why = f"TRL serves no model beside the policy: {', '.join(models)} has no GPUs here"
        w.decide(REWARDS, why, "call a server from a reward function", KEEP)
    if any(_chosen_by_source(w, path) for path in ("stage.turns.loop", "stage.turns.tools")):
        why = "answers of the source grow over several turns; TRL takes tools from a Python script alone"
        w.decide("max_tool_calling_iterations", why, "write a script that passes tools to GRPOTrainer")


def _chosen_by_source(w: WriteContext, path: str) -> bool:
    origin = w.origins.get(path)
    return w.plan(path) is not None and (origin is None or origin.kind is not Kind.DEFAULT)


def complete(w: WriteContext) -> None:
    """Leave the rewards open, which are Python code everywhere; a run does not start without."""
    if REWARDS not in w.out:
        leave_open(w, REWARDS, "rewards are Python functions with arguments of TRL's own: name them as module.function")


def questions(w: WriteContext) -> list[Decision]:
    """Ask whether the rewards fit."""
    own = w.plan("stage.reward.function_path")
    source = f"the source's {formula(own)}" if own is not None else "the source's reward"
    why = f"{source} is not carried over: a function here takes prompts, completions and the columns of the rows as lists, and returns a list of numbers"
    choices = ("name functions as module.function", "or one of TRL's own: accuracy_reward, think_format_reward")
    return [Decision(REWARDS, why, choices)]
