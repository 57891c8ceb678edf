"""Frameworks that execute what the runner refuses: a table of a stage's fields with a value, or with ANY other one."""

from __future__ import annotations

ANY = "any"
ALL = "veRL, Trinity-RFT, ROLL and ChatLearn"
EXECUTED_BY: dict[tuple[str, str], str] = {
    ("placement.actor.backend", "megatron"): ALL,
    ("placement.rollout.engine", "sglang"): ALL,
    ("sync.driver", "free"): "Trinity-RFT, and veRL's fully asynchronous trainer",
    ("sync.driver", ANY): "Trinity-RFT",
}
"""A test writes each into every framework's config, and reads it back."""


def executed_by(path: str, value: object) -> str:
    """A sentence's end: who could; empty where nobody is known."""
    who = EXECUTED_BY.get((path, str(value)), EXECUTED_BY.get((path, ANY)))
    return f" ({who} could)" if who and value else ""
