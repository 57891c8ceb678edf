"""This module chooses one of several placements by the memory account, and changes it where that makes it fit."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from rftconf.base.errors import UsageError
from rftconf.base.record import record
from rftconf.budget.advice.make_it_fit import mended
from rftconf.budget.facts.implementations import RUNNER
from rftconf.budget.price import Budget, price
from rftconf.budget.roles.setup import BudgetRequest, setup_of
from rftconf.budget.terms.term import GIB

if TYPE_CHECKING:
    from rftconf.budget.placing.back_end import Gpus
    from rftconf.plan.model import Plan

LIKE = "verl"
"""The framework whose memory the back end's is like: FSDP2, engines that sleep, offloads by the plan's own switches."""
KEEPS_CACHE = "free_cache_engine"
NOT_EXECUTED = ("fused_kernels", "activation_offload")
"""Suffixes of fields that the back end does not read."""
VERDICTS = ("fits", "too close to tell", "does not fit")


@record
class Memory:
    """The account of the chosen placement: a verdict and a sentence."""

    verdict: str
    text: str


def chosen(plans: Sequence[Plan], gpus: Gpus) -> tuple[Plan, Memory]:
    """Return the first plan that fits, else the first that fits with changes, else the nearest; the first where no GPU is named."""
    if gpus.kind is None:
        return plans[0], Memory("", "not accounted: --gpu NAME says on which GPU")
    try:
        budgets = [price(setup_of(_like_known(plan), BudgetRequest(trainer=RUNNER.name)), gpus.kind) for plan in plans]
    except UsageError as error:
        return plans[0], Memory("", f"not accounted: {error}")
    for plan, budget in zip(plans, budgets, strict=True):
        if budget.verdict == "fits":
            return plan, _budget_text(budget)
    for plan, budget in zip(plans, budgets, strict=True):
        answer = mended(budget.setup, gpus.kind, without=_without(plan))
        if answer is not None and answer.budget is not None:
            return _changed(plan, {change.path: change.new for change in answer.changes}), _budget_text(answer.budget)
    index = min(range(len(plans)), key=lambda index: VERDICTS.index(budgets[index].verdict))
    return plans[index], _budget_text(budgets[index])


def _like_known(plan: Plan) -> Plan:
    """Return the plan for the account: without words for other trainers, except whether engines keep their cache."""
    words = {key: value for own in plan.extensions.values() for key, value in own.items() if key.endswith(KEEPS_CACHE)}
    source = plan.source.model_copy(update={"framework": LIKE, "release": None})
    return plan.model_copy(update={"source": source, "extensions": {LIKE: words}})


def _without(plan: Plan) -> tuple[str, ...]:
    """List fields that may not be changed: those that are not read, and micro-batches where the loss depends on them."""
    scope = plan.stages[0].algorithm.loss_norm_scope
    return (
        NOT_EXECUTED
        if scope in ("update", None)
        else (*NOT_EXECUTED, "batch.micro.tokens_per_rank", "batch.micro.sequences_per_rank")
    )


def _budget_text(budget: Budget) -> Memory:
    phase = budget.deciding.deciding
    text = f"{budget.verdict}: {phase.name} takes {phase.size / GIB:.1f} of {budget.gpu.usable_gib:g} GiB"
    starved = "; ".join(f"{serving.role} holds {serving.requests:.2f} requests" for serving in budget.starved)
    return Memory(budget.verdict, f"{text}{'; ' if starved else ''}{starved}")


def _changed(plan: Plan, values: dict[str, Any]) -> Plan:
    plan = plan.model_copy(deep=True)
    for path, value in values.items():
        node: Any = plan.stages[0]
        *parents, last = path.removeprefix("stage.").split(".")
        for name in parents:
            name, _, index = name.partition("[")
            node = getattr(node, name)[int(index[:-1])] if index else getattr(node, name)
        setattr(node, last, value)
    return plan
