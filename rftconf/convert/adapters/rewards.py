"""The reward of a run, from the plan's fields: what the stub has to call, and what only a person can say."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from rftconf.base.symbols import Expr, formula
from rftconf.convert.adapters.data_sets import LISTS, Values, count, items, label_of, path_of
from rftconf.convert.adapters.literals import Missing

R = "stage.reward."
DOMAINS = "stage.data.domains"
TRINITY_REWARDS = frozenset(
    {"math_reward", "math_boxed_reward", "format_reward", "countdown_reward", "accuracy_reward", "math_dapo_reward", "rm_gallery_reward"}
)  # fmt: skip
"""Names that Trinity's registry resolves by itself (trinity/common/rewards/__init__.py)."""
REWARD_OF_WORKFLOW = {
    "math_workflow": "math_reward",
    "async_math_workflow": "math_reward",
    "math_boxed_workflow": "math_boxed_reward",
    "async_math_boxed_workflow": "math_boxed_reward",
}
"""What Trinity's workflows fall back on where the config names no reward."""
ROLL_RULES = frozenset({"roll.pipeline.rlvr.rewards.math_rule_reward_worker.MathRuleRewardWorker"})
"""Reward workers that the stub can call as a function."""


@dataclass(slots=True)
class Reward:
    """The stub's constants; what a person must do before they hold; the plan paths the stub stands for."""

    constants: dict[str, Any]
    asks: list[str] = field(default_factory=list)
    carried: list[str] = field(default_factory=list)
    by_data_set: bool = False
    """Whether data sets have rewards of their own, so that rows must be told apart by data set."""


def reward_of(source: str, values: Values) -> Reward:
    """What the reward of this run comes to."""
    reward = _REWARDS[source](values)
    if any(value == "reward" for path, value in values.items() if path.endswith(".role")):
        reward.asks.append("the source run also asks a reward model, which no function can stand for")
    return reward


def _verl(values: Values) -> Reward:
    file, name, args = (values.get(R + key) for key in ("function_path", "function_name", "function_args"))
    reward = Reward({"FUNCTION_FILE": file, "FUNCTION_NAME": name or "compute_score", "FUNCTION_ARGS": args or {}})
    reward.carried = [R + key for key in ("function_path", "function_name", "function_args")]
    if file is None:
        reward.asks.append(
            "there is no function of the user's own: the stub calls veRL's scorer, so veRL has to be installed"
        )
    reward.asks += _beyond_the_function(values.get(R + "manager"), values.get(R + "manager_args") or {})
    return reward


def _beyond_the_function(manager: Any, args: Mapping[str, Any]) -> list[str]:
    """What a veRL reward manager adds to the function's score; `dapo` nothing but a penalty that may be off."""
    penalty = args.get("overlong_buffer_cfg")
    penalty = penalty if isinstance(penalty, Mapping) else {}
    if manager in (None, "naive") or (manager == "dapo" and penalty.get("enable") is False):
        return []
    if manager == "dapo" and penalty.get("enable") is True:
        size, factor, longest = penalty.get("len"), penalty.get("penalty_factor"), args.get("max_resp_len")
        rule = f"min(0, -(tokens - ({formula(longest)} - {formula(size)})) / {formula(size)} * {formula(factor)})"
        return [
            f"reward manager dapo adds {rule} to the score of long answers; the stub knows no token counts and leaves it out"
        ]
    return [f"reward manager {formula(manager)} does more than call a function; the stub leaves that out"]


def _trinity(values: Values) -> Reward:
    reward = Reward({})
    of_set: dict[str, tuple[Any, Any]] = {}
    for listed in LISTS:
        for index in range(count(values, listed)):
            path = path_of(listed, index)
            label, named = label_of(values, path), _named_reward(values, path)
            if of_set.setdefault(label, named) != named:
                reward.asks.append(
                    f"two data sets are called {label} and have different rewards: the stub has the first"
                )
            reward.carried += [path + "reward", path + "reward_args"]
    reward.by_data_set = len({repr(named) for named in of_set.values()}) > 1
    reward.constants["REWARDS"] = (
        of_set if reward.by_data_set else {None: next(iter(of_set.values()), _unknown("none"))}
    )
    for name in dict.fromkeys(name for name, _ in of_set.values()):
        if isinstance(name, Missing):
            reward.asks.append(f"REWARDS in the stub has to be filled in: {name}")
        elif name in TRINITY_REWARDS:
            reward.asks.append(f"the stub calls Trinity's {name}, so trinity-rft has to be installed")
        else:
            reward.asks.append(
                f"the class of reward {formula(name)} has to be importable: write its dotted path into REWARDS"
            )
    return reward


def _named_reward(values: Values, path: str) -> tuple[Any, Any]:
    workflow, args = values.get(path + "workflow"), values.get(path + "reward_args") or {}
    name = values.get(path + "reward") or REWARD_OF_WORKFLOW.get(str(workflow))
    return (name, args) if name is not None else _unknown(formula(workflow) if workflow is not None else "none")


def _unknown(workflow: str) -> tuple[Any, Any]:
    return Missing(f"no reward function; workflow {workflow} computes the reward in its own code"), {}


def _roll(values: Values) -> Reward:
    """ROLL scores by domain: the worker class of each, and the tags whose rows belong to it (H43)."""
    reward = Reward({"TAGS": {}, "REWARDS": {}})
    for index in range(items(values, DOMAINS)):
        path = f"{DOMAINS}[{index}]."
        name = str(values.get(path + "name"))
        worker = values.get(path + "reward") or Missing(f"no worker_cls for domain {name}")
        tags = values.get(path + "tags")
        reward.constants["REWARDS"][name] = worker
        reward.constants["TAGS"] |= (
            {tag: name for tag in tags if isinstance(tag, str)} if isinstance(tags, list) else {}
        )
        reward.carried += [path + "name", path + "tags", path + "reward"]
        if isinstance(tags, Expr):
            reward.asks.append(f"TAGS in the stub lacks the tags of domain {name}: {formula(tags)}")
    for worker in dict.fromkeys(reward.constants["REWARDS"].values()):
        if worker in ROLL_RULES:
            reward.asks.append("the stub calls ROLL's math rule, so ROLL has to be installed")
        else:
            reward.asks.append(
                f"{formula(worker)} judges batches inside of ROLL: write its rule as a function in KNOWN of the stub"
            )
    if not reward.constants["REWARDS"]:
        reward.asks.append("the config names no domain with a reward: fill in REWARDS in the stub")
    return reward


def _chatlearn(values: Values) -> Reward:
    del values
    return Reward({}, ["the stub calls ChatLearn's rule for the row's data_source, so chatlearn has to be installed"])


_REWARDS: Mapping[str, Callable[[Values], Reward]] = {
    "verl": _verl,
    "trinity": _trinity,
    "roll": _roll,
    "chatlearn": _chatlearn,
}
