"""This module reads Trinity-RFT's workflows of one question and one answer: what is asked, and which function scores it."""

from __future__ import annotations

import ast
from collections.abc import Sequence
from importlib.util import find_spec
from pathlib import Path

from rftconf.plan.data_parts import DataSet
from rftconf.plan.model import Stage

MATH = ("math_workflow", "async_math_workflow")
SIMPLE = ("simple_workflow", "async_simple_workflow")
MATH_REWARD = "math_reward"
OWN_PROMPT = "trinity:MathWorkflow"
"""Stands for the system prompt that Trinity's code has for its mathematics workflow."""
FIELDS = ("data.train[].workflow", "data.train[].system_prompt")
CODE = "common/workflows/workflow.py"


def asks_once(stage: Stage) -> bool:
    """True where every training set is asked by such a workflow."""
    return bool(stage.data.train) and all(map(is_asked_once, stage.data.train))


def is_asked_once(data_set: DataSet) -> bool:
    """True where the set is asked by a workflow of one question and one answer."""
    return data_set.workflow in (*MATH, *SIMPLE)


def reward_names(stage: Stage) -> list[str]:
    """List each training set's reward function by its registered name; empty where a simple workflow has none."""
    return [_reward_name(data_set) for data_set in stage.data.train]


def _reward_name(data_set: DataSet) -> str:
    return str(data_set.reward) if data_set.reward is not None else MATH_REWARD if data_set.workflow in MATH else ""


def system_of(data_set: DataSet) -> str:
    """Return the system prompt of a data set, or `OWN_PROMPT`."""
    if isinstance(data_set.system_prompt, str):
        return data_set.system_prompt
    return OWN_PROMPT if data_set.workflow in MATH and _reward_name(data_set) == MATH_REWARD else ""


def messages(question: str, system: str) -> list[dict[str, str]]:
    """Return the messages to the policy. Raises ValueError where the prompt is Trinity's own and its package is not there."""
    prompt = own_prompt() if system == OWN_PROMPT else system
    return [*([{"role": "system", "content": prompt}] if prompt else []), {"role": "user", "content": question}]


def own_prompt() -> str:
    """Read the prompt from Trinity's file without executing it. Raises ValueError where the file is not there."""
    spec = find_spec("trinity")
    folders: Sequence[str] = (spec.submodule_search_locations if spec else None) or ()
    files = [Path(folder) / CODE for folder in folders if (Path(folder) / CODE).is_file()]
    prompts = [words for file in files for words in _words(ast.parse(file.read_text(encoding="utf-8")))]
    if not prompts:
        raise ValueError(
            "stage.data.train[].system_prompt: is not said, and math_workflow begins with words that stand in Trinity's own code: "
            "`pip install --no-deps trinity-rft` into the runner's environment, or say it in the config (format.system_prompt)"
        )
    return prompts[0]


def _words(tree: ast.Module) -> list[str]:
    """Find the texts that class MathWorkflow assigns to a missing system prompt."""
    workflows = [node for node in tree.body if isinstance(node, ast.ClassDef) and node.name == "MathWorkflow"]
    return [
        node.value.value
        for workflow in workflows
        for node in ast.walk(workflow)
        if isinstance(node, ast.Assign) and isinstance(node.value, ast.Constant) and isinstance(node.value.value, str)
        if any(isinstance(target, ast.Attribute) and target.attr == "system_prompt" for target in node.targets)
    ]
