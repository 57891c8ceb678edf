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
    del writing
    return [
        Decision(
            "models.reward",
            "ChatLearn's rule reward chooses by the data_source of a row; the source's workflow or reward code is not carried over (row 7.7)",
            ("check that rule_reward.py knows your data_source", "or add your reward to it"),
        ),
        Decision(
            "runtime_args.data_path",
            "rows need the columns prompt, data_source and reward_model.ground_truth (row 7.3)",
            ("check the files", "or convert them"),
        ),
    ]
