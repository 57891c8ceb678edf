"""Runs that learn from each step of an episode as a sequence of its own: no config tells how many episodes an update is."""

from __future__ import annotations

from typing import Any

from rftconf.base.symbols import Expr, OpenKey

STEPS = OpenKey("steps_per_episode")
"""What an update's steps are divided by."""


def assumed(context: Any, name: str) -> str | None:
    """Return the word that a person gave for `name` with --assume, or that is known of the config's fork; else None."""
    words: dict[str, str] = context.facts.assumed
    return words.get(name)


def counts_steps(context: Any) -> bool:
    """True where an update counts steps of episodes: a fork's declaration or the person says so."""
    return assumed(context, "mini_batch") == "steps"


def in_episodes(steps: Any, context: Any) -> Any:
    """The episodes that hold so many steps; a formula, where nobody says how many one has."""
    if not isinstance(steps, (int, Expr)):
        return steps
    word = assumed(context, STEPS.key)
    if word is None or isinstance(steps, Expr):
        return steps / (STEPS if word is None else int(word))
    return max(1, round(steps / int(word)))
