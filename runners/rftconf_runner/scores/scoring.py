"""This module calls the frameworks' rewards as a user's compute_score is called, and says beforehand what it cannot score."""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module
from importlib.util import find_spec
from typing import Any

from rftconf_runner.scores.confined import unusable
from rftconf_runner.scores.table import known, rule

PACKAGES = {
    "sympy": "sympy",
    "pylatexenc": "pylatexenc",
    "mathruler": "mathruler",
    "math_verify": "math-verify",
    "langdetect": "langdetect",
}
"""Modules that rules import, and the packages that have them."""
BY_SOURCE = ("verl", "chatlearn")
"""Frameworks whose reward goes by the data's own column `data_source`."""
NAME = "compute_score"


def compute_score(
    data_source: str, solution_str: str, ground_truth: Any, framework: str, release: str, name: str = "", confined: bool = False,
    **more: Any,
) -> Any:  # fmt: skip
    """Return what the framework's own rule gives: a number, or numbers by name of which `score` is the reward."""
    scoring_rule = rule(framework, release, name or data_source, confined=confined)
    if scoring_rule is None or scoring_rule.function is None:
        raise ValueError(unscored(framework, release, name or data_source))
    return scoring_rule.function(solution_str, ground_truth, **{word: more[word] for word in scoring_rule.words})


def described(framework: str, release: str, name: str = "", **_: Any) -> str:
    """Return a clause that names the rule that scores the answers."""
    return f"as {framework} {release} has them, " + (name or "by each row's data_source")


def is_scored(framework: str, release: str, name: str) -> bool:
    """True where a rule scores answers of that name, once what it needs is installed."""
    scoring_rule = rule(framework, release, name)
    return scoring_rule is not None and scoring_rule.function is not None


def unscored(framework: str, release: str, name: str, *, confined: bool = False) -> str:
    """Return the reason why nothing scores answers of that name here; empty where a rule does."""
    scoring_rule = rule(framework, release, name, confined=confined)
    who = f"{framework} {release}"
    if scoring_rule is None:
        names = ", ".join(known(framework, release))
        return f"{name!r} has no reward in {who} itself; it has {names}"
    if scoring_rule.refused:
        return f"{name!r} in {who} ({scoring_rule.cited}) {scoring_rule.refused}"
    if (scoring_rule.cases or scoring_rule.confined) and unusable():
        return f"{name!r} in {who} {unusable()}"
    missing = [PACKAGES[need] for need in scoring_rule.needs if find_spec(need) is None]
    if missing:
        return f"{name!r} in {who} is scored with {', '.join(missing)}: `pip install {' '.join(missing)}` into the runner's environment"
    return ""


def unscored_case(framework: str, release: str, name: str, case: str) -> str:
    """Return the reason why nothing scores a row with that `case_type`; empty where a rule does, or reads no such column."""
    scoring_rule = rule(framework, release, name)
    if scoring_rule is None or not scoring_rule.cases or case in scoring_rule.cases:
        return ""
    return f"case_type {case!r} is no kind of tests that the runner runs: {', '.join(scoring_rule.cases)}"


def reads_text_alone(framework: str, release: str, name: str) -> bool:
    """True where an answer is scored without the tokenizer's special tokens and its prompt."""
    scoring_rule = rule(framework, release, name)
    return scoring_rule is None or scoring_rule.text_alone


def named(name: str) -> Callable[..., Any]:
    """Import the function of `module:name`."""
    module, _, function = name.partition(":")
    function_of_name: Callable[..., Any] = getattr(import_module(module), function)
    return function_of_name
