"""Asks a person at a terminal for what a command line leaves out; says what is missing where nobody sits there."""

from __future__ import annotations

import sys
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from rftconf.base.errors import UsageError


@dataclass(frozen=True, slots=True)
class ConfigChoices:
    """The choices that `rftconf new` needs; None for one that was not given."""

    framework: str | None
    algorithm: str | None
    model: str | None
    gpus: int | None
    gpu: str | None
    data: str | None
    output: Path | None


NEEDED = ("framework", "algorithm", "model", "gpus", "gpu")


def completed(choices: ConfigChoices) -> ConfigChoices:
    """Complete the choices by questions, where somebody can answer. Raises UsageError naming missing options."""
    missing = [name for name in NEEDED if getattr(choices, name) is None]
    if not missing:
        return choices
    if not at_terminal():
        options = ", ".join(f"--{name}" for name in missing)
        raise UsageError(f"missing {options}: nobody is at a terminal to be asked")
    return _ask_for_missing(choices, missing)


def at_terminal() -> bool:
    """True when questions reach somebody."""
    return sys.stdin.isatty() and sys.stderr.isatty()


def _ask_for_missing(choices: ConfigChoices, missing: list[str]) -> ConfigChoices:
    answers = {name: _ask(name) for name in missing}
    if choices.data is None:
        answers["data"] = _prompt("training rows (empty: $TRAIN_DATA when the run starts)", "", str) or None
    completed_choices = replace(choices, **answers)
    if choices.output is None:
        completed_choices = replace(completed_choices, output=Path(_prompt("write to", _file(completed_choices), str)))
    return completed_choices


def _file(choices: ConfigChoices) -> str:
    from rftconf.schemas.registry import FRAMEWORKS

    known = FRAMEWORKS.get(str(choices.framework))
    return f"run_{choices.algorithm}.{known.usual_form if known else 'yaml'}".replace("++", "_pp")


def _ask(name: str) -> Any:
    from rftconf.budget.facts.gpus import gpu_named
    from rftconf.budget.facts.models import find, resolve
    from rftconf.mappers.profiles import with_programs
    from rftconf.recipes.recipes import RECIPES, recipe
    from rftconf.schemas.registry import framework

    def model(text: str) -> str:
        model = find(text) or resolve(text)
        return text if model else ""

    questions: dict[str, tuple[str, str, Callable[[str], Any]]] = {
        "framework": (
            f"framework ({', '.join(known.name for known in with_programs())})",
            "verl",
            lambda text: framework(text).name,
        ),
        "algorithm": (f"algorithm ({', '.join(RECIPES)})", "grpo", lambda text: recipe(text).name),
        "model": ("model, or the folder of its config.json", "Qwen/Qwen2.5-7B-Instruct", model),
        "gpus": ("GPUs in all", "8", _count),
        "gpu": ("which GPU", "h100-80g", lambda text: gpu_named(text) and text),
    }
    return _prompt(*questions[name])


def _count(text: str) -> int:
    if not text.strip().isdigit() or int(text) < 1:
        raise UsageError(f"{text} is no number above 0")
    return int(text)


def _prompt(question: str, default: str, understand: Callable[[str], Any]) -> Any:
    """Ask until the answer means something."""
    import click

    def value(text: str) -> Any:
        try:
            return understand(text)
        except UsageError as error:
            raise click.UsageError(str(error)) from None

    return click.prompt(question, default=default, value_proc=value, err=True, show_default=bool(default))
