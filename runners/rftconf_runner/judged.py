"""Reward by a judge's yes: `--reward judge:FILE`, where FILE is what it is asked, with {question}, {response}, {reference}."""

from __future__ import annotations

import ast
from collections.abc import Sequence
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from typing import Any

FORMS, TURN = "utils/prompt.py", "user\n"


def judge_prompt(
    solution_str: str, ground_truth: Any, prompt: Any, form: str = "", form_name: str = "", **_: Any
) -> str:
    """The form, filled in; the question is the prompt's last message, or of a prompt that is text all of it. A `form_name` is of ROLL's
    own forms, whose question is what follows the last line of a user's turn."""
    question = prompt if isinstance(prompt, str) else prompt[-1]["content"]
    if form_name and TURN in question:
        question = question.rpartition(TURN)[2].strip()
    own = rolls_form(form_name) if form_name else form
    return own.format(question=question, response=solution_str, reference=ground_truth)


def says_yes(judge_reply: str | None = None, **_: Any) -> float:
    """1 where there is a yes in the reply, as ROLL's judge is read."""
    if judge_reply is None:
        raise ValueError("the plan places no judge that could have been asked")
    return float("yes" in judge_reply.lower())


@cache
def rolls_form(name: str) -> str:
    """Read one of ROLL's forms by its name from ROLL's file, without executing it. Raises ValueError where it is not there."""
    spec = find_spec("roll")
    folders: Sequence[str] = (spec.submodule_search_locations if spec else None) or ()
    for file in (Path(folder) / FORMS for folder in folders):
        if file.is_file() and (form := _form_in(ast.parse(file.read_text(encoding="utf-8")), name)):
            return form
    raise ValueError(
        f"stage.placement.auxiliary[].prompt: {name!r} stands for words in ROLL's own code ({FORMS}); put the folder of ROLL's "
        "sources on PYTHONPATH, or name a reward with a form of your own (`--reward NAME=judge:FORM`)"
    )


def _form_in(tree: ast.Module, name: str) -> str:
    """Find the text that `prompt_maps` has under a name."""
    assigned = {
        target.id: node.value
        for node in tree.body
        if isinstance(node, ast.Assign)
        for target in node.targets
        if isinstance(target, ast.Name)
    }
    names = assigned.get("prompt_maps")
    pairs = zip(names.keys, names.values, strict=True) if isinstance(names, ast.Dict) else ()
    for key, value in pairs:
        text = assigned.get(value.id) if isinstance(value, ast.Name) else value
        if isinstance(key, ast.Constant) and key.value == name and isinstance(text, ast.Constant):
            return str(text.value)
    return ""


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
