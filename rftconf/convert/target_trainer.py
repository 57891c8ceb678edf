"""A plan is written for one of the target's trainers, which follows from its back end or the source's program."""

from __future__ import annotations

from typing import Any

from rftconf.base.errors import RefusedError
from rftconf.load.loaded import Loaded
from rftconf.schemas.framework import Framework


def trainer_for(loaded: Loaded, target: Framework, number: str, values: dict[str, Any]) -> str:
    """Return the trainer to write for: the plan's back end, and within one framework the source's own program."""
    own = loaded.guess.trainer
    if target.name == loaded.framework and own in target.recipes:
        if own not in target.trainers_of(number):
            raise RefusedError(
                f"{target.title} {number} has no {target.recipes[own].name} program",
                choices=(f"--to-release {target.recipes[own].since} or newer",),
            )
        return own
    if target.trainer_of_kind:
        kind = values.get("stage.kind")
        return own if target.name == loaded.framework else target.trainer_of_kind.get(str(kind), target.trainer)
    if target.name == loaded.framework and own in target.trainers_of(number):
        return own
    backend = values.get("stage.placement.actor.backend")
    return backend if backend in target.trainers else target.trainer
