"""This module has veRL's reward for code that Sandbox Fusion runs (`reward.sandbox_fusion.url`): programs of an answer, by what they print."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from rftconf_runner.scores.coding import STARRED
from rftconf_runner.scores.confined import printed

SECONDS, MOST = 10.0, 10
"""The time of each case, and how many of a row's cases count (`compute_score` with `continuous`)."""
PYTHON, FENCE = "```python", "```"
IMPORTS = "".join([*(f"from {name} import *\n" for name in STARRED), *(f"import {name}\n" for name in STARRED[:-2])])
CALL = """
import json as _json, sys as _sys
def _call_of_the_case():
    given = _sys.stdin.read()
    try:
        values = [_json.loads(line) for line in given.split(chr(10))] if given.strip() else []
        function = globals()[{name!r}] if {name!r} in globals() else getattr(globals()["Solution"](), {name!r})
        return True, function(*values)
    except Exception:
        return False, None
if __name__ == "__main__":
    _came, _value = _call_of_the_case()
    if _came:
        print(_json.dumps(_value) if _value is None or isinstance(_value, (dict, list, tuple, bool)) else str(_value))
"""
"""Lines behind code of which a row names a function: they call it with a line of JSON for each argument, and print its result."""


def passed(answer: str, truth: Any) -> float:
    """Return the share of the first ten cases in which the answer's program prints what the row has, line breaks at the end aside."""
    return _passed(answer, truth, asserts=True)


def passed_before(answer: str, truth: Any) -> float:
    """Apply the rule up to 0.5, which knows no asserts behind the code."""
    return _passed(answer, truth, asserts=False)


def _passed(answer: str, truth: Any, *, asserts: bool) -> float:
    program = extracted(answer)
    if program is None:
        return 0.0
    try:
        cases = truth if isinstance(truth, Mapping) else json.loads(truth)
        return _share(program, cases, asserts=asserts)
    except (TypeError, ValueError, KeyError, AttributeError):  # cases that are none: veRL gives nothing then
        return 0.0


def _share(program: str, cases: Mapping[str, Any], *, asserts: bool) -> float:
    own = cases.get("assert_case") if asserts else None
    if isinstance(own, list):
        inputs, outputs = cases.get("inputs", [""] * len(own)), cases.get("outputs", [None] * len(own))
    else:
        inputs, outputs = cases["inputs"], cases["outputs"]
    ends = own if own is not None else [""] * len(inputs)
    if not inputs or len(inputs) != len(outputs) or len(ends) != len(inputs):
        return 0.0
    count = min(len(inputs), MOST)
    triples = list(zip(inputs, outputs, ends, strict=True))[:count]
    return sum(_passes(program, *case, str(cases.get("fn_name") or ""), asserts=asserts) for case in triples) / count


def _passes(program: str, stdin: Any, expected: Any, end: str, name: str, *, asserts: bool) -> bool:
    source = program + "\n\n" + end
    if name:
        source = IMPORTS + source + CALL.format(name=name)
    output = printed(source, "" if stdin is None else str(stdin), SECONDS)
    if output is None:
        return False
    return (asserts and expected is None) or output.rstrip("\n") == str(expected).rstrip("\n")


def extracted(answer: str) -> str | None:
    """Return the last block of Python, else what stands between the first marks without the name of a language; None without marks."""
    if PYTHON in answer:
        return answer.rpartition(PYTHON)[2].partition(FENCE)[0]
    if FENCE not in answer:
        return None
    block = answer.split(FENCE)[1]
    language, line_break, rest = block.partition("\n")
    return rest if line_break and language.strip().isalpha() else block
