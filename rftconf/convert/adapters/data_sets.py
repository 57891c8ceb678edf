"""The data sets of a run, from the plan's fields: how each framework's rows are read."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import Any

from rftconf.base.symbols import Expr, formula
from rftconf.convert.adapters.literals import Missing
from rftconf.convert.adapters.shapes import SHAPES

LISTS = ("train", "eval")
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
OF_EVAL = {"test", "testing", "val", "valid", "validation", "dev", "eval", "evaluation"}
SPLITS = {"train", "training", *OF_EVAL}

Values = Mapping[str, Any]


def count(values: Values, listed: str) -> int:
    """How many data sets the plan has in `train` or `eval`."""
    return items(values, f"stage.data.{listed}")


def items(values: Values, path: str) -> int:
    """How many items a list of the plan has."""
    matches = [re.match(rf"{re.escape(path)}\[(\d+)\]", name) for name in values]
    return max((int(m[1]) + 1 for m in matches if m), default=0)


def path_of(listed: str, index: int) -> str:
    """The plan path of one data set, with the dot behind it."""
    return f"stage.data.{listed}[{index}]."


def names(values: Values) -> dict[str, str]:
    """Plan path of each data set to its name in the script: `train`, `train_2`, `eval`."""
    return {
        path_of(listed, index): listed if index == 0 else f"{listed}_{index + 1}"
        for listed in LISTS
        for index in range(count(values, listed))
    }


def outputs(values: Values, folder: str, target: str) -> dict[str, str]:
    """Plan path of each data set to the file that the script writes for it."""
    taken: dict[str, str] = {}
    for listed in LISTS:
        for index in range(count(values, listed)):
            path = path_of(listed, index)
            label, file = label_of(values, path), ("train" if listed == "train" else "test") + SHAPES[target].suffix
            place, number = f"{folder}/data/{label}/{file}", 2
            while place in taken.values():
                place, number = f"{folder}/data/{label}_{number}/{file}", number + 1
            taken[path] = place
    return taken


def label_of(values: Values, path: str) -> str:
    """A folder name for a data set: its own name, or what its path is called, in plain letters."""
    uri = values.get(path + "uri")
    parts = (formula(uri) if isinstance(uri, Expr) else str(uri or "")).rstrip("/").split("/")
    stem = re.sub(r"\.(parquet|jsonl?|csv)$", "", parts[-1])
    of_uri = parts[-2] if len(parts) > 1 and stem in SPLITS else stem
    return _plain(str(values.get(path + "name") or "")) or _plain(of_uri) or "data"


def _plain(text: str) -> str:
    return re.sub(r"[^A-Za-z0-9_.-]+", "_", text).strip("._-")


def fields_of(source: str, values: Values, path: str, output: str, *, own_sources: bool) -> dict[str, Any]:
    """The arguments of a data set in the script; unset ones are left out."""
    uri = values.get(path + "uri")
    fields = {
        "input": Missing("no data set is named") if uri in (None, "") else uri,
        "output": output,
        "split": values.get(path + "split"),
        "subset": values.get(path + "subset"),
        **_READERS[source](values, path),
    }
    if not own_sources:
        fields["own_sources"] = False
    return {name: value for name, value in fields.items() if value is not None}


def _verl(values: Values, path: str) -> dict[str, Any]:
    """RLHFDataset: a chat in one column; everything else is fixed."""
    return {
        "prompt_key": values.get(path + "keys.prompt") or "prompt",
        "image_key": values.get(path + "keys.image") or "images",
        "video_key": values.get(path + "keys.video") or "videos",
        "source": label_of(values, path),
    }


def _trinity(values: Values, path: str) -> dict[str, Any]:
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


def _roll(values: Values, path: str) -> dict[str, Any]:
    """RLVRPipeline: messages if they are named, else a prompt; `ground_truth` and `tag` are fixed."""
    return {
        "messages_key": values.get(path + "keys.messages"),
        "prompt_key": values.get(path + "keys.prompt"),
        "image_key": values.get(path + "keys.image") or "images",
        "video_key": values.get(path + "keys.video") or "videos",
        "source": label_of(values, path),
    }


def _chatlearn(values: Values, path: str) -> dict[str, Any]:
    """PromptPipeline: nothing can be renamed."""
    return {"source": label_of(values, path)}


_READERS: Mapping[str, Callable[[Values, str], dict[str, Any]]] = {
    "verl": _verl,
    "trinity": _trinity,
    "roll": _roll,
    "chatlearn": _chatlearn,
}
