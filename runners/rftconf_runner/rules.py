"""Rewards by rule, with the arguments of a user's compute_score: `--reward exact`, `gsm8k`, `math_verify`, `format:REGEX`."""

from __future__ import annotations

import re
from importlib.util import find_spec
from typing import Any

from rftconf.plan.data_parts import DataSet, Domain
from rftconf.plan.model import Plan
from rftconf_runner import judged

NUMBER = re.compile(r"-?\d[\d,]*(?:\.\d+)?")
BOXED = "\\boxed{"
LIBRARIES = {"math_verify": "math-verify"}
"""Rules that need a package of their own."""


def exact(solution_str: str, ground_truth: Any, **_: Any) -> float:
    """1 where the answer is the truth, white space at the ends aside."""
    return float(solution_str.strip() == str(ground_truth).strip())


def gsm8k(solution_str: str, ground_truth: Any, **_: Any) -> float:
    """1 where the number after the last `####`, or else the last number of the answer, is the truth's."""
    marked, after = solution_str.rpartition("####")[1:]
    numbers = NUMBER.findall(after)
    answer = (numbers[0] if marked else numbers[-1]) if numbers else ""
    truths = NUMBER.findall(str(ground_truth).rpartition("####")[2])
    return float(bool(answer and truths) and _number(answer) == _number(truths[-1]))


def math_verify(solution_str: str, ground_truth: Any, **_: Any) -> float:
    """1 where math-verify finds both sides equal. A truth without LaTeX marks is taken as LaTeX."""
    from math_verify import parse, verify

    truth = str(ground_truth)
    marked = truth if "$" in truth or BOXED in truth else f"${truth}$"
    # time limits of its own use signals, which only a main thread gets; the period's limit holds anyway
    gold, answer = (parse(text, parsing_timeout=None) for text in (marked, solution_str))
    return float(bool(gold and answer) and verify(gold, answer, timeout_seconds=None))


def matches(solution_str: str, pattern: str, **_: Any) -> float:
    """1 where the whole answer has the form of `pattern`, in which a dot is any character."""
    return float(re.fullmatch(pattern, solution_str, re.DOTALL) is not None)


RULES = {"exact": exact, "gsm8k": gsm8k, "math_verify": math_verify}
FORMAT, JUDGE = "format:", "judge:"


def parse_reward_option(words: str) -> tuple[str, str, dict[str, Any]]:
    """Path, name and arguments of what `--reward` names: a rule, `format:REGEX`, `judge:FORM`, FILE:FUNCTION or MODULE:FUNCTION.

    Raises ValueError where there is no such thing, or its package is missing.
    """
    if words.startswith(FORMAT):
        pattern = words.removeprefix(FORMAT)
        try:
            re.compile(pattern)
        except re.error as error:
            raise ValueError(f"--reward {words}: {error}") from None
        return __file__, matches.__name__, {"pattern": pattern}
    if words.startswith(JUDGE):
        try:
            return judged.__file__, judged.says_yes.__name__, {"form": judged.form_of(words.removeprefix(JUDGE))}
        except ValueError as error:
            raise ValueError(f"--reward {words}: {error}") from None
    if words in RULES:
        package = LIBRARIES.get(words)
        if package and find_spec(words) is None:
            raise ValueError(f"--reward {words}: `pip install {package}` into the runner's environment")
        return __file__, RULES[words].__name__, {}
    path, _, name = words.rpartition(":")
    if not path:
        path, name = name, "compute_score"
    return path if path.endswith(".py") else _module(path, words), name, {}


GIVEN = "--reward "
"""What the reward of a domain or a data set begins with when it was given, and is no name of the framework's."""
MODEL = "model"
"""The score of the plan's reward model itself, whatever code of the framework's would have read it."""


def give(plan: Plan, words: str) -> None:
    """Every stage that reward, instead of what the plan has; `NAME=WHICH` only the domain or data set of that name.

    Raises ValueError as `told` does.
    """
    name, _, which = words.partition("=")
    known: list[Domain | DataSet] = [domain for stage in plan.stages for domain in stage.data.domains]
    known += [data_set for stage in plan.stages for data_set in stage.data.train]
    named = [parts_of_name for parts_of_name in known if parts_of_name.name == name and which]
    if named:
        if which != MODEL:
            parse_reward_option(which)
        for part in named:
            part.reward = GIVEN + which
            if isinstance(part, DataSet):
                part.workflow = None
        return
    if words == MODEL:
        for stage in plan.stages:
            stage.reward.function_path = stage.reward.function_name = None
            for domain in stage.data.domains:
                domain.reward = GIVEN + MODEL
        return
    path, name, arguments = parse_reward_option(words)
    for stage in plan.stages:
        stage.reward.function_path, stage.reward.function_name = path, name
        stage.reward.function_args = arguments or stage.reward.function_args
        for part in stage.data.train:  # what names the target's own classes for the same
            if not str(part.reward).startswith(GIVEN):
                part.workflow, part.reward = None, None


def _module(name: str, words: str) -> str:
    try:
        spec = find_spec(name)
    except (ImportError, ValueError):
        spec = None
    if spec is None or not spec.origin:
        rules = ", ".join((*RULES, FORMAT + "REGEX", JUDGE + "FORM"))
        raise ValueError(
            f"--reward {words}: neither a rule ({rules}), nor a file FILE.py:FUNCTION, nor a module that is installed"
        )
    return spec.origin


def _number(text: str) -> float:
    return float(text.replace(",", ""))
