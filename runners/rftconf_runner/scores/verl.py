"""This module has veRL's short rules: GSM8K, MATH, DAPO's mathematics, geometry3k, Search-R1's questions."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from string import punctuation
from typing import Any

from rftconf_runner.scores.latex import BOX, Plain, UnreadableError, closes, last_box

MARKED = re.compile(r"#### (-?[0-9.,]+)")
END = 300
"""The number of signs at the end of an answer in which the rules look for its result."""


def gsm8k(answer: str, truth: Any, first: bool = False, end: int = END) -> float:
    """Return 1 where the number after the last (or the `first`) `#### ` is the truth, sign by sign but for commas."""
    numbers = MARKED.findall(answer[-end:] if end else answer)
    return float(bool(numbers) and numbers[0 if first else -1].replace(",", "") == truth)


SPACED = "\\boxed "
PLAIN = Plain(("\\\\%", "\\%"))


def math(answer: str, truth: Any, plain: Plain = PLAIN) -> float:
    """Return 1 where the last box has the truth's plain form; a box may also be `\\boxed ` up to the next dollar sign."""
    if SPACED in answer:
        result: str | None = answer.rpartition(SPACED)[2].partition("$")[0]
    else:
        start = answer.rfind("\\boxed")
        end = closes(answer, start) if answer.startswith(BOX, max(start, 0)) else None
        result = None if end is None else answer[start + len(BOX) : end]
    if result is None or truth is None:
        return 0.0
    try:
        return float(plain(result) == plain(truth))
    except (UnreadableError, AttributeError, TypeError):
        return float(result == truth)


def math_first(answer: str, truth: Any) -> float:
    """Apply the rule up to 0.3, which compares a fraction of anything but whole numbers as it is written."""
    return math(answer, truth, Plain(("\\%",), strict=True))


def math_before(answer: str, truth: Any) -> float:
    """Apply the rule up to 0.5, which leaves one of two backslashes before a percent sign."""
    return math(answer, truth, Plain(("\\%",)))


SAID = re.compile(r"answer\s*:\s*([^\n]+)", re.IGNORECASE)
NOTHING = "[INVALID]"
SHORTER = (
    ("an ", ""), ("a ", ""), (".$", "$"), ("\\$", ""), ("\\ ", ""), (" ", ""), ("mbox", "text"), (",\\text{and}", ","),
    ("\\text{and}", ","), ("\\text{m}", "\\text{}"),
)  # fmt: skip
UNITS = (
    "square", "ways", "integers", "dollars", "mph", "inches", "hours", "km", "units", "\\ldots", "sue", "points", "feet",
    "minutes", "digits", "cents", "degrees", "cm", "gm", "pounds", "meters", "meals", "edges", "students",
    "childrentickets", "multiples", "\\text{s}", "\\text{.}", "\\text{\ns}", "\\text{}^2", "\\text{}^3", "\\text{\n}",
    "\\text{}", "\\mathrm{th}", "^\\circ", "^{\\circ}", "\\;", ",\\!", "{,}", '"', "\\dots",
)  # fmt: skip
"""Units and marks that are taken out of an answer, in this order, which matters."""
WRAPPED = (
    (re.compile(r".*?\$(.*?)\$.*"), r"$\1$"),
    (re.compile(r"\\text\{(.*?)\}"), r"\1"),
    (re.compile(r"\\textbf\{(.*?)\}"), r"\1"),
    (re.compile(r"\\overline\{(.*?)\}"), r"\1"),
    (re.compile(r"\\boxed\{(.*)\}"), r"\1"),
    (re.compile(r"frac([^{])(.)"), r"frac{\1}{\2}"),
    (re.compile(r"sqrt([^{])"), r"sqrt{\1}"),
)


def final(text: str) -> str:
    """Return what follows the last `=`, without units, wrappings and dollar signs, as DAPO's rule compares it."""
    text = text.rpartition("=")[2]
    for before, after in (*SHORTER, *((unit, "") for unit in UNITS)):
        text = text.replace(before, after)
    for pattern, inner in WRAPPED:
        text = pattern.sub(inner, text)
    text = text.replace("$", "")
    bare = text.replace(",", "")
    return (bare if bare.isdigit() else text).strip()


def math_dapo(answer: str, truth: str, boxes: bool = True) -> dict[str, Any]:
    """Score 1 where the last line `Answer: ` says the truth, else -1. Without such a line the last box within the last 100 signs
    counts too where `boxes`, compared as it is written."""
    answer = answer[-END:]
    lines = SAID.findall(answer)
    result = final(lines[-1] if lines else NOTHING)
    right = result == final(truth)
    box = last_box(answer[-100:]) if boxes and result == NOTHING else None
    if box is not None:
        result, right = box, box == truth
    return {"score": 1.0 if right else -1.0, "acc": right, "pred": result}


def math_dapo_before(answer: str, truth: str) -> dict[str, Any]:
    """Apply the rule up to 0.9.0, for which a box does not count."""
    return math_dapo(answer, truth, boxes=False)


THOUGHT = re.compile(r"<think>.*</think>.*\\boxed\{.*\}.*", re.DOTALL)


def geo3k(answer: str, truth: str) -> float:
    """Add nine tenths where mathruler finds the box right, and one tenth for the form of thought and box."""
    from mathruler.grader import extract_boxed_content, grade_answer

    right = 1.0 if grade_answer(extract_boxed_content(answer), truth) else 0.0
    return 0.9 * right + 0.1 * (1.0 if THOUGHT.fullmatch(answer) else 0.0)


REPLY = re.compile(r"<answer>(.*?)</answer>", re.DOTALL)
ARTICLES = re.compile(r"\b(?:a|an|the)\b")
MOST_TAGS = 10


def search_answer(answer: str, truth: Mapping[str, Any]) -> float:
    """Return 1 where the last `<answer>` is one of the truth's targets, case, articles and punctuation aside; a quarter of it where
    there are more than ten tags."""
    replies = REPLY.findall(answer)
    if not replies:
        return 0.0
    targets = truth["target"]
    answers: Sequence[str] = [targets] if isinstance(targets, str) else list(targets)
    if words(replies[-1].strip()) not in map(words, answers):
        return 0.0
    return 0.25 if max(answer.count("<answer>"), answer.count("</answer>")) > MOST_TAGS else 1.0


def words(text: str) -> str:
    """Return the text in lower case, without punctuation and articles."""
    bare = "".join(sign for sign in text.lower() if sign not in punctuation)
    return " ".join(ARTICLES.sub(" ", bare).split())


def gsm8k_before(answer: str, truth: Any) -> float:
    """Apply the rule of 0.4, which looks at the whole answer."""
    return gsm8k(answer, truth, end=0)


def gsm8k_first(answer: str, truth: Any) -> float:
    """Apply the rule up to 0.3, for which the first mark counts."""
    return gsm8k(answer, truth, first=True, end=0)
