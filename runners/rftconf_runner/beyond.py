"""What of a plan only its own framework knows: refused where it changes what is learned, said where it does not."""

from __future__ import annotations

from collections.abc import Iterator
from fnmatch import fnmatchcase

from rftconf.plan.model import Plan

NAMED = 6
"""Keys that are said by name; the plan has them all."""
OF_VALIDATION = ("val_*",)
"""Of what the runner leaves out anyway."""


def of_beyond(plan: Plan) -> Iterator[tuple[str, str]]:
    """Keys that change the mathematics, for which the plan has no field."""
    for framework, words in plan.extensions.items():
        for key in plan.beyond:
            if key in words and not any(fnmatchcase(key, pattern) for pattern in OF_VALIDATION):
                why = f"changes what is learned, and the plan has no field for it; `--leave-out {key}` runs without it"
                yield f"extensions.{framework}.{key}", f"is {words[key]!r}: {why}"


def leave_out(plan: Plan, key: str) -> None:
    """Run without a key that changes the mathematics. Raises ValueError where the plan has none of that name."""
    if key not in plan.beyond:
        known = f"it has {', '.join(plan.beyond)}" if plan.beyond else "it has none"
        raise ValueError(f"--leave-out {key}: no key that is beyond the plan; {known}")
    plan.beyond.remove(key)


def left_aside(plan: Plan) -> Iterator[str]:
    """What is said of the others, and of fields that change no mathematics and that somebody would miss."""
    for framework, words in plan.extensions.items():
        keys = [key for key in words if key not in plan.beyond]
        more = f" and {len(keys) - NAMED} more" if len(keys) > NAMED else ""
        if keys:
            yield f"what only {framework} reads: {', '.join(keys[:NAMED])}{more}"
    for stage in plan.stages:
        if stage.model.trust_remote_code is True:
            yield "code that comes with a model (stage.model.trust_remote_code), which the runner does not run"
        if stage.placement.rollout.extra:
            yield f"further arguments of engines: {', '.join(sorted(stage.placement.rollout.extra))}"
        if stage.placement.layout == "lendable":
            yield "lending the trainer's GPUs to engines while it waits"
