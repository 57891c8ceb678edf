"""An engine that the launch line chooses by a word, and whose config lies in no release that is catalogued."""

from __future__ import annotations

from rftconf.mappers.context import Context

PLAIN_ENGINE = "dp"
"""The word of a launch line that leaves the actor with FSDP's config."""


def other_engine(c: Context) -> str:
    """The engine that the launch line chooses by a word of its own, where it is none of those that have a catalogue."""
    for group in ("actor@actor_rollout_ref.actor", "model_engine"):
        chosen = c.effective(group)
        word = chosen.removesuffix("_actor") if isinstance(chosen, str) else PLAIN_ENGINE
        if word not in (PLAIN_ENGINE, c.backend):
            return word
    return ""
