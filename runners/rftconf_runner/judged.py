"""Reward by a judge's yes: `--reward judge:FILE`, where FILE is what it is asked, with {question}, {response}, {reference}."""

from __future__ import annotations

from pathlib import Path
from typing import Any


def judge_prompt(solution_str: str, ground_truth: Any, prompt: Any, form: str, **_: Any) -> str:
    """The form, filled in; the question is the prompt's last message."""
    question = prompt if isinstance(prompt, str) else prompt[-1]["content"]
    return form.format(question=question, response=solution_str, reference=ground_truth)


def says_yes(judge_reply: str | None = None, **_: Any) -> float:
    """1 where there is a yes in the reply, as ROLL's judge is read."""
    if judge_reply is None:
        raise ValueError("the plan places no judge that could have been asked")
    return float("yes" in judge_reply.lower())


def form_of(file: str) -> str:
    """A file's text. Raises ValueError where it is none, or has other places to fill in."""
    try:
        form = Path(file).read_text(encoding="utf-8")
        form.format(question="", response="", reference="")
    except (OSError, UnicodeDecodeError) as error:
        raise ValueError(f"cannot read {file}: {error}") from None
    except (KeyError, IndexError, ValueError) as error:
        places = "{question}, {response} and {reference}, and braces of its own doubled"
        raise ValueError(f"{file}: {type(error).__name__}: {error}; it may have {places}") from None
    return form
