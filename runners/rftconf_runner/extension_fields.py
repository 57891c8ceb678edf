"""Keys and fields of a plan that the runner does not read: left out by name, refused unless known to change nothing,
else reported.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from fnmatch import fnmatchcase
from typing import Any

from rftconf.plan.model import Plan
from rftconf_runner.ignorable_keys import unlisted
from rftconf_runner.value_text import render_plan_value

NAMED = 6
"""Keys that are said by name; the plan has them all."""
CHANGES = "changes what is learned, and the plan has no field for it"
UNKNOWN = "is not read, and whether it changes what is learned nobody here knows"

FORK = "source.fork"


def of_extensions(plan: Plan) -> Iterator[tuple[str, str]]:
    """Keys without a field that change the mathematics, or of which nobody knows that they do not."""
    if plan.source.fork:
        why = f"a fork, whose code may do more than its keys say; `--leave-out {FORK}` runs what the plan says"
        yield FORK, f"is {plan.source.fork}: {why}"
    for framework, key, value, changes in unlisted(plan):
        why = f"{CHANGES if changes else UNKNOWN}; `--leave-out {key}` runs without it"
        yield f"extensions.{framework}.{key}", f"is {render_plan_value(value)}: {why}"


def leave_out(plan: Plan, key: str, unread: Collection[str] = ()) -> None:
    """Run without keys that are refused (a pattern names several), or without a field that is `unread`. Raises ValueError for any other."""
    refused = [(framework, name) for framework, name, _, _ in unlisted(plan)]
    named = [(framework, name) for framework, name in refused if name == key or fnmatchcase(name, key)]
    for framework, name in named:
        plan.extensions[framework].pop(name)
        if name in plan.beyond:
            plan.beyond.remove(name)
    if key == FORK and plan.source.fork:
        plan.source.fork = None
    elif key in unread:
        *parents, last = key.removeprefix("stage.").split(".")
        for holder in _values_at(plan.stages[0], parents):
            object.__setattr__(holder, last, None)
    elif not named:
        known = ", ".join([*(name for _, name in refused), *unread])
        raise ValueError(f"--leave-out {key}: the run has no such key to leave out; it has {known or 'none'}")


def _values_at(node: Any, names: Sequence[str]) -> list[Any]:
    """Return the values at a path: one for every item where it goes through a list."""
    for index, name in enumerate(names):
        value = getattr(node, name.removesuffix("[]"))
        if name.endswith("[]"):
            return [leaf for item in value for leaf in _values_at(item, names[index + 1 :])]
        node = value
    return [node]


def left_aside(plan: Plan) -> Iterator[str]:
    """List notes on keys that are not refused, and on unread fields without mathematics that users may miss."""
    refused = {(framework, key) for framework, key, _, _ in unlisted(plan)}
    for framework, words in plan.extensions.items():
        keys = [key for key in words if (framework, key) not in refused]
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
