"""ROLL's rows and rewards: chat messages in JSON lines, a worker class for the rows of each tag."""

from __future__ import annotations

from typing import Any

from rftconf.base.symbols import Expr, formula
from rftconf.mappers.adapting import DOMAINS, REWARD_MODULE, Adapter, Missing, Reward, Shape, Values, items, label_of

RULES = frozenset({"roll.pipeline.rlvr.rewards.math_rule_reward_worker.MathRuleRewardWorker"})
"""Reward workers that the stub can call as a function."""


def _fields(values: Values, path: str) -> dict[str, Any]:
    """RLVRPipeline: messages if they are named, else a prompt; `ground_truth` and `tag` are fixed."""
    return {
        "messages_key": values.get(path + "keys.messages"),
        "prompt_key": values.get(path + "keys.prompt"),
        "image_key": values.get(path + "keys.image") or "images",
        "video_key": values.get(path + "keys.video") or "videos",
        "source": label_of(values, path),
    }


def _reward(values: Values) -> Reward:
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
        if worker in RULES:
            reward.asks.append("the stub calls ROLL's math rule, so ROLL has to be installed")
        else:
            reward.asks.append(
                f"{formula(worker)} judges batches inside of ROLL: write its rule as a function in KNOWN of the stub"
            )
    if not reward.constants["REWARDS"]:
        reward.asks.append("the config names no domain with a reward: fill in REWARDS in the stub")
    return reward


def _limits(values: Values, path: str) -> str:
    if values.get(f"{path}keys.messages") is not None:
        return ""
    return "ROLL gives the prompt column to the model without a chat template; the target applies one"


ADAPTER = Adapter(
    Shape(
        ".jsonl",
        {"messages": "messages", "response": "ground_truth"},
        "put {folder} on PYTHONPATH of every node, so that ROLL finds {module}",
        answers=("actor_train.data_args",),
        domain="converted",
        reward=f"{REWARD_MODULE}.ConvertedRewardWorker",
    ),
    _fields,
    _reward,
    limits=_limits,
)
