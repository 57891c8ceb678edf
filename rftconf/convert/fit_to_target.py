"""A plan as the target can run it: batches within a period, whole micro-batches, and a placement that it has."""

from __future__ import annotations

from functools import partial
from typing import Any

from rftconf.base.ledger import Decision
from rftconf.convert.idle_validation import leave_out_validation
from rftconf.convert.refusals import refuse_dialects, refuse_environments, refuse_other_kinds
from rftconf.load.loaded import Loaded
from rftconf.load.stage import StageRead
from rftconf.mappers.outcomes import Outcome
from rftconf.mappers.placing import own_memory, place
from rftconf.mappers.tables import table_of
from rftconf.plan.derive import (
    fill_micro_batches,
    floor_as_ratio,
    leave_quantities_open,
    one_back_end,
    update_within_period,
    whole_micro_batches,
    whole_shard_groups,
)
from rftconf.plan.kinds import WITHOUT_ROLLOUTS
from rftconf.plan.origin import Origin
from rftconf.schemas import registry
from rftconf.schemas.framework import Framework


def fit_stage(
    loaded: Loaded,
    stage: StageRead,
    target: Framework,
    number: str,
    values: dict[str, Any],
    origins: dict[str, Origin],
    *,
    layout: str | None = None,
    rollout_gpus: int | None = None,
) -> tuple[list[Decision], dict[str, Outcome]]:
    """Refuse what no release of the target has, fit the rest; return what is to decide, and what became of fields left out."""
    refuse_dialects(stage.reading)
    refuse_other_kinds(target, values.get("stage.kind"), number)
    refuse_environments(target, values)
    leave_quantities_open(values, origins, {finding.leaf.key for finding in stage.reading.value_errors})
    decisions = fit_to_target(target, number, values, origins, layout=layout, rollout_gpus=rollout_gpus)
    return decisions, leave_out_validation(loaded, target, values, origins)


def fit_to_target(
    target: Framework,
    number: str,
    values: dict[str, Any],
    origins: dict[str, Origin],
    *,
    layout: str | None = None,
    rollout_gpus: int | None = None,
) -> list[Decision]:
    """Change `values` to what a release of the target can run, and say what a person should decide about it.

    `layout` and `rollout_gpus` are what a person asks for.
    """
    floor_as_ratio(values, origins)
    if values.get("stage.kind") in WITHOUT_ROLLOUTS:
        return []  # the trainer has all GPUs
    if values.get("stage.kind") == "eval":
        own_memory(table_of(target.name, "eval").target, values, origins)
        return []  # engines on all GPUs
    update_within_period(values, origins)
    table = table_of(target.name)
    if table.target.one_back_end:
        one_back_end(values, origins, table.target.one_back_end)
    fill_micro_batches(values, origins)
    since = partial(registry.at_least, target.name, number)
    separate = table.separates_since is not None and since(table.separates_since)
    rules = table.target.rules(since)
    decisions = place(
        table.target, values, origins, rollout_gpus=rollout_gpus, may_separate=separate, rules=rules, layout=layout
    )
    whole_micro_batches(values, origins)
    whole_shard_groups(values, origins)
    return decisions
