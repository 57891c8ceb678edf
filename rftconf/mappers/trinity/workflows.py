"""Trinity's workflows hand back one experience for an answer to a task, or one for each step of an episode."""

from __future__ import annotations

from functools import cache
from typing import Any

from rftconf.mappers import episodes
from rftconf.mappers.context import ReadContext
from rftconf.mappers.trinity.algorithms import class_of
from rftconf.schemas import catalogue
from rftconf.schemas.registry import framework

TRAIN = "stage.data.train"
A_STEP_EACH = frozenset((
    # common/workflows: agentscope_workflow.py, agentscope/, envs/agentscope/, envs/email_searcher/: every call of the model
    # that the history holds (extract_experience_from_history); step_wise_workflow.py and envs/sudoku/: every step
    "agentscope_workflow_adapter", "agentscope_workflow_adapter_v1", "agentscope_react_workflow", "as_react_workflow",
    "agentscope_react_math_workflow", "agentscopev0_react_math_workflow", "agentscope_v1_react_search_workflow",
    "email_search_workflow", "step_wise_alfworld_workflow", "sudoku_workflow",
))  # fmt: skip
"""Registered names whose `run` returns a list with an experience for each step of one episode."""
OF_STEPS = frozenset(("step_wise_grpo", "gigpo"))
"""Advantage functions that look for the steps of an episode (multi_step_grpo_advantage.py, gigpo_advantage.py)."""


def counts_steps(r: ReadContext, answers: Any, taken: Any) -> bool:
    """True where a train batch counts steps of episodes, by the workflow, the advantage function, or a person's word.

    `answers`: the answers of a period, `taken`: the experiences of an update. A workflow that is none of Trinity's own may
    hand back either; where a period is no whole number of updates in answers, it does not hand back answers.
    """
    if episodes.assumed(r, "mini_batch") is not None:
        return episodes.counts_steps(r)
    names = {r.plan(f"{TRAIN}[{index}].workflow") for index in range(r.items(TRAIN))} - {None}
    if not names.isdisjoint(A_STEP_EACH) or (r.native("algorithm.advantage_fn") or class_of(r).advantage) in OF_STEPS:
        return True
    uneven = isinstance(answers, int) and isinstance(taken, int) and taken > 0 and answers % taken != 0
    return uneven and any(isinstance(name, str) and name not in _registered() for name in names)


@cache
def _registered() -> frozenset[str]:
    """The workflows of all catalogued releases."""
    known = (catalogue.load("trinity", release) for release in framework("trinity").releases)
    return frozenset(name for schema in known for name in schema.names("buffer.explorer_input.default_workflow_type"))
