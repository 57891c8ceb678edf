"""Keys that only a framework has, for which the plan has no field, and that the runner executes: what they make of a job."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from rftconf.plan.model import Plan
from rftconf_runner.job import Job

CUT, ALIKE = "data.truncation", "placement.actor.megatron.micro_batches_count_alike"
ROUTER = {role: f"placement.{role}.megatron.transformer_overrides.moe_router_dtype" for role in ("actor", "reference")}
EXECUTED: dict[str, dict[str, tuple[Any, ...]]] = {
    "verl": {CUT: ("left", "right", "middle"), ALIKE: (True,), **dict.fromkeys(ROUTER.values(), ("fp32",))}
}
"""The values that are executed of each key; any other is refused."""


def is_executed(framework: str, key: str, value: object) -> bool:
    """True for a key with a value that `in_other_words` puts into the job."""
    return value in EXECUTED.get(framework, {}).get(key, ())


def in_other_words(job: Job, plan: Plan) -> Job:
    """The job with what these keys say, those apart that do nothing as they stand (`plan.idle`)."""
    words = {
        key: value
        for framework, held in plan.extensions.items()
        for key, value in held.items()
        if key not in plan.idle and is_executed(framework, key, value)
    }
    cut = f"cut_{words[CUT]}" if CUT in words and job.overlong == "keep" else job.overlong
    actor = words.get(ROUTER["actor"])
    # veRL's reference has the actor's overrides unless it has its own (ref/megatron_ref.yaml)
    types = tuple("float32" if word else "" for word in (actor, words.get(ROUTER["reference"], actor)))
    scope = "micro_batch_alike" if ALIKE in words else job.norm_scope
    return replace(job, overlong=cut, norm_scope=scope, routers=types)


def shortened(tokens: Sequence[int], most: int, overlong: str) -> tuple[int, ...]:
    """A prompt of `most` tokens at most, where the job cuts longer ones: their left, their right or their middle is lost."""
    if len(tokens) <= most or not overlong.startswith("cut_"):
        return tuple(tokens)
    kept = {"cut_left": 0, "cut_right": most, "cut_middle": most // 2}[overlong]
    return (*tokens[:kept], *tokens[len(tokens) - (most - kept) :])
