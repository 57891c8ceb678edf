"""This module compares two answers as numbers, intervals, tuples or matrices: the second half of PRIME's rule.

veRL's release 0.4.1 and later wrap each step by sympy in a limit of time that is no context manager; the step fails and finds
nothing. So it is left out here too.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from math import isclose, pi
from typing import Any

from rftconf_runner.scores.arithmetic import evaluated, is_plain_matrix

PI, ROUGH_PI = "\\pi", 3.14
LONGEST = 1000
NEAR = 1e-4
DOLLARS, PERCENT = re.compile(r"\$\d+"), re.compile(r"^\d+(?:\.\d+)?\\?%$")
MATRIX, END = "\\begin{pmatrix}", "\\end{pmatrix}"
INTERVALS = {"Interval": "[]", "Interval.Ropen": "[)", "Interval.Lopen": "(]", "Interval.open": "()"}
INTERVAL = re.compile(r"^(Interval(?:\.Ropen|\.Lopen|\.open)?)\((.*)\)$")


def equal(said: str, wanted: str, matrices: bool) -> bool:
    """Compare with pi as it is, and with 3.14 for it. False also for what cannot be compared."""
    values = (pi, ROUGH_PI) if PI in said or PI in wanted else (pi,)
    try:
        found = [same(said, wanted, matrices, value) for value in values]
    except Exception:  # noqa: BLE001 - whatever an answer makes Python raise
        return False
    return any(found)


def same(said: Any, wanted: Any, matrices: bool, value: float = pi) -> bool:
    """Compare with one value of pi. Raises whatever Python raises for a text that is neither number nor tuple."""
    said, wanted = _number_in(said, value), _number_in(wanted, value)
    if isinstance(said, str):
        said = said[:LONGEST]
        if isinstance(wanted, str) and _same_text(said, wanted):
            return True
    numbers = _digits(said), _digits(wanted)
    if numbers[0] is not None and numbers[1] is not None:
        near = (numbers[1] / 100, numbers[1], numbers[1] * 100)
        return any(isclose(one, numbers[0], rel_tol=NEAR) for one in near)
    if not said and said not in (0, False):
        return False
    said, wanted = _bracketed(str(said).strip()), str(wanted).strip()
    if _bare(said, wanted):
        return True
    inner = said and wanted and said[0] in "([" and said[-1] in ")]"
    inner = inner and (said[0], said[-1]) == (wanted[0], wanted[-1])
    if inner and _pairwise(said[1:-1].split(","), wanted[1:-1].split(","), matrices):
        return True
    if "," in said and "," in wanted:
        ours, theirs = ([part.strip() for part in text.split(",")] for text in (said, wanted))
        if len(ours) == len(theirs):
            return _pairwise(ours, theirs, matrices)
    point = said.startswith("Point") and wanted[0] == "(" and wanted[-1] == ")"
    if point and _pairwise(said[said.find("(") + 1 : -1].split(","), wanted[1:-1].split(","), matrices):
        return True
    return matrices and MATRIX in wanted and _same_matrix(said, wanted)


def _number_in(text: Any, value: float) -> Any:
    """Strip a dollar sign, a percent sign or a base, and compute pi where the rest is arithmetic."""
    if not isinstance(text, str):
        return text
    if DOLLARS.match(text):
        return text[1:]
    if PERCENT.match(text):
        return text.replace("\\%", "").replace("%", "")
    if "_" in text:
        return int(float(text.partition("_")[0]))
    if PI not in text:
        return text
    found, *parts = text.split(PI)
    for part in parts:
        found += f"{'' if found[-1:].isdigit() else '1'}*{value}{part}"
    try:
        return evaluated(found)
    except Exception:  # noqa: BLE001 - whatever is no arithmetic stays text
        return found


def _digits(value: Any) -> float | None:
    text = str(value)
    try:
        return float(text.replace("{,}" if "{,}" in text else ",", ""))
    except ValueError:
        return None


def _same_text(said: str, wanted: str) -> bool:
    return said.strip().lower() == wanted.strip().lower() or said.replace(" ", "") == wanted.replace(" ", "")


def _bracketed(text: str) -> str:
    """Write sympy's intervals with brackets."""
    found = INTERVAL.match(text)
    if not found:
        return text
    brackets = INTERVALS[found.group(1)]
    return brackets[0] + found.group(2) + brackets[1]


def _bare(said: str, wanted: str) -> bool:
    """Compare without brackets and braces; square ones go where the other side has no round ones, and the reverse."""
    square = said.startswith("[") and said.endswith("]") and not wanted.startswith("(")
    if square or (said.startswith("(") and said.endswith(")") and not wanted.startswith("[")):
        said, wanted = said.strip("[]()"), wanted.strip("[]()")
    for sign in "{}()":
        said, wanted = said.replace(sign, ""), wanted.replace(sign, "")
    return said == wanted


def _pairwise(said: Sequence[Any], wanted: Sequence[Any], matrices: bool) -> bool:
    """Compare two lists part by part. Every pair is compared, so that one that cannot be compared raises."""
    if len(said) != len(wanted):
        return False
    found = [same(*pair, matrices) for pair in zip(said, wanted, strict=True)]
    return all(found)


def _same_matrix(said: str, wanted: str) -> bool:
    if said.startswith("Matrix"):
        if not is_plain_matrix(said):
            return False
        from sympy.parsing.sympy_parser import parse_expr

        try:
            return _pairwise(list(parse_expr(said)), wanted.split()[1:-1:2], matrices=True)
        except Exception:  # noqa: BLE001 - whatever is no matrix
            return False
    if not (said.startswith("[") and said.endswith("]")):
        return False
    rows = evaluated(said)
    if not isinstance(rows, list):
        return False
    inner = wanted.removeprefix("\\" + MATRIX).removeprefix(MATRIX).removesuffix("\\" + END).removesuffix(END)
    theirs = [row.split("&") if "&" in row else row for row in inner.split("\\")]
    try:
        return _pairwise(rows, theirs, matrices=True)
    except Exception:  # noqa: BLE001 - whatever cannot be compared
        return False
