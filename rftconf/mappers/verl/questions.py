"""What veRL's config cannot say about a run that came from elsewhere."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rftconf.ledger import Decision
from rftconf.mappers.placing import Target

if TYPE_CHECKING:
    from rftconf.mappers.writing import Writing

TARGET = Target(True, 0.5, "the engine shares its GPUs with the trainer now; veRL's default (row 8.2)")


def questions(writing: Writing) -> list[Decision]:
    """Does the reward exist here?"""
    if writing.plan("stage.reward.function_path"):
        return []
    why = "the source's workflow or reward function does not exist in veRL; its built-in scorer chooses by data_source (row 7.7)"
    choices = ("write a compute_score and name its file here", "or rely on data_source")
    return [Decision("reward.custom_reward_function.path", why, choices)]
