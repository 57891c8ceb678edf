"""The memory account of one run as rules ask for it; None where the file or the project does not tell enough."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING

from rftconf.base.errors import UsageError
from rftconf.mappers.reading import Reading

if TYPE_CHECKING:
    from rftconf.budget.facts.gpus import Gpu
    from rftconf.budget.price import Budget
    from rftconf.budget.roles.roles import Setup


def setup_of(reading: Reading, release: str, nodes: int | None, gpus_per_node: int | None) -> Setup | None:
    """Return the run as its memory sees it, of as many machines as it says itself, else of those given."""
    from rftconf.budget.roles import setup
    from rftconf.budget.roles.plan_view import plan_view

    own = {key: leaf.value for key, leaf in reading.source.leaves()}
    plan = plan_view([reading.values], reading.source.framework, release, own)
    try:
        return setup.setup_of(plan, setup.BudgetRequest(nodes, gpus_per_node))
    except UsageError:  # a symbol, an unknown model, a size of nothing: other rules speak of those that are wrong
        return None


def budget_of(setup: Setup, gpu: str) -> Budget | None:
    """Return every role and phase on the GPU of that name; None where there is none, or the layout cannot run."""
    from rftconf.budget.price import price

    known = _gpu(gpu)
    budget = None if known is None else price(setup, known)
    return None if budget is None or budget.problems else budget


@cache
def _gpu(name: str) -> Gpu | None:
    from rftconf.budget.facts.gpus import gpu_named

    try:
        return gpu_named(name)
    except UsageError:  # said where the settings are read
        return None
