"""The test whether a plan is executed: the command and every count of executed plans use this one."""

from __future__ import annotations

from rftconf.plan.model import Plan
from rftconf_runner.job import Job
from rftconf_runner.job_reader import job_of
from rftconf_runner.refusals import Refusal, refusals


def accepted(plan: Plan) -> tuple[Job | None, list[Refusal]]:
    """The job, or why there is none: what would be executed otherwise than the plan says, else what it leaves open."""
    refused = refusals(plan)
    if refused:
        return None, refused
    try:
        return job_of(plan), []
    except ValueError as error:
        return None, [Refusal("", str(error))]
