"""What a run needs in GPUs and memory, from its plan alone. See `price.price` for the account, `answers` for its inverse."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from rftconf.budget.findings import Finding
    from rftconf.plan.model import Plan


def findings(plan: Plan, gpu: str | None = None, model: str | None = None) -> tuple[Finding, ...]:
    """Findings about memory and layout, for `rftconf check`; those about memory need a GPU's name.

    Raises UsageError where the plan does not tell enough.
    """
    from rftconf.budget.findings import findings_of
    from rftconf.budget.gpus import gpu_named
    from rftconf.budget.setup import Asked

    return findings_of(plan, gpu_named(gpu) if gpu else None, Asked(model=model))
