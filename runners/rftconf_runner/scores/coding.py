"""This module runs the code of an answer against a row's tests: as ROLL's worker does with `use_local`, and as veRL has Sandbox Fusion do."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from typing import Any

from rftconf_runner.scores.confined import exits_well, passes

SECONDS = 20.0
"""The time of each test (`cal_local_test`)."""
CASES = ("assert", "pytest", "check_based")
"""The kinds of a row's tests that are run; ROLL has two further ones, of input and output and of text."""
STARRED = ("string", "re", "datetime", "collections", "heapq", "bisect", "copy", "math", "random", "statistics", "itertools", "functools",
           "operator", "io", "sys", "json", "builtins", "typing")  # fmt: skip
PRELUDE = "".join(
    [
        *(f"from {name} import *\n" for name in STARRED),
        *(f"import {name}\n" for name in STARRED[:-2]),
        "from typing import List, Dict, Any, Optional, Tuple\nfrom math import inf\nsys.setrecursionlimit(600000)\n",
    ]
)
"""Imports that stand above the code, which may use them without importing them itself."""
BEGINS, THOUGHT = "<|begin_of_solution|>", "</think>"
FENCED, BETWEEN = re.compile(r"```([\w\+\#\-\.]*)\s*\n*(.*?)```", re.DOTALL), re.compile(r"```(.*?)```", re.DOTALL)
TESTS = re.compile(r"^\s*def (test_[^(]*)", re.MULTILINE)


def code(answer: str, _: Any, extra_info: Mapping[str, Any]) -> dict[str, float]:
    """Score 1 where the answer's code passes all of its row's tests."""
    value = float(bool(answer) and _passes_all(extracted(answer), extra_info))
    return {"score": value, "acc": value}


def _passes_all(source: str, row: Mapping[str, Any]) -> bool:
    try:
        tests = row["test_cases"]
        tests = json.loads(tests) if isinstance(tests, str) else tests
        if row["case_type"] == "check_based":
            return not len(tests) or all(exits_well(program, SECONDS) for program in _programs(source, tests[0]))
        return all(passes(f"{PRELUDE}\n{source}\n{_called(test['assert_code'])}", SECONDS) for test in tests)
    except (KeyError, TypeError, ValueError, AttributeError):  # tests that are none: ROLL's worker gives nothing then
        return False


def _called(tests: str) -> str:
    """Add a call of every test function to the tests, where they have some."""
    if "def test_" not in tests:
        return tests
    names = [
        line.strip().partition("(")[0].partition("def ")[2]
        for line in tests.strip().split("\n")
        if line.strip().startswith("def test_")
    ]
    return f"{tests}\n" + "".join(f"{name}()\n" for name in names)


def _programs(source: str, test: Mapping[str, Any]) -> list[str]:
    """Return a program for each line of a check but the first, which all have."""
    lines = [line for line in test["assert_code"].split("\n") if line]
    if not lines:
        raise ValueError("no line of a check")
    first, *others = lines
    begin = test.get("import_prefix", "") + PRELUDE + source
    end = f"\ncheck({test.get('entry_point', 'candidate')})"
    return [f"{begin}\n{first}\n{other}{end}" for other in others] or [f"{begin}\n{first}{end}"]


def extracted(answer: str) -> str:
    """Return the first block of code that has a function, else the first one; without marks of code the whole answer."""
    for mark in (BEGINS, THOUGHT):
        if mark in answer:
            answer = answer.rpartition(mark)[2].strip()
    if "```" not in answer:
        return answer.strip()
    blocks = [block for _, block in FENCED.findall(answer)] or BETWEEN.findall(answer)
    return next((block for block in blocks if "def " in block), blocks[0] if blocks else "")
