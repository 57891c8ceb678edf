"""The test whether a run can continue with another plan: one that is longer, saves otherwise, or has another name."""

from __future__ import annotations

from collections.abc import Iterator
from fnmatch import fnmatchcase

from rftconf.plan.identity import flatten
from rftconf.plan.model import Plan
from rftconf_runner.value_text import render_plan_value

MAY_DIFFER = (
    "identity.*", "stages[[]0].name", "stages[[]0].run_length.*", "stages[[]0].cadence.*", "stages[[]0].checkpoint.*",
    "stages[[]0].data.eval*", "stages[[]0].sampling.eval.*", "stages[[]0].data.rows",
)  # fmt: skip
"""What says when a run ends, saves and validates, and what it is called."""


def other_run(kept_plan: Plan, asked_plan: Plan) -> list[str]:
    """List what in `asked_plan` would make another run of the one that was begun with `kept_plan`; it is empty where the run goes on."""
    return list(_differing(kept_plan, asked_plan))


def _differing(kept_plan: Plan, asked_plan: Plan) -> Iterator[str]:
    before, after = flatten(kept_plan), flatten(asked_plan)
    longer = False
    for path in sorted({*before, *after}):
        if before.get(path) == after.get(path):
            continue
        longer |= ".run_length." in path
        if not any(fnmatchcase(path, pattern) for pattern in MAY_DIFFER):
            name = path.replace("stages[0]", "stage")
            yield f"{name} was {render_plan_value(before.get(path))} and is {render_plan_value(after.get(path))}"
    if longer:
        yield from _schedules(asked_plan)


def _schedules(plan: Plan) -> Iterator[str]:
    """A rate that falls until the run's end would have fallen otherwise in a longer one."""
    stage = plan.stages[0]
    roles = [
        ("actor", stage.optim.actor),
        *([("critic", stage.optim.critic)] if stage.algorithm.critic.enabled else []),
    ]
    for role, optimizer in roles:
        if optimizer.schedule not in ("constant", None) and optimizer.decay_updates is None:
            yield (
                f"stage.run_length is another, and stage.optim.{role}.schedule {render_plan_value(optimizer.schedule)} falls over the whole run: "
                f"without stage.optim.{role}.decay_updates the periods that are over had another rate"
            )
