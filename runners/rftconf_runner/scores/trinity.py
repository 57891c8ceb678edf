"""This module has Trinity-RFT's registered reward functions: each returns parts by name, whose sum is the reward."""

from __future__ import annotations

import json
import re
from typing import Any

from rftconf_runner.scores.arithmetic import evaluated
from rftconf_runner.scores.waiting import within

VERIFY_SECONDS = 5.0
REPLY = re.compile(r"<answer>(.*?)</answer>")
FORM = re.compile(r".*?<think>.*?</think>\s*<answer>.*?</answer>\s*$", re.DOTALL | re.MULTILINE)
FORMED, UNFORMED = 0.1, -0.1


def summed(**parts: float) -> dict[str, float]:
    """Return the parts with their sum as the reward."""
    return {**parts, "score": sum(parts.values())}


def math_reward(answer: str, truth: str) -> dict[str, float]:
    """Let math-verify compare what stands in `<answer>`, or the whole text, and reward the marks of thought and answer."""
    from math_verify import parse

    parsed_answer, parsed_truth = (parse(_replied(text), parsing_timeout=None) for text in (answer, truth))
    return summed(
        accuracy=_verified(parsed_answer, parsed_truth), format_score=FORMED if FORM.match(answer) else UNFORMED
    )


def _replied(text: str) -> str:
    match = REPLY.search(text)
    return match.group(1) if match else text


def _verified(answer: Any, truth: Any) -> float:
    """Compare as Trinity does, which hands math-verify the answer in the place of the truth."""
    from math_verify import verify

    with within(VERIFY_SECONDS):
        try:
            return float(verify(answer, truth, timeout_seconds=None))
        except Exception:  # noqa: BLE001 - whatever cannot be compared
            return 0.0
    return 0.0


def accuracy_reward(answer: str, truth: str) -> dict[str, float]:
    """Let math-verify compare the answer's LaTeX, boxes first; a truth without LaTeX is compared as it is."""
    from latex2sympy2_extended import NormalizationConfig
    from math_verify import LatexExtractionConfig, parse

    how: dict[str, Any] = {"extraction_mode": "first_match", "parsing_timeout": None}
    clean = NormalizationConfig(
        nits=False, malformed_operators=False, basic_latex=True, equations=True, boxed="all", units=True
    )
    extraction = LatexExtractionConfig(
        normalization_config=clean, boxed_match_priority=0, try_extract_without_anchor=False
    )
    parsed_truth = parse(truth, extraction_config=[LatexExtractionConfig()], **how) or truth
    return summed(accuracy=_verified(parse(answer, extraction_config=[extraction], **how), parsed_truth))


NUMBER, ARITHMETIC = re.compile(r"\d+"), re.compile(r"^[\d+\-*/().\s]+$")
NEAR = 1e-5
TRIED, SOLVED = 0.1, 1.0


def countdown_reward(answer: str, truth: str) -> dict[str, float]:
    """Return 1 where the last line's `<answer>` uses each number once and comes to the target, a tenth for any other."""
    puzzle = json.loads(truth)
    replies = REPLY.findall(answer.split("\n")[-1])
    if not replies:
        return {"score": 0.0}
    equation = replies[-1].strip()
    if sorted(map(int, NUMBER.findall(equation))) != sorted(puzzle["numbers"]) or not ARITHMETIC.match(equation):
        return {"score": TRIED}
    try:
        return {"score": SOLVED if abs(evaluated(equation) - puzzle["target"]) < NEAR else TRIED}
    except Exception:  # noqa: BLE001 - whatever is no arithmetic
        return {"score": TRIED}
