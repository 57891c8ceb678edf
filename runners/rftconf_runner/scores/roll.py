"""This module has ROLL's workers that score by rule: each returns the reward as `score`, and as `acc` what ROLL calls the answer's score.

`answer` is the answer with the tokenizer's special tokens, as the workers decode it.
"""

from __future__ import annotations

import re
from typing import Any

from rftconf_runner.scores.waiting import within

PADS, ENDS = ("<|endoftext|>", "<pad>"), ("<|im_end|>",)
VERIFY_SECONDS = 5.0
OPENS, CLOSES = "<think>", "</think>"
BOX_STARTS = ("\\boxed\\{", "\\boxed{")
BOX = re.compile(r"\\boxed\{([^}]+)\}")
SAYS = "answer is"
BY_TYPE = {
    "loose": {(True, True): 1.0, (True, False): 1.0, (False, True): -1.0, (False, False): -1.0},
    "soft": {(True, True): 1.0, (True, False): 0.5, (False, True): -0.5, (False, False): -1.0},
    "strict": {(True, True): 1.0, (True, False): -1.0, (False, True): -1.0, (False, False): -1.0},
}
"""The reward of a choice by the worker's `reward_type`, and by whether it is right and in a box."""
REPEATED, NGRAM = -0.5, 3


def math_rule(answer: str, truth: Any, prompt: str) -> dict[str, float]:
    """Let math-verify compare what stands in the last box behind the thought, else the first answer there."""
    replied = _behind_thought(_without(answer, PADS), _without(prompt, PADS))
    boxed = _last_box(replied)
    return _verified(replied if boxed is None else f"${boxed}$", truth)


def math_rule_before(answer: str, truth: Any, prompt: str) -> dict[str, float]:
    """Let math-verify compare the first answer behind the thought: 0.1.3 looks for no box itself."""
    return _verified(_behind_thought(_without(answer, PADS), _without(prompt, PADS)), truth)


def math_rule_first(answer: str, truth: Any) -> dict[str, float]:
    """Let math-verify compare whatever it finds in the whole answer, as 0.1.1 does."""
    from math_verify import parse, verify

    text, right = _without(answer, (*PADS, *ENDS)), False
    with within(VERIFY_SECONDS):
        try:
            gold, reply = parse(f"${truth}$", parsing_timeout=None), parse(text, parsing_timeout=None)
            right = bool(verify(gold, reply, timeout_seconds=None))
        except Exception:  # noqa: BLE001 - whatever cannot be compared
            right = False
    return _same(float(right))


def _verified(replied: str, truth: Any) -> dict[str, float]:
    from math_verify import parse, verify

    right = False
    with within(VERIFY_SECONDS):
        try:
            replies = parse(replied, fallback_mode="no_fallback", parsing_timeout=None)
            gold = parse(f"${truth}$", parsing_timeout=None)
            right = bool(replies) and bool(verify(gold[0], replies[0], timeout_seconds=None))
        except Exception:  # noqa: BLE001 - whatever cannot be compared
            right = False
    return _same(float(right))


def _same(value: float) -> dict[str, float]:
    return {"score": value, "acc": value}


def _without(text: str, marks: tuple[str, ...]) -> str:
    for mark in marks:
        text = text.replace(mark, "")
    return text


def _behind_thought(answer: str, prompt: str) -> str:
    """Return the text behind the thought, else behind the last blank line; empty where marks of thought are not in order."""
    opened = prompt.rstrip("\n").endswith(OPENS)
    begins = OPENS in answer and (opened or not answer.startswith(OPENS))
    if begins or answer.count(CLOSES) > 1:
        return ""
    mark = CLOSES if CLOSES in answer else "\n\n"
    return answer.rpartition(mark)[2].strip() if mark in answer else ""


def _last_box(text: str) -> str | None:
    """Return the inside of the last box, in which braces within double quotes do not count; None without a whole one."""
    start = next((mark for mark in BOX_STARTS if mark in text), None)
    if start is None:
        return None
    begin = text.rfind(start) + len(start)
    depth, quoted = 0, False
    for index in range(begin, len(text)):
        sign = text[index]
        if sign == '"':
            quoted = not quoted
        elif not quoted and sign == "{":
            depth += 1
        elif not quoted and sign == "}":
            if depth == 0:
                return text[begin:index]
            depth -= 1
    return None


def choice(answer: str, truth: Any, reward_type: str) -> dict[str, float]:
    """Compare the first capital letter of the last box, or of what follows "answer is"; repeated words cost something."""
    text = _without(answer, (*PADS, *ENDS))
    reward = BY_TYPE[reward_type][_chosen(behind_last_thought(text), truth)]
    return {"score": reward + repetition(text), "acc": float(reward > 0)}


def boxed_choice(answer: str, truth: Any) -> dict[str, float]:
    """Compare as above and want a box: the worker gives the answer a score, and a reward of 0 whatever it is."""
    right, boxed = _chosen(behind_last_thought(_without(answer, (*PADS, *ENDS))), truth)
    return {"score": 0.0, "acc": float(right and boxed)}


def _chosen(text: str, truth: Any) -> tuple[bool, bool]:
    """Return whether the choice is right, and whether it stands in a box."""
    boxes = BOX.findall(text)
    place = text.lower().rfind(SAYS)
    letters = boxes[-1] if boxes else text[place + len(SAYS) :] if place >= 0 else text
    first = next((sign for sign in letters if sign.isupper()), None)
    return first is not None and first == truth[0], bool(boxes)


def behind_last_thought(text: str) -> str:
    """Return the text behind the last end of a thought, without line breaks at its beginning; the whole text where no thought ends."""
    return text.rpartition(CLOSES)[2].lstrip("\n") if CLOSES in text else text


def repetition(text: str) -> float:
    """Return the penalty for runs of three words that come again: half the share of those."""
    words = text.lower().split()
    runs = list(zip(*(words[start:] for start in range(NGRAM)), strict=False))
    return (1 - len(set(runs)) / len(runs)) * REPEATED if runs else 0.0
