"""What of a plan the runner does not read: left out by name, refused where it changes what is learned, else said."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from fnmatch import fnmatchcase
from typing import Any

from rftconf.plan.model import Plan
from rftconf_runner.said import said

NAMED = 6
"""Keys that are said by name; the plan has them all."""
OF_VALIDATION = ("val_*",)
"""Of what the runner leaves out anyway."""


def of_beyond(plan: Plan) -> Iterator[tuple[str, str]]:
    """Keys that change the mathematics, for which the plan has no field."""
    for framework, words in plan.extensions.items():
        for key in _refused(plan):
            if key in words:
                why = f"changes what is learned, and the plan has no field for it; `--leave-out {key}` runs without it"
                yield f"extensions.{framework}.{key}", f"is {said(words[key])}: {why}"


def _refused(plan: Plan) -> list[str]:
    return [key for key in plan.beyond if not any(fnmatchcase(key, pattern) for pattern in OF_VALIDATION)]


def leave_out(plan: Plan, key: str, unread: Collection[str] = ()) -> None:
    """Run without a key that changes the mathematics, or without a field that is `unread`. Raises ValueError for any other."""
    if key in plan.beyond:
        plan.beyond.remove(key)
    elif key in unread:
        *parents, last = key.removeprefix("stage.").split(".")
        for holder in _at(plan.stages[0], parents):
            object.__setattr__(holder, last, None)
    else:
        known = ", ".join([*plan.beyond, *unread])
        raise ValueError(f"--leave-out {key}: the run has no such key to leave out; it has {known or 'none'}")


def _at(node: Any, names: Sequence[str]) -> list[Any]:
    """What is at a path; every item where it goes through a list."""
    for at, name in enumerate(names):
        found = getattr(node, name.removesuffix("[]"))
        if name.endswith("[]"):
            return [one for item in found for one in _at(item, names[at + 1 :])]
        node = found
    return [node]


def left_aside(plan: Plan) -> Iterator[str]:
    """What is said of the others, and of fields that change no mathematics and that somebody would miss."""
    for framework, words in plan.extensions.items():
        keys = [key for key in words if key not in _refused(plan)]
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
