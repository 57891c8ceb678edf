"""OpenRLHF's rows and rewards: a column that asks and one that labels, a function of queries, prompts and labels."""

from __future__ import annotations

from typing import Any

from rftconf.mappers.adapting import Adapter, Missing, R, Reward, Shape, Values, label_of


def _fields(values: Values, path: str) -> dict[str, Any]:
    """PromptDataset: one column asks, one is handed to the reward as it lies, and pictures have a column of their own."""
    return {
        "prompt_key": values.get(path + "keys.prompt") or "input",
        "response_key": values.get(path + "keys.response"),
        "image_key": values.get(path + "keys.image") or "images",
        "source_key": "datasource",
        "source": label_of(values, path),
    }


def _reward(values: Values) -> Reward:
    file = values.get(R + "function_path")
    known = Missing("no file with reward_func(queries, prompts, labels)") if file is None else file
    reward = Reward({"FUNCTION_FILE": known}, carried=[R + "function_path", R + "function_name"])
    if file is None:
        reward.asks.append(
            "a model, a service or an agent scores the source's answers; write a file with reward_func, and name it"
        )
    reward.asks.append(
        "reward_func gets the question's text as the prompt, without the chat template that OpenRLHF puts around it"
    )
    return reward


ADAPTER = Adapter(
    Shape(
        ".jsonl",
        {"prompt": "prompt", "response": "label"},
        "the config names it as reward.remote_url; processes on every node open that path: {file} has to lie there",
        answers=("reward.remote_url",),
        function="reward_func",
        media={"image": "images"},
        lacks="OpenRLHF hands on answers with the tokens that end them; the stub takes the usual ones off",
    ),
    _fields,
    _reward,
)
