"""TRL's rows and rewards: a prompt and columns of any name, functions that get all of them as lists."""

from __future__ import annotations

from typing import Any

from rftconf.mappers.adapting import Adapter, Missing, R, Reward, Shape, Values, label_of


def _fields(values: Values, path: str) -> dict[str, Any]:
    """GRPOTrainer reads `prompt` and hands every other column to the rewards under its name."""
    return {"prompt_key": "prompt", "image_key": "images", "source": label_of(values, path)}


def _reward(values: Values) -> Reward:
    del values
    function = Missing("functions of reward_funcs are code: name one as module.function")
    asks = [
        "the stub calls one function of the source's, with one completion at a time: name it, and add up several by hand"
    ]
    return Reward({"FUNCTION": function}, asks, carried=[R + "function_path", R + "function_name"])


ADAPTER = Adapter(
    Shape(
        ".jsonl",
        {},
        "the config names it as {module}.score_completions; start the run with PYTHONPATH={folder}",
        answers=("reward_funcs", "dataset_name"),
        function="score_completions",
        media={"image": "images"},
    ),
    _fields,
    _reward,
)
