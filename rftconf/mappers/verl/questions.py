"""What veRL's config cannot say about a run that came from elsewhere."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rftconf.ledger import Decision
from rftconf.mappers.placing import Target

if TYPE_CHECKING:
    from rftconf.mappers.writing import Writing

TARGET = Target(True, 0.5, "the engine shares its GPUs with the trainer now; veRL's default (row 8.2)")


def acts_in(writing: Writing) -> list[Decision]:
    """Which agent loop plays the environments of the source?"""
    names = [
        str(writing.plan(f"stage.data.environments[{i}].name")) for i in range(writing.items("stage.data.environments"))
    ]
    if not names:
        return []
    why = f"the source's agent acts in {', '.join(names)}, turn by turn; environments, their rewards and their tags are not carried over"
    choices = (
        "write an agent loop and name it in rollout.agent",
        "or give tools with rollout.multi_turn.tool_config_path",
    )
    return [Decision("actor_rollout_ref.rollout.multi_turn", why, choices)]


def questions(writing: Writing) -> list[Decision]:
    """Does the reward exist here?"""
    worlds = acts_in(writing)
    if worlds or writing.plan("stage.reward.function_path"):
        return worlds
    why = "the source's workflow or reward function does not exist in veRL; its built-in scorer chooses by data_source (row 7.7)"
    choices = ("write a compute_score and name its file here", "or rely on data_source")
    block = "reward." if writing.since("0.7.1") else ""  # H59
    return [Decision(f"{block}custom_reward_function.path", why, choices)]
