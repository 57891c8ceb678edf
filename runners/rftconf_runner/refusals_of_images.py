"""This module refuses what of runs on images is not executed, by field; rows and models are looked at before a run starts."""

from __future__ import annotations

from collections.abc import Iterator

from rftconf.plan.model import Stage
from rftconf.plan.provenance import Source
from rftconf_runner.data_reader import SEES
from rftconf_runner.value_text import render_plan_value


def of_images(stage: Stage, source: Source) -> Iterator[tuple[str, str]]:
    """Columns that the runner does not read as their framework does, and what the runner does with text alone."""
    columns = [data_set.keys.image for data_set in stage.data.train if data_set.keys.image is not None]
    if not columns:
        return
    if source.framework != SEES:
        yield (
            "data.train[].keys.image",
            f"is {render_plan_value(columns[0])}; the runner reads images as veRL does, and as no other",
        )
    if stage.placement.actor.sp not in (1, None):
        yield (
            "placement.actor.sp",
            f"is {render_plan_value(stage.placement.actor.sp)}; ranks share no sequence that has images",
        )
    if stage.sync.in_flight == "interrupt" and stage.sync.run_ahead_rollouts:
        yield "sync.in_flight", "is 'interrupt'; the runner goes on with no answer to images that was cut"
    if stage.algorithm.critic.enabled is True:
        yield "algorithm.critic.enabled", "is on for prompts with images; the runner's critic reads text alone"
    if stage.placement.auxiliary:
        yield "placement.auxiliary", "has models that score prompts with images; the runner's read text alone"
