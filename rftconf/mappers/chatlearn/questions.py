"""What ChatLearn's config cannot say about a run that came from elsewhere."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rftconf.ledger import Decision
from rftconf.mappers.placing import Target

if TYPE_CHECKING:
    from rftconf.mappers.writing import Writing

TARGET = Target(True, 0.8, "the engine shares its GPUs with the trainer now; ChatLearn's default (row 8.2)", apart=True)


def questions(writing: Writing) -> list[Decision]:
    """Do the rule rewards and the columns fit?"""
    return [
        Decision(
            "models.reward",
            "ChatLearn's rule reward chooses by the data_source of a row; the source's workflow or reward code is not carried over (row 7.7)"
            + _models(writing),
            ("check that rule_reward.py knows your data_source", "or add your reward to it"),
        ),
        Decision(
            "runtime_args.data_path",
            "rows need the columns prompt, data_source and reward_model.ground_truth (row 7.3)",
            ("check the files", "or convert them"),
        ),
    ]


def _models(writing: Writing) -> str:
    """The models that score in the source and are served by nobody here (row 7.8)."""
    paths = [f"stage.placement.auxiliary[{i}]." for i in range(writing.items("stage.placement.auxiliary"))]
    lost = [writing.model_beside(at) for at in paths if writing.plan(at + "role") in ("reward", "judge")]
    return f", and no reward model or judge is served here: {', '.join(lost)} scores nothing (row 7.8)" if lost else ""
