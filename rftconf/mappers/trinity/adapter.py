"""Trinity-RFT's rows and rewards: a column that asks and one that answers, a workflow and a registered reward."""

from __future__ import annotations

from typing import Any

from rftconf.base.symbols import formula
from rftconf.mappers.adapting import (
    LISTS,
    REWARD_MODULE,
    Adapter,
    Missing,
    Reward,
    Shape,
    Values,
    count,
    label_of,
    path_of,
)

CONVERTED_WORKFLOW = "converted_workflow"
ASKS_PLAINLY = ("simple_workflow", "async_simple_workflow")
"""Trinity workflows that ask the system prompt of the config and the question, nothing else."""
ADDS_SYSTEM_PROMPT = {
    "math_workflow": "trinity/common/workflows/workflow.py, MathWorkflow",
    "async_math_workflow": "trinity/common/workflows/workflow.py, MathWorkflow",
    "math_boxed_workflow": "trinity/common/workflows/customized_math_workflows.py, MathBoxedWorkflow",
    "async_math_boxed_workflow": "trinity/common/workflows/customized_math_workflows.py, MathBoxedWorkflow",
}
"""Trinity workflows that put a system prompt of their own where the config has none, and where it is written."""
REWARDS = frozenset(
    {"math_reward", "math_boxed_reward", "format_reward", "countdown_reward", "accuracy_reward", "math_dapo_reward", "rm_gallery_reward"}
)  # fmt: skip
"""Names that Trinity's registry resolves by itself (trinity/common/rewards/__init__.py)."""
REWARD_OF_WORKFLOW = {
    f"{way}{kind}_workflow": f"{kind}_reward" for kind in ("math", "math_boxed") for way in ("", "async_")
}
"""Trinity's workflows score with this where the config names no reward."""


def _fields(values: Values, path: str) -> dict[str, Any]:
    """TaskFormatter and SimpleWorkflow: one column asks, one answers; messages only for the converted workflow."""
    messages = values.get(path + "keys.messages") if values.get(path + "workflow") == CONVERTED_WORKFLOW else None
    return {
        "prompt_key": values.get(path + "keys.prompt") or "prompt",
        "response_key": values.get(path + "keys.response") or "response",
        "messages_key": messages,
        "image_key": values.get(path + "keys.image"),
        "video_key": values.get(path + "keys.video"),
        "system_prompt": system_prompt_of(values, path),
        "source": label_of(values, path),
    }


def system_prompt_of(values: Values, path: str) -> Any:
    """The system prompt that the rows of a Trinity run are asked with."""
    own, workflow = values.get(path + "system_prompt"), values.get(path + "workflow")
    if own is not None or workflow not in ADDS_SYSTEM_PROMPT:
        return own
    if "boxed" not in workflow and values.get(path + "reward") not in (None, "math_reward"):
        return None
    return Missing(f"none, so that {workflow} puts its own ({ADDS_SYSTEM_PROMPT[workflow]}): copy it, or give nothing")


def _reward(values: Values) -> Reward:
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
        elif name in REWARDS:
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


def _limits(values: Values, path: str) -> str:
    workflow = values.get(path + "workflow")
    if workflow in WORKFLOWS:
        return ""
    return f"workflow {formula(workflow)} builds its prompt in its own code; the script asks the prompt column"


WORKFLOWS = (*ASKS_PLAINLY, *ADDS_SYSTEM_PROMPT, CONVERTED_WORKFLOW)
ADAPTER = Adapter(
    Shape(
        ".parquet",
        {"prompt": "prompt", "response": "ground_truth", "messages": "messages"},
        "start the run with --plugin-dir {folder}/plugin, which registers it",
        answers=("buffer.explorer_input.tasksets[].default_workflow_type", "buffer.explorer_input.tasksets[].format"),
        reward_file=f"plugin/{REWARD_MODULE}.py",
        reward="converted_reward",
        workflow="converted_workflow",
    ),
    _fields,
    _reward,
    workflows=WORKFLOWS,
    limits=_limits,
)
