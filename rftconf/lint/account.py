"""The memory account of one run as rules ask for it; None where the file or the project does not tell enough."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING

from rftconf.errors import UsageError

if TYPE_CHECKING:
    from rftconf.budget.gpus import Gpu
    from rftconf.budget.price import Budget
    from rftconf.budget.roles import Setup
    from rftconf.lint.subject import Subject


def setup_of(s: Subject) -> Setup | None:
    """The run as its memory sees it. What the file leaves to the project's machines is taken from there."""
    from rftconf.budget import setup
    from rftconf.budget.view import plan_view

    if not s.alone or s.value("kind") != "rl":
        return None
    own = {key: leaf.value for key, leaf in s.written_keys()}
    plan = plan_view([s.reading.values], s.framework, s.best.release, own)
    nodes = None if s.count("cluster.nodes") else s.cluster.nodes
    each = None if s.count("cluster.gpus_per_node") else s.cluster.gpus_per_node
    try:
        return setup.setup_of(plan, setup.Asked(nodes, each))
    except UsageError:  # a symbol, an unknown model, a size of nothing: other rules speak of those that are wrong
        return None


def budget_of(s: Subject) -> Budget | None:
    """Every role and phase on the project's GPU; None also where the project names none, or the layout cannot run."""
    from rftconf.budget.price import price

    if not s.cluster.gpu or s.setup is None:
        return None
    gpu = _gpu(s.cluster.gpu)
    found = None if gpu is None else price(s.setup, gpu)
    return None if found is None or found.problems else found


@cache
def _gpu(name: str) -> Gpu | None:
    from rftconf.budget.gpus import gpu_named

    try:
        return gpu_named(name)
    except UsageError:  # said where the settings are read
        return None
