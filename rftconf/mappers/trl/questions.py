"""Refusals of runs that TRL's GRPO cannot compute, and questions about settings that its config has no key for."""

from __future__ import annotations

from rftconf.base.ledger import Decision
from rftconf.base.symbols import formula
from rftconf.mappers.adapting import REWARD_MODULE
from rftconf.mappers.context import WriteContext
from rftconf.mappers.placing import Target
from rftconf.mappers.shapes import leave_open, together
from rftconf.mappers.statements import Inquiry, Refused
from rftconf.plan.origin import Kind

A, SCALE, BETA, REWARDS = "stage.algorithm.", "scale_rewards", "beta", "reward_funcs"
TARGET = Target(True, 0.3, "the engine shares its GPUs with the trainer; TRL's default", either=True)
GROUPED = ("grpo", "grpo_mean_only", "gdpo", None)
"""Estimators that GRPOTrainer has."""
KEEP = "or keep the source's framework"
HERE = "TRL's GRPOTrainer compares answers to one prompt with their mean"


def _trains_critic(w: WriteContext) -> bool:
    critic = w.plan(A + "critic.enabled") is True or w.plan(A + "advantage") == "gae"
    return critic and not w.same_framework


def _other_estimator(w: WriteContext) -> str:
    name = w.plan(A + "advantage")
    return "" if name in GROUPED else f"{HERE}; the source's estimator ({formula(name)}) has another gradient"


def _filters(w: WriteContext) -> str:
    named = ", ".join(formula(w.plan(f"{A}filters[{i}].kind")) for i in range(w.items(A + "filters")))
    lost = f"TRL drops no group of answers and draws none again: {named} is lost, and groups without a signal stay"
    return lost if named else ""


def _penalty_on_rewards(w: WriteContext) -> str:
    why = "the source takes the KL penalty off the reward, and TRL has one in the loss alone: none is written for it"
    return why if w.plan(A + "kl_reward.enabled") is True else ""


def _runs_ahead(w: WriteContext) -> str:
    ahead = w.plan("stage.sync.run_ahead_rollouts")
    why = f"the source's engines run {formula(ahead)} periods ahead; TRL generates and trains in turns"
    return "" if ahead in (0, None) else why


def _models_beside(w: WriteContext) -> str:
    prefixes = [f"stage.placement.auxiliary[{i}]." for i in range(w.items("stage.placement.auxiliary"))]
    models = ", ".join(w.model_beside(prefix) for prefix in prefixes)
    return f"TRL serves no model beside the policy: {models} has no GPUs here" if models else ""


def _turns(w: WriteContext) -> str:
    why = "answers of the source grow over several turns; TRL takes tools from a Python script alone"
    return why if any(_chosen_by_source(w, path) for path in ("stage.turns.loop", "stage.turns.tools")) else ""


def _chosen_by_source(w: WriteContext, path: str) -> bool:
    origin = w.origins.get(path)
    return w.plan(path) is not None and (origin is None or origin.kind is not Kind.DEFAULT)


ALGORITHM = together(
    Refused(
        _trains_critic,
        lambda w: f"the source trains a critic ({formula(w.plan(A + 'advantage'))}); {HERE}, and has none",
        ("change the source to a group estimator (grpo) first",),
    ),
    Inquiry(SCALE, _other_estimator, ("accept GRPO", KEEP), leads=True),
    Inquiry("num_generations", _filters, ("accept batches with such groups", KEEP)),
    Inquiry(BETA, _penalty_on_rewards, ("train without", "give a coefficient for the loss")),
    Inquiry("vllm_mode", _runs_ahead, ("accept turns", KEEP)),
    Inquiry(REWARDS, _models_beside, ("call a server from a reward function", KEEP)),
    Inquiry("max_tool_calling_iterations", _turns, ("write a script that passes tools to GRPOTrainer",)),
    why="GRPOTrainer has the group's mean, and no critic",
)


def complete(w: WriteContext) -> None:
    """Name a function that a conversion wrote, or leave the rewards open, which are code; a run does not start without."""
    path, name = (f"stage.reward.function_{part}" for part in ("path", "name"))
    if w.plan(path) is not None and w.chosen(path):
        w.put(REWARDS, [f"{REWARD_MODULE}.{w.plan(name)}"], path, name, always=True)
    if REWARDS not in w.out:
        leave_open(w, REWARDS, "rewards are Python functions with arguments of TRL's own: name them as module.function")


def questions(w: WriteContext) -> list[Decision]:
    """Ask whether the rewards fit."""
    own = w.plan("stage.reward.function_path")
    source = f"the source's {formula(own)}" if own is not None else "the source's reward"
    why = f"{source} is not carried over: a function here takes prompts, completions and the columns of the rows as lists, and returns a list of numbers"
    choices = ("name functions as module.function", "or one of TRL's own: accuracy_reward, think_format_reward")
    return [Decision(REWARDS, why, choices)]
